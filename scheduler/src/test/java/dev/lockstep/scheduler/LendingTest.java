package dev.lockstep.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Carriers that have nothing to do help others. */
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LendingTest {
    private static final int MEMBERS = 4;

    private static SchedulerOptions lending(SThreadKind kind, int carriers) {
        return Fixtures.exact(kind)
                .withCarriers(carriers)
                .withTeamExecution(TeamExecution.STAGED)
                .withPolicy(TeamPolicy.longestWaiting())
                .withLendingOn(true);
    }

    /** A work that is done once, by somebody. */
    private static final class Work implements StagedWork {
        private final Runnable inLoop;
        private SThread doneBy;

        /** The first in line of those done together. */
        private boolean first;

        Work(Runnable inLoop) {
            this.inLoop = inLoop;
        }

        @Override
        public void runTogether(StagedWork[] team, int count) {
            first = true;
            inLoop.run();
            for (int i = 0; i < count; i++) {
                ((Work) team[i]).doHere();
            }
        }

        void doHere() {
            assertSame(null, doneBy);
            doneBy = SThread.current();
        }
    }

    private static void spinUntilIdle(Scheduler scheduler, int carrier) {
        // Ends because nobody gives that carrier anything to do, or with the limit of the test.
        while (!scheduler.carrier(carrier).isIdle()) {
            Thread.onSpinWait();
        }
    }

    /** Has the bodies run on the first carrier, all ready before one runs, while the second is idle. */
    private static List<SThread> runBesideAnIdleCarrier(Scheduler scheduler, List<Runnable> bodies)
            throws InterruptedException {
        return Fixtures.runTogether(scheduler, () -> spinUntilIdle(scheduler, 1), bodies);
    }

    /** The leader of the one team goes on only when the other team's works are done. */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void anIdleCarrierDoesAListThatWaits(SThreadKind kind) throws InterruptedException {
        AtomicInteger otherDone = new AtomicInteger();
        try (Scheduler scheduler = new Scheduler(lending(kind, 2))) {
            int here = scheduler.registerOperation("here");
            int there = scheduler.registerOperation("there");
            List<Runnable> bodies = new ArrayList<>();
            for (int i = 0; i < 2 * MEMBERS; i++) {
                boolean stays = i < MEMBERS;
                bodies.add(() -> {
                    SThread self = SThread.current();
                    Work work = new Work(() -> {
                        if (!stays) {
                            otherDone.incrementAndGet();
                        }
                        while (otherDone.get() == 0) {
                            Thread.onSpinWait();
                        }
                    });
                    self.beginOperation(stays ? here : there, work);
                    assertSame(self, SThread.current());
                    assertSame(scheduler.carrier(0), self.carrierThread());
                    assertEquals(MEMBERS, self.teamMembers());
                    if (stays) {
                        assertSame(scheduler.carrier(0), work.doneBy.carrierThread());
                    } else {
                        assertSame(scheduler.carrier(1), work.doneBy.carrierThread());
                    }
                    self.switchPoint();
                });
            }
            Fixtures.rethrow(runBesideAnIdleCarrier(scheduler, bodies));
            OperationStatistics ofThere = Fixtures.statistics(scheduler, "there");
            assertEquals(1, ofThere.teams());
            assertEquals(MEMBERS, ofThere.membersIn());
            assertEquals(MEMBERS, ofThere.membersOut());
            assertEquals(MEMBERS, ofThere.membersLent());
            assertEquals(0, ofThere.membersStaged());
            assertEquals(MEMBERS, ofThere.switches());
            OperationStatistics ofHere = Fixtures.statistics(scheduler, "here");
            assertEquals(0, ofHere.membersLent());
            assertEquals(MEMBERS, ofHere.membersStaged());
        }
    }

    /** Also what a work must not declare. */
    @ParameterizedTest
    @CsvSource({"VIRTUAL, false", "VIRTUAL, true", "CONTINUATION, false", "CONTINUATION, true"})
    void whatIsThrownThereIsTheFirstMembers(SThreadKind kind, boolean checked) throws InterruptedException {
        AtomicInteger failed = new AtomicInteger();
        AtomicInteger otherFailed = new AtomicInteger();
        Exception expected = checked ? new IOException("expected") : new IllegalStateException("expected");
        try (Scheduler scheduler = new Scheduler(lending(kind, 2))) {
            int here = scheduler.registerOperation("here");
            int there = scheduler.registerOperation("there");
            List<Runnable> bodies = new ArrayList<>();
            for (int i = 0; i < 2 * MEMBERS; i++) {
                boolean stays = i < MEMBERS;
                bodies.add(() -> {
                    SThread self = SThread.current();
                    Work work = new Work(() -> {
                        if (!stays) {
                            otherFailed.incrementAndGet();
                            throwUndeclared(expected);
                        }
                        while (otherFailed.get() == 0) {
                            Thread.onSpinWait();
                        }
                    });
                    if (stays) {
                        self.beginOperation(here, work);
                        return;
                    }
                    try {
                        self.beginOperation(there, work);
                        assertFalse(work.first);
                    } catch (IllegalStateException e) {
                        assertSame(expected, checked ? e.getCause() : e);
                        assertTrue(work.first);
                        failed.incrementAndGet();
                    }
                    assertSame(null, work.doneBy);
                    self.beginOperation(here, new Work(() -> {}));
                });
            }
            Fixtures.rethrow(runBesideAnIdleCarrier(scheduler, bodies));
            assertEquals(1, failed.get());
            assertEquals(1, otherFailed.get());
        }
    }

    @SuppressWarnings("unchecked")
    private static <E extends Exception> void throwUndeclared(Exception thrown) throws E {
        throw (E) thrown;
    }

    /** However many other lists wait, and however long each of them has to, it has its turn among them. */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void aListThatCameBackHasItsTurnAmongMany(SThreadKind kind) throws InterruptedException {
        int lists = 2 * Scheduler.TEAMS_PASSED_OVER_MAX;
        AtomicInteger rounds = new AtomicInteger();
        AtomicInteger wentOn = new AtomicInteger();
        try (Scheduler scheduler = new Scheduler(lending(kind, 2))) {
            int there = scheduler.registerOperation("there");
            List<Runnable> bodies = new ArrayList<>();
            for (int i = 0; i < lists; i++) {
                int here = scheduler.registerOperation("here " + i);
                bodies.add(() -> {
                    // Ends because the list goes on meanwhile, or with the limit of the test.
                    while (wentOn.get() < MEMBERS) {
                        SThread.current().beginOperation(here);
                        SThread.current().endOperation();
                        rounds.incrementAndGet();
                    }
                });
            }
            for (int i = 0; i < MEMBERS; i++) {
                bodies.add(() -> {
                    SThread.current().beginOperation(there, new Work(() -> {
                        // Until all other lists have waited for too many teams.
                        while (CurrentCarrier.get() != scheduler.carrier(0) && rounds.get() < 2 * lists) {
                            Thread.onSpinWait();
                        }
                    }));
                    wentOn.incrementAndGet();
                });
            }
            Fixtures.rethrow(runBesideAnIdleCarrier(scheduler, bodies));
            assertEquals(1, Fixtures.statistics(scheduler, "there").teams());
        }
    }

    /** Those without a work, and one alone, stay at home. */
    @ParameterizedTest
    @CsvSource({"1, true", "2, false"})
    void aListWithoutWorksForSeveralStays(int members, boolean works) throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(lending(SThreadKind.CONTINUATION, 2))) {
            LendingSlot slot = scheduler.carrier(1).helper().slot();
            int here = scheduler.registerOperation("here");
            int there = scheduler.registerOperation("there");
            List<Runnable> bodies = new ArrayList<>();
            for (int i = 0; i < MEMBERS; i++) {
                // Whatever is lent was offered when a team's first member has its turn.
                bodies.add(() -> SThread.current().beginOperation(here, new Work(() -> assertTrue(slot.isFree()))));
            }
            for (int i = 0; i < members; i++) {
                boolean offers = works || i == 0;
                bodies.add(() -> {
                    if (offers) {
                        SThread.current().beginOperation(there, new Work(() -> {}));
                    } else {
                        SThread.current().beginOperation(there);
                    }
                });
            }
            Fixtures.rethrow(runBesideAnIdleCarrier(scheduler, bodies));
            assertEquals(0, Fixtures.statistics(scheduler, "there").membersLent());
        }
    }

    /**
     * Whatever carriers are busy or idle, each work is done once, on its own stack or by one other at a time, and each
     * S-thread stays on its carrier. Some carriers have S-threads that are woken and then keep it, so that what they
     * were offered while they were idle has to be taken back.
     */
    @ParameterizedTest
    @CsvSource({"VIRTUAL, 2, 1", "VIRTUAL, 3, 2", "CONTINUATION, 2, 3", "CONTINUATION, 3, 4"})
    void everyWorkIsDoneOnce(SThreadKind kind, int carriers, long seed) throws InterruptedException {
        int sThreads = 24;
        int rounds = 400;
        String replay = "seed=" + seed;
        AtomicInteger done = new AtomicInteger();
        AtomicInteger doneElsewhere = new AtomicInteger();
        List<SThread> started = Collections.synchronizedList(new ArrayList<>());
        try (Scheduler scheduler = new Scheduler(lending(kind, carriers).withTeamLimit(5))) {
            int[] operations = new int[3];
            for (int i = 0; i < operations.length; i++) {
                operations[i] = scheduler.registerOperation("fetch " + i);
            }
            Waiter[] sleepers = new Waiter[carriers];
            AtomicInteger ended = new AtomicInteger();
            for (int i = 1; i < carriers; i++) {
                Waiter sleeper = new Waiter();
                sleepers[i] = sleeper;
                Random random = new Random(seed * carriers - i);
                started.add(scheduler.start("sleeper-" + i, i, () -> {
                    while (ended.get() < sThreads) {
                        sleeper.prepare();
                        sleeper.await(System.nanoTime() + 20_000_000, WaitReason.LOCK);
                        for (int spins = random.nextInt(20_000); spins > 0; spins--) {
                            Thread.onSpinWait();
                        }
                    }
                }));
            }
            started.add(scheduler.start("starter", 0, () -> {
                spinUntilIdle(scheduler, 1);
                for (int i = 0; i < sThreads; i++) {
                    Random random = new Random(seed * sThreads + i);
                    started.add(scheduler.start("s" + i, 0, () -> {
                        SThread self = SThread.current();
                        for (int round = 0; round < rounds; round++) {
                            Work work = new Work(() -> {});
                            self.beginOperation(operations[random.nextInt(operations.length)], work);
                            if (work.doneBy == null) {
                                work.doHere();
                            }
                            done.incrementAndGet();
                            if (work.doneBy.carrierThread() != self.carrierThread()) {
                                doneElsewhere.incrementAndGet();
                            }
                            assertSame(scheduler.carrier(0), CurrentCarrier.get(), replay);
                            if (random.nextInt(50) == 0) {
                                sleepers[1 + random.nextInt(carriers - 1)].signal();
                            } else if (random.nextInt(20) == 0) {
                                self.yieldTurn();
                            }
                            if (random.nextBoolean()) {
                                self.endOperation();
                            }
                        }
                        ended.incrementAndGet();
                    }));
                }
            }));
            scheduler.awaitTermination();
            Fixtures.rethrow(started);
            assertEquals(sThreads * rounds, done.get(), replay);
            long membersIn = 0;
            long lent = 0;
            for (OperationStatistics each : scheduler.statistics()) {
                assertEquals(each.membersIn(), each.membersOut() + each.straysTotal(), replay + " " + each);
                assertTrue(each.membersInMean() <= 5, replay + " " + each);
                membersIn += each.membersIn();
                lent += each.membersLent();
            }
            assertEquals((long) sThreads * rounds, membersIn, replay);
            assertTrue(lent > 0, replay);
            assertEquals(doneElsewhere.get(), lent, replay);
        }
    }

    /** An offer that nobody has taken is the offering carrier's again, and a closed helper takes none. */
    @Test
    void anOfferHasOneTaker() throws InterruptedException {
        LendingSlot slot;
        LentList lent;
        try (Scheduler scheduler = new Scheduler(lending(SThreadKind.CONTINUATION, 2))) {
            slot = scheduler.carrier(1).helper().slot();
            lent = new LentList(scheduler.carrier(0), MEMBERS);
            assertTrue(slot.isFree());
            assertTrue(slot.offer(lent));
            assertFalse(slot.isFree());
            assertFalse(slot.offer(new LentList(scheduler.carrier(0), MEMBERS)));
            assertTrue(slot.takeBack(lent));
            assertFalse(slot.takeBack(lent));
        }
        assertFalse(slot.isFree());
        assertFalse(slot.offer(lent));
    }

    /** A carrier that fails gives back what it had, and its failure reaches the first member. */
    @Test
    void aFailedCarrierKeepsNoLists() throws InterruptedException {
        AtomicInteger failed = new AtomicInteger();
        AtomicInteger went = new AtomicInteger();
        Scheduler scheduler = new Scheduler(lending(SThreadKind.VIRTUAL, 2));
        int here = scheduler.registerOperation("here");
        int there = scheduler.registerOperation("there");
        List<Runnable> bodies = new ArrayList<>();
        AtomicInteger begun = new AtomicInteger();
        for (int i = 0; i < 2 * MEMBERS; i++) {
            boolean stays = i < MEMBERS;
            bodies.add(() -> {
                SThread self = SThread.current();
                Work work = new Work(() -> {
                    if (stays) {
                        while (begun.get() == 0) {
                            Thread.onSpinWait();
                        }
                        return;
                    }
                    // Suspended in the middle, as by a latch that is not free, while its carrier fails.
                    assertSame(scheduler.carrier(1), SThread.current().carrierThread());
                    FailingSThread.fail(scheduler.carrier(1), new IllegalStateException("expected"));
                    begun.incrementAndGet();
                    LockSupport.park();
                });
                try {
                    self.beginOperation(stays ? here : there, work);
                } catch (IllegalStateException e) {
                    assertTrue(e.getMessage().contains("expected"), e::getMessage);
                    failed.incrementAndGet();
                }
                went.incrementAndGet();
            });
        }
        scheduler.carrier(1).setUncaughtExceptionHandler((thread, e) -> {});
        scheduler.start("starter", 0, () -> {
            spinUntilIdle(scheduler, 1);
            for (Runnable body : bodies) {
                scheduler.start("member", 0, body);
            }
        });
        assertThrows(IllegalStateException.class, scheduler::awaitTermination);
        assertThrows(IllegalStateException.class, scheduler::close);
        assertEquals(2 * MEMBERS, went.get());
        assertEquals(1, failed.get());
    }

    /** Else its members could all end, and who waits for that find nothing amiss, before the failure is known. */
    @Test
    void aFailureIsKnownBeforeListsComeBack() throws InterruptedException {
        Scheduler scheduler = new Scheduler(lending(SThreadKind.VIRTUAL, 2));
        scheduler.carrier(1).setUncaughtExceptionHandler((thread, e) -> {});
        AtomicInteger cameBack = new AtomicInteger();
        AtomicInteger knownBefore = new AtomicInteger();
        LentList lent = new LentList(scheduler.carrier(0), MEMBERS) {
            @Override
            void giveBack() {
                cameBack.incrementAndGet();
                try {
                    scheduler.awaitTermination();
                } catch (IllegalStateException e) {
                    knownBefore.incrementAndGet();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        };
        spinUntilIdle(scheduler, 1);
        // Not told to the helper, which goes on sleeping.
        assertTrue(scheduler.carrier(1).helper().slot().offer(lent));
        FailingSThread.fail(scheduler.carrier(1), new IllegalStateException("expected"));
        scheduler.carrier(1).join();
        assertThrows(IllegalStateException.class, scheduler::close);
        assertEquals(1, cameBack.get());
        assertEquals(1, knownBefore.get());
    }

    @Test
    void isOffUnlessAskedFor() throws InterruptedException {
        assertFalse(SchedulerOptions.defaults().lendingOn());
        try (Scheduler scheduler = new Scheduler(lending(SThreadKind.CONTINUATION, 1))) {
            Fixtures.runTogether(scheduler, List.of(() -> {}));
            assertSame(null, scheduler.carrier(0).helper());
        }
    }
}
