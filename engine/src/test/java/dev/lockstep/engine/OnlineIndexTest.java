package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.type.ColumnType;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Indexes come and go while writers change the rows; their entries are compared with the table each time. */
class OnlineIndexTest {
    private static final int WRITERS = 3;
    private static final int ROWS = 1_500;
    private static final int ROUNDS = 4;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    private final AtomicLong committed = new AtomicLong();

    private Database database;
    private Table table;
    private volatile boolean over;

    private void fill() {
        database = validated.inMemory();
        table = database.createTable(TableDefinition.named("account")
                .column("id", ColumnType.int32())
                .column("name", ColumnType.string(100))
                .column("amount", ColumnType.int64())
                .primaryKey("id")
                .build());
        database.run(transaction -> {
            Record row = table.newRecord();
            for (int id = 0; id < ROWS; id += 2) {
                DatabaseTest.put(transaction, table, row, id, "n" + id % 7, id);
            }
        });
    }

    private void write(SplittableRandom random, CountDownLatch writing) {
        Record row = table.newRecord();
        TransactionOptions options = database.transactionOptions().withRetries(TransactionOptions.RETRY_COUNT_MAX);
        try (Session session = database.openSession()) {
            while (!over) {
                session.call(options, transaction -> {
                    int steps = 1 + random.nextInt(8);
                    for (int i = 0; i < steps; i++) {
                        changeIfAllowed(transaction, random, row);
                    }
                    return null;
                });
                committed.incrementAndGet();
                writing.countDown();
            }
        } finally {
            // Nobody waits for a writer that has failed.
            writing.countDown();
        }
    }

    /** A unique index that is being made refuses what would break it; the statement changes nothing then. */
    private void changeIfAllowed(Transaction transaction, SplittableRandom random, Record row) {
        try {
            change(transaction, random, row);
        } catch (DuplicateKeyException refused) {
            assertTrue(refused.getMessage().contains("of=by_name"), refused.getMessage());
        }
    }

    private void change(Transaction transaction, SplittableRandom random, Record row) {
        int id = random.nextInt(ROWS);
        Key key = table.newKey().add(id);
        switch (random.nextInt(4)) {
            case 0 -> transaction.delete(table, key);
            case 1 -> {
                if (transaction.fetchForUpdate(table, key, row)) {
                    row.setString(1, "n" + random.nextInt(9));
                    transaction.update(table, row);
                }
            }
            case 2 -> {
                // Each id has an amount of its own, even or odd: the unique index never finds two.
                if (transaction.fetchForUpdate(table, key, row)) {
                    row.setLong(2, id + (long) ROWS * random.nextInt(50));
                    transaction.update(table, row);
                }
            }
            default -> {
                Savepoint savepoint = transaction.savepoint();
                if (!transaction.fetch(table, key, row)) {
                    DatabaseTest.put(transaction, table, row, id, "new", id);
                    if (random.nextInt(4) == 0) {
                        transaction.rollbackTo(savepoint);
                    }
                }
            }
        }
    }

    /**
     * Does something when all writers are at work.
     *
     * @return how many transactions have committed between its begin and its end
     */
    private long whileWriting(long seed, Runnable work) throws Exception {
        over = false;
        SplittableRandom seeds = new SplittableRandom(seed);
        List<FutureTask<Void>> writers = new ArrayList<>();
        List<CountDownLatch> writing = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++) {
            SplittableRandom random = seeds.split();
            CountDownLatch committedOnce = new CountDownLatch(1);
            FutureTask<Void> writer = new FutureTask<>(() -> write(random, committedOnce), null);
            writers.add(writer);
            writing.add(committedOnce);
            Thread.ofPlatform().daemon().start(writer);
        }
        long meanwhile;
        try {
            for (CountDownLatch committedOnce : writing) {
                committedOnce.await();
            }
            long before = committed.get();
            work.run();
            meanwhile = committed.get() - before;
        } finally {
            over = true;
        }
        for (FutureTask<Void> writer : writers) {
            writer.get();
        }
        return meanwhile;
    }

    @Test
    void indexesComeAndGoUnderWriters() {
        Seeds.each(2, seed -> {
            fill();
            long meanwhile = 0;
            for (int round = 0; round < ROUNDS; round++) {
                meanwhile += whileWriting(seed * 100 + round, () -> {
                    database.createIndex(IndexDefinition.of("by_name", "account", "name"));
                    database.createIndex(IndexDefinition.unique("by_amount", "account", "amount"));
                });
                ValidatedDatabase.examine(database);
                whileWriting(seed * 100 + round, () -> {
                    database.dropIndex("account", "by_name");
                    database.dropIndex("account", "by_amount");
                });
                ValidatedDatabase.examine(database);
            }
            assertTrue(meanwhile > 0, "nothing was committed beside a creation");
            assertEquals(0, table.definition().indexes().size());
        });
    }

    @Test
    void aUniqueIndexThatCannotBeLeavesNothing() throws Exception {
        fill();
        int pages = database.validate().pages();
        whileWriting(
                7,
                () -> assertThrows(
                        DuplicateKeyException.class,
                        () -> database.createIndex(IndexDefinition.unique("by_name", "account", "name"))));
        assertEquals(0, table.definition().indexes().size());
        ValidatedDatabase.examine(database);
        // Nothing is left of the index; the table itself may have grown or shrunk by a few pages.
        assertEquals(pages, database.validate().pages(), pages / 2.0);
    }
}
