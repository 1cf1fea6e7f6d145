package dev.lockstep.engine.log;

import static dev.lockstep.engine.log.LogRecordLayout.LSN_FIRST;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.Storage;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.StringJoiner;
import org.junit.jupiter.api.Test;

/** Pins what is on disk: a change here is a new version of the format. */
class LogLayoutGoldenTest {
    /** Three records, their seal, and eight bytes behind it. */
    private static final int STREAM_BYTES = 32 + 40 + 24 + 48 + 8;

    @Test
    void constantsOfTheLayouts() throws IllegalAccessException {
        assertEquals(
                """
                ALIGNMENT_BYTES=8
                COMPENSATION_BODY_OFFSET=32
                FLAGS_OFFSET=5
                HEADER_BYTES=24
                LENGTH_OFFSET=0
                LSN_FIRST=4096
                PAD_BYTES_MIN=8
                PREVIOUS_LSN_OFFSET=16
                RECORD_BYTES_MAX=65536
                RESERVED_OFFSET=6
                SEAL_BYTES=48
                SEAL_CHECKSUM_OFFSET=44
                SEAL_DURABLE_LSN_OFFSET=32
                SEAL_FROM_LSN_OFFSET=24
                SEAL_RESERVED_OFFSET=40
                TRANSACTION_ID_OFFSET=8
                TYPE_OFFSET=4
                UNDO_NEXT_LSN_OFFSET=24
                """
                        .stripTrailing(),
                constants(LogRecordLayout.class));
        assertEquals(
                """
                ABORT_END=6
                APPLICATION_MAX=13
                COMMIT=5
                DELETE=4
                FLAG_COMPENSATION=1
                INSERT=2
                PAD=15
                PAGE_IMAGE=9
                SEAL=14
                SYSTEM=7
                UPDATE=3
                """
                        .stripTrailing(),
                constants(LogRecordType.class));
        assertEquals(
                """
                HEADER_BYTES=4096
                SPARE_NAME=log-spare.lockstep
                """
                        .stripTrailing(),
                constants(LogSegmentLayout.class));
        Path path = LogSegmentLayout.path(Path.of("/d"), 0x123abcL);
        assertEquals("log-0000000000123abc.lockstep", path.getFileName().toString());
        assertEquals(0x123abcL, LogSegmentLayout.startLsn(path).orElseThrow());
        assertTrue(LogSegmentLayout.startLsn(Path.of("/d/log-spare.lockstep")).isEmpty());
        assertTrue(LogSegmentLayout.startLsn(Path.of("/d/log-00000000001z3abc.lockstep"))
                .isEmpty());
    }

    @Test
    void bytesOfASegment() {
        LogFixture fixture = new LogFixture(1);
        try (Log log = fixture.open(LogFixture.small(LogOptions.sync()), LSN_FIRST)) {
            LogRecordBuffer buffer = new LogRecordBuffer();
            byte[] payload = "payload".getBytes(StandardCharsets.US_ASCII);
            long lsn =
                    log.append(buffer.begin(LogRecordType.UPDATE, 0, 0x1122, 0).putBytes(payload, 0, payload.length));
            lsn = log.append(buffer.beginCompensation(LogRecordType.UPDATE, 0x1122, lsn, 0)
                    .putInt(-2));
            log.append(buffer.begin(LogRecordType.ABORT_END, 0, 0x1122, lsn));
        }
        Path path = LogSegmentLayout.path(LogFixture.DIRECTORY, LSN_FIRST);
        ByteBuffer bytes =
                ByteBuffer.allocate((int) LogSegmentLayout.filePosition(LSN_FIRST, LSN_FIRST + STREAM_BYTES));
        try (BlockFile file = fixture.storage.open(path, Storage.OpenMode.READ_ONLY)) {
            file.read(bytes, 0);
        }
        StringJoiner found = new StringJoiner("\n");
        byte[] array = bytes.array();
        for (int at = LogSegmentLayout.HEADER_BYTES; at < array.length; at += 8) {
            found.add(HexFormat.of().formatHex(Arrays.copyOfRange(array, at, at + 8)));
        }
        assertEquals(
                """
                1f00000003000000
                2211000000000000
                0000000000000000
                7061796c6f616400
                2400000003010000
                2211000000000000
                0010000000000000
                0000000000000000
                feffffff00000000
                1800000006000000
                2211000000000000
                2010000000000000
                300000000e000000
                0000000000000000
                0000000000000000
                0010000000000000
                0010000000000000
                00000000d4ae3c13
                0000000000000000
                """
                        .stripTrailing(),
                found.toString());
    }

    private static String constants(Class<?> layout) throws IllegalAccessException {
        StringJoiner constants = new StringJoiner("\n");
        Field[] fields = layout.getDeclaredFields();
        Arrays.sort(fields, (a, b) -> a.getName().compareTo(b.getName()));
        for (Field field : fields) {
            if (Modifier.isPublic(field.getModifiers()) && Modifier.isStatic(field.getModifiers())) {
                constants.add(field.getName() + "=" + field.get(null));
            }
        }
        return constants.toString();
    }
}
