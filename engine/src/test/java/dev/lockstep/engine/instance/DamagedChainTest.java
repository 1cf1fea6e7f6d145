package dev.lockstep.engine.instance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.Isolation;
import dev.lockstep.engine.TableDefinition;
import dev.lockstep.engine.btree.Node;
import dev.lockstep.engine.btree.NodeLayout;
import dev.lockstep.engine.buffer.BufferPool;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.type.ColumnType;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A chain of overflow pages that is not what its stub says, although every page of it has the right checksum. */
class DamagedChainTest {
    /** In the layout of an overflow page the first two fields behind the header. */
    private static final int NEXT_PAGE = PageLayout.HEADER_BYTES;

    private static final int CHUNK_BYTES = NEXT_PAGE + Integer.BYTES;
    private static final byte[] KEY = {1};
    private static final int VALUE_BYTES = 20_000;
    private static final byte[] VALUE = new byte[VALUE_BYTES];

    static {
        // Not what other pages are full of.
        Arrays.fill(VALUE, (byte) 7);
    }

    private Instance instance;
    private RawTree tree;
    private NativeMemory memory;

    @BeforeEach
    void open() {
        instance = new InstanceOpener(
                        DatabaseOptions.builder()
                                .poolBytes(DatabaseOptions.POOL_BYTES_MIN)
                                .build(),
                        null)
                .openInMemory();
        memory = instance.pool().memory();
        tree = new RawTree(instance);
        tree.begin(Isolation.SERIALIZABLE);
        tree.insert(KEY, VALUE);
        tree.commit();
        assertEquals(0, tree.validate().ghosts());
    }

    @AfterEach
    void close() {
        tree.close();
        instance.close();
    }

    /** The page of the value's first bytes: the chain is written from its end, so it is the one of the highest id. */
    private long firstChunk() {
        long first = -1;
        for (int frame = 0; frame < instance.pool().frameCount(); frame++) {
            long page = BufferPool.address(frame);
            if (PageLayout.type(memory, page) == PageLayout.TYPE_OVERFLOW
                    && (first < 0 || PageLayout.pageId(memory, page) > PageLayout.pageId(memory, first))) {
                first = page;
            }
        }
        return first;
    }

    private void requireFound() {
        tree.begin(Isolation.SERIALIZABLE);
        assertThrows(CorruptionException.class, () -> tree.get(KEY));
        tree.rollback();
        assertThrows(CorruptionException.class, tree::validate);
    }

    @Test
    void aChainThatIsCutIsFound() {
        long page = firstChunk();
        int next = memory.getInt(page + NEXT_PAGE);
        memory.setInt(page + NEXT_PAGE, 0);
        // As a recovery leaves it, which counts the pages that it reaches.
        int pageId = next;
        while (pageId != 0) {
            instance.environment().allocator().free(pageId);
            int cut = pageId;
            pageId = 0;
            for (int frame = 0; frame < instance.pool().frameCount(); frame++) {
                if (PageLayout.pageId(memory, BufferPool.address(frame)) == cut) {
                    pageId = memory.getInt(BufferPool.address(frame) + NEXT_PAGE);
                }
            }
        }
        requireFound();
        memory.setInt(page + NEXT_PAGE, next);
        tree.begin(Isolation.SERIALIZABLE);
        assertArrayEquals(VALUE, tree.get(KEY));
        tree.commit();
    }

    @Test
    void aChainThatLeavesTheFileIsFound() {
        memory.setInt(firstChunk() + NEXT_PAGE, -1);
        requireFound();
    }

    /** Whose pages it leads to keeps them, and a chain that ends nowhere is no reason to follow it for ever. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aDamagedChainGivesNothingBack(boolean endless) {
        long page = firstChunk();
        int next = endless
                ? PageLayout.pageId(memory, page)
                : instance.catalogTree().rootPageId();
        memory.setInt(page + NEXT_PAGE, next);
        int allocatedCount = instance.environment().allocator().allocatedCount();
        tree.begin(Isolation.SERIALIZABLE);
        assertTrue(tree.delete(KEY));
        tree.commit();
        assertEquals(allocatedCount, instance.environment().allocator().allocatedCount());
        assertTrue(instance.environment().allocator().hasLostPages());
    }

    /** More than the value has, all of it, which is more than the page has, or less than the page has room for. */
    @ParameterizedTest
    @ValueSource(ints = {VALUE_BYTES + 1, VALUE_BYTES, 1, 0, -1})
    void aChunkOfAnotherLengthIsFound(int bytes) {
        memory.setInt(firstChunk() + CHUNK_BYTES, bytes);
        requireFound();
    }

    @Test
    void aChainThatGoesOnBehindItsValueIsFound() {
        long page = firstChunk();
        for (int next = memory.getInt(page + NEXT_PAGE); next != 0; next = memory.getInt(page + NEXT_PAGE)) {
            page = BufferPool.address(instance.pool().residentFrameAcquire(next));
        }
        memory.setInt(page + NEXT_PAGE, PageLayout.pageId(memory, firstChunk()));
        requireFound();
    }

    /** A stub says how long its value is: nobody makes room for a length that no value has. */
    @ParameterizedTest
    @ValueSource(ints = {0, -1, NodeLayout.VALUE_BYTES_MAX + 1, Integer.MAX_VALUE})
    void aStubOfAnotherLengthIsFound(int bytes) {
        long leaf = BufferPool.address(
                instance.pool().residentFrameAcquire(tree.tree().rootPageId()));
        memory.setInt(Node.valueAddress(memory, leaf, 0) + Integer.BYTES, bytes);
        requireFound();
    }

    /** Which every open reads. */
    @ParameterizedTest
    @ValueSource(ints = {0, -1, NodeLayout.VALUE_BYTES_MAX + 1, Integer.MAX_VALUE})
    void aStubOfTheCatalogIsFound(int bytes) {
        TableDefinition.Builder wide = TableDefinition.named("wide");
        for (int column = 0; column < 120; column++) {
            wide.column("a_column_with_a_name_of_some_length_" + column, ColumnType.int32());
        }
        instance.schema()
                .createTable(
                        wide.primaryKey("a_column_with_a_name_of_some_length_0").build());
        long leaf = BufferPool.address(
                instance.pool().residentFrameAcquire(instance.catalogTree().rootPageId()));
        int slot = Node.slotCount(memory, leaf) - 1;
        assertTrue((Node.slotFlags(memory, leaf, slot) & NodeLayout.SLOT_OVERFLOW) != 0, "an entry longer than a page");
        long length = Node.valueAddress(memory, leaf, slot) + Integer.BYTES;
        int before = memory.getInt(length);
        memory.setInt(length, bytes);
        SessionCore session = instance.newSession();
        assertThrows(CorruptionException.class, () -> CatalogStore.readRaw(session, instance.catalogTree()));
        session.close();
        memory.setInt(length, before);
        instance.validate();
    }
}
