package dev.lockstep.bench.restart;

import dev.lockstep.bench.flame.FlameRun;
import dev.lockstep.bench.process.ChildJvm;
import dev.lockstep.bench.prove.KilledJvmFrames;
import dev.lockstep.engine.Database;
import dev.lockstep.scheduler.InstalledProbe;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/** Opens what a killed process left, for a flame graph, says that it has, and waits for its end. */
final class OpeningChild {
    /** What a probe is told: recovery is no operation of the engine. */
    static final String OPERATION = "open database";

    private OpeningChild() {}

    /** Arguments: directory, bytes of the pool. */
    public static void main(String[] arguments) throws InterruptedException {
        ChildJvm.endWithParent();
        Path directory = Path.of(arguments[0]);
        long poolBytes = Long.parseLong(arguments[1]);
        try (Database _ = open(directory, poolBytes)) {
            new KilledJvmFrames().say(ByteBuffer.allocate(0));
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
