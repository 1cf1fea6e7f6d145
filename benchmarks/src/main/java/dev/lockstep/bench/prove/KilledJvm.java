package dev.lockstep.bench.prove;

import dev.lockstep.bench.process.Ending;
import dev.lockstep.bench.process.JvmNotices;
import dev.lockstep.bench.process.NativeProcess;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * A child JVM that is going to be killed with SIGKILL. It tells what it does in {@link KilledJvmFrames frames} through
 * its standard output, and what it said before its death can still be read after it: the pipe belongs to the kernel.
 * Used by one thread.
 */
public final class KilledJvm implements AutoCloseable {
    private static final int EXIT_CODE_OF_SIGKILL = 137;
    private static final int EXIT_CODE_ON_WINDOWS = 1;

    private final Process process;
    private final Ending.Watch watch;
    private final Path errors;
    private final DataInputStream in;

    private KilledJvm(Ending.Watch watch, Path errors) {
        this.watch = watch;
        process = watch.process();
        this.errors = errors;
        in = new DataInputStream(new BufferedInputStream(process.getInputStream()));
    }

    /**
     * Starts a child with this JVM's class path. It compiles with C1 alone, since it does not live long.
     *
     * @param errors receives what it writes to its standard error
     * @param mainClass of the child
     * @throws IOException if it does not start
     */
    public static KilledJvm start(Path errors, Class<?> mainClass, List<String> arguments) throws IOException {
        return start(errors, List.of(), mainClass, arguments);
    }

    /**
     * The same with further options of the JVM.
     *
     * @param errors receives what it writes to its standard error
     * @param options come last, so that they stand against the usual ones
     * @param mainClass of the child
     * @throws IOException if it does not start
     */
    public static KilledJvm start(Path errors, List<String> options, Class<?> mainClass, List<String> arguments)
            throws IOException {
        return start(errors, options, mainClass.getName(), arguments);
    }

    /** The same with a main class that this module does not know. */
    static KilledJvm start(Path errors, List<String> options, String mainClass, List<String> arguments)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-Xmx256m",
                "-ea"));
        command.addAll(options);
        command.addAll(List.of(
                "-cp",
                Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                        .map(entry -> Path.of(entry).toAbsolutePath().toString())
                        .collect(Collectors.joining(File.pathSeparator)),
                mainClass));
        command.addAll(arguments);
        return new KilledJvm(Ending.start(NativeProcess.builder(command).redirectError(errors.toFile())), errors);
    }

    /**
     * Waits for the next frame.
     *
     * @throws IOException if the child ended by itself; the message holds what it wrote to its standard error
     */
    public ByteBuffer next() throws IOException {
        try {
            return ByteBuffer.wrap(in.readNBytes(in.readInt()));
        } catch (EOFException e) {
            throw new IOException("the child ended by itself:\n" + Files.readString(errors), e);
        }
    }

    /**
     * Lets it go on for some time.
     *
     * @return whether it is still alive
     */
    public boolean goesOnFor(long nanos) throws InterruptedException {
        return !process.waitFor(nanos, TimeUnit.NANOSECONDS);
    }

    /**
     * Kills the child and reads what it had still said.
     *
     * @param rest receives those frames
     * @throws IOException if it had ended by itself, or complained
     */
    public void kill(Consumer<ByteBuffer> rest) throws IOException, InterruptedException {
        // Process.destroyForcibly() would close the pipe.
        process.toHandle().destroyForcibly();
        int exitCode = process.waitFor();
        // Ends with what was in the pipe. Half a frame was never said.
        while (true) {
            byte[] length = in.readNBytes(Integer.BYTES);
            if (length.length < Integer.BYTES) {
                break;
            }
            int bytes = ByteBuffer.wrap(length).getInt();
            byte[] frame = in.readNBytes(bytes);
            if (frame.length < bytes) {
                break;
            }
            rest.accept(ByteBuffer.wrap(frame));
        }
        String complaints = complaints(Files.readString(errors));
        if ((exitCode != EXIT_CODE_OF_SIGKILL && exitCode != EXIT_CODE_ON_WINDOWS) || !complaints.isEmpty()) {
            throw new IOException("the child was not killed: exitCode=" + exitCode + "\n" + complaints);
        }
    }

    /** What a JVM has written to its standard error, but for its notices. */
    static String complaints(String errors) {
        return errors.lines().filter(line -> !JvmNotices.contain(line)).collect(Collectors.joining("\n"));
    }

    /** Ends it, if it has not ended. */
    @Override
    public void close() {
        watch.close();
    }
}
