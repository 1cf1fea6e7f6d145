package dev.lockstep.engine.type;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.lockstep.engine.Key;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.TableDefinition;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Dates and times before and after 1970: whichever way they are set, the same is stored, read and looked for. */
class DateAndTimeTest {
    private static final int TIME = 0;
    private static final int DAY = 1;

    private final TableDefinition table = TableDefinition.named("T")
            .column("TIME", ColumnType.timestamp())
            .column("DAY", ColumnType.date())
            .nullable("LATER", ColumnType.timestamp())
            .primaryKey("TIME", "DAY")
            .index("X", "LATER")
            .build();
    private final Record row = new Record(table);

    /** What is finer than a microsecond is cut off towards the past, before 1970 as well. */
    @ParameterizedTest
    @CsvSource({
        "1970-01-01T00:00:00Z, 1970-01-01T00:00:00Z, 0",
        "1970-01-01T00:00:00.000000999Z, 1970-01-01T00:00:00Z, 0",
        "1970-01-01T00:00:00.000001Z, 1970-01-01T00:00:00.000001Z, 1",
        "1970-01-01T00:00:01.000001999Z, 1970-01-01T00:00:01.000001Z, 1000001",
        "2000-02-29T12:34:56.789012999Z, 2000-02-29T12:34:56.789012Z, 951827696789012",
        "2025-11-20T12:34:56.000123Z, 2025-11-20T12:34:56.000123Z, 1763642096000123",
        "+294247-01-10T04:00:54.775807999Z, +294247-01-10T04:00:54.775807Z, 9223372036854775807",
        "1969-12-31T23:59:59.999999999Z, 1969-12-31T23:59:59.999999Z, -1",
        "1969-12-31T23:59:59.999999Z, 1969-12-31T23:59:59.999999Z, -1",
        "1969-12-31T23:59:59.999998999Z, 1969-12-31T23:59:59.999998Z, -2",
        "1969-12-31T23:59:59.000000999Z, 1969-12-31T23:59:59Z, -1000000",
        "1969-12-31T23:59:58.999999999Z, 1969-12-31T23:59:58.999999Z, -1000001",
        "1900-01-01T00:00:00Z, 1900-01-01T00:00:00Z, -2208988800000000",
        "-290308-12-21T19:59:05.224192999Z, -290308-12-21T19:59:05.224192Z, -9223372036854775808",
    })
    void aTimestampIsTheSameByEveryWay(Instant given, Instant kept, long micros) {
        LocalDateTime givenInUtc = LocalDateTime.ofInstant(given, ZoneOffset.UTC);
        row.setDateDays(DAY, 0);
        row.setTimestampMicros(TIME, micros);
        byte[] stored = keyOf(row);
        requireTime(kept, micros);
        row.setTimestampMicros(TIME, ~micros);
        row.setInstant(TIME, given);
        assertArrayEquals(stored, keyOf(row));
        requireTime(kept, micros);
        row.setTimestampMicros(TIME, ~micros);
        row.setTimestamp(TIME, givenInUtc);
        assertArrayEquals(stored, keyOf(row));
        requireTime(kept, micros);

        Key key = new Key(table.keyFormat());
        assertArrayEquals(stored, bytesOf(key.addTimestamp(given).addDateDays(0)));
        assertArrayEquals(stored, bytesOf(key.reset().addTimestamp(givenInUtc).addDateDays(0)));
        assertArrayEquals(stored, bytesOf(key.reset().addTimestampMicros(micros).addDateDays(0)));
        assertArrayEquals(stored, bytesOf(key.reset().copyFrom(row)));
    }

    private void requireTime(Instant kept, long micros) {
        assertEquals(micros, row.getTimestampMicros(TIME));
        assertEquals(kept, row.getInstant(TIME));
        assertEquals(LocalDateTime.ofInstant(kept, ZoneOffset.UTC), row.getTimestamp(TIME));
    }

    @ParameterizedTest
    @CsvSource({
        "1970-01-01, 0",
        "1970-01-02, 1",
        "2000-02-29, 11016",
        "+5881580-07-11, 2147483647",
        "1969-12-31, -1",
        "1900-01-01, -25567",
        "-5877641-06-23, -2147483648",
    })
    void aDateIsTheSameByEveryWay(LocalDate date, int days) {
        row.setTimestampMicros(TIME, 0);
        row.setDateDays(DAY, days);
        byte[] stored = keyOf(row);
        assertEquals(date, row.getDate(DAY));
        row.setDateDays(DAY, ~days);
        row.setDate(DAY, date);
        assertArrayEquals(stored, keyOf(row));
        assertEquals(days, row.getDateDays(DAY));

        Key key = new Key(table.keyFormat());
        assertArrayEquals(stored, bytesOf(key.addTimestampMicros(0).addDate(date)));
        assertArrayEquals(stored, bytesOf(key.reset().addTimestampMicros(0).addDateDays(days)));
    }

    @Test
    void noInstantIsNull() {
        int later = 2;
        row.setInstant(later, Instant.EPOCH);
        row.setInstant(later, null);
        assertNull(row.getInstant(later));
        Key key = new Key(table.indexFormat(0));
        byte[] none = bytesOf(key.addNull());
        assertArrayEquals(none, bytesOf(key.reset().addTimestamp((Instant) null)));
    }

    private static byte[] keyOf(Record row) {
        return Arrays.copyOf(row.keyBytes(), row.keyLength());
    }

    private static byte[] bytesOf(Key key) {
        return Arrays.copyOf(key.bytes(), key.length());
    }
}
