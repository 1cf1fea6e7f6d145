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
import org.junit.jupiter.params.provider.EnumSource;

/** Members of two carriers that meet at switch points, and those who do not come. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
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

    /** Whoever returns from a point with the other there, finds that the other has come as far. */
    @Test
    void twoThreadsKeepStep() throws InterruptedException {
        int operations = 200;
        int points = 5;
        PairBarrier barrier = new PairBarrier();
        AtomicLong[] reached = {new AtomicLong(), new AtomicLong()};
        AtomicInteger wrong = new AtomicInteger();
        AtomicInteger met = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int side = 0; side < 2; side++) {
            int own = side;
            threads.add(Thread.ofPlatform().start(() -> {
                for (int operation = 0; operation < operations; operation++) {
                    for (int point = 0; point < points; point++) {
                        long step = (long) operation * points + point;
                        reached[own].set(step);
                        // A number of its own for each, so that nobody is taken for one of another round.
                        if (barrier.pass(own, operation, point)) {
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
        assertTrue(met.get() <= 2 * operations * points);
    }

    /** Every operation is done, whoever the other side has to meet, and each point is a meeting or a point skipped. */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void nobodyWaitsForGood(SThreadKind kind) throws InterruptedException {
        int rounds = 50;
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
