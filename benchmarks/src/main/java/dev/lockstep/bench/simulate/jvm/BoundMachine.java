package dev.lockstep.bench.simulate.jvm;

import dev.lockstep.counters.Markers;
import dev.lockstep.counters.NativeLibrary;
import dev.lockstep.counters.RegionKind;
import dev.lockstep.counters.UntouchedMemory;
import dev.lockstep.scheduler.MachineBinding;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Binds threads of scheduler and engine to the simulated machine's processors, or to the real ones where nothing is
 * simulated, and tells the simulator where buffer pools are. Thread-safe.
 */
public final class BoundMachine implements MachineBinding {
    /** Pools that were given back and not yet told of: a process has as many pools as it opens databases. */
    private static final Queue<MemorySegment> FREED = new ConcurrentLinkedQueue<>();

    /** For the service loader. */
    public BoundMachine() {}

    @Override
    public void bindCurrentThread(int processor) {
        if (Markers.isSimulated()) {
            Markers.threadCore(processor);
            return;
        }
        switch (NativeLibrary.load()) {
            case NativeLibrary.Result.Available(NativeLibrary library) -> library.pinCurrentThread(processor);
            case NativeLibrary.Result.Missing(String reason) ->
                throw new IllegalStateException("Threads cannot be bound to processors: " + reason);
        }
    }

    @Override
    public MemorySegment allocateUntouched(Arena arena, long bytes, long alignmentBytes) {
        return UntouchedMemory.allocate(
                arena, bytes, alignmentBytes, SimulatedPhases.asksForLargePages(RegionKind.BUFFER_POOL));
    }

    @Override
    public void poolAllocated(MemorySegment memory, int node) {
        if (Markers.isSimulated()) {
            tellFreed();
            SimulatedPhases.tell(RegionKind.BUFFER_POOL, memory.address(), memory.byteSize(), node, MappedPages.read());
        }
    }

    @Override
    public void poolFreed(MemorySegment memory) {
        FREED.add(memory);
    }

    /** Takes back what was told of pools that are there no more, whose addresses may have got another use. */
    static void tellFreed() {
        for (MemorySegment memory = FREED.poll(); memory != null; memory = FREED.poll()) {
            Markers.region(
                    RegionKind.OTHER,
                    memory.address(),
                    memory.byteSize(),
                    MappedPages.SMALL_BYTES,
                    Markers.NODE_OF_FIRST_TOUCH);
        }
    }
}
