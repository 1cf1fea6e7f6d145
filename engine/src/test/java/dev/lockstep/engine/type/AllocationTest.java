package dev.lockstep.engine.type;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.lockstep.engine.Key;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.TableDefinition;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Keys, records and index entries in steady state allocate nothing: counted by the JVM, per thread. */
class AllocationTest {
    private static final int ROUNDS = 20_000;

    private final TableDefinition table = TableDefinition.named("CUSTOMER")
            .column("W", ColumnType.int32())
            .column("D", ColumnType.int32())
            .column("ID", ColumnType.int32())
            .column("LAST", ColumnType.string(16))
            .nullable("FIRST", ColumnType.string(16))
            .column("BALANCE", ColumnType.decimal(12, 2))
            .nullable("COUNT", ColumnType.int16())
            .column("WIDE", ColumnType.decimal(30, 2))
            .column("SINCE", ColumnType.timestamp())
            .nullable("DAY", ColumnType.date())
            .column("RATE", ColumnType.float64())
            .column("DATA", ColumnType.string(500))
            .nullable("BLOB", ColumnType.binary(100))
            .column("TAG", ColumnType.string(8))
            .primaryKey(KeyColumn.ascending("W"), KeyColumn.descending("TAG"), KeyColumn.ascending("ID"))
            .index("BY_NAME", "W", "D", "LAST", "FIRST", "WIDE", "BLOB")
            .build();
    private final Record row = new Record(table);
    private final Record copy = new Record(table);
    private final Key key = new Key(table.keyFormat());
    private final Key name = new Key(table.indexFormat(0));
    private final IndexKeyBuilder builder = new IndexKeyBuilder(table.recordFormat(), table.indexFormat(0), false);
    private final byte[] text = "BAR\u00e9BAR\0BAR".getBytes(StandardCharsets.UTF_8);
    private final byte[] scratch = new byte[600];
    private long sum;

    @Test
    void steadyStateAllocatesNothing() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long thread = Thread.currentThread().threadId();
        run();
        long before = threads.getThreadAllocatedBytes(thread);
        run();
        long allocatedBytes = threads.getThreadAllocatedBytes(thread) - before;
        // The two calls of the bean itself may allocate; one byte per round would be far more.
        assertTrue(allocatedBytes < ROUNDS, "allocatedBytes=" + allocatedBytes + ", rounds=" + ROUNDS);
        assertEquals(2L * ROUNDS * (ROUNDS - 1) / 2 + 2L * 10 * ROUNDS, sum);
    }

    private void run() {
        for (int i = 0; i < ROUNDS; i++) {
            row.clear();
            row.setString(13, "tag");
            row.setInt(0, 1);
            row.setInt(1, 2);
            row.setInt(2, i);
            row.setUtf8(3, text, 0, text.length);
            row.setString(4, "first");
            row.setDecimalUnscaled(5, -12_345);
            row.setInt(6, 9);
            row.setDecimalUnscaled(7, Long.MAX_VALUE);
            row.setTimestampMicros(8, 77);
            row.setDateDays(9, 78);
            row.setDouble(10, 0.25);
            row.setUtf8(11, scratch, 0, 300 + (i & 63));
            row.setBytes(12, scratch, 0, i & 31);
            row.setNull(4);
            row.setUtf8(11, text, 0, text.length);
            row.sealForInsert();
            copy.copyFrom(row);
            copy.setLong(6, copy.getInt(6) + 1L);
            copy.loaded();
            key.reset().add(1).addUtf8(text, 0, 3).add(copy.getInt(2));
            key.copyFrom(copy);
            name.reset()
                    .add(1)
                    .add(2)
                    .add("last")
                    .addNull()
                    .addDecimalUnscaled(3)
                    .addBytes(scratch, 0, 5);
            int length = builder.build(copy);
            int offset = builder.primaryKeyOffset(builder.bytes(), 0, length);
            assertTrue(offset == builder.columnsLength() && key.isComplete() && name.isComplete());
            assertTrue(copy.getUtf8(13, scratch, 0) == 3 && copy.getBytes(12, scratch, 0) == (i & 31));
            assertTrue(copy.isNull(4) && copy.getDecimalUnscaled(5) == -12_345 && copy.getTimestampMicros(8) == 77);
            assertTrue(copy.getDecimalUnscaled(7) == Long.MAX_VALUE && copy.getDateDays(9) == 78);
            assertTrue(copy.getDouble(10) == 0.25 && copy.equalsBytes(11, text, 0, text.length));
            sum += copy.getInt(2) + copy.getInt(6);
        }
    }
}
