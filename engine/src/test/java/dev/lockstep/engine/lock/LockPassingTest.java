package dev.lockstep.engine.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.DeadlockException;
import dev.lockstep.engine.LockTimeoutException;
import dev.lockstep.scheduler.Waiter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Who may pass a queue and how often, in exact interleavings: one thread plays all owners, and an owner that was woken
 * goes on when the test lets it claim its lock.
 */
class LockPassingTest {
    private static final long KEY = LockName.ofKey(1, new byte[] {1}, 0, 1);
    private static final long OTHER_KEY = LockName.ofKey(1, new byte[] {2}, 0, 1);
    private static final int PASSES_MAX = 5;
    /** Never reached unless something hangs. */
    private static final long HANG_SECONDS = 900;

    private final LockManager manager = new LockManager(4, PASSES_MAX, LockStripe::new);
    private final List<LockOwner> owners = new ArrayList<>();

    private LockOwner newOwner() {
        LockOwner owner = new LockOwner(new Waiter());
        owner.setTransactionId(owners.size() + 1);
        owners.add(owner);
        return owner;
    }

    /** Nothing may remain of any test. */
    @AfterEach
    void leavesNothing() {
        manager.validate();
        for (LockOwner owner : owners) {
            manager.settle(owner);
            manager.releaseAll(owner, 0);
            owner.close();
        }
        manager.validate();
        assertTrue(manager.isEmpty());
        assertEquals(0, manager.statistics().waiting());
    }

    private void startWaiting(LockOwner owner, long name, int mode) {
        assertEquals(LockManager.BLOCKED, manager.request(owner, name, mode));
        assertTrue(owner.isWaitingAcquire());
        manager.validate();
    }

    /** Lets an owner that was woken look whether it has its lock; returns whether it has. */
    private boolean goOn(LockOwner owner) {
        manager.claim(owner);
        manager.validate();
        if (owner.isWaitingAcquire()) {
            return false;
        }
        assertEquals(LockOwner.GRANTED, manager.settle(owner));
        return true;
    }

    private void pass(LockOwner owner, long name, int mode) {
        assertEquals(LockMode.NONE, manager.request(owner, name, mode));
        manager.validate();
        manager.releaseAll(owner, 0);
        manager.validate();
    }

    @Test
    void whoRunsTakesAReleasedLockBeforeWhoIsStillToCome() {
        LockOwner running = newOwner();
        LockOwner waiting = newOwner();
        pass(running, KEY, LockMode.X);
        manager.request(running, KEY, LockMode.X);
        startWaiting(waiting, KEY, LockMode.X);
        assertFalse(goOn(waiting), "nobody was invited");
        manager.releaseAll(running, 0);
        assertTrue(waiting.isWaitingAcquire());
        assertTrue(manager.tryLockInstant(running, KEY, LockMode.X));
        assertTrue(manager.tryLock(running, KEY, LockMode.X));
        manager.releaseAll(running, 0);
        assertTrue(goOn(waiting));
        assertEquals(LockMode.X, manager.heldMode(waiting, KEY));
        assertEquals(1, manager.statistics().waits());
    }

    @Test
    void aQueueIsPassedALimitedNumberOfTimes() {
        LockOwner running = newOwner();
        LockOwner late = newOwner();
        LockOwner first = newOwner();
        LockOwner second = newOwner();
        manager.request(running, KEY, LockMode.X);
        startWaiting(first, KEY, LockMode.X);
        startWaiting(second, KEY, LockMode.S);
        manager.releaseAll(running, 0);
        for (int i = 0; i < PASSES_MAX; i++) {
            pass(running, KEY, i % 2 == 0 ? LockMode.X : LockMode.S);
        }
        assertFalse(manager.tryLock(running, KEY, LockMode.X));
        assertFalse(manager.tryLock(running, KEY, LockMode.S));
        assertFalse(manager.tryLockInstant(running, KEY, LockMode.S));
        startWaiting(running, KEY, LockMode.X);
        assertFalse(goOn(second));
        assertTrue(goOn(first));
        assertFalse(manager.tryLock(late, KEY, LockMode.S));
        manager.releaseAll(first, 0);
        pass(late, KEY, LockMode.S);
        assertTrue(goOn(second));
        assertFalse(manager.tryLock(late, KEY, LockMode.S), "the next one was not invited");
        manager.releaseAll(second, 0);
        assertTrue(goOn(running));
    }

