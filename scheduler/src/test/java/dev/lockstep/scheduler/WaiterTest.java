package dev.lockstep.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.scheduler.latch.SpinLatch;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import jdk.internal.vm.Continuation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every kind of thread waits in the same way. */
class WaiterTest {
    /** A place to run code in. */
    private record Place(String name, SThreadKind kind, boolean virtualThread) {
        void run(Runnable body) throws InterruptedException {
            AtomicReference<Throwable> failure = new AtomicReference<>();
            Runnable guarded = () -> {
                try {
                    body.run();
                } catch (Throwable e) {
                    failure.set(e);
                }
            };
            if (kind != null) {
                try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind))) {
                    scheduler.start("waiting", -1, guarded).join();
                }
            } else {
                (virtualThread ? Thread.ofVirtual() : Thread.ofPlatform())
                        .start(guarded)
                        .join();
            }
            if (failure.get() != null) {
                throw new AssertionError(name, failure.get());
            }
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private static Stream<Place> places() {
        return Stream.of(
                new Place("platform thread", null, false),
                new Place("virtual thread", null, true),
                new Place("virtual S-thread", SThreadKind.VIRTUAL, false),
                new Place("continuation S-thread", SThreadKind.CONTINUATION, false),
                new Place("plain S-thread", SThreadKind.PLAIN, false));
    }

    private static void interruptSelf() {
        SThread self = SThread.current();
        if (self == null) {
            Thread.currentThread().interrupt();
        } else {
            self.interrupt();
        }
    }

    private static boolean isInterrupted() {
        SThread self = SThread.current();
        return self == null ? Thread.currentThread().isInterrupted() : self.isInterrupted();
    }

    @ParameterizedTest
    @MethodSource("places")
    void aSignalBeforeTheWaitEndsIt(Place place) throws InterruptedException {
        place.run(() -> {
            Waiter waiter = new Waiter();
            waiter.prepare();
            waiter.signal();
            waiter.signal();
            assertEquals(Waiter.Outcome.SIGNALLED, waiter.await(Waiter.NO_DEADLINE, WaitReason.LOCK));
            assertThrows(IllegalStateException.class, () -> waiter.await(Waiter.NO_DEADLINE, WaitReason.LOCK));
        });
    }

    @ParameterizedTest
    @MethodSource("places")
    void preparingForgetsEarlierSignals(Place place) throws InterruptedException {
        place.run(() -> {
            Waiter waiter = new Waiter();
            waiter.signal();
            waiter.prepare();
            assertEquals(Waiter.Outcome.TIMED_OUT, waiter.await(System.nanoTime(), WaitReason.LOCK));
        });
    }

    @ParameterizedTest
    @MethodSource("places")
    void theDeadlineEndsTheWait(Place place) throws InterruptedException {
        place.run(() -> {
            Waiter waiter = new Waiter();
            for (int i = 0; i < 3; i++) {
                waiter.prepare();
                long deadline = System.nanoTime() + 2_000_000;
                assertEquals(Waiter.Outcome.TIMED_OUT, waiter.await(deadline, WaitReason.IO));
                assertTrue(System.nanoTime() - deadline >= 0);
            }
        });
    }

    @ParameterizedTest
    @MethodSource("places")
    void anInterruptEndsTheWaitAndTheFlagStays(Place place) throws InterruptedException {
        place.run(() -> {
            Waiter waiter = new Waiter();
            waiter.prepare();
            interruptSelf();
            assertEquals(Waiter.Outcome.INTERRUPTED, waiter.await(Waiter.NO_DEADLINE, WaitReason.LOCK));
            assertTrue(isInterrupted());
            waiter.prepare();
            long deadline = System.nanoTime() + 2_000_000;
            assertEquals(Waiter.Outcome.TIMED_OUT, waiter.awaitUninterruptibly(deadline, WaitReason.LOCK));
            assertTrue(System.nanoTime() - deadline >= 0);
            assertTrue(isInterrupted(), "kept through a wait that ignores it");
            assertTrue(SThread.interrupted());
            assertFalse(isInterrupted());
            assertFalse(SThread.interrupted());
            waiter.prepare();
            assertEquals(Waiter.Outcome.TIMED_OUT, waiter.await(System.nanoTime(), WaitReason.LOCK));
        });
    }

    @ParameterizedTest
    @MethodSource("places")
    void aSignalWinsOverAnInterrupt(Place place) throws InterruptedException {
        place.run(() -> {
            Waiter waiter = new Waiter();
            waiter.prepare();
            interruptSelf();
            waiter.signal();
            assertEquals(Waiter.Outcome.SIGNALLED, waiter.await(Waiter.NO_DEADLINE, WaitReason.LOCK));
        });
    }

    /** Another platform thread signals at every moment of the owner's way into its wait. A lost signal never ends. */
    @ParameterizedTest
    @MethodSource("places")
    @Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void noSignalIsLost(Place place) throws InterruptedException {
        int rounds = 5_000;
        AtomicReference<Waiter> published = new AtomicReference<>();
        Thread signaller = Thread.ofPlatform().start(() -> {
            for (int round = 0; round < rounds; round++) {
                Waiter waiter;
                while ((waiter = published.getAndSet(null)) == null) {
                    Thread.onSpinWait();
                }
                for (int spin = 0; spin < round % 512; spin++) {
                    Thread.onSpinWait();
                }
                waiter.signal();
            }
        });
        place.run(() -> {
            Waiter waiter = new Waiter();
            for (int round = 0; round < rounds; round++) {
                waiter.prepare();
                published.set(waiter);
                Waiter.Outcome outcome = round % 2 == 0
                        ? waiter.await(Waiter.NO_DEADLINE, WaitReason.LOG)
                        : waiter.awaitUninterruptibly(Waiter.NO_DEADLINE, WaitReason.LOG);
                assertEquals(Waiter.Outcome.SIGNALLED, outcome, "round=" + round);
            }
        });
        signaller.join();
    }

    /** A deadline in the moment of the signal: whatever wins, the waiter is usable afterwards and nobody hangs. */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void signalsAndDeadlinesMayCoincide(SThreadKind kind) throws InterruptedException {
        int rounds = 2_000;
        AtomicReference<Waiter> published = new AtomicReference<>();
        Thread signaller = Thread.ofPlatform().start(() -> {
            for (int round = 0; round < rounds; round++) {
                Waiter waiter;
                while ((waiter = published.getAndSet(null)) == null) {
                    Thread.onSpinWait();
                }
                waiter.signal();
            }
        });
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind))) {
            SThread waiting = scheduler.start("waiting", 0, () -> {
                Waiter waiter = new Waiter();
                for (int round = 0; round < rounds; round++) {
                    waiter.prepare();
                    published.set(waiter);
                    waiter.await(System.nanoTime() + round % 64 * 100L, WaitReason.LOCK);
                    while (published.get() != null) {
                        Thread.onSpinWait();
                    }
                }
            });
            waiting.join();
            Fixtures.rethrow(List.of(waiting));
        }
        signaller.join();
    }

    /** Pairs of S-threads on different carriers hand a token to and fro, each waking the other's carrier. */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION", "PLAIN"})
    void carriersWakeEachOther(SThreadKind kind) throws InterruptedException {
        int rounds = 5_000;
        Waiter[] waiters = {new Waiter(), new Waiter()};
        int[] turn = new int[1];
        SpinLatch latch = new SpinLatch();
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind).withCarriers(2))) {
            List<SThread> players = new ArrayList<>();
            for (int player = 0; player < 2; player++) {
                int self = player;
                players.add(scheduler.start("player-" + player, player, () -> {
                    for (int round = 0; round < rounds; round++) {
                        while (true) {
                            waiters[self].prepare();
                            latch.latch();
                            boolean mine = turn[0] == self;
                            latch.unlatch();
                            if (mine) {
                                break;
                            }
                            waiters[self].await(Waiter.NO_DEADLINE, WaitReason.LOCK);
                        }
                        latch.latch();
                        turn[0] = 1 - self;
                        latch.unlatch();
                        waiters[1 - self].signal();
                    }
                }));
            }
            scheduler.awaitTermination();
            Fixtures.rethrow(players);
        }
        assertEquals(0, turn[0]);
    }

    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void aLatchHolderMustNotWait(SThreadKind kind) throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind))) {
            SThread waiting = scheduler.start("waiting", 0, () -> {
                Waiter waiter = new Waiter();
                waiter.prepare();
                SThread.current().latchAcquired();
                IllegalStateException refusal = assertThrows(
                        IllegalStateException.class, () -> waiter.await(Waiter.NO_DEADLINE, WaitReason.LOCK));
                assertTrue(refusal.getMessage().contains("latchesHeld=1"), refusal.getMessage());
                SThread.current().latchReleased();
            });
            waiting.join();
            Fixtures.rethrow(List.of(waiting));
        }
    }

    /** An interrupt from outside ends the wait of a continuation, which has no thread of its own. */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION", "PLAIN"})
    void othersMayInterruptAnSThread(SThreadKind kind) throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind))) {
            AtomicReference<Waiter.Outcome> outcome = new AtomicReference<>();
            SThread waiting = scheduler.start("waiting", 0, () -> {
                Waiter waiter = new Waiter();
                waiter.prepare();
                outcome.set(waiter.await(Waiter.NO_DEADLINE, WaitReason.LOCK));
            });
            waiting.interrupt();
            waiting.join();
            assertEquals(Waiter.Outcome.INTERRUPTED, outcome.get());
        }
    }

    /** What binds a continuation to its carrier makes a wait fail instead of blocking everybody else's. */
    @Test
    void aPinnedContinuationIsRefused() throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(SThreadKind.CONTINUATION))) {
            SThread pinned = scheduler.start("pinned", 0, () -> {
                Waiter waiter = new Waiter();
                waiter.prepare();
                Continuation.pin();
                try {
                    PinnedSThreadException refusal = assertThrows(
                            PinnedSThreadException.class, () -> waiter.await(Waiter.NO_DEADLINE, WaitReason.LOCK));
                    assertTrue(refusal.getMessage().contains("sThread=pinned"), refusal.getMessage());
                    assertTrue(refusal.getMessage().contains("reason=CRITICAL_SECTION"), refusal.getMessage());
                } finally {
                    Continuation.unpin();
                }
            });
            pinned.join();
            Fixtures.rethrow(List.of(pinned));
        }
    }

    /** The other member of a team, which lets the first go on in the middle of its operation. */
    private static Runnable switchingOnce(int operation, StringBuilder order) {
        return () -> {
            SThread self = SThread.current();
            self.beginOperation(operation);
            order.append("b1 ");
            self.switchPoint();
            order.append("b2 ");
            self.endOperation();
        };
    }

    /** A pinned S-thread keeps its turn at switch points and between operations; nothing else goes wrong. */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void aPinnedSThreadKeepsItsTurn(SThreadKind kind) throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind))) {
            int fetch = scheduler.registerOperation("fetch");
            StringBuilder order = new StringBuilder();
            Runnable pinned = () -> {
                SThread self = SThread.current();
                self.beginOperation(fetch);
                order.append("a1 ");
                Continuation.pin();
                self.switchPoint();
                order.append("a2 ");
                self.beginOperation(fetch);
                order.append("a3 ");
                Continuation.unpin();
                self.endOperation();
            };
            Fixtures.runTogether(scheduler, List.of(pinned, switchingOnce(fetch, order)));
            assertEquals("b1 a1 a2 a3 b2 ", order.toString());
            assertEquals(2, Fixtures.statistics(scheduler, "fetch").switchesSkipped());
        }
    }

    /** Who has left its team and kept its turn, for a latch or a pin, comes back by a list and in no running team. */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void whoLeftItsTeamAndKeptItsTurnWaitsForTheTeamsEnd(SThreadKind kind) throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind))) {
            int fetch = scheduler.registerOperation("fetch");
            int update = scheduler.registerOperation("update");
            StringBuilder order = new StringBuilder();
            Runnable latching = () -> {
                SThread self = SThread.current();
                self.beginOperation(fetch);
                order.append("a1 ");
                self.latchAcquired();
                self.beginOperation(update);
                order.append("a2 ");
                self.latchReleased();
                self.beginOperation(fetch);
                order.append("a3 ");
                self.endOperation();
            };
            Fixtures.runTogether(scheduler, List.of(latching, switchingOnce(fetch, order)));
            assertEquals("b1 a1 a2 b2 a3 ", order.toString());
        }
    }

    /** The same of a pinned one, which cannot leave its turn for its list either. */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void aPinnedSThreadBeginsSeveralOperations(SThreadKind kind) throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind))) {
            int fetch = scheduler.registerOperation("fetch");
            StringBuilder order = new StringBuilder();
            Runnable pinned = () -> {
                SThread self = SThread.current();
                self.beginOperation(fetch);
                order.append("a1 ");
                Continuation.pin();
                self.beginOperation(fetch);
                order.append("a2 ");
                self.beginOperation(fetch);
                order.append("a3 ");
                Continuation.unpin();
                self.endOperation();
            };
            Fixtures.runTogether(scheduler, List.of(pinned, switchingOnce(fetch, order)));
            assertEquals("b1 a1 a2 a3 b2 ", order.toString());
        }
    }
}
