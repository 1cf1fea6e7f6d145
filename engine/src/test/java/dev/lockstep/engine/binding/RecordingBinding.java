package dev.lockstep.engine.binding;

import dev.lockstep.scheduler.MachineBinding;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Writes down what it is told. Its untouched memory is full of ones, so that it shows what was written to it; threads
 * that touch a part tell of it afterwards.
 */
public final class RecordingBinding implements MachineBinding {
    private static final Queue<String> TOLD = new ConcurrentLinkedQueue<>();
    private static final ThreadLocal<Integer> BOUND = ThreadLocal.withInitial(() -> -1);
    private static volatile long address;

    /** A processor that this machine has not. */
    static final int IMPOSSIBLE = 13;

    /** For the service loader. */
    public RecordingBinding() {}

    static List<String> told() {
        return List.copyOf(TOLD);
    }

    @Override
    public void bindCurrentThread(int processor) {
        if (processor == IMPOSSIBLE) {
            throw new IllegalStateException("no such processor=" + processor);
        }
        BOUND.set(processor);
        TOLD.add(Thread.currentThread().getName() + " on " + processor);
    }

    @Override
    public MemorySegment allocateUntouched(Arena arena, long bytes, long alignmentBytes) {
        MemorySegment memory = arena.allocate(bytes, alignmentBytes).fill((byte) 1);
        address = memory.address();
        return memory;
    }

    @Override
    public void poolAllocated(MemorySegment memory, int node) {
        boolean zero = memory.asSlice(0, 1).get(ValueLayout.JAVA_BYTE, 0) == 0
                && memory.get(ValueLayout.JAVA_BYTE, memory.byteSize() - 1) == 0;
        String offset = address == 0 ? "somewhere" : Long.toString(memory.address() - address);
        TOLD.add("pool " + offset + " " + memory.byteSize() + " node " + node + " by " + BOUND.get() + " zero " + zero);
    }

    @Override
    public void poolFreed(MemorySegment memory) {
        TOLD.add("freed " + memory.byteSize());
    }
}
