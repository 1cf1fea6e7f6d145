package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.log.LogOptions;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Locks go when the commit record is in the log's buffer, so a change can be read before it is on the disk. Whoever has
 * read it is not answered before it is: otherwise a crash would take back what somebody was told.
 */
class CommitDependencyTest {
    private static final Path HOME = Path.of("/database");
    private static final int ROWS = 200;
    private static final int CHANGED = 100;
    private static final int UNCHANGED = 7;
    private static final long NEW_AMOUNT = 1_000_000;

    /** So many that whoever asks what has ended is told anew. */
    private static final int OTHERS = 300;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    private final HeldStorage storage = new HeldStorage(new FaultyStorage(1));
    private Database database;
    private Table table;

    /** How the reader comes to the row. */
    private enum Way {
        FETCH {
            @Override
            long amount(Transaction transaction, Table table, int id, long amount) {
                Record row = table.newRecord();
                return transaction.fetch(table, table.newKey().add(id), row) ? row.getLong(2) : -1;
            }
        },
        SCAN {
            @Override
            long amount(Transaction transaction, Table table, int id, long amount) {
                Key key = table.newKey().add(id);
                try (Cursor cursor = transaction.scan(table).from(key).to(key)) {
                    return amountOfFirst(cursor, table);
                }
            }
        },
        SCAN_OF_INDEX {
            @Override
            long amount(Transaction transaction, Table table, int id, long amount) {
                try (Cursor cursor = transaction
                        .scan(table, "by_amount")
                        .within(table.newIndexKey("by_amount").add(amount))) {
                    return amountOfFirst(cursor, table);
                }
            }
        };

        private static long amountOfFirst(Cursor cursor, Table table) {
            Record row = table.newRecord();
            return cursor.next(row) ? row.getLong(2) : -1;
        }

        abstract long amount(Transaction transaction, Table table, int id, long amount);
    }

    @BeforeEach
    void open() {
        LogOptions log = LogOptions.sync().withClock(storage.clock());
        database = validated.track(Database.open(storage, HOME, ValidatedDatabase.SMALLEST, null, log));
        table = DatabaseTest.filled(database, ROWS, "name");
    }

    @AfterEach
    void release() {
        storage.release();
    }

    private static Stream<Arguments> levelsAndWays() {
        return Stream.of(Isolation.SERIALIZABLE, Isolation.REPEATABLE_READ, Isolation.READ_COMMITTED)
                .flatMap(level -> Stream.of(Way.values()).map(way -> Arguments.of(level, way)));
    }

    @ParameterizedTest
    @MethodSource("levelsAndWays")
    void aReaderIsAnsweredAfterTheForceOfWhatItHasRead(Isolation isolation, Way way) throws InterruptedException {
        storage.holdLogForces();
        Worker writer = new Worker(() -> database.run(transaction -> {
            Record row = table.newRecord();
            transaction.fetchForUpdate(table, table.newKey().add(CHANGED), row);
            row.setLong(2, NEW_AMOUNT);
            transaction.update(table, row);
        }));
        writer.awaitParkedIn("awaitDurable");
        AtomicLong seen = new AtomicLong();
        if (way != Way.SCAN_OF_INDEX) {
            // Nobody has changed that row, so its reader is answered while the force is held. Where the update has
            // removed an entry, every scan of that index waits: it cannot tell what it has missed.
            Worker elsewhere = reader(isolation, way, UNCHANGED, UNCHANGED, seen);
            elsewhere.join();
            assertNull(elsewhere.failure());
            assertEquals(UNCHANGED, seen.get());
        }
        Worker reader = reader(isolation, way, CHANGED, NEW_AMOUNT, seen);
        reader.awaitParkedIn("awaitDurable");
        storage.release();
        writer.join();
        reader.join();
        assertNull(writer.failure());
        assertNull(reader.failure());
        assertEquals(NEW_AMOUNT, seen.get());
    }

    /** That the writer has ended is not enough: its commit has to be durable, however many others came after it. */
    @ParameterizedTest
    @MethodSource("levelsAndWays")
    void aReaderWaitsForACommitThatHasLongEnded(Isolation isolation, Way way) throws InterruptedException {
        TransactionOptions unanswered =
                TransactionOptions.of(DatabaseOptions.defaults()).withDurability(Durability.ASYNC);
        storage.holdLogForces();
        set(unanswered, CHANGED, NEW_AMOUNT);
        for (int i = 0; i < OTHERS; i++) {
            // Of few values: each index entry is a lock of its own, and one in 8,192 shares its place with another.
            set(unanswered, CHANGED + 1, NEW_AMOUNT + 1 + i % 2);
        }
        AtomicLong seen = new AtomicLong();
        if (way != Way.SCAN_OF_INDEX) {
            Worker elsewhere = reader(isolation, way, UNCHANGED, UNCHANGED, seen);
            elsewhere.join();
            assertNull(elsewhere.failure());
            assertEquals(UNCHANGED, seen.get());
        }
        Worker reader = reader(isolation, way, CHANGED, NEW_AMOUNT, seen);
        reader.awaitParkedIn("awaitDurable");
        storage.release();
        reader.join();
        assertNull(reader.failure());
        assertEquals(NEW_AMOUNT, seen.get());
    }

    private void set(TransactionOptions options, int id, long amount) {
        database.run(options, transaction -> {
            Record row = table.newRecord();
            transaction.fetchForUpdate(table, table.newKey().add(id), row);
            row.setLong(2, amount);
            transaction.update(table, row);
        });
    }

    private Worker reader(Isolation isolation, Way way, int id, long amount, AtomicLong seen) {
        TransactionOptions options =
                TransactionOptions.of(DatabaseOptions.defaults()).withIsolation(isolation);
        return new Worker(
                () -> database.run(options, transaction -> seen.set(way.amount(transaction, table, id, amount))));
    }
}
