package dev.lockstep.engine.btree;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.buffer.BufferPool;
import dev.lockstep.engine.file.DatabaseId;
import dev.lockstep.engine.file.FailureListener;
import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.file.IoThreads;
import dev.lockstep.engine.file.PageFile;
import dev.lockstep.engine.log.LogRecordBuffer;
import dev.lockstep.engine.log.LogRecordView;
import dev.lockstep.engine.log.RecordViews;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.scheduler.Waiter;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Parts of system changes with a right checksum around numbers that no page has room for. */
class ForgedSystemChangeTest {
    private static final long SEED = 8;
    private static final long PAGE_LSN = 4_096;
    private static final long LSN = 8_192;
    private static final int TREE = 3;
    private static final int LEAF = 1;
    private static final int INNER = 2;
    private static final int OVERFLOW = 3;
    private static final int CHILD = 9;
    private static final int FAR = 0xFFFF;
    private static final byte[] LOWER = {7, 1};
    private static final byte[] KEY = {7, 4, 4};
    private static final byte[] UPPER = {7, 9};

    private final PageFile file = PageFile.create(new FaultyStorage(SEED), Path.of("/database"), DatabaseId.random());
    private final IoThreads io = new IoThreads(1);
    private final BufferPool pool = new BufferPool(BufferPool.FRAMES_MIN, file, null, io, FailureListener.IGNORE);
    private final NativeMemory memory = pool.memory();
    private final Waiter waiter = new Waiter();
    private final LogRecordBuffer record = new LogRecordBuffer();

    @BeforeEach
    void fill() {
        long leaf = begin(LEAF, 0);
        byte[] value = new byte[1_300];
        Arrays.fill(value, (byte) 5);
        for (int slot = 0; slot < 6; slot++) {
            byte[] key = {7, 4, (byte) slot};
            NodeEditor.insertRecord(memory, leaf, slot, key, key.length, value, 0, value.length, 0, 1);
        }
        end(LEAF);
        long inner = begin(INNER, 1);
        NodeEditor.setRightmostChild(memory, inner, CHILD);
        NodeEditor.insertSeparator(memory, inner, 0, KEY, KEY.length, CHILD + 1);
        end(INNER);
        long overflow = begin(OVERFLOW, 0);
        PageLayout.initialise(memory, overflow, PageLayout.TYPE_OVERFLOW, OVERFLOW, TREE);
        memory.segment()
                .asSlice(overflow + OverflowLayout.CHUNK, OverflowLayout.CHUNK_BYTES_MAX)
                .fill((byte) FAR);
        end(OVERFLOW);
        SystemChange.begin(record);
    }

    private long begin(int pageId, int level) {
        long page = BufferPool.address(pool.newPage(pageId, waiter));
        NodeEditor.format(memory, page, pageId, TREE, level, LOWER, UPPER, 0);
        return page;
    }

    private void end(int pageId) {
        int frame = pool.residentFrameAcquire(pageId);
        pool.markDirty(frame, PAGE_LSN);
        pool.latches().unlatchExclusive(frame);
    }

    @AfterEach
    void close() {
        try (io;
                file) {
            pool.close();
        }
    }

    /** Requires that the record is refused and nothing is changed, the LSN of its page either. */
    private void requireRefused() {
        LogRecordView view = RecordViews.of(record, LSN);
        byte[] before = memory.segment().toArray(ValueLayout.JAVA_BYTE);
        PoolRedo redo = new PoolRedo(pool);
        redo.expect(view);
        assertThrows(CorruptionException.class, () -> redo.redo(view));
        assertArrayEquals(before, memory.segment().toArray(ValueLayout.JAVA_BYTE));
        SystemChange.begin(record);
    }

    private void forgeImage(int pageId, int low, int high) {
        record.putByte(SystemChange.IMAGE).putInt(pageId).putShort(low).putShort(high);
        record.putBytes(new byte[PageLayout.PAGE_BYTES], 0, PageLayout.PAGE_BYTES);
    }

    /** A part that leads back to its own begin would be read again and again. */
    @Test
    void anImageHasALength() {
        int[][] bounds = {{0, 8_201}, {64, 8_265}, {64, 63}, {0, 8_192}, {8_193, 8_193}, {FAR, FAR}};
        for (int[] bound : bounds) {
            forgeImage(LEAF, bound[0], bound[1]);
            LogRecordView view = RecordViews.of(record, LSN);
            assertThrows(CorruptionException.class, () -> LoggedPages.visit(view, (what, pageId) -> {}));
            requireRefused();
            // The page has the record already.
            forgeImage(LEAF, bound[0], bound[1]);
            LogRecordView old = RecordViews.of(record, PAGE_LSN);
            assertThrows(CorruptionException.class, () -> new PoolRedo(pool).redo(old));
            SystemChange.begin(record);
        }
    }

