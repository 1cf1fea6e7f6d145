package dev.lockstep.engine.log;

import static dev.lockstep.engine.log.LogRecordLayout.LSN_FIRST;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.DatabaseFailedException;
import dev.lockstep.engine.DiskFullException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.StorageException;
import dev.lockstep.engine.file.Storage;
import dev.lockstep.engine.proof.DelegatingStorage;
import dev.lockstep.scheduler.Waiter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Disks that refuse, fill up, or change what was written. */
class LogFailureTest {
    private static final long SEED = 1_111L;

    private final LogFixture fixture = new LogFixture(SEED);
    private final LogRecordBuffer buffer = new LogRecordBuffer();
    private final Waiter waiter = new Waiter();
    private final List<Throwable> failures = new ArrayList<>();

    private Log open(long startLsn) {
        return fixture.open(LogFixture.small(LogOptions.sync()), startLsn, (cause, isFatal) -> {
            assertTrue(isFatal);
            failures.add(cause);
        });
    }

    private long append(Log log, long number) {
        return log.append(LogFixture.record(buffer, number, 40));
    }

    @Test
    void aFailedForcePoisonsTheLog() throws InterruptedException, ExecutionException {
        Log log = open(LSN_FIRST);
        log.awaitDurable(append(log, 0), waiter);
        long durableLsn = log.durableLsn();
        // The write, then its force.
        fixture.storage.failAtChange(2, false);
        int waiterCount = 20;
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<DatabaseFailedException>> waits = new ArrayList<>();
            for (int i = 1; i <= waiterCount; i++) {
                long number = i;
                waits.add(threads.submit(() -> assertThrows(DatabaseFailedException.class, () -> {
                    LogRecordBuffer own = new LogRecordBuffer();
                    log.awaitDurable(log.append(LogFixture.record(own, number, 10)), new Waiter());
                })));
            }
            for (Future<DatabaseFailedException> wait : waits) {
                assertInstanceOf(StorageException.class, wait.get().getCause());
            }
        }
        assertThrows(DatabaseFailedException.class, () -> append(log, 99));
        assertThrows(DatabaseFailedException.class, () -> log.awaitDurable(log.tailLsn() - 1, waiter));
        assertEquals(durableLsn, log.durableLsn());
        log.close();
        assertEquals(1, failures.size());
        assertSame(log.failure(), failures.getFirst());
        fixture.storage.crash();
        assertEquals(0, fixture.read(LSN_FIRST, durableLsn).numbers().getFirst());
    }

    @Test
    void theOwnerLearnsOfAFailureBeforeAnybodyWhoAppends() {
        List<Object> appends = new ArrayList<>();
        Log[] log = new Log[1];
        log[0] = fixture.open(LogFixture.small(LogOptions.sync()), LSN_FIRST, (cause, isFatal) -> {
            try {
                appends.add(log[0].append(LogFixture.record(new LogRecordBuffer(), 1, 40)));
            } catch (DatabaseFailedException tooLate) {
                appends.add(tooLate);
            }
        });
        fixture.storage.failAtChange(1, false);
        long lsn = append(log[0], 0);
        assertThrows(DatabaseFailedException.class, () -> log[0].awaitDurable(lsn, waiter));
        log[0].close();
        assertEquals(1, appends.size());
        assertInstanceOf(Long.class, appends.getFirst());
    }

    @Test
    void afterAFullDiskTheLogOpensCleanUpToWhatWasAcknowledged() {
        Log log = open(LSN_FIRST);
        fixture.storage.bytesMax(700_000);
        long acknowledged = -1;
        try {
            for (long number = 0; number < 100_000; number++) {
                log.throttle(waiter);
                long lsn = append(log, number);
                if (number % 10 == 0) {
                    log.awaitDurable(lsn, waiter);
                    acknowledged = number;
                }
            }
        } catch (DatabaseFailedException e) {
            assertInstanceOf(DiskFullException.class, e.getCause());
        }
        long durableLsn = log.durableLsn();
        log.close();
        assertEquals(1, failures.size());
        assertTrue(acknowledged > 0);
        fixture.storage.heal();
        LogFixture.Content content = fixture.read(LSN_FIRST, durableLsn);
        assertTrue(content.numbers().getLast() >= acknowledged);
        assertTrue(content.endLsn() >= durableLsn);
        long next = content.numbers().size();
        try (Log again = open(content.endLsn())) {
            again.awaitDurable(append(again, next), waiter);
        }
        assertEquals(next, fixture.read(LSN_FIRST, 0).numbers().getLast());
    }

    /** Does not delete segments while it refuses to, as where somebody else has them open. */
    private static final class KeepingStorage extends DelegatingStorage {
        private volatile boolean refuses = true;

        KeepingStorage(Storage storage) {
            super(storage);
        }

        @Override
        public void delete(Path path) {
            if (refuses && LogSegmentLayout.startLsn(path).isPresent()) {
                throw new StorageException(
                        Message.of("The file is in use").with("file", path).remedy("Let it go."));
            }
            super.delete(path);
        }
    }

    private void fillSegments(Log log, int segmentBytes, int count) {
        long endLsn = log.tailLsn() + (long) count * segmentBytes;
        // Ends because every record moves the tail.
        while (log.tailLsn() < endLsn) {
            log.throttle(waiter);
            log.append(LogFixture.record(buffer, 1, 1_000));
        }
        log.awaitDurable(log.tailLsn() - 1, waiter);
    }

    private void letGo(Log log) {
        long lsn = log.durableLsn();
        log.deleteBefore(lsn);
        log.awaitDeleted(lsn, waiter);
    }

    @Test
    void aFileThatCannotBeDeletedStaysAndIsTriedAgain() {
        KeepingStorage storage = new KeepingStorage(fixture.storage);
        LogOptions options = LogFixture.small(LogOptions.sync()).withRecycledBytes(0);
        List<Boolean> told = new ArrayList<>();
        try (Log log = Log.open(
                storage,
                LogFixture.DIRECTORY,
                LogFixture.DATABASE_ID,
                options,
                LSN_FIRST,
                (cause, isFatal) -> told.add(isFatal))) {
            fillSegments(log, options.segmentBytes(), 6);
            letGo(log);
            assertEquals(List.of(false), told);
            fillSegments(log, options.segmentBytes(), 4);
            assertNull(log.failure());
            letGo(log);
            assertEquals(List.of(false, false), told);
            storage.refuses = false;
            log.awaitDurable(append(log, 1), waiter);
            letGo(log);
            // The segment in use, and those kept for reuse.
            assertEquals(
                    LogSegments.recyclableSegmentsMax(options) + 1,
                    fixture.storage.list(LogFixture.DIRECTORY).size());
            assertEquals(2, told.size());
        }
    }

    @Test
    void aFileOfAnotherSizeThatCannotBeDeletedStaysToo() {
        LogOptions options = LogFixture.small(LogOptions.sync()).withRecycledBytes(0);
        LogOptions larger = options.withSegmentBytes(2 * options.segmentBytes());
        try (Log log = fixture.open(larger, LSN_FIRST)) {
            fillSegments(log, larger.segmentBytes(), 1);
        }
        KeepingStorage storage = new KeepingStorage(fixture.storage);
        List<Boolean> told = new ArrayList<>();
        try (Log log = Log.open(
                storage,
                LogFixture.DIRECTORY,
                LogFixture.DATABASE_ID,
                options,
                fixture.read(LSN_FIRST, 0).endLsn(),
                (cause, isFatal) -> told.add(isFatal))) {
            log.awaitDurable(append(log, 1), waiter);
            letGo(log);
            assertEquals(List.of(), told);
            fillSegments(log, options.segmentBytes(), 2);
            // Of the larger size there are two: the one that was filled, and the one that had just begun.
            assertEquals(List.of(false, false), told);
            storage.refuses = false;
            letGo(log);
            assertFalse(fixture.storage
                    .list(LogFixture.DIRECTORY)
                    .contains(LogSegmentLayout.path(LogFixture.DIRECTORY, LSN_FIRST)));
        }
    }

    @Test
    void aLogThatCannotBeOpenedSaysWhy() {
        fixture.storage.failAtChange(1, true);
        assertThrows(StorageException.class, () -> open(LSN_FIRST));
        fixture.storage.heal();
        open(LSN_FIRST).close();
    }

    @Test
    void damageBeforeTheEndIsToldFromAMissingEnd() {
        List<Long> lsns = new ArrayList<>();
        try (Log log = open(LSN_FIRST)) {
            for (long number = 0; number < 50; number++) {
                lsns.add(append(log, number));
                log.awaitDurable(lsns.getLast(), waiter);
            }
        }
        long endLsn = fixture.read(LSN_FIRST, 0).endLsn();
        Path path = LogSegmentLayout.path(LogFixture.DIRECTORY, LSN_FIRST);
        for (int index = 0; index < 49; index += 7) {
            long position = LogSegmentLayout.filePosition(LSN_FIRST, lsns.get(index)) + index % 60;
            fixture.storage.corrupt(path, position, 0x5a);
            CorruptionException e = assertThrows(CorruptionException.class, () -> fixture.read(LSN_FIRST, 0));
            assertTrue(e.getMessage().contains("validEndLsn=" + lsns.get(index)), e.getMessage());
            fixture.storage.corrupt(path, position, 0x5a);
        }
        assertEquals(50, fixture.read(LSN_FIRST, endLsn).numbers().size());
        fixture.storage.corrupt(path, LogSegmentLayout.filePosition(LSN_FIRST, lsns.getLast()) + 30, 1);
        assertEquals(49, fixture.read(LSN_FIRST, 0).numbers().size());
        assertThrows(CorruptionException.class, () -> fixture.read(LSN_FIRST, endLsn));
    }

    @Test
    void aMissingSegmentIsReported() {
        try (Log log = open(LSN_FIRST)) {
            for (long number = 0; number < 6_000; number++) {
                log.throttle(waiter);
                log.append(LogFixture.record(buffer, number, 200));
            }
            assertTrue(log.statistics().segmentCount() >= 4);
        }
        List<Path> segments = fixture.storage.list(LogFixture.DIRECTORY);
        fixture.storage.delete(segments.get(1));
        assertThrows(CorruptionException.class, () -> fixture.read(LSN_FIRST, 0));
        fixture.storage.delete(segments.getFirst());
        assertThrows(CorruptionException.class, () -> fixture.read(LSN_FIRST, 0));
    }

    /** A killed process leaves written bytes in the memory of the system: what recovery built on must outlive that. */
    @Test
    void whatWasReadAfterAKillSurvivesACrashOfTheMachine() {
        Log log = open(LSN_FIRST);
        long number = 0;
        while (log.writtenLsn() == LSN_FIRST) {
            log.throttle(waiter);
            append(log, number++);
        }
        assertEquals(LSN_FIRST, log.durableLsn());
        fixture.storage.kill();
        log.close();
        LogFixture.Content content = fixture.read(LSN_FIRST, 0);
        assertTrue(content.numbers().size() > 100);
        fixture.storage.crash();
        assertEquals(content, fixture.read(LSN_FIRST, content.endLsn()));
    }
}
