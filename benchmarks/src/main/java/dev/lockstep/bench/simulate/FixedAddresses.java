package dev.lockstep.bench.simulate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The same addresses for a program in every run. Linux draws the places of stacks and mapped memory anew for each
 * process, and caches are indexed by addresses: of TPC-C simulated twice, last-level misses differed by 4 to 6 %, and
 * with fixed addresses by some 1 %, if the compilers did the same. {@code setarch -R} (util-linux) switches that off
 * for a process and its children, where the system allows it; some containers do not.
 *
 * <p>Thread-safety: stateless; it is tried once.
 */
public final class FixedAddresses {
    private static final List<String> SETARCH = List.of("setarch", "x86_64", "-R");
    private static final List<String> HARMLESS = List.of("/bin/true", "/usr/bin/true");
    private static final long TRIAL_SECONDS_MAX = 10;
    private static final List<String> WORDS = isAllowed() ? SETARCH : List.of();

    private FixedAddresses() {}

    /** Whether this system can do it. */
    public static boolean arePossible() {
        return !WORDS.isEmpty();
    }

    /** The words before a command that has fixed addresses; none where it cannot have them. */
    static List<String> words() {
        return WORDS;
    }

    /** Says which addresses simulated programs have. */
    public static String sentence() {
        return arePossible()
                ? "Its addresses are the same in each run."
                : "Its addresses are drawn anew for each run, by which misses below L1 differ: `setarch x86_64 -R` of"
                        + " util-linux is not here, or not allowed.";
    }

    private static boolean isAllowed() {
        String program = HARMLESS.stream()
                .filter(file -> Files.isExecutable(Path.of(file)))
                .findFirst()
                .orElse("true");
        try {
            Process process = new ProcessBuilder(SETARCH.get(0), SETARCH.get(1), SETARCH.get(2), program)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (!process.waitFor(TRIAL_SECONDS_MAX, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return false;
            }
            return process.exitValue() == 0;
        } catch (IOException notThere) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
