package dev.lockstep.engine.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.lockstep.engine.DeadlockException;
import dev.lockstep.engine.InterruptedOperationException;
import dev.lockstep.engine.LockTimeoutException;
import dev.lockstep.scheduler.Waiter;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LockManagerTest {
    private static final long NO_DEADLINE = Waiter.NO_DEADLINE;
    private static final long TABLE = LockName.ofTable(1);
    private static final long KEY = LockName.ofKey(1, new byte[] {1}, 0, 1);
    private static final long OTHER_KEY = LockName.ofKey(1, new byte[] {2}, 0, 1);
    /** Never reached unless something hangs. */
    private static final long HANG_SECONDS = 900;

    private final LockManager manager = new LockManager(4);
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
            assertEquals(LockOwner.IDLE, owner.waitStateAcquire());
            manager.releaseAll(owner, 0);
            owner.close();
        }
        manager.validate();
        assertTrue(manager.isEmpty());
        assertEquals(0, manager.statistics().waiting());
        assertEquals(0, manager.statistics().owners());
    }

    private void lock(LockOwner owner, long name, int mode) {
        manager.lock(owner, name, mode, NO_DEADLINE);
    }

    private static <T> FutureTask<T> start(Callable<T> action) {
        FutureTask<T> task = new FutureTask<>(action);
        Thread.ofVirtual().start(task);
        return task;
    }

    private static <T> T finish(FutureTask<T> task) throws Exception {
        try {
            return task.get(HANG_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }

    /** Starts a request in a thread of its own and returns when it waits in its queue. */
    private FutureTask<Integer> startWaiting(LockOwner owner, long name, int mode) {
        FutureTask<Integer> task = start(() -> manager.lock(owner, name, mode, NO_DEADLINE));
        awaitWaiting(owner);
        return task;
    }

    private static void awaitWaiting(LockOwner owner) {
        long hang = System.nanoTime() + TimeUnit.SECONDS.toNanos(HANG_SECONDS);
        while (!owner.isWaitingAcquire()) {
            assertTrue(System.nanoTime() - hang < 0, "the owner does not begin to wait");
            Thread.yield();
        }
    }

    @Test
    void tellsTheModeHeldBefore() {
        LockOwner owner = newOwner();
        assertEquals(LockMode.NONE, manager.lock(owner, KEY, LockMode.S, NO_DEADLINE));
        assertEquals(LockMode.S, manager.lock(owner, KEY, LockMode.S, NO_DEADLINE));
        assertEquals(LockMode.S, manager.lock(owner, KEY, LockMode.GAP_S, NO_DEADLINE));
        assertEquals(LockMode.KEY_S_GAP_S, manager.heldMode(owner, KEY));
        assertEquals(LockMode.KEY_S_GAP_S, manager.lock(owner, KEY, LockMode.X, NO_DEADLINE));
        assertEquals(LockMode.X | LockMode.GAP_S, manager.heldMode(owner, KEY));
        assertEquals(LockMode.NONE, manager.heldMode(owner, OTHER_KEY));
        assertEquals(1, owner.heldCount());
    }

    @Test
    void keyAndGapDoNotDisturbEachOther() {
        LockOwner writer = newOwner();
        LockOwner scanner = newOwner();
        LockOwner inserter = newOwner();
        lock(writer, KEY, LockMode.KEY_X);
        assertTrue(manager.tryLock(scanner, KEY, LockMode.GAP_S));
        assertFalse(manager.tryLock(scanner, KEY, LockMode.KEY_S_GAP_S));
        assertEquals(LockMode.GAP_S, manager.heldMode(scanner, KEY));
        assertFalse(manager.tryLockInstant(inserter, KEY, LockMode.GAP_IX));
        assertTrue(manager.tryLockInstant(scanner, KEY, LockMode.GAP_IX), "the own range does not stand in the way");
        assertEquals(LockMode.GAP_S, manager.heldMode(scanner, KEY));
        manager.releaseAll(scanner, 0);
        assertTrue(manager.tryLockInstant(inserter, KEY, LockMode.GAP_IX));
        assertEquals(LockMode.NONE, manager.heldMode(inserter, KEY));
        assertFalse(manager.tryLock(inserter, KEY, LockMode.KEY_X_GAP_X));
    }

    @Test
    void unlockReleasesReadLocksOnly() {
        LockOwner owner = newOwner();
        LockOwner other = newOwner();
        lock(owner, KEY, LockMode.S);
        lock(owner, OTHER_KEY, LockMode.X);
        assertTrue(manager.unlock(owner, KEY));
        assertFalse(manager.unlock(owner, KEY));
        assertFalse(manager.unlock(owner, OTHER_KEY));
        assertTrue(manager.tryLock(other, KEY, LockMode.X));
        assertFalse(manager.tryLock(other, OTHER_KEY, LockMode.S));
        lock(owner, TABLE, LockMode.IX);
        assertFalse(manager.unlock(owner, TABLE));
    }

    @Test
    void releasesWakeWhoCanGoOn() throws Exception {
        LockOwner writer = newOwner();
        LockOwner reader = newOwner();
        LockOwner otherReader = newOwner();
        lock(writer, KEY, LockMode.X);
        FutureTask<Integer> read = startWaiting(reader, KEY, LockMode.S);
        FutureTask<Integer> otherRead = startWaiting(otherReader, KEY, LockMode.S);
        manager.releaseAll(writer, 0);
        assertEquals(LockMode.NONE, finish(read));
        assertEquals(LockMode.NONE, finish(otherRead));
        assertEquals(LockMode.S, manager.heldMode(reader, KEY));
        assertEquals(2, manager.statistics().waits());
        assertEquals(0, manager.statistics().conversionWaits());
        assertEquals(1, manager.statistics().locks());
    }

    @Test
    void writersGoInTheOrderOfArrival() throws Exception {
        LockOwner first = newOwner();
        lock(first, KEY, LockMode.X);
        List<Integer> order = new CopyOnWriteArrayList<>();
        List<FutureTask<Integer>> tasks = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            LockOwner owner = newOwner();
            int number = i;
            tasks.add(start(() -> {
                int before = manager.lock(owner, KEY, number % 3 == 0 ? LockMode.U : LockMode.X, NO_DEADLINE);
                order.add(number);
                manager.releaseAll(owner, 0);
                return before;
            }));
            awaitWaiting(owner);
        }
        manager.releaseAll(first, 0);
        for (FutureTask<Integer> task : tasks) {
            finish(task);
        }
        for (int i = 0; i < order.size(); i++) {
            assertEquals(i, order.get(i));
        }
        assertEquals(50, order.size());
    }

    @Test
    void readersDoNotOvertakeAWaitingWriter() throws Exception {
        LockOwner reader = newOwner();
        LockOwner writer = newOwner();
        LockOwner late = newOwner();
        lock(reader, KEY, LockMode.S);
        FutureTask<Integer> write = startWaiting(writer, KEY, LockMode.X);
        assertFalse(manager.tryLock(late, KEY, LockMode.S));
        assertTrue(manager.tryLock(late, KEY, LockMode.GAP_S), "what the writer does not want is free");
        manager.releaseAll(reader, 0);
        finish(write);
    }

    /** With all conversions first, an endless stream of IS to IX would keep out whoever wants to read the table. */
    @Test
    void conversionsDoNotOvertakeWhoDoesNotWaitForThem() throws Exception {
        LockOwner writer = newOwner();
        LockOwner reader = newOwner();
        LockOwner late = newOwner();
        lock(writer, TABLE, LockMode.IX);
        FutureTask<Integer> read = startWaiting(reader, TABLE, LockMode.S);
        lock(late, TABLE, LockMode.IS);
        FutureTask<Integer> conversion = startWaiting(late, TABLE, LockMode.IX);
        manager.releaseAll(writer, 0);
        finish(read);
        assertTrue(late.isWaitingAcquire());
        manager.releaseAll(reader, 0);
        assertEquals(LockMode.IS, finish(conversion));
        assertEquals(1, manager.statistics().conversionWaits());
    }

    /**
     * A reader that stands behind a writer waits, through that writer, for the holder of U. Had the conversion to X to
     * wait for the reader, that would be a deadlock among owners who all did as they should.
     */
    @Test
    void conversionsOvertakeWhoWaitsForThemThroughOthers() throws Exception {
        LockOwner updater = newOwner();
        LockOwner writer = newOwner();
        LockOwner reader = newOwner();
        lock(updater, KEY, LockMode.U);
        FutureTask<Integer> write = startWaiting(writer, KEY, LockMode.X);
        FutureTask<Integer> read = startWaiting(reader, KEY, LockMode.S);
        assertTrue(manager.tryLock(updater, KEY, LockMode.X));
        manager.releaseAll(updater, 0);
        finish(write);
        assertTrue(reader.isWaitingAcquire());
        manager.releaseAll(writer, 0);
        finish(read);
        assertEquals(0, manager.statistics().deadlocks());
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 10, 40})
    void deadlocksOfAnyLengthHaveOneVictim(int members) throws Exception {
        List<FutureTask<Integer>> tasks = new ArrayList<>();
        for (int i = 0; i < members; i++) {
            lock(newOwner(), i, LockMode.X);
        }
        List<LockOwner> all = List.copyOf(owners);
        // The youngest holds most, so it is its age that decides.
        lock(all.getLast(), 1000, LockMode.S);
        for (int i = 0; i < members; i++) {
            LockOwner owner = all.get(i);
            long wanted = (i + 1L) % members;
            tasks.add(start(() -> {
                try {
                    return manager.lock(owner, wanted, LockMode.X, NO_DEADLINE);
                } finally {
                    manager.releaseAll(owner, 0);
                }
            }));
            if (i < members - 1) {
                awaitWaiting(owner);
            }
        }
        int victim = members - 1;
        for (int i = 0; i < members; i++) {
            FutureTask<Integer> task = tasks.get(i);
            if (i == victim) {
                DeadlockException e = assertThrows(DeadlockException.class, () -> finish(task));
                assertTrue(e.isRetryable());
                String message = e.getMessage();
                assertTrue(message.contains("transaction=" + (victim + 1) + ","), message);
                assertTrue(message.contains("locksHeld=2"), message);
                assertTrue(message.contains("mode=X"), message);
                assertTrue(message.contains("members=" + members + ", "), message);
                // From whoever found it: the one before the last may still be looking when the last has come to wait.
                assertTrue(message.contains(members + "->1"), message);
                assertTrue(
                        message.contains("=\"" + members + " waits for X on key:0x0000000000000000 held in X by 1\""),
                        message);
            } else {
                assertEquals(LockMode.NONE, finish(task));
            }
        }
        assertEquals(1, manager.statistics().deadlocks());
    }

    /** Ids are given out with the first change, so the order of the ids need not be that of the begins. */
    @Test
    void theVictimIsWhoBeganLast() throws Exception {
        LockOwner early = newOwner();
        LockOwner late = newOwner();
        // Across the point where the clock's numbers become negative.
        early.begin(Long.MAX_VALUE, null);
        late.begin(Long.MIN_VALUE, null);
        early.setTransactionId(2);
        late.setTransactionId(1);
        lock(early, KEY, LockMode.X);
        lock(late, OTHER_KEY, LockMode.X);
        FutureTask<Integer> task = start(() -> manager.lock(late, KEY, LockMode.X, NO_DEADLINE));
        awaitWaiting(late);
        FutureTask<Integer> closing = start(() -> manager.lock(early, OTHER_KEY, LockMode.X, NO_DEADLINE));
        assertThrows(DeadlockException.class, () -> finish(task));
        manager.releaseAll(late, 0);
        finish(closing);
    }

    /**
     * The bound on the time that a deadlock lasts is by construction: when the request that closes the cycle has been
     * made, and before its thread waits, the victim is out of its queue. No thread but the caller's runs here.
     */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 200})
    void theRequestThatClosesACycleFindsIt(int members) {
        for (int i = 0; i < members; i++) {
            newOwner();
            manager.request(owners.get(i), i, LockMode.X);
        }
        for (int i = 0; i < members; i++) {
            assertEquals(LockManager.BLOCKED, manager.request(owners.get(i), (i + 1L) % members, LockMode.X));
            assertFalse(manager.breakDeadlocks(owners.get(i)) && i < members - 1);
        }
        assertEquals(LockOwner.VICTIM, owners.getLast().waitStateAcquire());
        for (int i = members - 1; i >= 0; i--) {
            LockOwner owner = owners.get(i);
            manager.claim(owner);
            assertEquals(i == members - 1 ? LockOwner.VICTIM : LockOwner.GRANTED, manager.settle(owner));
            manager.releaseAll(owner, 0);
        }
    }

    @Test
    void twoReadersThatWantToWriteAreADeadlock() throws Exception {
        LockOwner first = newOwner();
        LockOwner second = newOwner();
        lock(first, KEY, LockMode.S);
        lock(second, KEY, LockMode.S);
        FutureTask<Integer> conversion = startWaiting(first, KEY, LockMode.X);
        DeadlockException e = assertThrows(DeadlockException.class, () -> lock(second, KEY, LockMode.X));
        assertTrue(e.getMessage().contains("2 waits for X on "), e.getMessage());
        assertTrue(e.getMessage().contains(" (has S) held in S by 1\""), e.getMessage());
        assertEquals(LockMode.S, manager.heldMode(second, KEY));
        assertTrue(first.isWaitingAcquire());
        manager.releaseAll(second, 0);
        assertEquals(LockMode.S, finish(conversion));
        assertEquals(LockMode.X, manager.heldMode(first, KEY));
    }

    @Test
    void updateModeAvoidsThatDeadlock() throws Exception {
        LockOwner first = newOwner();
        LockOwner second = newOwner();
        LockOwner reader = newOwner();
        lock(first, KEY, LockMode.U);
        lock(reader, KEY, LockMode.S);
        FutureTask<Integer> update = startWaiting(second, KEY, LockMode.U);
        FutureTask<Integer> conversion = startWaiting(first, KEY, LockMode.X);
        manager.releaseAll(reader, 0);
        assertEquals(LockMode.U, finish(conversion));
        manager.releaseAll(first, 0);
        assertEquals(LockMode.NONE, finish(update));
        assertEquals(0, manager.statistics().deadlocks());
    }

    /** Whoever reads with U what it will write, and everything else with S, never meets a deadlock on one lock. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void updateModeNeverDeadlocksOnOneLock(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 8; i++) {
            newOwner();
        }
        int waits = 0;
        for (int step = 0; step < 30_000; step++) {
            LockOwner owner = owners.get(random.nextInt(owners.size()));
            manager.claim(owner);
            if (owner.waitStateAcquire() == LockOwner.GRANTED) {
                manager.settle(owner);
            } else if (!owner.isWaitingAcquire()) {
                int held = manager.heldMode(owner, KEY);
                if (held == LockMode.NONE || held == LockMode.U) {
                    int mode = held == LockMode.U ? LockMode.X : random.nextBoolean() ? LockMode.U : LockMode.S;
                    if (manager.request(owner, KEY, mode) == LockManager.BLOCKED) {
                        waits++;
                        assertFalse(manager.breakDeadlocks(owner));
                    }
                } else {
                    manager.releaseAll(owner, 0);
                }
            }
            assertEquals(0, manager.statistics().deadlocks(), "seed=" + seed + " step=" + step);
        }
        assertTrue(waits > 1000, "waits=" + waits);
        owners.forEach(manager::settle);
    }

    @Test
    void timeoutsLeaveNoResidue() throws Exception {
        LockOwner reader = newOwner();
        LockOwner writer = newOwner();
        LockOwner late = newOwner();
        lock(reader, KEY, LockMode.S);
        long now = System.nanoTime();
        LockTimeoutException e =
                assertThrows(LockTimeoutException.class, () -> manager.lock(writer, KEY, LockMode.X, now));
        assertTrue(e.isRetryable());
        assertTrue(e.getMessage().contains("lock=" + LockName.toString(KEY)), e.getMessage());
        assertTrue(e.getMessage().contains("heldBy1=\"" + reader.label() + " in S\""), e.getMessage());
        assertTrue(manager.tryLock(late, KEY, LockMode.S), "the queue is empty again");
        manager.releaseAll(late, 0);
        int timeouts = 1;
        boolean waited = false;
        // On a busy machine the first may have timed out before the second comes.
        for (long millis = 100; !waited; millis *= 2) {
            long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
            FutureTask<Integer> write = start(() -> manager.lock(writer, KEY, LockMode.X, deadline));
            awaitWaitOrEnd(writer, write);
            FutureTask<Integer> read = start(() -> manager.lock(late, KEY, LockMode.S, NO_DEADLINE));
            waited = awaitWaitOrEnd(late, read);
            assertThrows(LockTimeoutException.class, () -> finish(write));
            assertEquals(LockMode.NONE, finish(read), "who waited behind the request that timed out goes on");
            manager.releaseAll(late, 0);
            timeouts++;
        }
        assertEquals(LockMode.NONE, manager.heldMode(writer, KEY));
        assertEquals(timeouts, manager.statistics().timeouts());
    }

    /** Returns whether the request has been seen to wait. */
    private static boolean awaitWaitOrEnd(LockOwner owner, FutureTask<?> request) {
        while (!owner.isWaitingAcquire()) {
            if (request.isDone()) {
                return false;
            }
            Thread.yield();
        }
        return true;
    }

    @Test
    void timeoutsOfConversionsKeepTheModeHeld() {
        LockOwner first = newOwner();
        LockOwner second = newOwner();
        lock(first, KEY, LockMode.S);
        lock(second, KEY, LockMode.S);
        long now = System.nanoTime();
        String message = assertThrows(LockTimeoutException.class, () -> manager.lock(first, KEY, LockMode.X, now))
                .getMessage();
        assertTrue(message.contains("=\"" + second.label() + " in S\""), message);
        assertFalse(message.contains("\"" + first.label() + " in "), message);
        assertEquals(LockMode.S, manager.heldMode(first, KEY));
        manager.releaseAll(second, 0);
        assertTrue(manager.tryLock(first, KEY, LockMode.X));
    }

    @Test
    void interruptsLeaveNoResidueButTheFlag() throws Exception {
        LockOwner holder = newOwner();
        LockOwner waiting = newOwner();
        lock(holder, KEY, LockMode.X);
        FutureTask<Boolean> task = new FutureTask<>(() -> {
            assertThrows(
                    InterruptedOperationException.class, () -> manager.lock(waiting, KEY, LockMode.S, NO_DEADLINE));
            return Thread.interrupted();
        });
        Thread thread = Thread.ofVirtual().start(task);
        awaitWaiting(waiting);
        thread.interrupt();
        assertTrue(finish(task));
        assertEquals(0, waiting.heldCount());
        assertEquals(0, manager.statistics().waiting());
        assertEquals(1, manager.statistics().interrupts());
    }

    @Test
    void aSetInterruptFlagDoesNotDisturbWhoNeedNotWait() {
        LockOwner owner = newOwner();
        Thread.currentThread().interrupt();
        lock(owner, KEY, LockMode.X);
        assertTrue(Thread.interrupted());
        assertEquals(LockMode.X, manager.heldMode(owner, KEY));
    }

    @Test
    void instantLocksWaitAndAreNotKept() throws Exception {
        LockOwner scanner = newOwner();
        LockOwner inserter = newOwner();
        lock(scanner, KEY, LockMode.KEY_S_GAP_S);
        manager.lockInstant(inserter, KEY, LockMode.KEY_S, NO_DEADLINE);
        FutureTask<Integer> insert = start(() -> {
            manager.lockInstant(inserter, KEY, LockMode.GAP_IX, NO_DEADLINE);
            return inserter.heldCount();
        });
        awaitWaiting(inserter);
        manager.releaseAll(scanner, 0);
        assertEquals(0, finish(insert));
        assertTrue(manager.isEmpty());
        lock(scanner, KEY, LockMode.GAP_S);
        long now = System.nanoTime();
        assertThrows(LockTimeoutException.class, () -> manager.lockInstant(inserter, KEY, LockMode.GAP_IX, now));
    }

    @Test
    void instantLocksTakePartInDeadlocks() throws Exception {
        LockOwner first = newOwner();
        LockOwner second = newOwner();
        lock(first, KEY, LockMode.GAP_S);
        lock(second, KEY, LockMode.GAP_S);
        FutureTask<Integer> insert = start(() -> {
            manager.lockInstant(first, KEY, LockMode.GAP_IX, NO_DEADLINE);
            return manager.heldMode(first, KEY);
        });
        awaitWaiting(first);
        assertThrows(DeadlockException.class, () -> manager.lockInstant(second, KEY, LockMode.GAP_IX, NO_DEADLINE));
        manager.releaseAll(second, 0);
        assertEquals(LockMode.GAP_S, finish(insert));
    }

    @Test
    void earlyReleaseIsRememberedForWhomItConcerns() {
        LockOwner writer = newOwner();
        lock(writer, TABLE, LockMode.IX);
        lock(writer, KEY, LockMode.X);
        lock(writer, OTHER_KEY, LockMode.S);
        manager.releaseAll(writer, 5000);

        LockOwner reader = newOwner();
        lock(reader, TABLE, LockMode.IS);
        lock(reader, OTHER_KEY, LockMode.X);
        assertEquals(0, reader.dependsOnLsn(), "neither intentions nor what was only read concern a reader");
        lock(reader, KEY, LockMode.S);
        assertEquals(5000, reader.dependsOnLsn());
        manager.releaseAll(reader, 0);
        assertEquals(5000, reader.dependsOnLsn());
        reader.clearDependsOnLsn();
        assertEquals(0, reader.dependsOnLsn());

        lock(reader, TABLE, LockMode.S);
        assertEquals(5000, reader.dependsOnLsn(), "who reads the whole table reads what was written in it");
        manager.releaseAll(reader, 0);

        LockOwner loser = newOwner();
        lock(loser, KEY, LockMode.X);
        assertEquals(5000, loser.dependsOnLsn());
        manager.releaseAll(loser, 0);
        lock(writer, KEY, LockMode.X);
        manager.releaseAll(writer, 4000);
        LockOwner late = newOwner();
        assertTrue(manager.tryLockInstant(late, KEY, LockMode.S));
        assertEquals(5000, late.dependsOnLsn(), "an LSN never goes back");
    }

    @Test
    void whoWaitedForAnEarlyReleaseDependsOnIt() throws Exception {
        LockOwner writer = newOwner();
        LockOwner reader = newOwner();
        lock(writer, KEY, LockMode.X);
        FutureTask<Integer> read = startWaiting(reader, KEY, LockMode.S);
        manager.releaseAll(writer, 7000);
        finish(read);
        assertEquals(7000, reader.dependsOnLsn());
    }

    @Test
    void ownersFindTheirLocksWhateverIsRemoved() {
        LockOwner owner = newOwner();
        Random random = new Random(77);
        Map<Long, Integer> model = new HashMap<>();
        for (int step = 0; step < 200_000; step++) {
            // Few different bits where the owner's slots are chosen, so that probes are long.
            long name = (long) random.nextInt(64) << 44 | random.nextInt(64);
            if (random.nextInt(5) < 3) {
                int mode = random.nextInt(3) == 0 ? LockMode.GAP_S : LockMode.S;
                lock(owner, name, mode);
                model.merge(name, mode, LockMode::supremum);
            } else {
                assertEquals(model.remove(name) != null, manager.unlock(owner, name));
            }
            if (random.nextInt(5000) == 0) {
                manager.releaseAll(owner, 0);
                model.clear();
            }
            assertEquals(model.size(), owner.heldCount());
            assertEquals(model.getOrDefault(name, LockMode.NONE), manager.heldMode(owner, name));
        }
        model.forEach((name, mode) -> assertEquals(mode, manager.heldMode(owner, name)));
        manager.validate();
        assertEquals(model.size(), manager.statistics().locks());
    }

    @Test
    void theTableGrows() {
        LockOwner owner = newOwner();
        LockOwner other = newOwner();
        byte[] key = new byte[4];
        for (int i = 0; i < 100_000; i++) {
            key[0] = (byte) i;
            key[1] = (byte) (i >> 8);
            key[2] = (byte) (i >> 16);
            lock(i % 2 == 0 ? owner : other, LockName.ofKey(1, key, 0, 4), LockMode.X);
        }
        manager.validate();
        assertEquals(100_000, manager.statistics().locks());
        assertFalse(manager.tryLock(owner, LockName.ofKey(1, key, 0, 4), LockMode.S));
    }

    @Test
    void ownersBelongToOneManagerAtATime() {
        LockOwner owner = newOwner();
        lock(owner, KEY, LockMode.S);
        LockManager foreign = new LockManager(1);
        assertThrows(IllegalArgumentException.class, () -> foreign.tryLock(owner, KEY, LockMode.S));
        assertThrows(IllegalStateException.class, owner::close);
        manager.releaseAll(owner, 0);
        owner.close();
        assertEquals(0, manager.statistics().owners());
        assertTrue(foreign.tryLock(owner, KEY, LockMode.S));
        foreign.releaseAll(owner, 0);
        owner.close();
    }

    @Test
    void nothingIsAllocatedInSteadyState() {
        LockOwner owner = newOwner();
        LockOwner other = newOwner();
        ThreadMXBean threads = assertInstanceOf(ThreadMXBean.class, ManagementFactory.getThreadMXBean());
        lock(other, TABLE, LockMode.IS);
        long allocatedBytes = 0;
        // The first rounds grow arrays and load classes.
        for (int round = 0; round < 20; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int transaction = 0; transaction < 100; transaction++) {
                lock(owner, TABLE, LockMode.IX);
                for (long name = 0; name < 300; name++) {
                    lock(owner, name << 20 | name, LockMode.U);
                    lock(owner, name << 20 | name, LockMode.X);
                }
                assertFalse(manager.tryLock(other, 1 << 20 | 1, LockMode.S));
                manager.releaseAll(owner, transaction);
            }
            allocatedBytes = threads.getCurrentThreadAllocatedBytes() - before;
        }
        // Reading the counter allocates nothing, but a safepoint poll in the last round may; a lock would cost 60,000
        // times.
        assertTrue(allocatedBytes < 1000, "allocatedBytes=" + allocatedBytes);
        assertNull(owner.deadlock);
    }

    @Test
    void aStraySignalIsNoGrant() throws Exception {
        LockOwner holder = newOwner();
        LockOwner waiting = newOwner();
        lock(holder, KEY, LockMode.X);
        FutureTask<Integer> task = startWaiting(waiting, KEY, LockMode.X);
        // A signal of somebody else's is no grant.
        waiting.waiter.signal();
        assertThrows(TimeoutException.class, () -> task.get(20, TimeUnit.MILLISECONDS));
        assertTrue(waiting.isWaitingAcquire());
        manager.releaseAll(holder, 0);
        finish(task);
    }
}
