package dev.lockstep.counters;

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
 * @param phase {@code lockstep_phase}
 * @param operationPage address of {@code lockstep_operation_page}
 */
record MarkerFunctions(MethodHandle marker, MethodHandle phase, long operationPage) {
    static final long REGION = 3;
    static final long THREAD_CORE = 5;
    static final long CLOCK = 6;
    static final long OPERATION_PAGE = 7;

    /** {@code LOCKSTEP_REGION_NODE_SHIFT}. */
    static final int REGION_NODE_SHIFT = 4;

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
        long operationPage = library.operationPage();
        if (operationPage == 0) {
            return new Result.Missing("Operations cannot be marked on this processor: platform="
                    + System.getProperty("os.name") + "/" + System.getProperty("os.arch")
                    + "; the simulator runs on Linux on x86-64.");
        }
        try {
            Linker linker = Linker.nativeLinker();
            return new Result.Available(new MarkerFunctions(
                    linker.downcallHandle(
                            MemorySegment.ofAddress(library.markerAddress()),
                            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG)),
                    linker.downcallHandle(
                            MemorySegment.ofAddress(library.phaseAddress()),
                            FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG)),
                    operationPage));
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

    void markPhase(long number, boolean begins) {
        try {
            phase.invokeExact(number, begins ? 1L : 0L);
        } catch (Throwable e) {
            throw new IllegalStateException("A phase could not be marked: phase=" + number, e);
        }
    }

    long clock() {
        try {
            return (long) marker.invokeExact(CLOCK, 0L, 0L, 0L);
        } catch (Throwable e) {
            throw new IllegalStateException("The simulated clock cannot be read", e);
        }
    }

    /**
     * Tells the simulator of the page whose bytes stand for operations, and returns it. It costs every later store of a
     * byte a look, so only who marks operations calls it.
     */
    @SuppressWarnings("restricted") // the page is the library's and stays
    MemorySegment tellOperationPage() {
        mark(OPERATION_PAGE, operationPage, 0, 0);
        return MemorySegment.ofAddress(operationPage).reinterpret(Markers.OPERATIONS);
    }
}
