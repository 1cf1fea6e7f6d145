package dev.lockstep.engine.recovery;

import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.buffer.FlushPace;
import dev.lockstep.engine.file.DatabaseId;
import dev.lockstep.engine.file.FailureListener;
import dev.lockstep.engine.file.Storage;
import dev.lockstep.engine.log.Log;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.engine.log.LogReader;
import dev.lockstep.engine.log.LogRecordBuffer;
import dev.lockstep.engine.log.LogRecordLayout;
import dev.lockstep.engine.log.LogRecordType;
import dev.lockstep.engine.log.LogRecordView;
import dev.lockstep.scheduler.Waiter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.TreeMap;

/**
 * The smallest database that needs recovery: an array of counters, each a page with an LSN, and transactions that add
 * to them. Its "page file" is an array that outlives a crash.
 */
class ToyDatabase implements RedoHandler, UndoHandler, CheckpointSource {
    static final Path DIRECTORY = Path.of("/toy");
    static final DatabaseId DATABASE_ID = new DatabaseId(3, 4);
    static final int COUNTER_COUNT = 24;

    /** Some ten records. */
    private static final long AHEAD_BYTES = 512;

    private static final LogOptions OPTIONS = LogOptions.sync()
            .withSegmentBytes(LogOptions.SEGMENT_BYTES_MIN)
            .withBufferBytes(LogOptions.BUFFER_BYTES_MIN);

    /** What is on disk: survives every crash, written as a whole page at a time. */
    static final class Disk {
        final long[] values = new long[COUNTER_COUNT];
        final long[] lsns = new long[COUNTER_COUNT];
    }

    private final Storage storage;
    private final Disk disk;
    private final CheckpointFile checkpointFile;
    private final long[] values = new long[COUNTER_COUNT];
    private final long[] lsns = new long[COUNTER_COUNT];
    private final long[] recoveryLsns = new long[COUNTER_COUNT];
    private final LogRecordBuffer buffer = new LogRecordBuffer();
    final Waiter waiter = new Waiter();

    /** First LSN by running transaction. */
    final TreeMap<Long, Long> active = new TreeMap<>();

    Log log;
    RecoveryReport report;

    ToyDatabase(Storage storage, Disk disk) {
        this.storage = storage;
        this.disk = disk;
        checkpointFile = new CheckpointFile(storage, DIRECTORY);
    }

    /** Opens it, after a crash or for the first time. */
    void open() {
        storage.createDirectories(DIRECTORY);
        System.arraycopy(disk.values, 0, values, 0, COUNTER_COUNT);
        System.arraycopy(disk.lsns, 0, lsns, 0, COUNTER_COUNT);
        Arrays.fill(recoveryLsns, NO_LSN);
        if (!checkpointFile.exists()) {
            log = openLog(LogRecordLayout.LSN_FIRST);
            checkpointFile.write(DATABASE_ID, snapshot(LogRecordLayout.LSN_FIRST));
            return;
        }
        Checkpoint checkpoint = checkpointFile.read(DATABASE_ID);
        try (LogReader reader = new LogReader(
                storage, DIRECTORY, DATABASE_ID, checkpoint.redoScanLsn(), checkpoint.durableLsn(), false)) {
            Recovery recovery = new Recovery(reader, checkpoint.redoScanLsn(), this, AHEAD_BYTES);
            log = openLog(recovery.redo());
            report = recovery.undo(log, this, waiter);
        }
    }

    private Log openLog(long startLsn) {
        return Log.open(storage, DIRECTORY, DATABASE_ID, OPTIONS, startLsn, FailureListener.IGNORE);
    }

    Checkpointer startCheckpointer(long intervalBytes) {
        return Checkpointer.start(
                log,
                checkpointFile,
                DATABASE_ID,
                this,
                new CheckpointSchedule(intervalBytes, DatabaseOptions.TIMEOUT_MAX, 0),
                log.tailLsn(),
                FailureListener.IGNORE);
    }

    long value(int counter) {
        return values[counter];
    }

    long add(long transactionId, long previousLsn, int counter, long delta) {
        active.putIfAbsent(transactionId, log.tailLsn());
        long lsn = log.append(buffer.begin(LogRecordType.UPDATE, 0, transactionId, previousLsn)
                .putInt(counter)
                .putLong(delta));
        apply(counter, delta, lsn);
        return lsn;
    }

    long compensate(long transactionId, long lastLsn, long undoNextLsn, int counter, long delta) {
        long lsn = log.append(buffer.beginCompensation(LogRecordType.UPDATE, transactionId, lastLsn, undoNextLsn)
                .putInt(counter)
                .putLong(delta));
        apply(counter, delta, lsn);
        return lsn;
    }

    long end(byte type, long transactionId, long lastLsn, int flags) {
        long lsn = log.append(buffer.begin(type, flags, transactionId, lastLsn));
        active.remove(transactionId);
        return lsn;
    }

    /** Writes one counter to disk, as an eviction does. */
    void evict(int counter, Waiter callersWaiter) {
        if (recoveryLsns[counter] == NO_LSN) {
            return;
        }
        log.awaitDurable(lsns[counter], callersWaiter);
        disk.values[counter] = values[counter];
        disk.lsns[counter] = lsns[counter];
        recoveryLsns[counter] = NO_LSN;
    }

    private void apply(int counter, long delta, long lsn) {
        values[counter] += delta;
        lsns[counter] = lsn;
        if (recoveryLsns[counter] == NO_LSN) {
            recoveryLsns[counter] = lsn;
        }
    }

    @Override
    public void redo(LogRecordView record) {
        if (record.type() != LogRecordType.UPDATE) {
            return;
        }
        int counter = record.getInt(record.bodyOffset());
        if (record.lsn() > lsns[counter]) {
            apply(counter, record.getLong(record.bodyOffset() + Integer.BYTES), record.lsn());
        }
    }

    @Override
    public long undo(LogRecordView record, long lastLsn) {
        int counter = record.getInt(record.bodyOffset());
        long delta = record.getLong(record.bodyOffset() + Integer.BYTES);
        return compensate(record.transactionId(), lastLsn, record.previousLsn(), counter, -delta);
    }

    @Override
    public long oldestActiveLsn() {
        return active.values().stream().mapToLong(Long::longValue).min().orElse(NO_LSN);
    }

    @Override
    public long oldestRecoveryLsn() {
        return Arrays.stream(recoveryLsns).min().orElse(NO_LSN);
    }

    @Override
    public void flushDirty(long upToRecoveryLsn, FlushPace pace, Waiter checkpointersWaiter) {
        for (int counter = 0; counter < COUNTER_COUNT; counter++) {
            if (recoveryLsns[counter] < upToRecoveryLsn) {
                evict(counter, checkpointersWaiter);
            }
        }
    }

    @Override
    public Checkpoint snapshot(long redoScanLsn) {
        return new Checkpoint(redoScanLsn, 0, 1_000, 5, 1, COUNTER_COUNT, new long[] {(1L << COUNTER_COUNT) - 1});
    }
}
