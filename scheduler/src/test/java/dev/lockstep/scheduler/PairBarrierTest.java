package dev.lockstep.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Members of two carriers that meet at switch points, and those who do not come. */
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PairBarrierTest {
    @Test
    void whoIsBehindWaitsForNobody() {
        PairBarrier barrier = new PairBarrier();
        assertFalse(barrier.pass(0, 7, 0), "nobody is there");
        assertFalse(barrier.pass(0, 7, 2), "nobody is in the operation");
        assertTrue(barrier.pass(1, 7, 0), "the other is ahead");
        assertTrue(barrier.pass(1, 7, 1), "the other is ahead");
        assertTrue(barrier.pass(1, 7, 2), "the other is as far");
        assertFalse(barrier.pass(1, 7, 3), "the other does not come");
        assertTrue(barrier.pass(0, 7, 3), "the other is as far");
        assertFalse(barrier.pass(0, 8, 1), "the other does something else");
        barrier.leave(0);
        assertFalse(barrier.pass(1, 7, 4), "the other has left");
        assertFalse(barrier.pass(0, 0, 0), "operation 0 is one too");
        assertTrue(barrier.pass(1, 0, 0), "operation 0 is one too");
    }

    @Test
    void whoHasLeftIsNowhere() {
        PairBarrier barrier = new PairBarrier();
        assertFalse(barrier.pass(0, 7, 5), "nobody is there");
        assertTrue(barrier.pass(1, 7, 3), "the other is ahead");
        barrier.leave(0);
        assertFalse(barrier.pass(1, 7, 4), "the other was farther, and has left");
    }

    /** The other side moves while this one waits, in a round known beforehand. */
    @ParameterizedTest
    @CsvSource({"0, 0", "1, 0", "3, 1"})
    void whoIsAheadWaitsForWhoIsBehind(int point, int pointOfOther) {
        int comesInRound = 100;
        AtomicInteger rounds = new AtomicInteger();
        PairBarrier[] barrier = new PairBarrier[1];
        barrier[0] = new PairBarrier(round -> {
            if (rounds.incrementAndGet() == comesInRound) {
                assertTrue(barrier[0].pass(1, 7, point), "this side is there");
            }
        });
        if (point > 0) {
            rounds.set(comesInRound);
            assertFalse(barrier[0].pass(1, 7, pointOfOther), "nobody is there");
        }
        rounds.set(0);
        assertTrue(barrier[0].pass(0, 7, point), "the other has come");
        assertEquals(comesInRound, rounds.get());
    }

    @Test
    void nobodyWaitsLongerThanSoManyRounds() {
        AtomicInteger rounds = new AtomicInteger();
        PairBarrier barrier = new PairBarrier(round -> assertEquals(rounds.getAndIncrement(), round));
        assertFalse(barrier.pass(0, 7, 0), "nobody is there");
        assertEquals(PairBarrier.ROUNDS_AT_BEGIN_MAX, rounds.getAndSet(0));
        assertTrue(barrier.pass(1, 7, 0), "the other is there");
        assertEquals(0, rounds.get());
        assertFalse(barrier.pass(1, 7, 1), "the other does not come");
        assertEquals(PairBarrier.ROUNDS_MAX, rounds.getAndSet(0));
        assertFalse(barrier.pass(1, 8, 1), "the other does something else");
        assertEquals(0, rounds.get());
        barrier.leave(0);
        assertFalse(barrier.pass(1, 8, 2), "the other has left");
        assertEquals(0, rounds.get());
    }

    private static void spinUntil(AtomicInteger number, int value) {
        // Ends because the other S-thread sets it, or with the limit of the test.
        while (number.get() < value) {
            Thread.onSpinWait();
        }
    }

    /**
     * One carrier's member is ahead all the time, so it is known which points of the other's are meetings. Virtual, as
     * these do not offer the processor to others while they wait in vain.
     */
    @Test
    void whoComesLaterMeetsWhoIsThere() throws InterruptedException {
        AtomicInteger step = new AtomicInteger();
        AtomicLong switchesInMiddle = new AtomicLong();
        Waiter waiter = new Waiter();
        SchedulerOptions options =
                Fixtures.exact(SThreadKind.VIRTUAL).withCarriers(2).withBarriersOn(true);
        try (Scheduler scheduler = new Scheduler(options)) {
            int fetch = scheduler.registerOperation("fetch");
            Runnable ahead = () -> {
                begin(fetch, 5);
                step.set(1);
                spinUntil(step, 2);
                SThread.current().endOperation();
                step.set(3);
                spinUntil(step, 4);
                begin(fetch, 1);
                step.set(5);
                spinUntil(step, 6);
                // The other is two points far, so that the first of these is a meeting.
                passPoints(4);
                waiter.prepare();
                step.set(7);
                waiter.awaitUninterruptibly(Waiter.NO_DEADLINE, WaitReason.OTHER);
            };
            Runnable behind = () -> {
                spinUntil(step, 1);
                begin(fetch, 3);
                step.set(2);
                spinUntil(step, 3);
                // Nobody is there any more.
                passPoints(1);
                SThread.current().endOperation();
                step.set(4);
                spinUntil(step, 5);
                // The other is one point far in this operation, and was farther in the one before.
                begin(fetch, 2);
                switchesInMiddle.set(Fixtures.statistics(scheduler, "fetch").switches());
                step.set(6);
                spinUntil(step, 7);
                while (!scheduler.carrier(0).isIdle()) {
                    Thread.onSpinWait();
                }
                // Who waits is not there.
                passPoints(1);
                SThread.current().endOperation();
                waiter.signal();
            };
            List<SThread> started = List.of(scheduler.start("ahead", 0, ahead), scheduler.start("behind", 1, behind));
            scheduler.awaitTermination();
            Fixtures.rethrow(started);
            OperationStatistics statistics = Fixtures.statistics(scheduler, "fetch");
            assertEquals(3 + 1, switchesInMiddle.get());
            assertEquals(1 + 3 + 1, statistics.switches());
            assertEquals(5 + 1 + 3 + 1 + 1 + 1, statistics.switchesSkipped());
        }
    }

    private static void begin(int operation, int points) {
        SThread.current().beginOperation(operation);
        passPoints(points);
    }

    private static void passPoints(int points) {
        for (int point = 0; point < points; point++) {
            SThread.current().switchPoint();
        }
    }

    /**
     * Whoever returns from a point with the other there, finds that the other has come as far. Who is ahead waits as
     * long as the other takes, so that at each point one of the two meets the other.
     */
    @Test
    void twoThreadsKeepStep() throws InterruptedException {
        int operations = 200;
        int points = 5;
        AtomicLong[] reached = {new AtomicLong(-1), new AtomicLong(-1)};
        // The last step of each that the other one finds at the barrier: it waits there, or has passed.
        AtomicLong[] shown = {new AtomicLong(-1), new AtomicLong(-1)};
        ThreadLocal<Integer> side = new ThreadLocal<>();
        PairBarrier barrier = new PairBarrier(round -> {
            int own = side.get();
            long step = reached[own].get();
            shown[own].set(step);
            // Ends: the other comes to this step, and waits at no lower one, because this side is as far as that.
            while (shown[1 - own].get() < step) {
                Thread.yield();
            }
        });
        AtomicInteger wrong = new AtomicInteger();
        AtomicInteger met = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int own : new int[] {0, 1}) {
            threads.add(Thread.ofPlatform().start(() -> {
                side.set(own);
                for (int operation = 0; operation < operations; operation++) {
                    for (int point = 0; point < points; point++) {
                        long step = (long) operation * points + point;
                        reached[own].set(step);
                        // A number of its own for each, so that nobody is taken for one of another round.
                        boolean isMet = barrier.pass(own, operation, point);
                        shown[own].set(step);
                        if (isMet) {
                            met.incrementAndGet();
                            if (reached[1 - own].get() < step) {
                                wrong.incrementAndGet();
                            }
                        }
                    }
                    barrier.leave(own);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(0, wrong.get());
        assertTrue(met.get() >= operations * points, () -> "met=" + met);
    }

    /** Every operation is done, whoever the other side has to meet, and each point is a meeting or a point skipped. */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void nobodyWaitsForGood(SThreadKind kind) throws InterruptedException {
        int rounds = 20;
        int points = 3;
        SchedulerOptions options = Fixtures.exact(kind).withCarriers(2).withBarriersOn(true);
        Map<Integer, Integer> membersOf = Map.of(0, 4, 1, 2);
        AtomicInteger done = new AtomicInteger();
        List<SThread> started = Collections.synchronizedList(new ArrayList<>());
        try (Scheduler scheduler = new Scheduler(options)) {
            int fetch = scheduler.registerOperation("fetch");
            int update = scheduler.registerOperation("update");
            membersOf.forEach((carrier, members) -> {
                for (int i = 0; i < members; i++) {
                    int number = i;
                    started.add(scheduler.start("s" + carrier + "-" + i, carrier, () -> {
                        SThread self = SThread.current();
                        for (int round = 0; round < rounds; round++) {
                            self.beginOperation(round % 10 == number ? update : fetch);
                            for (int point = 0; point < points; point++) {
                                self.switchPoint();
                            }
                            if (round % 7 == number) {
                                self.yieldTurn();
                            }
                            self.switchPoint();
                            done.incrementAndGet();
                            self.endOperation();
                        }
                    }));
                }
            });
            scheduler.awaitTermination();
            Fixtures.rethrow(started);
            assertEquals(6 * rounds, done.get());
            long atPoints = 0;
            long strays = 0;
            for (OperationStatistics each : scheduler.statistics()) {
                atPoints += each.switches() + each.switchesSkipped();
                strays += each.straysTotal();
            }
            // The last point of a stray is none.
            assertEquals(6L * rounds * (points + 1) - strays, atPoints);
        }
    }

    @Test
    void carriersComeInPairs() {
        SchedulerOptions options = SchedulerOptions.defaults();
        assertFalse(options.barriersOn());
        String message = assertThrows(IllegalArgumentException.class, () -> options.withCarriers(3)
                        .withBarriersOn(true))
                .getMessage();
        assertTrue(message.contains("carriers=3; remedy: "), message);
    }
}
