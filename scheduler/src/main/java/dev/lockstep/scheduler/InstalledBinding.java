package dev.lockstep.scheduler;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ServiceLoader;

/**
 * The one {@link MachineBinding} of this process, looked for when this class is initialized, or none, which is the
 * rule: then threads run where the system lets them, and memory is touched by the thread that allocates it.
 *
 * <p>Thread-safety: all methods by any thread.
 */
public final class InstalledBinding {
    /** System property that names the class of the binding to install, one of those offered as services. */
    public static final String PROPERTY = "dev.lockstep.scheduler.binding";

    private static final MachineBinding BINDING = find(System.getProperty(PROPERTY));

    private InstalledBinding() {}

    /** Returns whether there is one. */
    public static boolean isPresent() {
        return BINDING != null;
    }

    /** Binds the calling platform thread to a processor, if there is a binding. */
    public static void bindCurrentThread(int processor) {
        if (BINDING != null) {
            BINDING.bindCurrentThread(processor);
        }
    }

    /** Zeroed memory, untouched if there is a binding. */
    public static MemorySegment allocate(Arena arena, long bytes, long alignmentBytes) {
        return BINDING == null
                ? arena.allocate(bytes, alignmentBytes)
                : BINDING.allocateUntouched(arena, bytes, alignmentBytes);
    }

    /** Tells of memory that a pool uses from now on. */
    public static void poolAllocated(MemorySegment memory, int node) {
        if (BINDING != null) {
            BINDING.poolAllocated(memory, node);
        }
    }

    /** Tells that memory of {@link #poolAllocated} is given back. */
    public static void poolFreed(MemorySegment memory) {
        if (BINDING != null) {
            BINDING.poolFreed(memory);
        }
    }

    private static MachineBinding find(String className) {
        if (className == null || className.isEmpty()) {
            return null;
        }
        return ServiceLoader.load(MachineBinding.class, ClassLoader.getSystemClassLoader()).stream()
                .filter(offered -> offered.type().getName().equals(className))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no such machine binding is offered as a service: "
                        + PROPERTY + "=" + className
                        + "; remedy: put the module or jar that offers it on the path, or leave the property out"))
                .get();
    }
}
