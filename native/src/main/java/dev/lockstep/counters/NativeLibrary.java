package dev.lockstep.counters;

import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import java.util.Optional;

/**
 * The native helpers, if this build has them: {@link #load} finds the library in the jar and loads it through JNA, or
 * says what is missing. Thread-safe.
 *
 * <p>A call costs several hundred nanoseconds, so these are for setting up, not for hot paths.
 */
public final class NativeLibrary {
    private static final String NAME = "lockstep_counters";

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
        return load(NAME);
    }

    static Result load(String name) {
        try {
            NativeFunctions functions = Native.load(name, NativeFunctions.class);
            int abi = functions.lockstep_abi();
            if (abi != NativeFunctions.ABI) {
                return new Result.Missing("The native library is of another build: library=" + name + " abi=" + abi
                        + " expectedAbi=" + NativeFunctions.ABI + "; build Lockstep again.");
            }
            return new Result.Available(new NativeLibrary(functions));
        } catch (UnsatisfiedLinkError e) {
            return new Result.Missing("The native library is not there: library=" + name + " platform="
                    + System.getProperty("os.name") + "/" + System.getProperty("os.arch")
                    + "; install a C compiler (Debian and Ubuntu: apt-get install gcc libc6-dev) and build Lockstep"
                    + " again.");
        } catch (NoClassDefFoundError e) {
            return new Result.Missing("JNA cannot start: missingClass=" + e.getMessage()
                    + "; put net.java.dev.jna:jna on the class path, and see that the directory of java.io.tmpdir may"
                    + " hold executable files.");
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

    private long attribute(CacheLevel level, int attribute) {
        NativeLong value = functions.lockstep_cache(level.number, attribute);
        return value.longValue();
    }
}
