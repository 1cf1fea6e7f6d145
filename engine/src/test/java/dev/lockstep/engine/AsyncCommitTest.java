package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.log.LogClock;
import dev.lockstep.engine.log.LogOptions;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Commits that are answered before they are on disk, beside a disk that is too slow for them. */
class AsyncCommitTest {
    private static final Path HOME = Path.of("/database");
    private static final long SEED = 12;

    /** So short that a test need not wait for it; what counts is that it is over at all. */
    private static final int LOSS_MILLIS_MAX = 2;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    private final HeldStorage storage = new HeldStorage(new FaultyStorage(SEED));
    private final AtomicInteger answeredCount = new AtomicInteger();
    private Database database;
    private Table table;

    @BeforeEach
    void open() {
        DatabaseOptions options = DatabaseOptions.builder()
                .createIfMissing(true)
                .durability(Durability.ASYNC)
                .poolBytes(DatabaseOptions.POOL_BYTES_MIN)
                .build();
        LogOptions log = new LogOptions(
                true,
                LogOptions.SEGMENT_BYTES_DEFAULT,
                LogOptions.BUFFER_BYTES_DEFAULT,
                LOSS_MILLIS_MAX,
                0,
                LogOptions.RECYCLED_BYTES_DEFAULT,
                LogClock.SYSTEM);
        database = Database.open(storage, HOME, options, null, log);
        table = database.createTable(DatabaseTest.accounts());
        validated.track(database);
    }

    @AfterEach
    void release() {
        storage.release();
    }

    private void commit(Session session, int id) {
        Transaction transaction = session.begin();
        DatabaseTest.put(transaction, table, table.newRecord(), id, "name", id);
        transaction.commit();
        answeredCount.incrementAndGet();
    }

    @Test
    void aDiskThatFallsBehindHoldsCommitsBackUntilItHasCaughtUp() throws InterruptedException {
        storage.holdLogForces();
        int rowCount = 1_000_000;
        Thread committer = Thread.ofPlatform().start(() -> {
            try (Session session = database.openSession()) {
                for (int id = 0; id < rowCount && !Thread.currentThread().isInterrupted(); id++) {
                    commit(session, id);
                }
            }
        });
        // Ends because the force that is held back becomes too old, whereupon the next commit waits for it.
        while (committer.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        int heldAtCount = answeredCount.get();
        committer.interrupt();
        storage.release();
        committer.join();
        assertEquals(heldAtCount + 1, answeredCount.get(), "the commit that waited is answered after all");
    }
}
