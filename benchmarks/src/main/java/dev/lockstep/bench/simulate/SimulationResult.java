package dev.lockstep.bench.simulate;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.stream.IntStream;

/**
 * What the plugin counted in one process; it writes this as JSON when the process ends. Counts are of the simulated
 * processors, which run the threads of {@link WorkloadThreads}, and those of the engine and of the JVM where the
 * settings ask for them; the others' instructions are counted apart. Immutable.
 *
 * @param format {@link #FORMAT}
 * @param nanos from the start of the program to its end
 * @param turns of threads of the same processor
 * @param step of processors kept in step; null where they share nothing, or are let run
 * @param threads those that executed anything, the youngest first, at most 512
 * @param threadCount all that there were
 * @param eventsLost events of threads that waited for their processor too long; 0 in a good run
 * @param memory of the model
 * @param latencyCycles what the clock adds to a cycle for each instruction, by where a miss is answered, the keys being
 *     those of a machine's {@code latency.} without that
 * @param regions of memory that the process told of, at most 256
 * @param translatedBlocks blocks of code that QEMU translated
 * @param translationFlushes times QEMU threw its translations away
 * @param atomicRestarts atomic instructions that QEMU broke off and executed alone, which are counted once
 * @param accountsLost changes of phase and operation that were counted as none, for want of accounts
 * @param phases those that began, and phase 0, which is outside any
 */
