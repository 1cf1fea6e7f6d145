package dev.lockstep.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** S-threads that run a round again and again. */
class RoundsTest {
    private static final int ROUNDS = 100_000;

    private static SThread run(Scheduler scheduler, BooleanSupplier round) throws InterruptedException {
        SThread sThread = scheduler.startRounds("rounds", -1, Scheduler.NO_PART, round);
        sThread.join();
        return sThread;
    }

    /** So many that each would need a stack of its own, if they lay upon each other. */
    @ParameterizedTest
    @EnumSource
    void allRoundsAreOfOneSThread(SThreadKind kind) throws InterruptedException {
        Set<SThread> seen = new HashSet<>();
        AtomicInteger rounds = new AtomicInteger();
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind))) {
            SThread sThread = run(scheduler, () -> {
                seen.add(SThread.current());
                return rounds.incrementAndGet() < ROUNDS;
            });
            Fixtures.rethrow(List.of(sThread));
            assertEquals(ROUNDS, rounds.get());
            assertEquals(1, seen.size());
            assertSame(
                    kind == SThreadKind.PLAIN ? null : sThread, seen.iterator().next());
            assertTrue(sThread.hasEnded());
        }
    }

    /** A round that gives up its carrier in its midst is suspended and resumed as any body. */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void othersRunWhereARoundYields(SThreadKind kind) throws InterruptedException {
        StringBuilder order = new StringBuilder();
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind))) {
            List<SThread> started = new ArrayList<>();
            SThread starter = scheduler.start("starter", 0, () -> {
                for (String name : List.of("a", "b")) {
                    AtomicInteger rounds = new AtomicInteger();
                    started.add(scheduler.startRounds(name, 0, Scheduler.NO_PART, () -> {
                        order.append(name).append(rounds.get());
                        SThread.current().yieldTurn();
                        order.append(name);
                        return rounds.incrementAndGet() < 3;
                    }));
                }
            });
            scheduler.awaitTermination();
            started.add(starter);
            Fixtures.rethrow(started);
        }
        assertEquals("a0b0aa1bb1aa2bb2ab", order.toString());
    }

    /** A member stays in its team from one round to the next, until its next operation begins. */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void membersStayInTheirTeam(SThreadKind kind) throws InterruptedException {
        List<Integer> membersBetween = new ArrayList<>();
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind))) {
            int operation = scheduler.registerOperation("fetch");
            List<SThread> started = new ArrayList<>();
            SThread starter = scheduler.start("starter", 0, () -> {
                for (int i = 0; i < 3; i++) {
                    AtomicInteger rounds = new AtomicInteger();
                    started.add(scheduler.startRounds("member-" + i, 0, Scheduler.NO_PART, () -> {
                        SThread self = SThread.current();
                        if (rounds.get() > 0) {
                            membersBetween.add(self.teamMembers());
                        }
                        self.beginOperation(operation);
                        self.switchPoint();
                        self.endOperation();
                        return rounds.incrementAndGet() < 2;
                    }));
                }
            });
            scheduler.awaitTermination();
            started.add(starter);
            Fixtures.rethrow(started);
            OperationStatistics statistics = Fixtures.statistics(scheduler, "fetch");
            assertEquals(6, statistics.membersIn());
            assertEquals(2, statistics.teams());
        }
        assertEquals(List.of(3, 2, 1), membersBetween);
    }

    @ParameterizedTest
    @EnumSource
    void aRoundThatThrowsIsTheLast(SThreadKind kind) throws InterruptedException {
        AtomicInteger rounds = new AtomicInteger();
        IllegalStateException thrown = new IllegalStateException("meant");
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind))) {
            SThread sThread = run(scheduler, () -> {
                if (rounds.incrementAndGet() == 3) {
                    throw thrown;
                }
                return true;
            });
            assertSame(thrown, sThread.failure());
        }
        assertEquals(3, rounds.get());
    }

    /** It could never be suspended again. */
    @Test
    void aRoundThatKeepsALatchIsTheLast() throws InterruptedException {
        AtomicInteger rounds = new AtomicInteger();
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(SThreadKind.CONTINUATION))) {
            SThread sThread = run(scheduler, () -> {
                rounds.incrementAndGet();
                SThread.current().latchAcquired();
                return true;
            });
            assertInstanceOf(IllegalStateException.class, sThread.failure());
            assertTrue(sThread.failure().getMessage().contains("latchesHeld=1"), sThread.failure()::getMessage);
        }
        assertEquals(1, rounds.get());
    }
}
