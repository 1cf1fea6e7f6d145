package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.Node;
import dev.lockstep.engine.btree.NodeEditor;
import dev.lockstep.engine.buffer.BufferPool;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A leaf whose fence is not the separator of its parent, as only a page that somebody has forged has it. */
class ForgedFenceTest {
    private static final int ROWS = 400;

    // In the header of a node.
    private static final int SLOT_COUNT = PageLayout.HEADER_BYTES;
    private static final int LOWER_FENCE = PageLayout.HEADER_BYTES + 10;
    private static final int UPPER_FENCE = LOWER_FENCE + Integer.BYTES;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    private Database database;
    private Table table;
    private NativeMemory memory;
    private long leaf;
    private byte[] before;

    @BeforeEach
    void open() {
        database = validated.inMemory();
        table = database.createTable(DatabaseTest.accounts());
        memory = database.instance().pool().memory();
        database.run(transaction -> {
            Record row = table.newRecord();
            for (int id = 0; id < ROWS; id++) {
                DatabaseTest.put(transaction, table, row, 2 * id, "n".repeat(100), id);
            }
        });
        leaf = leaves().get(1);
        before = Node.bytes(memory, leaf, PageLayout.PAGE_BYTES);
    }

    @AfterEach
    void restore() {
        NodeEditor.copyIn(memory, leaf, before, 0, before.length);
    }

    /** In the order of the keys. */
    private List<Long> leaves() {
        BufferPool pool = database.instance().pool();
        BTree tree = table.reference().state().tree();
        List<Long> leaves = new ArrayList<>();
        for (int frame = 0; frame < pool.frameCount(); frame++) {
            long page = BufferPool.address(frame);
            if (pool.pageIdOpaque(frame) > 0
                    && Node.isLeaf(memory, page)
                    && PageLayout.treeId(memory, page) == tree.treeId()) {
                leaves.add(page);
            }
        }
        leaves.sort(Comparator.comparing(page -> Node.lowerFence(memory, page), Arrays::compareUnsigned));
        assertTrue(leaves.size() > 3, "leaves=" + leaves.size());
        return leaves;
    }

    private void requireRefused(Isolation isolation, boolean backward) {
        TransactionOptions options = database.transactionOptions().withIsolation(isolation);
        assertThrows(
                CorruptionException.class,
                () -> database.run(options, transaction -> {
                    Record row = table.newRecord();
                    int rows = 0;
                    Cursor cursor = transaction.scan(table);
                    try (Cursor scan = backward ? cursor.backward() : cursor) {
                        while (scan.next(row)) {
                            assertTrue(rows++ < ROWS, "more rows than there are");
                        }
                    }
                }));
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void aScanForwardsEnds(Isolation isolation) {
        memory.setInt(leaf + UPPER_FENCE, memory.getInt(leaf + LOWER_FENCE));
        requireRefused(isolation, false);
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void aScanBackwardsEnds(Isolation isolation) {
        memory.setInt(leaf + LOWER_FENCE, memory.getInt(leaf + UPPER_FENCE));
        requireRefused(isolation, true);
    }

    /** The fence leads on at first, back into the leaf. */
    @ParameterizedTest
    @EnumSource(Isolation.class)
    void aScanThatMeetsRowsAgainEnds(Isolation isolation) {
        int middle = Node.slotCount(memory, leaf) / 2;
        byte[] key = Node.key(memory, leaf, middle);
        assertEquals(key.length, Node.upperFenceBytes(memory, leaf));
        int upper = Short.toUnsignedInt(memory.getShort(leaf + UPPER_FENCE));
        NodeEditor.copyIn(memory, leaf + upper, key, 0, key.length);
        requireRefused(isolation, false);
    }

    /** What an insert has to find out is whether somebody has read the gap that it goes to. */
    @Test
    void theSearchForTheNextKeyEnds() {
        long left = leaves().getFirst();
        int lastId = 2 * Node.slotCount(memory, left) - 2;
        memory.setInt(leaf + UPPER_FENCE, memory.getInt(leaf + LOWER_FENCE));
        memory.setShort(leaf + SLOT_COUNT, (short) 0);
        TransactionOptions options = database.transactionOptions().withIsolation(Isolation.SERIALIZABLE);
        assertThrows(
                CorruptionException.class,
                () -> database.run(options, transaction -> {
                    Record row = table.newRecord();
                    try (Cursor scan = transaction.scan(table).to(table.newKey().add(2))) {
                        assertTrue(scan.next(row));
                    }
                    assertTrue(transaction.fetch(table, table.newKey().add(lastId), row));
                    DatabaseTest.put(transaction, table, row, lastId + 1, "", 0);
                }));
    }
}
