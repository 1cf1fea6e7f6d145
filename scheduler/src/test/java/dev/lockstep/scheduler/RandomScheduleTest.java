package dev.lockstep.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * S-threads on two carriers do at random what S-threads can do, and signal each other. Nothing hangs, and the books
 * balance: who entered a team left it, as a member or as a stray.
 */
class RandomScheduleTest {
    private static final int CARRIERS = 2;
    private static final int S_THREADS = 60;

    /** Six on each carrier, for four lists: none is large for long, however fast the machine is. */
    private static final int S_THREADS_CONSOLIDATED = 12;

    private static final int OPERATIONS = 400;
    private static final int OPERATION_KINDS = 4;
    private static final int ATTEMPTS_PER_OVERFLOW = 20;

    @ParameterizedTest
    @CsvSource({
        "VIRTUAL, ON, 1, false, false",
        "VIRTUAL, GOVERNED, 2, false, false",
        "VIRTUAL, OFF, 3, false, false",
        "CONTINUATION, ON, 4, false, false",
        "CONTINUATION, GOVERNED, 5, false, false",
        "CONTINUATION, OFF, 6, false, false",
        "VIRTUAL, ON, 7, true, false",
        "CONTINUATION, ON, 8, true, false",
        "VIRTUAL, ON, 9, false, true",
        "CONTINUATION, ON, 10, false, true",
        "CONTINUATION, GOVERNED, 11, false, true"
    })
    @Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void theBooksBalance(SThreadKind kind, TeamMode mode, long seed, boolean consolidation, boolean forbidding)
            throws InterruptedException {
        SchedulerOptions options = Fixtures.exact(kind)
                .withCarriers(CARRIERS)
                .withTeamMode(mode)
                .withTeamLimit(7)
                .withConsolidationOn(consolidation);
        int sThreadCount = consolidation ? S_THREADS_CONSOLIDATED : S_THREADS;
        AtomicReferenceArray<Waiter> waiters = new AtomicReferenceArray<>(sThreadCount);
        AtomicLong begun = new AtomicLong();
        String replay = "seed=" + seed;
        try (Scheduler scheduler = new Scheduler(options)) {
            int[] operations = new int[OPERATION_KINDS];
            for (int i = 0; i < OPERATION_KINDS; i++) {
                operations[i] = scheduler.registerOperation("operation " + i);
            }
            List<SThread> sThreads = new ArrayList<>();
            for (int i = 0; i < sThreadCount; i++) {
                int number = i;
                sThreads.add(scheduler.start("s" + i, -1, () -> {
                    Random random = new Random(seed * S_THREADS + number);
                    SThread self = SThread.current();
                    for (int operation = 0; operation < OPERATIONS; operation++) {
                        self.beginOperation(operations[random.nextInt(OPERATION_KINDS)]);
                        begun.incrementAndGet();
                        act(random, self, number, waiters);
                        if (forbidding && random.nextInt(20) == 0) {
                            scheduler.allowTeams(random.nextBoolean());
                        }
                        if (random.nextBoolean()) {
                            self.endOperation();
                        }
                        if (random.nextInt(5) == 0) {
                            self.transactionBoundary();
                        }
                    }
                }));
            }
            scheduler.awaitTermination();
            Fixtures.rethrow(sThreads);

            long counted = 0;
            for (OperationStatistics each : scheduler.statistics()) {
                String context = replay + " " + each;
                counted += each.operations();
                assertEquals(each.membersIn(), each.membersOut() + each.straysTotal(), context);
                assertTrue(each.teams() <= each.membersIn(), context);
                assertTrue(each.teamMembersMean() <= 7, context);
                assertEquals(consolidation, each.teamsConsolidated() > 0, context);
                if (mode == TeamMode.ON && !forbidding) {
                    assertEquals(0, each.straightOperations(), context);
                } else if (mode == TeamMode.OFF) {
                    assertEquals(0, each.teams(), context);
                }
            }
            // Who is pinned or latched at its begin runs straight; nobody here is.
            assertEquals(begun.get(), counted, replay);
            assertEquals((long) sThreadCount * OPERATIONS, counted, replay);
        }
    }

    /** S-threads overflow their stacks and go on, in the scheduler as well as outside. */
    @ParameterizedTest
    @CsvSource({"VIRTUAL, ON", "VIRTUAL, GOVERNED", "CONTINUATION, ON", "CONTINUATION, GOVERNED"})
    @Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void stackOverflowsLeaveListsAndTeamsWhole(SThreadKind kind, TeamMode mode) throws InterruptedException {
        int members = 5;
        int overflowsEach = 10;
        AtomicLong overflows = new AtomicLong();
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind).withTeamMode(mode))) {
            int[] operations = {scheduler.registerOperation("fetch"), scheduler.registerOperation("update")};
            List<Runnable> bodies = new ArrayList<>();
            for (int i = 0; i < members; i++) {
                bodies.add(() -> {
                    SThread self = SThread.current();
                    for (int round = 0; round < overflowsEach; round++) {
                        try {
                            nestOperations(self, operations, new int[1]);
                        } catch (StackOverflowError e) {
                            overflows.incrementAndGet();
                        }
                        for (int operation : operations) {
                            self.beginOperation(operation);
                            self.switchPoint();
                        }
                        self.endOperation();
                    }
                });
            }
            Fixtures.runTogether(scheduler, bodies);
            assertEquals((long) members * overflowsEach, overflows.get());
            for (OperationStatistics each : scheduler.statistics()) {
                assertEquals(each.membersIn(), each.membersOut() + each.straysTotal(), each.toString());
            }
        }
    }

    /**
     * Recurses until the stack overflows, and on the way back begins operations where there is a little more stack at
     * each level, so that overflows happen at many depths inside {@code beginOperation}.
     */
    @SuppressWarnings("InfiniteRecursion") // That is what is tested.
    private static int nestOperations(SThread self, int[] operations, int[] attempts) {
        try {
            return nestOperations(self, operations, attempts) + 1;
        } catch (StackOverflowError e) {
            if (attempts[0] < ATTEMPTS_PER_OVERFLOW) {
                self.beginOperation(operations[attempts[0]++ % operations.length]);
            }
            throw e;
        }
    }

    private static void act(Random random, SThread self, int number, AtomicReferenceArray<Waiter> waiters) {
        for (int step = random.nextInt(4); step >= 0; step--) {
            switch (random.nextInt(6)) {
                case 0, 1 -> self.switchPoint();
                case 2 -> {
                    self.latchAcquired();
                    self.switchPoint();
                    self.latchReleased();
                }
                case 3 -> self.yieldTurn();
                case 4 -> {
                    Waiter waiter = waiters.get(random.nextInt(waiters.length()));
                    if (waiter != null) {
                        waiter.signal();
                    }
                }
                default -> {
                    Waiter waiter = new Waiter();
                    waiter.prepare();
                    waiters.set(number, waiter);
                    // Nobody is sure to signal, so there is a limit.
                    waiter.await(System.nanoTime() + random.nextInt(200_000), WaitReason.LOCK);
                }
            }
        }
    }
}
