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

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @Test
    void leavesTheDatabaseToBeClosed() throws InterruptedException {
        FaultyStorage storage = new FaultyStorage(1);
        LogOptions log = LogOptions.sync().withBufferBytes(LogOptions.BUFFER_BYTES_MIN);
        SchedulerOptions options =
                SchedulerOptions.defaults().withKind(SThreadKind.CONTINUATION).withCarriers(1);
        try (Scheduler scheduler = new Scheduler(options)) {
            Database database =
                    validated.unexamined(Database.open(storage, HOME, ValidatedDatabase.SMALLEST, scheduler, log));
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
            try (Database again = Database.open(storage, HOME, ValidatedDatabase.SMALLEST, null, log)) {
                again.validate();
            }
        }
    }

    @Test
    void waitsForTheThreadsOfTheEngine() throws InterruptedException {
        FaultyStorage storage = new FaultyStorage(1);
        LogOptions log = LogOptions.sync().withBufferBytes(LogOptions.BUFFER_BYTES_MIN);
        SchedulerOptions options =
                SchedulerOptions.defaults().withKind(SThreadKind.CONTINUATION).withCarriers(1);
        try (Scheduler scheduler = new Scheduler(options)) {
            Database database =
                    validated.unexamined(Database.open(storage, HOME, ValidatedDatabase.SMALLEST, scheduler, log));
            DatabaseTest.filled(database, 10, "name");
            PinnedWork pinned = new PinnedWork(database::close);
            scheduler.start("pinned", 0, pinned).join();
            assertNull(pinned.failure(), () -> "" + pinned.failure());
        }
        // The extension looks for threads that are left.
        try (Database again = Database.open(storage, HOME, ValidatedDatabase.SMALLEST, null, log)) {
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
