package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.type.ColumnType;
import dev.lockstep.scheduler.SThreadKind;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.SchedulerOptions;
import dev.lockstep.scheduler.TeamMode;
import java.util.List;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Without teams, others wait no longer for an S-thread whose transactions work on many rows at once. */
class BatchTurnsTest {
    private static final int ROWS = 16;

    /** Of the key of all rows, its first column. */
    private static final int PART = 7;

    /** Operations are counted by intervals of 128 by the mean, of 191 at the most. */
    private static final int COUNT_SLACK = 2 * 191;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    /** What a transaction does, with how many operations besides its begin and its end; a row is one. */
    private enum Work {
        FETCH(ROWS) {
            @Override
            void run(Transaction transaction, Table table, int number) {
                assertEquals(ROWS, transaction.fetch(table, keys(table)));
            }
        },
        UPDATE(2 * ROWS) {
            @Override
            void run(Transaction transaction, Table table, int number) {
                RowBatch batch = keys(table);
                assertEquals(ROWS, transaction.fetchForUpdate(table, batch));
                for (int i = 0; i < ROWS; i++) {
                    batch.record(i).setLong(1, number);
                }
                assertEquals(ROWS, transaction.update(table, batch));
            }
        },
        INSERT(ROWS) {
            @Override
            void run(Transaction transaction, Table table, int number) {
                transaction.insert(table, rows(table, ROWS * (number + 1)));
            }
        },
        RANGES(ROWS) {
            @Override
            void run(Transaction transaction, Table table, int number) {
                RangeBatch ranges = table.newRangeBatch(ROWS, 1);
                for (int id = 0; id < ROWS; id++) {
                    ranges.addRange().add(PART).add(id);
                }
                assertEquals(ROWS, transaction.fetch(table, ranges));
            }
        },
        RANGE_OF_ROWS(ROWS) {
            @Override
            void run(Transaction transaction, Table table, int number) {
                RangeBatch ranges = table.newRangeBatch(1, ROWS);
                ranges.addRange().add(PART);
                assertEquals(ROWS, transaction.fetch(table, ranges));
            }
        };

        private final int operations;

        Work(int operations) {
            this.operations = operations;
        }

        abstract void run(Transaction transaction, Table table, int number);
    }

    private static RowBatch keys(Table table) {
        RowBatch batch = table.newBatch(ROWS);
        for (int id = 0; id < ROWS; id++) {
            batch.addKey().add(PART).add(id);
        }
        return batch;
    }

    private static RowBatch rows(Table table, int firstId) {
        RowBatch batch = table.newBatch(ROWS);
        for (int id = firstId; id < firstId + ROWS; id++) {
            Record row = batch.addRow();
            row.setInt(0, id);
            row.setLong(1, id);
            row.setInt(2, PART);
        }
        return batch;
    }

    @ParameterizedTest
    @EnumSource(Work.class)
    void eachRowOfABatchCounts(Work work) throws InterruptedException {
        SchedulerOptions alone = SchedulerOptions.defaults()
                .withKind(SThreadKind.CONTINUATION)
                .withCarriers(1)
                .withTeamMode(TeamMode.OFF);
        try (Scheduler scheduler = new Scheduler(alone)) {
            Database database = validated.inMemory(ValidatedDatabase.USUAL, scheduler);
            Table table = database.createTable(TableDefinition.named("counter")
                    .column("id", ColumnType.int32())
                    .column("number", ColumnType.int64())
                    .column("part", ColumnType.int32())
                    .primaryKey("part", "id")
                    .build());
            database.run(transaction -> transaction.insert(table, rows(table, 0)));
            boolean[] otherRan = new boolean[1];
            int[] transactions = new int[1];
            TeamsTest.runTogether(
                    scheduler,
                    List.of(
                            () -> {
                                while (!otherRan[0]) {
                                    database.run(transaction -> work.run(transaction, table, transactions[0]));
                                    transactions[0]++;
                                }
                            },
                            () -> otherRan[0] = true));
            int operations = 2 + work.operations;
            int done = transactions[0] * operations;
            assertTrue(
                    Math.abs(done - Scheduler.OPERATIONS_PER_TURN) <= COUNT_SLACK + operations,
                    () -> "transactions=" + transactions[0] + " operations=" + operations);
        }
    }
}
