package dev.lockstep.bench.restart;

import dev.lockstep.bench.flame.FlameRun;
import dev.lockstep.bench.process.ChildJvm;
import dev.lockstep.bench.prove.KilledJvmFrames;
import dev.lockstep.engine.Database;
import dev.lockstep.scheduler.InstalledProbe;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/** Opens what a killed process left, says how long that took, and waits for its end. */
final class OpeningChild {
    /** What a probe is told: recovery is no operation of the engine. */
    static final String OPERATION = "open database";

    /**
     * What it says.
     *
     * @param nanos of the opening
     * @param pagesRead in it
     * @param whole whether what was on disk is there
     */
    record Opened(long nanos, long pagesRead, boolean whole) {
        static Opened of(ByteBuffer frame) {
            return new Opened(frame.getLong(), frame.getLong(), frame.get() != 0);
        }

        private ByteBuffer frame() {
            return ByteBuffer.allocate(2 * Long.BYTES + 1)
                    .putLong(nanos)
                    .putLong(pagesRead)
                    .put((byte) (whole ? 1 : 0))
                    .flip();
        }
    }

    private OpeningChild() {}

    /** Arguments: directory, bytes of the pool. */
    public static void main(String[] arguments) throws InterruptedException {
        ChildJvm.endWithParent();
        Path directory = Path.of(arguments[0]);
        long poolBytes = Long.parseLong(arguments[1]);
        long start = System.nanoTime();
        try (Database database = open(directory, poolBytes)) {
            long nanos = System.nanoTime() - start;
            boolean whole = database.tableNames().contains(RestartExperiment.MARKER.name());
            new KilledJvmFrames().say(new Opened(nanos, database.statistics().pageReads(), whole).frame());
            // Until it is killed.
            new CountDownLatch(1).await();
        }
    }

    private static Database open(Path directory, long poolBytes) {
        try (FlameRun _ = FlameRun.start("restart: opening")) {
            InstalledProbe.begin(null, InstalledProbe.number(OPERATION));
            Database database = Database.open(directory, RestartChild.options(poolBytes));
            InstalledProbe.end(null);
            return database;
        }
    }
}
