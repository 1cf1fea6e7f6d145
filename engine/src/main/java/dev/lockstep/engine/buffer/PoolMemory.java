package dev.lockstep.engine.buffer;

import dev.lockstep.engine.InvalidOptionException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.file.EngineThread;
import dev.lockstep.scheduler.InstalledBinding;
import dev.lockstep.scheduler.MachineBinding;
import dev.lockstep.scheduler.NodeLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** Where the bytes of a pool's frames come from: {@link NodeLayout} says what a layout changes. */
final class PoolMemory {
    private PoolMemory() {}

    /**
     * The memory of so many frames, and the guard area behind them, all of it zero and touched.
     *
     * @param bytes the whole
     * @param alignmentBytes a power of two
     * @param frameBytes of one frame; parts of nodes end between frames
     * @throws InvalidOptionException if a thread cannot be bound to a processor of the layout; the arena is closed then
     */
    static MemorySegment allocate(Arena arena, long bytes, long alignmentBytes, long frameBytes, NodeLayout layout) {
        List<NodeLayout.Node> nodes = layout.nodes();
        if (nodes.isEmpty()) {
            MemorySegment memory = arena.allocate(bytes, alignmentBytes);
            InstalledBinding.poolAllocated(memory, MachineBinding.NODE_OF_FIRST_TOUCH);
            return memory;
        }
        MemorySegment memory = InstalledBinding.allocate(arena, bytes, alignmentBytes);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        for (NodeLayout.Node node : nodes) {
            MemorySegment part = part(memory, node.number(), nodes.size(), frameBytes);
            Thread thread = new EngineThread(() -> touch(part, node, failure), "lockstep-node-" + node.number());
            threads.add(thread);
            thread.start();
        }
        threads.forEach(PoolMemory::join);
        if (failure.get() != null) {
            arena.close();
            throw new InvalidOptionException(
                    Message.of("The buffer pool cannot be dealt to the nodes")
                            .with("reason", failure.get())
                            .remedy("Name processors in the layout that this machine has, or leave the layout out."),
                    failure.get());
        }
        return memory;
    }

    private static void touch(MemorySegment part, NodeLayout.Node node, AtomicReference<Throwable> failure) {
        try {
            InstalledBinding.bindCurrentThread(node.processors().getFirst());
            part.fill((byte) 0);
            InstalledBinding.poolAllocated(part, node.number());
        } catch (RuntimeException | Error e) {
            // Thrown again by the thread that waits for this one.
            failure.compareAndSet(null, e);
        }
    }

    /** Equal parts but for what is left, which the last one has. */
    static MemorySegment part(MemorySegment memory, int node, int nodeCount, long frameBytes) {
        long partBytes = memory.byteSize() / frameBytes / nodeCount * frameBytes;
        long begin = node * partBytes;
        return memory.asSlice(begin, node == nodeCount - 1 ? memory.byteSize() - begin : partBytes);
    }

    /** An interrupt is kept for the caller: the thread it waits for ends by itself, when it has touched its part. */
    private static void join(Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
