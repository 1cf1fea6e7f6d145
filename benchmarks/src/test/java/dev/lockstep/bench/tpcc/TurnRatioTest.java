package dev.lockstep.bench.tpcc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TurnRatioTest {
    private static final double NEAR = 1e-9;
    private static final int COMMITTED = 10_000;
    private static final int NANOS = 1_000_000;
    private static final int TURNS = 100;

    @Test
    void steadyTurnsLeaveNoDoubt() {
        TurnRatio ratio = TurnRatio.of(steady(COMMITTED), steady(COMMITTED / 2), Turn::measuredNanos);
        assertEquals(2, ratio.ratio(), NEAR);
        assertEquals(2, ratio.low(), NEAR);
        assertEquals(2, ratio.high(), NEAR);
    }

    @Test
    void whatHappensInOneTurnCountsAsMuchAsItTook() {
        List<Turn> costly = new ArrayList<>(steady(COMMITTED));
        costly.set(0, new Turn(COMMITTED, NANOS, (long) NANOS * (TURNS + 1)));
        TurnRatio ratio = TurnRatio.of(costly, steady(COMMITTED), Turn::cpuNanos);
        assertEquals(0.5, ratio.ratio(), NEAR);
        assertTrue(ratio.low() < 0.5 && ratio.high() > 0.5);
        assertEquals(
                1, TurnRatio.of(costly, steady(COMMITTED), Turn::measuredNanos).ratio(), NEAR);
    }

    @Test
    void whatMeetsBothSidesCancelsOut() {
        Random random = new Random(1);
        double[] machine = machine(random);
        List<Turn> some = noisy(random, machine, 0.01);
        List<Turn> others = noisy(random, machine, 0.01);
        TurnRatio together = TurnRatio.of(some, others, Turn::measuredNanos);
        TurnRatio apart = TurnRatio.of(some, noisy(random, machine(random), 0.01), Turn::measuredNanos);
        assertTrue(together.high() - together.low() < (apart.high() - apart.low()) / 5);
    }

    @Test
    void theIntervalHoldsTheRatioInNinetyFiveOfAHundredRuns() {
        int runs = 2_000;
        int held = 0;
        Random random = new Random(2);
        for (int i = 0; i < runs; i++) {
            double[] machine = machine(random);
            TurnRatio ratio =
                    TurnRatio.of(noisy(random, machine, 0.1), noisy(random, machine, 0.1), Turn::measuredNanos);
            if (ratio.low() <= 1 && ratio.high() >= 1) {
                held++;
            }
        }
        // Three standard deviations of a binomial distribution are 1.5 of a hundred.
        assertEquals(0.95, (double) held / runs, 0.015);
    }

    @Test
    void theSidesNeedNotHaveEquallyManyTurns() {
        List<Turn> longer = steady(COMMITTED);
        assertEquals(
                1,
                TurnRatio.of(longer, longer.subList(0, TURNS * 9 / 10), Turn::measuredNanos)
                        .ratio(),
                NEAR);
    }

    @Test
    void isSilentOfFewTurnsAndOfWhatIsNotKnown() {
        List<Turn> turns = steady(COMMITTED);
        assertNull(TurnRatio.of(turns, turns.subList(0, TurnRatio.BATCHES - 1), Turn::measuredNanos));
        assertNull(TurnRatio.of(List.of(), turns, Turn::measuredNanos));
        assertNull(TurnRatio.of(turns, steady(0), Turn::measuredNanos));
        assertNull(TurnRatio.of(turns, Collections.nCopies(TURNS, new Turn(1, 1, -1)), Turn::cpuNanos));
    }

    private static List<Turn> steady(long committed) {
        return Collections.nCopies(TURNS, new Turn(committed, NANOS, NANOS));
    }

    /** How fast a machine is that is slowed down for ten turns at a time. */
    private static double[] machine(Random random) {
        double[] speed = new double[TURNS];
        for (int i = 0; i < TURNS; i++) {
            speed[i] = i % 10 == 0 ? 0.7 + 0.3 * random.nextDouble() : speed[i - 1];
        }
        return speed;
    }

    private static List<Turn> noisy(Random random, double[] machine, double deviation) {
        return IntStream.range(0, TURNS)
                .mapToObj(i -> new Turn(
                        Math.round(COMMITTED * machine[i] * Math.exp(deviation * random.nextGaussian())), NANOS, -1))
                .toList();
    }
}
