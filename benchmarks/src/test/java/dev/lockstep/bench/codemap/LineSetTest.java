package dev.lockstep.bench.codemap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Sets of lines against the JDK's sets. */
class LineSetTest {
    private static final long SEED = 20_261_120;
    private static final int ROUNDS = 200;

    private static Set<Long> random(SplittableRandom random) {
        Set<Long> set = new HashSet<>();
        int size = random.nextInt(60);
        for (int i = 0; i < size; i++) {
            // Small numbers fall into runs, large ones stand alone.
            set.add(random.nextBoolean() ? random.nextLong(100) : random.nextLong(1L << 42));
        }
        return set;
    }

    @Test
    void behavesLikeASetOfNumbers() {
        SplittableRandom random = new SplittableRandom(SEED);
        for (int round = 0; round < ROUNDS; round++) {
            Set<Long> one = random(random);
            Set<Long> other = random(random);
            String message = "seed=" + SEED + " round=" + round;
            LineSet lines = LineSet.of(one);
            assertEquals(64L * one.size(), lines.bytes(), message);
            assertEquals(lines, LineSet.ofRuns(lines.runs()), message);
            Set<Long> shared = new HashSet<>(one);
            shared.retainAll(other);
            assertEquals(64L * shared.size(), lines.sharedBytes(LineSet.of(other)), message);
            Set<Long> union = new HashSet<>(one);
            union.addAll(other);
            assertEquals(LineSet.of(union), lines.union(LineSet.of(other)), message);
        }
    }

    @Test
    void runsAreGapsAndLengths() {
        assertEquals(List.of(0L, 1L, 2L, 3L), LineSet.of(Set.of(0L, 3L, 4L, 5L)).runs());
        for (List<Long> wrong : List.of(List.of(1L), List.of(-1L, 1L), List.of(1L, 0L))) {
            assertThrows(IllegalArgumentException.class, () -> LineSet.ofRuns(wrong), wrong::toString);
        }
    }
}
