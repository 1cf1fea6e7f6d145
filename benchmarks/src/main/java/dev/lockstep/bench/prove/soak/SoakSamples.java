package dev.lockstep.bench.prove.soak;

import dev.lockstep.bench.prove.ProcessMemory;
import dev.lockstep.bench.prove.TrackedMemory;
import dev.lockstep.bench.report.Spread;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;

/** What a process held while it ran, and by how much that grew. Not thread-safe. */
final class SoakSamples {
    private static final int WARM_UP_PART = 6;
    private static final int QUARTER = 4;

    /** Fewer have no warm-up to leave out, or the first quarter behind it is the last. */
    static final int JUDGED_MIN = WARM_UP_PART;

    private final List<Sample> samples = new ArrayList<>();

    /**
     * One look at the process.
     *
     * @param minutes since the first could have been taken
     * @param heapMegabytes in use after a collection
     * @param residentMegabytes memory of the process in use before that collection, heap and all; negative where the
     *     system does not say it
     * @param residentHeapMegabytes the part of it that is the heap, objects or not; negative likewise
     * @param residentFilesMegabytes the part of it that is unchanged pages of mapped files; negative likewise
     * @param files that were open; negative where the system does not say it
     * @param dataMegabytes of the data file and all others but the log
     * @param logMegabytes of the log
     * @param ownerMegabytes memory that the JVM has taken, by whom, see {@link TrackedMemory}; empty if it does not
     *     count
     */
    record Sample(
            double minutes,
            double heapMegabytes,
            double residentMegabytes,
            double residentHeapMegabytes,
            double residentFilesMegabytes,
            double files,
            double dataMegabytes,
            double logMegabytes,
            Map<String, Double> ownerMegabytes) {
        /**
         * Memory of the process outside of heap and mapped files; negative where the system does not say it.
         */
        double nativeMegabytes() {
            return residentMegabytes < 0
                    ? residentMegabytes
                    : residentMegabytes - residentHeapMegabytes - residentFilesMegabytes;
        }

        /** What an owner has taken; nothing if the JVM did not name it, negative if it does not count. */
        double takenBy(String owner) {
            return ownerMegabytes.isEmpty() ? ProcessMemory.UNKNOWN : ownerMegabytes.getOrDefault(owner, 0.0);
        }
    }

    /**
     * Something that grew or not.
     *
     * @param first its median in the first quarter of the samples after the warm-up
     * @param last its median in the last quarter
     */
    record Growth(double first, double last) {
        /** How much more it was in the end. */
        double more() {
            return last - first;
        }
    }

    void add(Sample sample) {
        samples.add(sample);
    }

    /** All of them, in order. */
    List<Sample> list() {
        return samples;
    }

    /** Whether there are enough for growth to be judged. */
    boolean areEnough() {
        return samples.size() >= JUDGED_MIN;
    }

    /** Who has taken memory outside of the heap at any look, by the JVM's count. */
    SortedSet<String> owners() {
        SortedSet<String> owners = new TreeSet<>();
        samples.forEach(sample -> owners.addAll(sample.ownerMegabytes().keySet()));
        owners.remove(TrackedMemory.HEAP);
        return owners;
    }

    /** By how much something grew after the first sixth of the samples, which are the warm-up. */
    Growth growth(ToDoubleFunction<Sample> value) {
        List<Sample> steady = samples.subList(samples.size() / WARM_UP_PART, samples.size());
        int quarter = Math.max(steady.size() / QUARTER, 1);
        return new Growth(
                median(steady.subList(0, quarter), value),
                median(steady.subList(steady.size() - quarter, steady.size()), value));
    }

    private static double median(List<Sample> some, ToDoubleFunction<Sample> value) {
        return Spread.of(some.stream().mapToDouble(value)).median();
    }
}
