package dev.lockstep.bench.codemap;

import dev.lockstep.engine.Cursor;
import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.Table;
import dev.lockstep.engine.TableDefinition;
import dev.lockstep.engine.type.ColumnType;
import dev.lockstep.scheduler.InstalledProbe;

/**
 * The main class of a JVM that executes a plan of three operators which call one another row by row, and tells the
 * probe of them: an aggregate of what a filter leaves of a scan. The filter does a known amount of work for each row,
 * the aggregate {@value #TIMES} times as much for each that it gets, which is every second one.
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

    /** One of a plan, which tells the probe when it is called and when it returns. */
    private abstract static class Operator {
        private final int number;
        private final int caller;

        Operator(int number, int caller) {
            this.number = number;
            this.caller = caller;
        }

        /** The next row's key, below 0 where there is none. */
        final int next() {
            InstalledProbe.operatorCalled(null, number);
            try {
                return produce();
            } finally {
                InstalledProbe.operatorReturned(null, caller);
            }
        }

        abstract int produce();
    }

    private static final class Scan extends Operator {
        private final Cursor cursor;
        private final Record row;

        Scan(Cursor cursor, Record row, int number, int caller) {
            super(number, caller);
            this.cursor = cursor;
            this.row = row;
        }

        @Override
        int produce() {
            return cursor.next(row) ? row.getInt(0) : -1;
        }
    }

    private static final class Filter extends Operator {
        private final Operator input;

        Filter(Operator input, int number, int caller) {
            super(number, caller);
            this.input = input;
        }

        @Override
        int produce() {
            int key = input.next();
            while (key >= 0) {
                work(LOOPS);
                if (key % 2 == 0) {
                    return key;
                }
                key = input.next();
            }
            return key;
        }
    }

    private static final class Aggregate extends Operator {
        private final Operator input;

        Aggregate(Operator input, int number) {
            super(number, 0);
            this.input = input;
        }

        @Override
        int produce() {
            int count = 0;
            while (input.next() >= 0) {
                work(TIMES * LOOPS);
                count++;
            }
            return count;
        }
    }

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
            int aggregate = InstalledProbe.number(AGGREGATE);
            int filter = InstalledProbe.number(FILTER);
            int scan = InstalledProbe.number(SCAN);
            int count = database.call(transaction -> {
                try (Cursor cursor = transaction.scan(items)) {
                    Operator read = new Scan(cursor, row, scan, filter);
                    return new Aggregate(new Filter(read, filter, aggregate), aggregate).next();
                }
            });
            if (count != ROWS / 2) {
                throw new AssertionError("rows=" + count);
            }
        }
        System.out.println(sum);
    }

    private static void work(int loops) {
        long result = sum;
        for (int i = 0; i < loops; i++) {
            result = result * 31 + i;
        }
        sum = result;
    }
}
