package dev.lockstep.bench.report;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Whether somebody watches standard error, where progress is shown. {@link java.io.Console} tells of standard input and
 * output alone, which are redirected apart from it.
 */
public final class Terminal {
    private static final Path STANDARD_ERROR = Path.of("/proc/self/fd/2");

    private Terminal() {}

    /** Whether standard error is a terminal. */
    public static boolean isStandardError() {
        try {
            return isTerminal(Files.readSymbolicLink(STANDARD_ERROR).toString());
        } catch (IOException | UnsupportedOperationException elsewhere) {
            return hasConsole();
        }
    }

    /** Says on standard error how a command gets on, if somebody watches. */
    public static void progress(PrintWriter err, String what) {
        if (isStandardError()) {
            err.println("lockstep: " + what);
            err.flush();
        }
    }

    /** Whether an open file is a terminal, by the name that Linux has for it. */
    static boolean isTerminal(String file) {
        return file.startsWith("/dev/pts/") || file.startsWith("/dev/tty") || file.equals("/dev/console");
    }

    /** Where the system does not say what is open, the best guess is that errors go where results go. */
    @SuppressWarnings("SystemConsoleNull") // JDK 22 to 24 return no null; 25 does again.
    private static boolean hasConsole() {
        return System.console() != null && System.console().isTerminal();
    }
}