    @Test
    void aSeparatorGoesToASlotThatIsThere() {
        for (int slot : new int[] {2, 3, FAR}) {
            SystemChange.addInsertSeparator(record, INNER, slot, CHILD, KEY, KEY.length);
            requireRefused();
        }
        for (int slot : new int[] {1, 2, FAR}) {
            SystemChange.addRemoveSeparator(record, INNER, slot);
            requireRefused();
        }
    }

    @Test
    void aSeparatorIsAKeyOfItsNode() {
        byte[] far = new byte[60_000];
        far[0] = LOWER[0];
        for (int separatorBytes : new int[] {0, NodeLayout.KEY_BYTES_MAX + 1, far.length}) {
            SystemChange.addInsertSeparator(record, INNER, 0, CHILD, far, separatorBytes);
            requireRefused();
        }
        SystemChange.addInsertSeparator(record, INNER, 0, CHILD, new byte[] {6, 4}, 2);
        requireRefused();
    }

    @Test
    void aFenceIsAKeyOfItsNode() {
        byte[] far = new byte[60_000];
        far[0] = LOWER[0];
        for (int fenceBytes : new int[] {0, NodeLayout.KEY_BYTES_MAX + 1, far.length}) {
            SystemChange.addTruncate(record, LEAF, 0, far, fenceBytes);
            requireRefused();
        }
        SystemChange.addTruncate(record, LEAF, 2, new byte[] {6, 4}, 2);
        requireRefused();
    }

    @Test
    void aTruncatedNodeHasTheSlotsAndRoomForThem() {
        for (int slots : new int[] {7, FAR}) {
            SystemChange.addTruncate(record, LEAF, slots, KEY, KEY.length);
            requireRefused();
        }
        byte[] longest = new byte[NodeLayout.KEY_BYTES_MAX];
        System.arraycopy(KEY, 0, longest, 0, KEY.length);
        SystemChange.addTruncate(record, LEAF, 6, longest, longest.length);
        requireRefused();
        // With one record less there is.
        SystemChange.addTruncate(record, LEAF, 5, longest, longest.length);
        new PoolRedo(pool).redo(RecordViews.of(record, LSN));
        assertEquals(5, Node.slotCount(memory, BufferPool.address(pool.residentFrameAcquire(LEAF))));
    }

    @Test
    void aRecordThatIsNotThereIsNotRemoved() {
        byte[] missing = {7, 4, 77};
        SystemChange.addRemoveRecord(record, LEAF, missing, missing.length);
        requireRefused();
        SystemChange.addRemoveRecord(record, LEAF, new byte[60_000], 60_000);
        requireRefused();
    }

    @Test
    void aChangeOfANodeNeedsANodeOfItsLevel() {
        SystemChange.addRemoveRecord(record, INNER, KEY, KEY.length);
        requireRefused();
        for (int pageId : new int[] {LEAF, OVERFLOW}) {
            SystemChange.addInsertSeparator(record, pageId, 0, CHILD, KEY, KEY.length);
            requireRefused();
            SystemChange.addRemoveSeparator(record, pageId, 0);
            requireRefused();
        }
        SystemChange.addTruncate(record, OVERFLOW, 0, KEY, KEY.length);
        requireRefused();
        SystemChange.addSetNodeFlags(record, OVERFLOW, NodeLayout.FLAG_HAS_OVERFLOW);
        requireRefused();
    }

    @Test
    void aChangeOfALeafNeedsALeaf() {
        for (int pageId : new int[] {INNER, OVERFLOW}) {
            LeafChange.insert(record, 5, 6, TREE, pageId, KEY, KEY.length, 0, KEY, KEY.length);
            requireRefused();
            LeafChange.delete(record, false, 5, 6, 0, TREE, pageId, KEY, KEY.length);
            requireRefused();
        }
    }

    @Test
    void aCellNeedsRoomForItsSlotToo() {
        long inner = BufferPool.address(pool.residentFrameAcquire(INNER));
        byte[] separator = new byte[NodeLayout.KEY_BYTES_MAX];
        System.arraycopy(KEY, 0, separator, 0, KEY.length);
        // Ends: the node fills.
        while (NodeEditor.separatorBytesNeeded(memory, inner, separator.length) <= Node.freeBytes(memory, inner)) {
            NodeEditor.insertSeparator(memory, inner, 0, separator, separator.length, CHILD);
        }
        int bytes = separator.length;
        // Ends: a shorter one needs less room.
        while (NodeEditor.separatorBytesNeeded(memory, inner, bytes) > Node.freeBytes(memory, inner) + 1) {
            bytes--;
        }
        int tooLong = bytes;
        assertThrows(
                IllegalArgumentException.class,
                () -> NodeEditor.insertSeparator(memory, inner, 0, separator, tooLong, CHILD));
    }
}