    @Test
    void whoCameInVainOftenEnoughIsPassedNoMore() {
        LockManager wide = new LockManager(1);
        LockOwner running = newOwner();
        LockOwner waiting = newOwner();
        wide.request(running, KEY, LockMode.X);
        assertEquals(LockManager.BLOCKED, wide.request(waiting, KEY, LockMode.X));
        for (int i = 0; i < LockHead.VAIN_CLAIMS_MAX; i++) {
            wide.releaseAll(running, 0);
            assertTrue(wide.tryLock(running, KEY, LockMode.X), "claims in vain: " + i);
            wide.claim(waiting);
            assertTrue(waiting.isWaitingAcquire());
            wide.claim(waiting);
            wide.validate();
        }
        wide.releaseAll(running, 0);
        assertFalse(wide.tryLock(running, KEY, LockMode.X));
        wide.claim(waiting);
        assertEquals(LockOwner.GRANTED, wide.settle(waiting));
        wide.releaseAll(waiting, 0);
        assertTrue(wide.isEmpty());
        running.close();
        waiting.close();
    }

    @Test
    void whoGivesUpLeavesItsInvitationToTheNext() {
        LockOwner running = newOwner();
        LockOwner first = newOwner();
        LockOwner second = newOwner();
        manager.request(running, KEY, LockMode.X);
        startWaiting(first, KEY, LockMode.X);
        startWaiting(second, KEY, LockMode.X);
        manager.releaseAll(running, 0);
        assertFalse(goOn(second));
        assertEquals(LockOwner.IDLE, manager.settle(first));
        manager.validate();
        assertTrue(goOn(second));
    }

    @Test
    void aLateClaimLeavesThePlaceInTheQueue() {
        LockOwner running = newOwner();
        LockOwner first = newOwner();
        LockOwner second = newOwner();
        manager.request(running, KEY, LockMode.X);
        startWaiting(first, KEY, LockMode.X);
        startWaiting(second, KEY, LockMode.X);
        manager.releaseAll(running, 0);
        assertTrue(manager.tryLock(running, KEY, LockMode.S));
        assertFalse(goOn(first));
        assertFalse(manager.tryLock(newOwner(), KEY, LockMode.S), "nobody is invited");
        manager.releaseAll(running, 0);
        assertFalse(goOn(second));
        assertTrue(goOn(first));
    }

    /**
     * The owner that waits becomes blocked by one for which it did not wait; the deadlock closes when that one waits.
     */
    @Test
    void whoPassesAndThenWaitsFindsTheDeadlock() {
        LockOwner before = newOwner();
        LockOwner waiting = newOwner();
        LockOwner running = newOwner();
        manager.request(before, KEY, LockMode.X);
        manager.request(waiting, OTHER_KEY, LockMode.X);
        startWaiting(waiting, KEY, LockMode.X);
        assertFalse(manager.breakDeadlocks(waiting));
        manager.releaseAll(before, 0);
        assertTrue(manager.tryLock(running, KEY, LockMode.X));
        DeadlockException e = assertThrows(
                DeadlockException.class, () -> manager.lock(running, OTHER_KEY, LockMode.S, Waiter.NO_DEADLINE));
        assertTrue(e.getMessage().contains("cycle="), e.getMessage());
        assertEquals(1, manager.statistics().deadlocks());
        manager.releaseAll(running, 0);
        assertTrue(goOn(waiting));
    }

    /** Otherwise its next attempt would take the lock again at once, and close the same cycle. */
    @Test
    void whatAVictimReleasesIsKeptForItsQueue() {
        LockOwner waiting = newOwner();
        LockOwner victim = newOwner();
        manager.request(waiting, OTHER_KEY, LockMode.X);
        manager.request(victim, KEY, LockMode.X);
        startWaiting(waiting, KEY, LockMode.X);
        assertThrows(DeadlockException.class, () -> manager.lock(victim, OTHER_KEY, LockMode.S, Waiter.NO_DEADLINE));
        manager.releaseAll(victim, 0);
        assertFalse(manager.tryLock(victim, KEY, LockMode.X));
        assertTrue(goOn(waiting));
    }

    /** An invited owner that nobody has passed blocks who waits for it, but waits for nobody itself. */
    @Test
    void whoWaitsForAnInvitedOwnerIsNoDeadlock() {
        LockOwner before = newOwner();
        LockOwner waiting = newOwner();
        LockOwner running = newOwner();
        manager.request(before, KEY, LockMode.X);
        manager.request(waiting, OTHER_KEY, LockMode.X);
        startWaiting(waiting, KEY, LockMode.X);
        manager.releaseAll(before, 0);
        startWaiting(running, OTHER_KEY, LockMode.S);
        assertFalse(manager.breakDeadlocks(running));
        assertTrue(goOn(waiting));
        manager.releaseAll(waiting, 0);
        assertTrue(goOn(running));
        assertEquals(0, manager.statistics().deadlocks());
    }

