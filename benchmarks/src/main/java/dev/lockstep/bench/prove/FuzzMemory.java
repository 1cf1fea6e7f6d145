package dev.lockstep.bench.prove;

/**
 * What an input takes of the memory outside of the heap, which no option of the JVM limits: {@code MaxDirectMemorySize}
 * counts direct buffers alone, and pool, log and copies lie in arenas. So the system is asked for the most memory of
 * the process that was in use while the input was tried, and that is compared with what was in use after the undamaged
 * database was read. The heap is no part of the difference, because the child touches all of it before it begins
 * ({@link FuzzProof#limits}).
 *
 * <p>Memory in use is memory that was touched. An arena fills what it gives with zeros, so all that the engine takes
 * counts; address space that somebody reserves and leaves alone does not, and is no harm either: the C library reserves
 * 64 MB of it for many a new thread, which says nothing of an input.
 *
 * <p>What inputs leave behind counts for those after them, so that memory which is never given back adds up until one
 * fails for it; but not buffers that wait for a collection, of which there is one now and then. Where the system does
 * not begin its peak anew, an input that takes less than one before it counts as nothing. Used by one thread.
 */
final class FuzzMemory {
    /** A heap as quiet as this one would be collected so seldom that direct buffers come near their limit. */
    private static final int INPUTS_PER_COLLECTION = 64;

    private final long baselineBytes;
    private long peakBeforeBytes;
    private long inputs;

    /** To be made when everything is as it is before the first input. */
    FuzzMemory() {
        baselineBytes = ProcessMemory.residentBytes();
        peakBeforeBytes = ProcessMemory.UNKNOWN;
    }

    /** An input begins. */
    void begins() {
        if (inputs++ % INPUTS_PER_COLLECTION == 0) {
            System.gc();
        }
        ProcessMemory.forgetPeak();
        peakBeforeBytes = ProcessMemory.peakResidentBytes();
    }

    /** The most that was taken at once since then, in bytes; {@link ProcessMemory#UNKNOWN} without {@code /proc}. */
    long takenBytes() {
        return takenBytes(baselineBytes, peakBeforeBytes, ProcessMemory.peakResidentBytes());
    }

    /**
     * The same from what the system said.
     *
     * @param baselineBytes in use before the first input
     * @param peakBeforeBytes the peak when the input began
     * @param peakBytes the peak now
     */
    static long takenBytes(long baselineBytes, long peakBeforeBytes, long peakBytes) {
        if (peakBytes == ProcessMemory.UNKNOWN || baselineBytes == ProcessMemory.UNKNOWN) {
            return ProcessMemory.UNKNOWN;
        }
        return peakBytes > peakBeforeBytes ? Math.max(peakBytes - baselineBytes, 0) : 0;
    }
}
