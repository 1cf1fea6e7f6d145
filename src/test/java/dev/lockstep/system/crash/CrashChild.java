package dev.lockstep.system.crash;

import dev.lockstep.bench.process.ChildJvm;
import dev.lockstep.bench.prove.KilledJvmFrames;
import dev.lockstep.bench.prove.StoppingStorage;
import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.Durability;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.engine.proof.OtherStorage;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * The process that is killed: opens the database and works on it with several threads. Whatever it says, it says on its
 * standard output, in frames of two ints: worker and sequence of a transaction whose commit was answered, or one of the
 * marks. What was written into the pipe is there after the kill.
 */
final class CrashChild {
    static final int WORKERS = 4;

    /** Instead of a worker: the database is open. With the number of changes of files that the opening has made. */
    static final int MARK_OPENED = -1;

    /** Instead of a worker: the child waits for its end before a change that the opening makes. */
    static final int MARK_STOPPED = -2;

    private final KilledJvmFrames frames = new KilledJvmFrames();

    private CrashChild() {}

    /**
     * Arguments: directory, durability, seed, whether commits are stamped in their order, workers, number of the change
     * of a file before which it stops; without workers it opens the database alone, and only then it stops.
     */
    public static void main(String[] arguments) throws Exception {
        new CrashChild()
                .work(
                        Path.of(arguments[0]),
                        Durability.valueOf(arguments[1]),
                        Long.parseLong(arguments[2]),
                        Boolean.parseBoolean(arguments[3]),
                        Integer.parseInt(arguments[4]),
                        Long.parseLong(arguments[5]));
    }

    private void work(Path directory, Durability durability, long seed, boolean stamped, int workers, long stopAt)
            throws Exception {
        ChildJvm.endWithParent();
        StoppingStorage storage = new StoppingStorage(stopAt, () -> say(MARK_STOPPED, 0));
        DatabaseOptions options = Bank.options(durability);
        try (Database database = workers > 0
                ? Database.open(directory, options)
                : OtherStorage.open(
                        storage, directory, options, LogOptions.sync().withSegmentBytes(options.logSegmentBytes()))) {
            if (database.tableNames().isEmpty()) {
                Bank.create(database);
            }
            say(MARK_OPENED, Math.toIntExact(storage.changes()));
            List<Thread> threads = new ArrayList<>();
            for (int worker = 0; worker < workers; worker++) {
                CrashWorker work = new CrashWorker(database, durability, worker, seed, stamped, this::say);
                threads.add(Thread.ofPlatform().name("worker-" + worker).start(work));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            if (workers == 0) {
                // Until it is killed.
                new CountDownLatch(1).await();
            }
        }
    }

    private void say(int worker, int sequence) {
        frames.say(ByteBuffer.allocate(2 * Integer.BYTES)
                .putInt(worker)
                .putInt(sequence)
                .flip());
    }
}
