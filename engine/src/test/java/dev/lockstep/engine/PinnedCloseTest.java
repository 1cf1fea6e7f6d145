package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.scheduler.PinnedSThreadException;
import dev.lockstep.scheduler.SThreadKind;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.SchedulerOptions;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A close that cannot wait for the calls that are inside leaves the database open, to be closed by somebody else. What
 * the engine ends by itself it waits for all the same.
 */
class PinnedCloseTest {
    private static final Path HOME = Path.of("/database");

    private static final LogOptions LOG = LogOptions.sync().withBufferBytes(LogOptions.BUFFER_BYTES_MIN);
    private static final SchedulerOptions OPTIONS =
            SchedulerOptions.defaults().withKind(SThreadKind.CONTINUATION).withCarriers(1);

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    private final FaultyStorage storage = new FaultyStorage(1);

    private Database open(Scheduler schedulerOrNull) {
        return Database.open(storage, HOME, ValidatedDatabase.SMALLEST, schedulerOrNull, LOG);
    }

    @Test
    void leavesTheDatabaseToBeClosed() throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(OPTIONS)) {
            Database database = validated.unexamined(open(scheduler));
            DatabaseTest.filled(database, 10, "name");
            CountDownLatch inside = new CountDownLatch(1);
            CountDownLatch closed = new CountDownLatch(1);
            Worker compacting = new Worker(() -> database.compact((stage, done, total) -> {
                inside.countDown();
                await(closed);
            }));
            inside.await();
            PinnedWork pinned = new PinnedWork(database::close);
            scheduler.start("pinned", 0, pinned).join();
            closed.countDown();
            compacting.join();
            assertNull(compacting.failure(), () -> "" + compacting.failure());
            assertInstanceOf(PinnedSThreadException.class, pinned.failure());
            database.close();
            try (Database again = open(null)) {
                again.validate();
            }
        }
    }

    @Test
    void waitsForTheThreadsOfTheEngine() throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(OPTIONS)) {
            Database database = validated.unexamined(open(scheduler));
            DatabaseTest.filled(database, 10, "name");
            PinnedWork pinned = new PinnedWork(database::close);
            scheduler.start("pinned", 0, pinned).join();
            assertNull(pinned.failure(), () -> "" + pinned.failure());
        }
        // The extension looks for threads that are left.
        try (Database again = open(null)) {
            assertNull(again.instance().recoveryReport());
            again.validate();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
