package dev.lockstep.engine;

import dev.lockstep.engine.file.Storage;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.scheduler.Scheduler;
import java.nio.file.Path;

/** Databases whose transactions may keep little log, so that an idle one is soon rolled back. */
final class ShortLogs {
    /** What a transaction may keep of it. */
    static final long TRANSACTION_LOG_BYTES = DatabaseOptions.TRANSACTION_BYTES_MIN;

    /** As the end of a log beyond every limit. */
    static final long FAR_LSN = Long.MAX_VALUE / 2;

    static final int ROWS = 600;

    /** Of every row at first. */
    static final String NAME = "n".repeat(200);

    private ShortLogs() {}

    /** Opens or creates one. */
    static Database open(Storage storage, Path home, DatabaseOptions more, Scheduler schedulerOrNull) {
        DatabaseOptions options = more.toBuilder()
                .durability(Durability.ASYNC)
                .transactionLogBytes(TRANSACTION_LOG_BYTES)
                // One thread at a time looks for idle transactions, and in some tests that is not the checkpointer's.
                .checkpointLogBytes(DatabaseOptions.CHECKPOINT_LOG_BYTES_MAX)
                .build();
        LogOptions log = LogOptions.async()
                .withSegmentBytes(LogOptions.SEGMENT_BYTES_MIN)
                .withBufferBytes(LogOptions.BUFFER_BYTES_MIN);
        return Database.open(storage, home, options, schedulerOrNull, log);
    }

    /** Makes the table that {@link DatabaseTest#filled} describes. */
    static Table fill(Database database) {
        return DatabaseTest.filled(database, ROWS, NAME);
    }
}
