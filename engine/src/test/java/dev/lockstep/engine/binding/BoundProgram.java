package dev.lockstep.engine.binding;

import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.scheduler.NodeLayout;
import dev.lockstep.scheduler.SThreadKind;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.SchedulerOptions;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/** The main class of a JVM with {@link RecordingBinding}; the argument is a file of nodes, if there is one. */
final class BoundProgram {
    private static final int CARRIERS = 5;

    private BoundProgram() {}

    public static void main(String[] arguments) throws InterruptedException {
        NodeLayout layout = arguments.length == 0 ? NodeLayout.NONE : NodeLayout.read(Path.of(arguments[0]));
        DatabaseOptions options = DatabaseOptions.builder()
                .poolBytes(DatabaseOptions.POOL_BYTES_MIN)
                .nodeLayout(layout)
                .build();
        // In memory, and alone: carriers are bound when the pool is there.
        try (Database database = Database.inMemory(options);
                Scheduler scheduler = new Scheduler(SchedulerOptions.defaults()
                        .withName("s")
                        .withKind(SThreadKind.VIRTUAL)
                        .withCarriers(CARRIERS)
                        .withNodes(layout))) {
            CountDownLatch ran = new CountDownLatch(CARRIERS);
            for (int i = 0; i < CARRIERS; i++) {
                scheduler.start("s" + i, 0, ran::countDown);
            }
            ran.await();
            database.openSession().close();
        }
        RecordingBinding.told().stream().sorted().forEach(System.out::println);
    }
}
