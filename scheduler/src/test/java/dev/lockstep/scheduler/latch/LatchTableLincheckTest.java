package dev.lockstep.scheduler.latch;

import static org.junit.jupiter.api.Assertions.assertThrows;

import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Model checking of {@link LatchTable}: two numbers that a latch keeps equal, read and changed in every mode, must
 * behave like one number that is read and changed atomically. The same checks on {@link WeakenedLatchTable} must fail.
 */
@Isolated("Lincheck transforms classes of the whole JVM")
class LatchTableLincheckTest {
    /** Shallow in the normal build; a longer run sets the property to some thousands. */
    private static final int INVOCATIONS = Integer.getInteger("lockstep.lincheck.invocations", 500);

    private static final int ITERATIONS = Integer.getInteger("lockstep.lincheck.iterations", 8);

    @Test
    void modesAreAtomicToEachOther() {
        options().check(Pair.class);
    }

    @Test
    void aVersionThatStaysIsFound() {
        assertThrows(LincheckAssertionError.class, () -> options().check(PairWhoseVersionStays.class));
    }

    @Test
    void sharedBesideExclusiveIsFound() {
        assertThrows(LincheckAssertionError.class, () -> options().check(PairWithUnsafeSharing.class));
    }

    private static ModelCheckingOptions options() {
        return new ModelCheckingOptions()
                .iterations(ITERATIONS)
                .invocationsPerIteration(INVOCATIONS)
                .threads(3)
                .actorsPerThread(2)
                .actorsBefore(0)
                .actorsAfter(1)
                .minimizeFailedScenario(false);
    }

    /** Under the real latch. */
    public static class Pair {
        private final LatchTable latches = new LatchTable(2);
        private int left;
        private int right;

        @Operation
        public int increment() {
            latches.latchExclusive(1);
            left++;
            right++;
            int result = left;
            latches.unlatchExclusive(1);
            return result;
        }

        @Operation
        public int incrementByUpgrade() {
            while (true) {
                long version = latches.optimisticVersionAcquire(1);
                int seen = left;
                if (latches.tryUpgradeToExclusive(1, version)) {
                    left = seen + 1;
                    right++;
                    latches.unlatchExclusive(1);
                    return seen + 1;
                }
            }
        }

        @Operation
        public int lookExclusively() {
            latches.latchExclusive(1);
            int result = equalOrNegative(left, right);
            latches.unlatchExclusiveUnchanged(1);
            return result;
        }

        @Operation
        public int readShared() {
            latches.latchShared(1);
            int result = equalOrNegative(left, right);
            latches.unlatchShared(1);
            return result;
        }

        @Operation
        public int readOptimistically() {
            while (true) {
                long version = latches.optimisticVersionAcquire(1);
                int result = equalOrNegative(left, right);
                if (latches.validateAcquire(1, version)) {
                    return result;
                }
            }
        }
    }

    /** Under a latch whose version does not tell that something was modified. */
    public static class PairWhoseVersionStays {
        private final WeakenedLatchTable latch = new WeakenedLatchTable(WeakenedLatchTable.Mistake.VERSION_STAYS);
        private int left;
        private int right;

        @Operation
        public int increment() {
            latch.latchExclusive();
            left++;
            right++;
            int result = left;
            latch.unlatchExclusive();
            return result;
        }

        @Operation
        public int readOptimistically() {
            while (true) {
                long version = latch.optimisticVersionAcquire();
                int result = equalOrNegative(left, right);
                if (latch.validateAcquire(version)) {
                    return result;
                }
            }
        }
    }

    /** Under a latch that admits shared holders beside an exclusive one. */
    public static class PairWithUnsafeSharing {
        private final WeakenedLatchTable latch =
                new WeakenedLatchTable(WeakenedLatchTable.Mistake.SHARED_IGNORES_EXCLUSIVE);
        private int left;
        private int right;

        @Operation
        public int increment() {
            latch.latchExclusive();
            left++;
            right++;
            int result = left;
            latch.unlatchExclusive();
            return result;
        }

        @Operation
        public int readShared() {
            latch.latchShared();
            int result = equalOrNegative(left, right);
            latch.unlatchShared();
            return result;
        }
    }

    private static int equalOrNegative(int left, int right) {
        return left == right ? left : -1;
    }
}
