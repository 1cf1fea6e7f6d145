package dev.lockstep.engine.instance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.Isolation;
import dev.lockstep.engine.ValidatedDatabase;
import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.NodeEditor;
import dev.lockstep.engine.btree.Relocation;
import dev.lockstep.engine.btree.TreeContext;
import dev.lockstep.engine.buffer.BufferPool;
import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.scheduler.Waiter;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/**
 * A leaf that nobody has changed for long is moved, and a walk that was on its way to it has its page read from the
 * file once more. The page may then lie in the frame in which others have met the leaf last, and go by hints.
 */
class StaleLeafTest {
    private static final int RECORDS = 1_600;
    private static final int RECORD_BYTES = 1_000;
    private static final byte[] KEY = {1, 0};

    /** More pages than there are frames. */
    private static final int FILLERS = 150;

    /** Rounds in which all frames get other pages, until one has the page that is to come into it. */
    private static final int ROUNDS_MAX = 100_000;

    private final TreeContext context = new TreeContext();
    private final Waiter waiter = new Waiter();

    @Test
    void aMovedLeafIsNotReadWhereItWas() {
        LogOptions log = LogOptions.sync()
                .withSegmentBytes(LogOptions.SEGMENT_BYTES_MIN)
                .withBufferBytes(LogOptions.BUFFER_BYTES_MIN);
        Instance instance = new InstanceOpener(ValidatedDatabase.SMALLEST, null, log)
                .open(new FaultyStorage(1), Path.of("/database"));
        BufferPool pool = instance.pool();
        int lowPageId = instance.environment().allocator().allocate();
        RawTree raw = new RawTree(instance);
        raw.begin(Isolation.READ_COMMITTED);
        for (int i = 0; i < RECORDS; i++) {
            assertTrue(raw.insert(new byte[] {(byte) (i >>> Byte.SIZE), (byte) i}, value(1)));
        }
        raw.commit();
        instance.checkpoint();
        instance.environment().allocator().free(lowPageId);
        BTree tree = instance.catalog().find("raw").state().tree();
        int fromPageId = leafPageId(tree);
        assertTrue(new Relocation().moveNode(tree, context, KEY, KEY.length, 0, fromPageId));
        raw.begin(Isolation.READ_COMMITTED);
        assertTrue(raw.update(KEY, value(2)));
        assertArrayEquals(value(2), raw.get(KEY));
        raw.commit();
        int hintedFrame = pool.frame(leafPageId(tree), waiter);
        instance.checkpoint();
        boolean isThere = false;
        for (int round = 0; !isThere && round < ROUNDS_MAX; round++) {
            isThere = pool.frame(fromPageId, waiter) == hintedFrame;
            for (int i = 0; !isThere && i < pool.frameCount(); i++) {
                pool.frame(fromPageId + 1 + (round + i) % FILLERS, waiter);
            }
        }
        assertTrue(isThere, "no walk has had it read to the frame");
        raw.begin(Isolation.READ_COMMITTED);
        assertArrayEquals(value(2), raw.get(KEY));
        raw.commit();
        raw.close();
        instance.validate();
        instance.close();
    }

    private int leafPageId(BTree tree) {
        NativeMemory node = NodeEditor.scratchPage(Arena.ofAuto());
        new Relocation().copyNode(tree, context, KEY, KEY.length, 0, node);
        return PageLayout.pageId(node, 0);
    }

    private static byte[] value(int version) {
        byte[] value = new byte[RECORD_BYTES];
        Arrays.fill(value, (byte) version);
        return value;
    }
}
