package dev.lockstep.engine.btree;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.engine.log.LogRecordBuffer;
import dev.lockstep.engine.log.LogRecordLayout;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/**
 * Pins the bytes of tree nodes, overflow pages and the log records of their changes. A change of these bytes is a
 * change of the file format, which needs a new format version.
 */
class TreeLayoutGoldenTest {
    private static final byte[] LOWER = {1, 2, 3};
    private static final byte[] UPPER = {1, 2, 9};
    private static final byte[] KEY = {1, 2, 4, 5};
    private static final byte[] VALUE = {10, 11, 12};

    private static String hex(NativeMemory memory, long from, long to) {
        return HexFormat.of().formatHex(memory.slice(from, to - from).segment().toArray(ValueLayout.JAVA_BYTE));
    }

    private static String hex(LogRecordBuffer record) {
        return HexFormat.of().formatHex(record.array(), 0, record.recordBytes());
    }

    private static NativeMemory leaf() {
        NativeMemory page = NativeMemory.checked(MemorySegment.ofArray(new byte[PageLayout.PAGE_BYTES]));
        NodeEditor.format(page, 0, 7, 3, 0, LOWER, UPPER, 0);
        NodeEditor.insertRecord(page, 0, 0, KEY, KEY.length, VALUE, 0, VALUE.length, 0, 0x1122334455667788L);
        return page;
    }

    @Test
    void leafNode() {
        NativeMemory page = leaf();
        assertEquals(
                "01000000ed1f00000200fd1f0300fa1f03000000000000000000000000000000",
                hex(page, PageLayout.HEADER_BYTES, NodeLayout.SLOTS));
        assertEquals(
                "0000000000000504ed1f02000300000000000000000000000000000000000000",
                hex(page, NodeLayout.SLOTS, NodeLayout.SLOTS + 2 * NodeLayout.SLOT_BYTES));
        assertEquals(
                "00887766554433221104050a0b0c010209010203",
                hex(page, PageLayout.PAGE_BYTES - 20, PageLayout.PAGE_BYTES));
        NodeEditor.setSlotFlags(page, 0, 0, NodeLayout.SLOT_GHOST | NodeLayout.SLOT_OVERFLOW);
        assertEquals(
                "0000000000000504ed1f020003000300",
                hex(page, NodeLayout.SLOTS, NodeLayout.SLOTS + NodeLayout.SLOT_BYTES));
    }

    @Test
    void innerNodeWithoutUpperFence() {
        NativeMemory page = NativeMemory.checked(MemorySegment.ofArray(new byte[PageLayout.PAGE_BYTES]));
        NodeEditor.format(page, 0, 8, 3, 1, LOWER, null, NodeLayout.FLAG_HAS_OVERFLOW);
        NodeEditor.setRightmostChild(page, 0, 0x0A0B0C0D);
        NodeEditor.insertSeparator(page, 0, 0, KEY, KEY.length, 0x01020304);
        assertEquals(
                "01000100f51f00000000fd1f0300000000000300040302010000000000000000",
                hex(page, PageLayout.HEADER_BYTES, NodeLayout.SLOTS));
        assertEquals(
                "0000000005040201f51f040000000000",
                hex(page, NodeLayout.SLOTS, NodeLayout.SLOTS + NodeLayout.SLOT_BYTES));
        assertEquals("00000000000d0c0b0a01020405010203", hex(page, PageLayout.PAGE_BYTES - 16, PageLayout.PAGE_BYTES));
    }

    @Test
    void limitsAndOverflowPages() {
        assertEquals(64, NodeLayout.SLOTS);
        assertEquals(1_000, NodeLayout.KEY_BYTES_MAX);
        assertEquals(1_500, NodeLayout.INLINE_BYTES_MAX);
        assertEquals(16 << 20, NodeLayout.VALUE_BYTES_MAX);
        assertEquals(32, OverflowLayout.NEXT_PAGE);
        assertEquals(36, OverflowLayout.CHUNK_BYTES);
        assertEquals(40, OverflowLayout.CHUNK);
        assertEquals(8_152, OverflowLayout.CHUNK_BYTES_MAX);
        assertEquals(0, OverflowLayout.STUB_FIRST_PAGE);
        assertEquals(4, OverflowLayout.STUB_VALUE_BYTES);
        assertEquals(8, OverflowLayout.STUB_BYTES);
        byte[] stub = {4, 3, 2, 1, 8, 7, 6, 0};
        assertEquals(0x01020304, OverflowChain.firstPage(stub));
        assertEquals(0x00060708, OverflowChain.valueBytes(stub));
    }

