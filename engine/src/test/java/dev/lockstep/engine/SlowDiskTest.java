package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.DiskStorage;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.scheduler.OperationStatistics;
import dev.lockstep.scheduler.SThread;
import dev.lockstep.scheduler.SThreadKind;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.SchedulerOptions;
import dev.lockstep.scheduler.TeamMode;
import dev.lockstep.scheduler.WaitReason;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A member that waits for a slow disk leaves its team, and the others run on, on the one carrier that there is. */
class SlowDiskTest {
    private static final int ROWS = 20_000;
    private static final int OTHERS = 5;
    private static final int FETCHES = 200;

    /** Keys of one leaf, which stays in the pool. */
    private static final int HOT_KEYS = 10;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource(
            value = SThreadKind.class,
            names = {"VIRTUAL", "CONTINUATION"})
    void othersRunOnBesideAReadThatHangs(SThreadKind kind) throws InterruptedException {
        HeldStorage storage = new HeldStorage(DiskStorage.INSTANCE);
        SchedulerOptions steps = SchedulerOptions.defaults()
                .withKind(kind)
                .withCarriers(1)
                .withTeamMode(TeamMode.ON)
                .withSwitchPointsOn(true);
        try (Scheduler scheduler = new Scheduler(steps);
                Database database = validated.track(
                        Database.open(storage, directory, ValidatedDatabase.SMALLEST, scheduler, LogOptions.sync()))) {
            Table table = DatabaseTest.filled(database, ROWS, "a name that takes some room in its page");
            database.checkpoint();
            fetchHotKeys(database, table);
            storage.holdPageReads();
            AtomicInteger rowsRead = new AtomicInteger();
            SThread reader = scheduler.start(
                    "reader",
                    0,
                    () -> rowsRead.set(DatabaseTest.ids(database, null).size()));
            List<SThread> others = new ArrayList<>();
            for (int i = 0; i < OTHERS; i++) {
                others.add(scheduler.start("other-" + i, 0, () -> fetchHotKeys(database, table)));
            }
            for (SThread other : others) {
                other.join();
                assertNull(other.failure());
            }
            assertFalse(reader.hasEnded());
            storage.release();
            reader.join();
            assertNull(reader.failure());
            assertEquals(ROWS, rowsRead.get());
            assertTrue(straysByIo(scheduler) > 0, () -> scheduler.statistics().toString());
            validated.close(database);
        }
    }

    private static void fetchHotKeys(Database database, Table table) {
        Record row = table.newRecord();
        Key key = table.newKey();
        for (int fetch = 0; fetch < FETCHES; fetch++) {
            int id = fetch % HOT_KEYS;
            boolean found = database.call(
                    transaction -> transaction.fetch(table, key.reset().add(id), row));
            assertTrue(found);
            assertEquals(id, row.getInt(0));
        }
    }

    private static long straysByIo(Scheduler scheduler) {
        return scheduler.statistics().stream()
                .map(OperationStatistics::strays)
                .mapToLong(strays -> strays.getOrDefault(WaitReason.IO, 0L))
                .sum();
    }
}
