package dev.lockstep.counters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** PAPI itself where the machine has counters, and the clear answer where it has none. */
class RealCountersTest {
    private static final int ROUNDS = 2_000_000;

    private static HardwareCounters counters() {
        return switch (HardwareCounters.open()) {
            case HardwareCounters.Result.Available(HardwareCounters counters) -> counters;
            case HardwareCounters.Result.Missing(List<CounterObstacle> obstacles) ->
                throw CPrograms.notRun(
                        obstacles.stream().map(CounterObstacle::reason).collect(Collectors.joining(" ")));
        };
    }

    private static long work() {
        long sum = 0;
        for (int i = 0; i < ROUNDS; i++) {
            sum += Integer.toString(i).hashCode();
        }
        return sum;
    }

    private static long instructions(HardwareCounters counters, int rounds) {
        Counting counting = counters.start(EnumSet.of(CounterEvent.INSTRUCTIONS));
        long sum = 0;
        for (int i = 0; i < rounds; i++) {
            sum += work();
        }
        CounterValues values = counting.stop();
        assertTrue(sum != 1);
        return values.count(CounterEvent.INSTRUCTIONS).orElseThrow();
    }

    @Test
    void moreWorkIsMoreInstructions() {
        HardwareCounters counters = counters();
        instructions(counters, 5);
        long one = instructions(counters, 1);
        long four = instructions(counters, 4);
        assertTrue(one > ROUNDS, "instructions=" + one);
        assertTrue(four > 3 * one && four < 5 * one, "one=" + one + " four=" + four);
    }

    @Test
    void aThreadDoesNotCountAnothersWork() throws Exception {
        HardwareCounters counters = counters();
        Counting counting = counters.start(EnumSet.of(CounterEvent.INSTRUCTIONS));
        FutureTask<Long> other = new FutureTask<>(() -> instructions(counters, 1));
        Thread.ofPlatform().start(other);
        long others = other.get();
        long own = counting.stop().count(CounterEvent.INSTRUCTIONS).orElseThrow();
        assertTrue(own < others / 2, "own=" + own + " others=" + others);
    }

    @Test
    void allEventsTogetherAreCounted() {
        HardwareCounters counters = counters();
        try (Counting counting = counters.start(counters.countable().keySet())) {
            work();
            CounterValues values = counting.read();
            assertEquals(counters.countable().keySet(), values.counts().keySet());
        }
        try (Counting counting = counters.start(EnumSet.of(CounterEvent.INSTRUCTIONS))) {
            assertFalse(counting.multiplexed());
        }
    }

    @Test
    void whatIsMissingIsSaidWithItsRemedy() {
        switch (HardwareCounters.open()) {
            case HardwareCounters.Result.Available(HardwareCounters counters) ->
                assertFalse(counters.countable().isEmpty());
            case HardwareCounters.Result.Missing(List<CounterObstacle> obstacles) -> {
                assertFalse(obstacles.isEmpty());
                for (CounterObstacle obstacle : obstacles) {
                    String reason = obstacle.reason();
                    assertTrue(reason.matches("[A-Z].*\\w+=.*; .+\\."), reason);
                    assertEquals(1, reason.lines().count(), reason);
                }
            }
        }
    }
}
