package dev.lockstep.system.crash;

import dev.lockstep.engine.Durability;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** The parent's end of a {@link CrashChild}. */
final class ChildProcess implements AutoCloseable {
    private static final int EXIT_CODE_OF_SIGKILL = 137;
    private static final int EXIT_CODE_ON_WINDOWS = 1;

    private final Process process;
    private final Path errors;
    private final DataInputStream in;
    private final int[] acknowledged = new int[CrashChild.WORKERS];
    private int acknowledgedCount;

    private ChildProcess(Process process, Path errors) {
        this.process = process;
        this.errors = errors;
        in = new DataInputStream(new BufferedInputStream(process.getInputStream()));
    }

    static ChildProcess start(Path directory, Durability durability, long seed, boolean stamped) throws IOException {
        Path errors = directory.resolveSibling(directory.getFileName() + "-errors.txt");
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-Xmx256m",
                "-ea",
                "-cp",
                System.getProperty("java.class.path"),
                CrashChild.class.getName(),
                directory.toString(),
                durability.name(),
                Long.toString(seed),
                Boolean.toString(stamped));
        return new ChildProcess(
                new ProcessBuilder(command).redirectError(errors.toFile()).start(), errors);
    }

    /** Waits until the child is about to open the database. */
    void awaitOpening() throws IOException {
        await(CrashChild.MARK_OPENING);
    }

    /** Waits until the child has opened the database. */
    void awaitOpened() throws IOException {
        await(CrashChild.MARK_OPENED);
    }

    private void await(int mark) throws IOException {
        // Ends with the child at the latest.
        while (readFrame() != mark) {
            // Acknowledgements are noted by readFrame.
        }
    }

    /** Waits for a number of acknowledgements. */
    void awaitAcknowledgements(int count) throws IOException {
        while (acknowledgedCount < count) {
            readFrame();
        }
    }

    private int readFrame() throws IOException {
        int worker;
        int sequence;
        try {
            worker = in.readInt();
            sequence = in.readInt();
        } catch (EOFException e) {
            throw new IOException("the child ended by itself:\n" + Files.readString(errors), e);
        }
        note(worker, sequence);
        return worker;
    }

    private void note(int worker, int sequence) {
        if (worker >= 0) {
            acknowledged[worker] = sequence;
            acknowledgedCount++;
        }
    }

    /**
     * Kills the child and reads what it had still said.
     *
     * @return the last acknowledged sequence number of every worker, 0 where there was none
     */
    int[] kill() throws IOException, InterruptedException {
        // Process.destroyForcibly() would close the pipe.
        process.toHandle().destroyForcibly();
        int exitCode = process.waitFor();
        // Ends with what was in the pipe.
        while (true) {
            byte[] frame = in.readNBytes(2 * Integer.BYTES);
            if (frame.length < 2 * Integer.BYTES) {
                break;
            }
            java.nio.ByteBuffer ints = java.nio.ByteBuffer.wrap(frame);
            note(ints.getInt(), ints.getInt());
        }
        if ((exitCode != EXIT_CODE_OF_SIGKILL && exitCode != EXIT_CODE_ON_WINDOWS) || Files.size(errors) > 0) {
            throw new IOException("the child was not killed: exitCode=" + exitCode + ", acknowledged="
                    + Arrays.toString(acknowledged) + "\n" + Files.readString(errors));
        }
        return acknowledged;
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