public record SimulationResult(
        int format,
        long nanos,
        Turns turns,
        Step step,
        List<SimulatedThread> threads,
        long threadCount,
        long eventsLost,
        Memory memory,
        Map<String, Long> latencyCycles,
        List<Region> regions,
        long translatedBlocks,
        long translationFlushes,
        long atomicRestarts,
        long accountsLost,
        List<Phase> phases) {
    /** What this version of the program reads. 3: the latencies. */
    public static final int FORMAT = 3;

    /** Outside any phase. */
    public static final int PHASE_NONE = 0;

    /** The phase of what is measured. */
    public static final int PHASE_MEASURED = 1;

    private static final double NANOS_PER_SECOND = 1e9;

    /** The phase that a report is about: the measured one, else the one with most instructions. */
    public Phase reported() {
        return phases.stream()
                .filter(phase -> phase.phase() == PHASE_MEASURED)
                .findFirst()
                .orElseGet(() -> phases.stream()
                        .max(Comparator.comparingLong(phase -> phase.total().instructions()))
                        .orElseThrow());
    }

    /**
     * Threads of one processor take turns.
     *
     * @param instructionsMax of one turn, when others wait
     * @param taken times a thread took the processor from another
     * @param waitsBounded waits that ended by their bound
     */
    public record Turns(long instructionsMax, long taken, long waitsBounded) {}

    /**
     * Processors in step.
     *
     * @param quantumInstructions how far one may be ahead of the slowest
     * @param waits times one waited
     * @param waitsBounded waits that ended by their bound
     * @param leadInstructionsMax furthest that one was ahead when it looked
     */
    public record Step(long quantumInstructions, long waits, long waitsBounded, long leadInstructionsMax) {}

    /**
     * What the model takes for what it knows of lines and of homes of pages.
     *
     * @param bytes at the end
     * @param bytesMax the machine's {@code memory}
     * @param exhausted whether that was not enough; the counts are no result then
     */
    public record Memory(long bytes, long bytesMax, boolean exhausted) {}

    /**
     * A range of the process's memory, in pages of one size.
     *
     * @param kind bufferPool, heap, codeCache, metaspace or other
     * @param node that its memory comes from, or -1 for that of whoever touches a page first
     */
    public record Region(String kind, long address, long bytes, long pageBytes, int node) {}

    /**
     * A thread of the program.
     *
     * @param kind client, carrier, engine, collector, compiler or jvm
     * @param processor -1 when it had none at the end
     */
    public record SimulatedThread(String name, String kind, int processor, long instructions) {}

    /**
     * One phase.
     *
     * @param begun times it began
     * @param nanos spent in it
     * @param branches predictions of the simulated processors; null where none were asked for
     * @param instructionsByThreads by kind of thread, simulated or not
     * @param processors by simulated processor
     * @param engine of the total, what the engine's own threads did: those that write its log and its pages
     * @param operations by operation, of the other threads; 0 is none
     */
    public record Phase(
            int phase,
            long begun,
            long nanos,
            Branches branches,
            Map<String, Long> instructionsByThreads,
            Counts total,
            List<ProcessorCounts> processors,
            Counts engine,
            List<OperationCounts> operations) {
        /** Of all threads, in each second of the run. */
        public double instructionsPerSecond() {
            long instructions = instructionsByThreads.values().stream()
                    .mapToLong(Long::longValue)
                    .sum();
            return nanos == 0 ? 0 : instructions * NANOS_PER_SECOND / nanos;
        }
    }

    /**
     * Predictions of branches; a wrong one is in both of its counts.
     *
     * @param taken direct branches that were taken
     * @param targetUnknown of these, those whose target the buffer did not have
     * @param indirect jumps and calls
     */
    public record Branches(
            long conditional,
            long conditionalWrong,
            long taken,
            long targetUnknown,
            long indirect,
            long indirectWrong,
            long returns,
            long returnsWrong) {
        /**
         * Directions, indirect targets and returns; a target that the buffer did not have is none, as in the plugin.
         */
        public long mispredicted() {
            return conditionalWrong + indirectWrong + returnsWrong;
        }
    }

    /** Counts of one simulated processor. */
    public record ProcessorCounts(int processor, Counts counts) {}

    /** Counts of one operation, as the marks number it. */
    public record OperationCounts(int operation, Counts counts) {}

    /**
     * What {@code struct model_counts} of the simulator counts, and means.
     *
     * @param cycles instructions and stalls
     * @param stalls cycles by what was waited for: {@code fetchL2}, {@code fetchLlc}, {@code fetchCache} (another
     *     core's) and {@code fetchMemory}, the same of {@code data}, the right to write a
     *     shared line, and {@code translation}
     * @param levels by {@code l1i}, {@code l1d}, {@code l2} and {@code llc}, those there are
     * @param observerMisses in the order of the machine's observers
     */
    public record Counts(
            long instructions,
            long cycles,
            long loads,
            long stores,
            long updates,
            Map<String, Long> stalls,
            Map<String, LevelCounts> levels,
            long itlbMisses,
            long dtlbMisses,
            long stlbAccesses,
            long stlbMisses,
            long walkAccesses,
            long walkL1dMisses,
            long walkL2Misses,
            long walkLlcMisses,
            long upgrades,
            long invalidationsSent,
            long transfersLocal,
            long transfersRemote,
            long memoryLocal,
            long memoryRemote,
            List<Long> observerMisses) {
        /** Both sums; both of one machine. */
        public Counts plus(Counts other) {
            return new Counts(
                    instructions + other.instructions,
                    cycles + other.cycles,
                    loads + other.loads,
                    stores + other.stores,
                    updates + other.updates,
                    sums(stalls, other.stalls, Long::sum),
                    sums(levels, other.levels, LevelCounts::plus),
                    itlbMisses + other.itlbMisses,
                    dtlbMisses + other.dtlbMisses,
                    stlbAccesses + other.stlbAccesses,
                    stlbMisses + other.stlbMisses,
                    walkAccesses + other.walkAccesses,
                    walkL1dMisses + other.walkL1dMisses,
                    walkL2Misses + other.walkL2Misses,
                    walkLlcMisses + other.walkLlcMisses,
                    upgrades + other.upgrades,
                    invalidationsSent + other.invalidationsSent,
                    transfersLocal + other.transfersLocal,
                    transfersRemote + other.transfersRemote,
                    memoryLocal + other.memoryLocal,
                    memoryRemote + other.memoryRemote,
                    IntStream.range(0, observerMisses.size())
                            .mapToObj(i -> observerMisses.get(i) + other.observerMisses.get(i))
                            .toList());
        }

        /** So many of these for 1,000 instructions. */
        public double perThousandInstructions(long events) {
            return instructions == 0 ? 0 : events * 1e3 / instructions;
        }
    }

    /**
     * One level of caches.
     *
     * @param classes misses by class; null where the machine does not class them
     * @param dirty of these, what another cache's modified copy answered; null likewise
     */
    public record LevelCounts(
            long accesses,
            long misses,
            Map<String, Long> classes,
            Map<String, Long> dirty,
            long dirtyMisses,
            long writebacks,
            long backInvalidations,
            long invalidations,
            long prefetches,
            long prefetchesUseful) {
        /** Both sums. */
        public LevelCounts plus(LevelCounts other) {
            return new LevelCounts(
                    accesses + other.accesses,
                    misses + other.misses,
                    classes == null ? null : sums(classes, other.classes, Long::sum),
                    dirty == null ? null : sums(dirty, other.dirty, Long::sum),
                    dirtyMisses + other.dirtyMisses,
                    writebacks + other.writebacks,
                    backInvalidations + other.backInvalidations,
                    invalidations + other.invalidations,
                    prefetches + other.prefetches,
                    prefetchesUseful + other.prefetchesUseful);
        }
    }

    private static <V> Map<String, V> sums(Map<String, V> one, Map<String, V> other, BinaryOperator<V> sum) {
        Map<String, V> sums = new LinkedHashMap<>(one);
        other.forEach((name, value) -> sums.merge(name, value, sum));
        return sums;
    }
}
