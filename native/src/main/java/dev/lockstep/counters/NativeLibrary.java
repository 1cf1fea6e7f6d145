package dev.lockstep.counters;

import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import com.sun.jna.Pointer;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The native helpers, if this build has them: {@link #load} finds the library in the jar and loads it through JNA, or
 * says what is missing. Thread-safe.
 *
 * <p>A call costs several hundred nanoseconds, so these are for setting up, not for hot paths.
 */
public final class NativeLibrary {
    /**
     * What was loaded, by name, for as long as the JVM runs: JNA unloads a library that nobody refers to, and PAPI and
     * the marks hold addresses of its functions.
     */
    private static final Map<String, NativeLibrary> LOADED = new ConcurrentHashMap<>();

    private final NativeFunctions functions;

    private NativeLibrary(NativeFunctions functions) {
        this.functions = functions;
    }

    /** What {@link #load} found. */
    public sealed interface Result {
        /**
         * The library is there.
         *
         * @param library the library
         */
        record Available(NativeLibrary library) implements Result {}

        /**
         * The library cannot be used; Lockstep works without it.
         *
         * @param reason what is missing and what to do about it, one sentence
         */
        record Missing(String reason) implements Result {}
    }

    /** Loads the library of this platform. Never throws; repeated calls find the same library. */
    public static Result load() {
        return load(NativePart.COUNTERS.library());
    }

    static Result load(String name) {
        NativeLibrary loaded = LOADED.get(name);
        if (loaded != null) {
            return new Result.Available(loaded);
        }
        try {
            NativeFunctions functions = Native.load(name, NativeFunctions.class);
            int abi = functions.lockstep_abi();
            if (abi != NativeFunctions.ABI) {
                return new Result.Missing("The native library is of another build: library=" + name + " abi=" + abi
                        + " expectedAbi=" + NativeFunctions.ABI + "; build Lockstep again.");
            }
            NativeLibrary library = new NativeLibrary(functions);
            NativeLibrary first = LOADED.putIfAbsent(name, library);
            return new Result.Available(first == null ? library : first);
        } catch (UnsatisfiedLinkError e) {
            return new Result.Missing(NativePart.missing(name));
        } catch (LinkageError e) {
            // Whatever JNA's own initializer threw, the first time and later.
            return new Result.Missing(NativePart.jnaCannotStart(e));
        }
    }

    /**
     * Pins the calling platform thread to one processor, for the rest of its life or until the next call.
     *
     * @param processor number of the processor, from 0, as the operating system counts
     * @throws IllegalStateException on a virtual thread, whose carrier would be pinned in its place
     * @throws NativeCallException when the system cannot pin, or this process may not use that processor
     */
    public void pinCurrentThread(int processor) {
        Thread thread = Thread.currentThread();
        if (thread.isVirtual()) {
            throw new IllegalStateException(
                    "A virtual thread cannot be pinned: thread=" + thread + "; pin its carrier before it starts");
        }
        int errno = functions.lockstep_pin_thread(processor);
        if (errno != 0) {
            throw new NativeCallException(
                    "pinCurrentThread(processor=" + processor + ")",
                    errno,
                    "name a processor that this process may run on, or run without pinning where the system has none");
        }
    }

    /**
     * The geometry of one cache, as the operating system reports it for the processor that runs the call.
     *
     * @return empty where the system does not know, or there is no such cache
     */
    public Optional<CacheGeometry> cache(CacheLevel level) {
        long bytes = attribute(level, NativeFunctions.CACHE_BYTES);
        if (bytes == 0) {
            return Optional.empty();
        }
        return Optional.of(new CacheGeometry(
                bytes,
                Math.toIntExact(attribute(level, NativeFunctions.CACHE_WAYS)),
                Math.toIntExact(attribute(level, NativeFunctions.CACHE_LINE_BYTES))));
    }

    NativeFunctions functions() {
        return functions;
    }

    /** Address of the page whose bytes stand for operations, valid for as long as the JVM runs; 0 if there is none. */
    long operationPage() {
        return Pointer.nativeValue(functions.lockstep_operation_page());
    }

    /** Address of the function {@code lockstep_marker}, valid for as long as the JVM runs. */
    long markerAddress() {
        return address("lockstep_marker");
    }

    /** Address of the function {@code lockstep_phase}, valid for as long as the JVM runs. */
    long phaseAddress() {
        return address("lockstep_phase");
    }

    private long address(String function) {
        // Asked by name, JNA would load the library again, for nobody, and unload that copy soon.
        Library.Handler handler = (Library.Handler) Proxy.getInvocationHandler(functions);
        return Pointer.nativeValue(handler.getNativeLibrary().getFunction(function));
    }

    private long attribute(CacheLevel level, int attribute) {
        NativeLong value = functions.lockstep_cache(level.number, attribute);
        return value.longValue();
    }
}
