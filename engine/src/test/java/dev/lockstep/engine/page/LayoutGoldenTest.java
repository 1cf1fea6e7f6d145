package dev.lockstep.engine.page;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.engine.file.DatabaseId;
import dev.lockstep.engine.file.DoubleWriteLayout;
import dev.lockstep.engine.file.FileFormat;
import dev.lockstep.engine.file.FileHeader;
import dev.lockstep.engine.file.FileHeaderLayout;
import dev.lockstep.engine.memory.NativeMemory;
import java.lang.foreign.Arena;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/**
 * Pins every number of the page, file-header and double-write layouts. A change here makes existing databases
 * unreadable: it needs a new version in {@link FileFormat} and a second reviewer.
 */
class LayoutGoldenTest {
    private static final String PAGE_LAYOUT =
            """
            PAGE_SHIFT=13
            PAGE_BYTES=8192
            CHECKSUM_OFFSET=0
            TYPE_OFFSET=4
            FORMAT_OFFSET=5
            FLAGS_OFFSET=6
            LSN_OFFSET=8
            PAGE_ID_OFFSET=16
            TREE_ID_OFFSET=20
            RESERVED_OFFSET=24
            RESERVED_BYTES=8
            HEADER_BYTES=32
            TYPE_NONE=0
            TYPE_FILE_HEADER=1
            TYPE_NODE=2
            TYPE_OVERFLOW=3
            TYPE_FREE=4
            FORMAT=1
            FORMAT_UNCHECKED=2
            """;

    private static final String FILE_HEADER_LAYOUT =
            """
            MAGIC_OFFSET=0
            NAME_OFFSET=8
            NAME_BYTES=16
            VERSION_OFFSET=24
            PAGE_BYTES_OFFSET=28
            DATABASE_ID_HIGH_OFFSET=32
            DATABASE_ID_LOW_OFFSET=40
            PARAMETER_OFFSET=48
            RESERVED_OFFSET=56
            RESERVED_BYTES=68
            CHECKSUM_OFFSET=124
            HEADER_BYTES=128
            MAGIC=5784122013148991308
            """;

    private static final String DOUBLE_WRITE_LAYOUT =
            """
            PAGES_MAX=256
            PAGES_MAX_1=64
            DIRECTORY_POSITION=8192
            PAGES_POSITION=16384
            FILE_BYTES=2113536
            MAGIC_OFFSET=0
            BATCH_NUMBER_OFFSET=8
            PAGE_COUNT_OFFSET=16
            CHECKSUM_OFFSET=20
            ENTRIES_OFFSET=24
            ENTRY_BYTES=8
            ENTRY_PAGE_ID_OFFSET=0
            ENTRY_CHECKSUM_OFFSET=4
            LSN_MAX_OFFSET=2072
            LSN_MAX_OFFSET_1=536
            LSN_MAX_CHECKSUM_BEHIND=8
            MAGIC=5207098233431806796
            """;

    private static final String FILE_FORMATS =
            """
            PAGES=pages,1,1
            DOUBLE_WRITE=doublewrite,2,1
            LOG=log,2,1
            CHECKPOINT=checkpoint,2,1
            CLEAN_CLOSE=cleanclose,1,1
            """;

    @Test
    void constantsArePinned() {
        assertEquals(PAGE_LAYOUT, constants(PageLayout.class));
        assertEquals(FILE_HEADER_LAYOUT, constants(FileHeaderLayout.class));
        assertEquals(DOUBLE_WRITE_LAYOUT, constants(DoubleWriteLayout.class));
        StringBuilder formats = new StringBuilder();
        for (FileFormat format : FileFormat.values()) {
            formats.append(String.format(
                    Locale.ROOT, "%s=%s,%d,%d%n", format, format.formatName(), format.version(), format.versionMin()));
        }
        assertEquals(FILE_FORMATS, formats.toString().replace(System.lineSeparator(), "\n"));
    }

    @Test
    void fileHeaderBytesArePinned() {
        DatabaseId id = new DatabaseId(0x0102030405060708L, 0x1112131415161718L);
        ByteBuffer header =
                FileHeader.of(FileFormat.LOG, id, 0x2122232425262728L).encode(FileHeaderLayout.HEADER_BYTES);
        byte[] bytes = new byte[FileHeaderLayout.HEADER_BYTES];
        header.get(bytes);
        String expected = "4c4f434b53544550" // LOCKSTEP
                + "6c6f6700000000000000000000000000" // log
                + "02000000" + "00200000" // version 2, pages of 8192 bytes
                + "0807060504030201" + "1817161514131211"
                + "2827262524232221"
                + "00".repeat(FileHeaderLayout.RESERVED_BYTES)
                + "4a75c2cc"; // CRC32C of all before
        assertEquals(expected, HexFormat.of().formatHex(bytes));
    }

    @Test
    void pageHeaderBytesArePinned() {
        try (Arena arena = Arena.ofConfined()) {
            NativeMemory memory = NativeMemory.allocate(arena, 2 * PageLayout.PAGE_BYTES);
            long page = PageLayout.PAGE_BYTES;
            PageLayout.initialise(memory, page, PageLayout.TYPE_NODE, 0x01020304, 0x05060708);
            PageLayout.setFlags(memory, page, 0xfffe);
            PageLayout.setLsn(memory, page, 0x1112131415161718L);
            new PageChecksum(new PageWindows(memory)).seal(page);
            byte[] bytes = new byte[PageLayout.HEADER_BYTES];
            memory.copyTo(page, bytes, 0, bytes.length);
            assertEquals(
                    "336d1235" + "02" + "01" + "feff" + "1817161514131211" + "04030201" + "08070605"
                            + "0000000000000000",
                    HexFormat.of().formatHex(bytes));
            assertEquals(0xfffe, PageLayout.flags(memory, page));
            assertEquals(PageLayout.TYPE_NODE, PageLayout.type(memory, page));
            assertEquals(PageLayout.FORMAT, PageLayout.format(memory, page));
            assertEquals(0x05060708, PageLayout.treeId(memory, page));
            assertEquals(0x1112131415161718L, PageLayout.lsn(memory, page));
        }
    }

    /** Java code prints fields in the order of their declaration, which the JDK's reflection keeps. */
    private static String constants(Class<?> layout) {
        StringBuilder text = new StringBuilder();
        for (Field field : layout.getFields()) {
            boolean isNumber = field.getType() == int.class || field.getType() == long.class;
            if (isNumber && Modifier.isStatic(field.getModifiers())) {
                text.append(field.getName()).append('=').append(value(field)).append('\n');
            }
        }
        return text.toString();
    }

    private static long value(Field field) {
        try {
            return ((Number) field.get(null)).longValue();
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }
}
