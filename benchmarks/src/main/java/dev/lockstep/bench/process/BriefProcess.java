package dev.lockstep.bench.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * A program that is asked something, and answers soon or not at all.
 *
 * @param exitCode of the program
 * @param printed to its standard output
 */
public record BriefProcess(int exitCode, String printed) {
    /**
     * Runs a program to its end.
     *
     * @param secondsMax after which it is killed
     * @return null if it did not end in time
     * @throws IOException if it does not start
     * @throws InterruptedException if the calling thread is interrupted; the program is then killed
     */
    public static BriefProcess runOrNull(ProcessBuilder builder, long secondsMax)
            throws IOException, InterruptedException {
        // Into a file, since a read of a pipe has no limit.
        Path output = Files.createTempFile("lockstep-", ".txt");
        try {
            Process process = builder.redirectOutput(output.toFile()).start();
            try {
                process.getOutputStream().close();
                return process.waitFor(secondsMax, TimeUnit.SECONDS)
                        ? new BriefProcess(process.exitValue(), Files.readString(output, StandardCharsets.UTF_8))
                        : null;
            } finally {
                process.destroyForcibly();
            }
        } finally {
            Files.deleteIfExists(output);
        }
    }
}
