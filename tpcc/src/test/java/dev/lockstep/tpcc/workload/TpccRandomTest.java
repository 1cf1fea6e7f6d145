package dev.lockstep.tpcc.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.tpcc.adapter.Text;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class TpccRandomTest {
    private static final long SEED = 11;
    private static final int DRAWS = 300_000;

    private final TpccRandom random = new TpccRandom(SEED);

    @Test
    void sameSeedGivesSameSequence() {
        TpccRandom same = new TpccRandom(SEED);
        TpccRandom other = new TpccRandom(SEED + 1);
        boolean different = false;
        for (int i = 0; i < 1_000; i++) {
            long value = random.nextLong();
            assertEquals(value, same.nextLong());
            different |= value != other.nextLong();
        }
        assertTrue(different);
        assertNotEquals(TpccRandom.seed(SEED, 1), TpccRandom.seed(SEED, 2));
    }

    @Test
    void betweenReachesBothEndsAboutEvenly() {
        int[] counts = new int[16];
        for (int i = 0; i < DRAWS; i++) {
            counts[random.between(5, 15)]++;
        }
        for (int value = 5; value <= 15; value++) {
            assertEquals(DRAWS / 11.0, counts[value], DRAWS / 11.0 * 0.05, "value " + value + " seed " + SEED);
        }
        assertEquals(0, Arrays.stream(counts, 0, 5).sum());
    }

    @Test
    void nonUniformIsFarFromUniformAndStaysInRange() {
        int[] counts = new int[3_001];
        for (int i = 0; i < DRAWS; i++) {
            counts[random.nonUniform(NonUniformConstants.CUSTOMER_A, 259, 1, 3_000)]++;
        }
        assertEquals(0, counts[0]);
        Arrays.sort(counts);
        long hottest = Arrays.stream(counts, 2_700, 3_001).sum();
        // OR of two uniform numbers: bits are set three times of four, so the hottest tenth gets most draws.
        assertTrue(hottest > DRAWS / 2, () -> "hottest tenth got " + hottest + " of " + DRAWS + " seed " + SEED);
    }

    @Test
    void nonUniformIsTheFormulaOfTheSpecification() {
        TpccRandom same = new TpccRandom(SEED);
        for (int i = 0; i < 1_000; i++) {
            int expected = ((same.between(0, 255) | same.between(0, 999)) + 123) % 1_000;
            assertEquals(expected, random.nonUniform(255, 123, 0, 999));
        }
    }

    @Test
    void runConstantForLastNamesKeepsItsDistanceFromTheLoads() {
        for (long seed = 0; seed < 2_000; seed++) {
            NonUniformConstants load = NonUniformConstants.ofLoad(seed);
            NonUniformConstants run = NonUniformConstants.ofRun(seed);
            int delta = Math.abs(load.lastName() - run.lastName());
            assertTrue(delta >= 65 && delta <= 119 && delta != 96 && delta != 112, "seed " + seed);
            assertTrue(run.lastName() >= 0 && run.lastName() <= 255, "seed " + seed);
            assertTrue(run.item() <= 8_191 && run.customer() <= 1_023, "seed " + seed);
        }
    }

    @Test
    void stringsHaveTheirLengthsAndAlphabets() {
        Text text = new Text(50);
        int shortest = Integer.MAX_VALUE;
        int longest = 0;
        for (int i = 0; i < 2_000; i++) {
            random.alphanumeric(text, 26, 50);
            shortest = Math.min(shortest, text.length());
            longest = Math.max(longest, text.length());
            assertTrue(text.toString().matches("[0-9A-Za-z]{26,50}"), text::toString);
        }
        assertEquals(26, shortest);
        assertEquals(50, longest);
        random.numeric(text, 16);
        assertTrue(text.toString().matches("[0-9]{16}"), text::toString);
        random.letters(text, 2);
        assertTrue(text.toString().matches("[A-Z]{2}"), text::toString);
    }

    @Test
    void shuffleKeepsTheValues() {
        int[] values = new int[100];
        Arrays.setAll(values, i -> i);
        int[] shuffled = values.clone();
        random.shuffle(shuffled);
        assertNotEquals(Arrays.toString(values), Arrays.toString(shuffled));
        Arrays.sort(shuffled);
        assertEquals(Arrays.toString(values), Arrays.toString(shuffled));
    }
}
