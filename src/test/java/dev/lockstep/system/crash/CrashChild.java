package dev.lockstep.system.crash;

import dev.lockstep.bench.prove.KilledJvmFrames;
import dev.lockstep.engine.Database;
import dev.lockstep.engine.Durability;
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

    /** Instead of a worker: the child is about to open the database. */
    static final int MARK_OPENING = -1;

    /** Instead of a worker: the database is open. */
    static final int MARK_OPENED = -2;

    private final KilledJvmFrames frames = new KilledJvmFrames();

    private CrashChild() {}

    /**
     * Arguments: directory, durability, seed, whether commits are stamped in their order, workers; without workers it
     * opens the database alone.
     */
    public static void main(String[] arguments) throws Exception {
        new CrashChild()
                .work(
                        Path.of(arguments[0]),
                        Durability.valueOf(arguments[1]),
                        Long.parseLong(arguments[2]),
                        Boolean.parseBoolean(arguments[3]),
                        Integer.parseInt(arguments[4]));
    }

    private void work(Path directory, Durability durability, long seed, boolean stamped, int workers) throws Exception {
        say(MARK_OPENING, 0);
        try (Database database = Database.open(directory, Bank.options(durability))) {
            if (database.tableNames().isEmpty()) {
                Bank.create(database);
            }
            say(MARK_OPENED, 0);
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
