package dev.lockstep.scheduler;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * What scheduler and engine leave to whoever knows the machine below, real or simulated: which processor a thread runs
 * on, where memory comes from, and what lies where. Offered as a service, and installed by naming its class in the
 * system property {@link InstalledBinding#PROPERTY}.
 *
 * <p>Thread-safety: called by many threads at once, none of which holds a latch.
 */
public interface MachineBinding {
    /** Stands for a node: memory is taken from that of the thread that touches it first. */
    int NODE_OF_FIRST_TOUCH = -1;

    /**
     * The calling platform thread runs on one processor from now on.
     *
     * @param processor its number in a {@link NodeLayout}
     */
    void bindCurrentThread(int processor);

    /**
     * Memory that nobody has touched yet, so that each page of it comes from the node of the thread that touches it
     * first; zeroed when it is touched. It is given back when the arena is closed.
     *
     * @param bytes 1 or more
     * @param alignmentBytes a power of two
     */
    MemorySegment allocateUntouched(Arena arena, long bytes, long alignmentBytes);

    /**
     * Memory outside the heap is in use from now on, all of it touched.
     *
     * @param memory native memory
     * @param node that it was taken from, or {@link #NODE_OF_FIRST_TOUCH}
     */
    void poolAllocated(MemorySegment memory, int node);

    /** Memory of {@link #poolAllocated} is given back. */
    void poolFreed(MemorySegment memory);
}