    @Test
    void leafChanges() {
        LogRecordBuffer record = new LogRecordBuffer();
        LeafChange.insert(record, 5, 6, 3, 7, KEY, KEY.length, 2, VALUE, VALUE.length);
        assertEquals(
                "2d00000002000000050000000000000006000000000000000300000007000000040001020405020003000a0b0c",
                hex(record));
        LeafChange.delete(record, false, 5, 6, 0, 3, 7, KEY, KEY.length);
        assertEquals("2600000004000000050000000000000006000000000000000300000007000000040001020405", hex(record));
        LeafChange.delete(record, true, 5, 6, 9, 3, 7, KEY, KEY.length);
        assertEquals(
                "2e000000040100000500000000000000060000000000000009000000000000000300000007000000040001020405",
                hex(record));
        LeafChange.restore(record, 5, 6, 9, 3, 7, KEY, KEY.length);
        assertEquals(
                "2e000000080100000500000000000000060000000000000009000000000000000300000007000000040001020405",
                hex(record));
        byte[] after = {10, 77, 78, 12};
        LeafChange.update(record, false, 5, 6, 0, 3, 7, KEY, KEY.length, 1, 0, VALUE, 3, after, 4);
        assertEquals(
                "35000000030000000500000000000000060000000000000003000000070000000400010204050100"
                        + "000003000400010001000b4d4e",
                hex(record));
    }

    @Test
    void imageOfAPage() {
        NativeMemory page = leaf();
        PageLayout.setLsn(page, 0, 0x2A);
        LogRecordBuffer record = new LogRecordBuffer();
        PageImage.encode(record, page, 0);
        record.finish();
        assertEquals(
                "830000000900000000000000000000000000000000000000070000005000ed1f"
                        + hex(page, 0, NodeLayout.SLOTS + NodeLayout.SLOT_BYTES)
                        + "887766554433221104050a0b0c010209010203",
                hex(record));
        PageLayout.setType(page, 0, PageLayout.TYPE_FREE);
        PageImage.encode(record, page, 0);
        assertEquals(LogRecordLayout.HEADER_BYTES + 8 + PageLayout.HEADER_BYTES, record.recordBytes());
        PageLayout.setType(page, 0, PageLayout.TYPE_OVERFLOW);
        PageImage.encode(record, page, 0);
        assertEquals(LogRecordLayout.HEADER_BYTES + 8 + PageLayout.PAGE_BYTES, record.recordBytes());
    }

    @Test
    void systemChanges() {
        LogRecordBuffer record = new LogRecordBuffer();
        SystemChange.begin(record);
        SystemChange.addTruncate(record, 7, 2, UPPER, UPPER.length);
        SystemChange.addInsertSeparator(record, 8, 1, 9, KEY, KEY.length);
        SystemChange.addRemoveSeparator(record, 8, 1);
        SystemChange.addRemoveRecord(record, 7, KEY, KEY.length);
        SystemChange.addSetNodeFlags(record, 7, NodeLayout.FLAG_HAS_OVERFLOW);
        record.finish();
        assertEquals(
                "4e000000070000000000000000000000000000000000000002070000000200030001020903080000"
                        + "0001000900000004000102040504080000000100050700000004000102040506070000000200",
                hex(record));
        SystemChange.begin(record);
        SystemChange.addNodeImage(record, 7, leaf(), 0);
        record.finish();
        assertEquals(
                "84000000070000000000000000000000000000000000000001070000005000ed1f00000000020100"
                        + "0000000000000000000700000003000000000000000000000001000000ed1f00000200fd1f0300fa"
                        + "1f030000000000000000000000000000000000000000000504ed1f02000300000088776655443322"
                        + "1104050a0b0c010209010203",
                hex(record));
    }
}
