package dev.lockstep.counters;

import com.sun.jna.Native;
import com.sun.jna.Platform;
import java.io.IOException;
import java.nio.file.Path;

/** The native libraries of this build. Thread-safe. */
public enum NativePart {
    /** Pinning, counters and marks, which {@link NativeLibrary} loads. */
    COUNTERS("lockstep_counters"),
    /** The plugin for user-mode QEMU that simulates caches; Linux only. */
    SIMULATOR("lockstep_simulator"),
    /** The JVMTI agent that tells which compiled code lies where; Linux only. */
    AGENT("lockstep_agent");

    private final String library;

    NativePart(String library) {
        this.library = library;
    }

    /** What {@link #find} found. */
    public sealed interface Result {
        /**
         * The library is there.
         *
         * @param file absolute path of the library, for this process and those that it starts
         */
        record Available(Path file) implements Result {}

        /**
         * This build does not have the library.
         *
         * @param reason what is missing and what to do about it, one sentence
         */
        record Missing(String reason) implements Result {}
    }

    /** The name that the library is loaded by, without what the platform puts around it. */
    public String library() {
        return library;
    }

    /**
     * Finds the file of this library, in the directory of the class path where it lies, or else in a temporary file
     * that it is copied to, which goes when the JVM ends.
     */
    public Result find() {
        return find(library);
    }

    static Result find(String library) {
        // JNA names resources of its platforms like this; a name that begins with a slash is taken as it is.
        String resource = "/" + Platform.RESOURCE_PREFIX + "/" + System.mapLibraryName(library);
        try {
            return new Result.Available(Native.extractFromResourcePath(resource, NativePart.class.getClassLoader())
                    .toPath()
                    .toAbsolutePath());
        } catch (IOException e) {
            return new Result.Missing(missing(library));
        } catch (LinkageError e) {
            return new Result.Missing(jnaCannotStart(e));
        }
    }

    static String missing(String library) {
        return "The native library is not there: library=" + library + " platform=" + System.getProperty("os.name")
                + "/" + System.getProperty("os.arch")
                + "; install a C compiler (Debian and Ubuntu: apt-get install gcc libc6-dev) and build Lockstep"
                + " again.";
    }

    static String jnaCannotStart(LinkageError error) {
        Throwable cause = error.getCause() == null ? error : error.getCause();
        return "JNA cannot start: cause=" + cause.getMessage()
                + "; put net.java.dev.jna:jna on the class path, see that the directory of java.io.tmpdir may hold"
                + " executable files, and that the JVM allows native calls: --enable-native-access=ALL-UNNAMED.";
    }
}