    @Test
    void conversionsAndInstantRequestsAreGrantedAtOnce() {
        LockOwner reader = newOwner();
        LockOwner converting = newOwner();
        LockOwner instant = newOwner();
        manager.request(reader, KEY, LockMode.S);
        manager.request(converting, KEY, LockMode.U);
        startWaiting(converting, KEY, LockMode.X);
        manager.releaseAll(reader, 0);
        assertEquals(LockOwner.GRANTED, converting.waitStateAcquire());
        assertEquals(LockOwner.GRANTED, manager.settle(converting));
        assertFalse(manager.requestInstant(instant, KEY, LockMode.S));
        manager.releaseAll(converting, 0);
        assertEquals(LockOwner.GRANTED, manager.settle(instant));
        assertEquals(0, instant.heldCount());
    }

    @Test
    void allReadersComeHoweverManyAreInvitedAtATime() throws Exception {
        LockOwner writer = newOwner();
        manager.request(writer, KEY, LockMode.X);
        List<FutureTask<Integer>> reads = new ArrayList<>();
        for (int i = 0; i < 5 * LockStripe.INVITATIONS_MAX; i++) {
            LockOwner reader = newOwner();
            FutureTask<Integer> read =
                    new FutureTask<>(() -> manager.lock(reader, KEY, LockMode.S, Waiter.NO_DEADLINE));
            Thread.ofVirtual().start(read);
            long hang = System.nanoTime() + TimeUnit.SECONDS.toNanos(HANG_SECONDS);
            while (!reader.isWaitingAcquire()) {
                assertTrue(System.nanoTime() - hang < 0, "the reader does not begin to wait");
                Thread.yield();
            }
            reads.add(read);
        }
        manager.releaseAll(writer, 0);
        for (FutureTask<Integer> read : reads) {
            assertEquals(LockMode.NONE, read.get(HANG_SECONDS, TimeUnit.SECONDS));
        }
        manager.validate();
        assertFalse(manager.tryLock(writer, KEY, LockMode.X));
    }

    @Test
    void aTimeoutWhileOthersPassIsATimeout() {
        LockOwner running = newOwner();
        LockOwner waiting = newOwner();
        manager.request(running, KEY, LockMode.X);
        long now = System.nanoTime();
        assertThrows(LockTimeoutException.class, () -> manager.lock(waiting, KEY, LockMode.X, now));
        startWaiting(waiting, KEY, LockMode.X);
        manager.releaseAll(running, 0);
        assertTrue(manager.tryLock(running, KEY, LockMode.X));
        assertFalse(goOn(waiting));
        assertEquals(LockOwner.IDLE, manager.settle(waiting));
        assertEquals(LockMode.X, manager.heldMode(running, KEY));
    }

    /**
     * Terminals on one processor that give way after a turn of some transactions, all of which change one row. One was
     * switched out in the middle of a transaction, so that all others wait; then everything must be as before, instead
     * of every transaction waiting from then on.
     */
    @ParameterizedTest
    @ValueSource(ints = {2, 10, 50})
    void aConvoyDissolves(int terminals) {
        LockManager wide = new LockManager(4);
        int turn = 40;
        Deque<LockOwner> ready = new ArrayDeque<>();
        LockOwner disturbing = newOwner();
        wide.request(disturbing, KEY, LockMode.X);
        List<LockOwner> all = new ArrayList<>();
        for (int i = 0; i < terminals; i++) {
            LockOwner terminal = newOwner();
            all.add(terminal);
            assertEquals(LockManager.BLOCKED, wide.request(terminal, KEY, LockMode.X));
        }
        wide.releaseAll(disturbing, 0);
        int transactions = 0;
        while (transactions < 100 * terminals * turn) {
            for (LockOwner terminal : all) {
                boolean woken = terminal.invited || terminal.waitStateAcquire() == LockOwner.GRANTED;
                if (woken && !ready.contains(terminal)) {
                    ready.add(terminal);
                }
            }
            LockOwner running = ready.remove();
            boolean blocked = false;
            for (int i = 0; i < turn && !blocked; i++) {
                if (i == 0 && running.waitStateAcquire() != LockOwner.IDLE) {
                    wide.claim(running);
                    blocked = running.isWaitingAcquire();
                    if (!blocked) {
                        wide.settle(running);
                    }
                } else {
                    blocked = wide.request(running, KEY, LockMode.X) == LockManager.BLOCKED;
                }
                if (!blocked) {
                    wide.releaseAll(running, 0);
                    transactions++;
                }
            }
            if (!blocked) {
                ready.add(running);
            }
        }
        assertEquals(terminals, wide.statistics().waits(), "waits for " + transactions + " transactions");
        assertTrue(wide.isEmpty());
        for (LockOwner owner : owners) {
            owner.close();
        }
    }
}
