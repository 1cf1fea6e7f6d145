package dev.lockstep.counters;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * What {@code lockstep_marker.c} exports, called through the foreign-function interface: a call through JNA costs
 * several hundred nanoseconds and runs through much code, which would be simulated as well. Immutable; a record,
 * because the compiler trusts the fields of records and so makes the calls direct.
 *
 * @param marker {@code lockstep_marker}
 * @param operation {@code lockstep_operation}
 */
record MarkerFunctions(MethodHandle marker, MethodHandle operation) {
    static final long PHASE_BEGIN = 1;
    static final long PHASE_END = 2;
    static final long REGION = 3;
    static final long THREAD_CORE = 5;
    static final long CLOCK = 6;

    /** What {@link #load} found. */
    sealed interface Result {
        record Available(MarkerFunctions functions) implements Result {}

        record Missing(String reason) implements Result {}
    }

    static Result load() {
        return switch (NativeLibrary.load()) {
            case NativeLibrary.Result.Missing(String reason) -> new Result.Missing(reason);
            case NativeLibrary.Result.Available(NativeLibrary library) -> of(library);
        };
    }

    // The addresses come from the library, and the signatures are those of lockstep_marker.h.
    @SuppressWarnings("restricted")
    private static Result of(NativeLibrary library) {
        if (!library.marksOperations()) {
            return new Result.Missing("Operations cannot be marked on this processor: platform="
                    + System.getProperty("os.name") + "/" + System.getProperty("os.arch")
                    + "; the simulator runs on Linux on x86-64.");
        }
        try {
            Linker linker = Linker.nativeLinker();
            return new Result.Available(new MarkerFunctions(
                    linker.downcallHandle(
                            MemorySegment.ofAddress(library.functionAddress("lockstep_marker")),
                            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG)),
                    // Critical: the function is a few instructions, and the thread stays in Java.
                    linker.downcallHandle(
                            MemorySegment.ofAddress(library.functionAddress("lockstep_operation")),
                            FunctionDescriptor.ofVoid(JAVA_INT),
                            Linker.Option.critical(false))));
        } catch (IllegalCallerException e) {
            return new Result.Missing("The JVM does not allow native calls: cause=" + e.getMessage()
                    + "; start it with --enable-native-access=ALL-UNNAMED.");
        }
    }

    void mark(long kind, long a, long b, long c) {
        try {
            long ignored = (long) marker.invokeExact(kind, a, b, c);
        } catch (Throwable e) {
            throw new IllegalStateException("A mark could not be made: kind=" + kind, e);
        }
    }

    long clock() {
        try {
            return (long) marker.invokeExact(CLOCK, 0L, 0L, 0L);
        } catch (Throwable e) {
            throw new IllegalStateException("The simulated clock cannot be read", e);
        }
    }

    void markOperation(int number) {
        try {
            operation.invokeExact(number);
        } catch (Throwable e) {
            throw new IllegalStateException("An operation could not be marked: operation=" + number, e);
        }
    }
}
