package dev.lockstep.bench.flame;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import one.profiler.AsyncProfiler;

/**
 * The functions of async-profiler's C interface that its Java interface lacks (asprof.h of version 4.1). Thread-safe.
 */
@SuppressWarnings("restricted") // of the program, which may call native code; the launcher allows it
final class ProfilerLibrary {
    private static final VarHandle COUNTER = ValueLayout.JAVA_LONG.varHandle();

    /** All memory, since the profiler hands out addresses. */
    private static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private static final MethodHandle THREAD_DATA;
    private static final MethodHandle EMIT;
    private static final int EVENT_TYPE;

    static {
        // Loads the library for the class loader of this class, where the lookup then finds its functions.
        AsyncProfiler.getInstance();
        Linker linker = Linker.nativeLinker();
        SymbolLookup library = SymbolLookup.loaderLookup();
        // Critical, as it takes no longer than a call into the JVM would: it reads a thread-local variable.
        THREAD_DATA = linker.downcallHandle(
                library.findOrThrow("asprof_get_thread_local_data"),
                FunctionDescriptor.of(ValueLayout.JAVA_LONG),
                Linker.Option.critical(false));
        EMIT = linker.downcallHandle(
                library.findOrThrow("asprof_emit_jfr_event"),
                FunctionDescriptor.of(
                        ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));
        MethodHandle register = linker.downcallHandle(
                library.findOrThrow("asprof_register_jfr_event"),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
        try (Arena arena = Arena.ofConfined()) {
            EVENT_TYPE = (int) register.invokeExact(arena.allocateFrom(FlameRecording.EVENT));
        } catch (Throwable e) {
            throw new ExceptionInInitializerError(e);
        }
        if (EVENT_TYPE < 0) {
            throw new IllegalStateException("async-profiler takes no further kind of event: type=" + EVENT_TYPE);
        }
    }

    private ProfilerLibrary() {}

    /**
     * The address of the calling system thread's counter of samples, which lives as long as the thread; 0 before the
     * profiler has started for the first time.
     */
    static long counterAddress() {
        try {
            return (long) THREAD_DATA.invokeExact();
        } catch (Throwable e) {
            throw new AssertionError("asprof_get_thread_local_data", e);
        }
    }

    /** Samples so far; a signal handler of the same thread changes it, so opaque is enough. */
    static long counterOpaque(long address) {
        return (long) COUNTER.getOpaque(MEMORY, address);
    }

    /** Adds an event with the calling thread and the time to the recording, if there is one. Counts as a sample. */
    static void emit(MemorySegment text) {
        try {
            // An error would say that the recording has ended, and what was sampled in its last moment has no name.
            MemorySegment _ = (MemorySegment) EMIT.invokeExact(EVENT_TYPE, text.address(), text.byteSize());
        } catch (Throwable e) {
            throw new AssertionError("asprof_emit_jfr_event", e);
        }
    }
}
