package dev.lockstep.system.crash;

import dev.lockstep.bench.prove.KilledJvm;
import dev.lockstep.engine.Durability;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;

/** The parent's end of a {@link CrashChild}. */
final class ChildProcess implements AutoCloseable {
    private final KilledJvm child;
    private final int[] acknowledged = new int[CrashChild.WORKERS];
    private int acknowledgedCount;

    private ChildProcess(KilledJvm child) {
        this.child = child;
    }

    static ChildProcess start(Path directory, Durability durability, long seed, boolean stamped) throws IOException {
        return start(directory, durability, seed, stamped, CrashChild.WORKERS, Long.MAX_VALUE);
    }

    /** A child that opens the database, stops before a change of a file that this makes, and does nothing else. */
    static ChildProcess startOpening(Path directory, Durability durability, long stopAt) throws IOException {
        return start(directory, durability, 0, false, 0, stopAt);
    }

    private static ChildProcess start(
            Path directory, Durability durability, long seed, boolean stamped, int workers, long stopAt)
            throws IOException {
        return new ChildProcess(KilledJvm.start(
                directory.resolveSibling(directory.getFileName() + "-errors.txt"),
                CrashChild.class,
                List.of(
                        directory.toString(),
                        durability.name(),
                        Long.toString(seed),
                        Boolean.toString(stamped),
                        Integer.toString(workers),
                        Long.toString(stopAt))));
    }

    /** Waits until the child has opened the database or has stopped; returns the changes that the opening has made. */
    OptionalInt awaitOpenedOrStopped() throws IOException {
        ByteBuffer said = child.next();
        return said.getInt() == CrashChild.MARK_OPENED ? OptionalInt.of(said.getInt()) : OptionalInt.empty();
    }

    /** Waits until the child has opened the database. */
    void awaitOpened() throws IOException {
        await(CrashChild.MARK_OPENED);
    }

    private void await(int mark) throws IOException {
        // Ends with the child at the latest.
        while (note(child.next()) != mark) {
            // It has acknowledged something before.
        }
    }

    /** Waits for a number of acknowledgements. */
    void awaitAcknowledgements(int count) throws IOException {
        while (acknowledgedCount < count) {
            note(child.next());
        }
    }

    private int note(ByteBuffer frame) {
        int worker = frame.getInt();
        if (worker >= 0) {
            acknowledged[worker] = frame.getInt();
            acknowledgedCount++;
        }
        return worker;
    }

    /**
     * Kills the child and reads what it had still said.
     *
     * @return the last acknowledged sequence number of every worker, 0 where there was none
     */
    int[] kill() throws IOException, InterruptedException {
        child.kill(this::note);
        return acknowledged;
    }

    @Override
    public void close() {
        child.close();
    }
}
