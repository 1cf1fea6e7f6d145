package dev.lockstep.bench.codemap;

import dev.lockstep.bench.plan.FilterOperator;
import dev.lockstep.bench.plan.ScanOperator;
import dev.lockstep.bench.plan.SumOperator;
import dev.lockstep.counters.Markers;
import dev.lockstep.engine.Cursor;
import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.Table;
import dev.lockstep.engine.TableDefinition;
import dev.lockstep.engine.type.ColumnType;

/**
 * The main class of a JVM that executes a plan of three operators which call one another row by row: an aggregate of
 * what a filter leaves of a scan. The filter does a known amount of work for each row, the aggregate {@value #TIMES}
 * times as much for each that it gets, which is every second one.
 */
final class PlanProgram {
    /** The operators, by the names that the probe is told. */
    static final String AGGREGATE = "operator aggregate";

    static final String FILTER = "operator filter";
    static final String SCAN = "operator scan item";

    /** What the engine calls the operation in which the scan reads a row. */
    static final String OPERATION = "scan item";

    /** How much more the aggregate does for a row than the filter. */
    static final int TIMES = 4;

    /** Of the table. */
    static final int ROWS = 40;

    private static final int LOOPS = 10_000;

    private static final long POOL_BYTES = 2 << 20;

    private static long sum;

    private PlanProgram() {}

    public static void main(String[] arguments) {
        try (Database database = Database.inMemory(
                DatabaseOptions.builder().poolBytes(POOL_BYTES).build())) {
            Table items = database.createTable(TableDefinition.named("item")
                    .column("id", ColumnType.int32())
                    .primaryKey("id")
                    .build());
            Record row = items.newRecord();
            database.run(transaction -> {
                for (int key = 0; key < ROWS; key++) {
                    row.setInt(0, key);
                    transaction.insert(items, row);
                }
            });
            // What the first scan of a JVM has it load is no operator's.
            database.run(transaction -> {
                try (Cursor cursor = transaction.scan(items)) {
                    cursor.next(row);
                }
            });
            ScanOperator read = new ScanOperator(SCAN, FILTER, row);
            FilterOperator filter = new FilterOperator(FILTER, AGGREGATE, read, row, PlanProgram::isEvenAfterWork);
            SumOperator count = new SumOperator(AGGREGATE, filter, row, each -> {
                work(TIMES * LOOPS);
                return 1;
            });
            Markers.phaseBegin(Markers.PHASE_MEASURED);
            database.run(transaction -> {
                try (Cursor cursor = transaction.scan(items)) {
                    read.open(cursor);
                    count.next();
                }
            });
            Markers.phaseEnd(Markers.PHASE_MEASURED);
            if (count.sum() != ROWS / 2) {
                throw new AssertionError("rows=" + count.sum());
            }
        }
        System.out.println(sum);
    }

    private static boolean isEvenAfterWork(Record row) {
        work(LOOPS);
        return row.getInt(0) % 2 == 0;
    }

    private static void work(int loops) {
        long result = sum;
        for (int i = 0; i < loops; i++) {
            result = result * 31 + i;
        }
        sum = result;
    }
}
