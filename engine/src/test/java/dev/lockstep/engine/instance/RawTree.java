package dev.lockstep.engine.instance;

import dev.lockstep.engine.Durability;
import dev.lockstep.engine.Isolation;
import dev.lockstep.engine.TableDefinition;
import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.ChainWaits;
import dev.lockstep.engine.btree.Node;
import dev.lockstep.engine.btree.NodeLayout;
import dev.lockstep.engine.btree.OverflowChain;
import dev.lockstep.engine.buffer.BufferPool;
import dev.lockstep.engine.catalog.TableReference;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.operation.ScanOperation;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.type.ColumnType;
import dev.lockstep.engine.type.RawRecord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** One tree used with raw keys and values, below records and schemas. One transaction at a time. */
final class RawTree {
    private static final String NAME = "raw";

    private final Instance instance;
    private final SessionCore session;
    private final BTree tree;
    private final ScanOperation scan;
    private final RawRecord found = new RawRecord();
    private final byte[] stub = new byte[OverflowChain.stubBytes()];

    /** The tree of the instance, which is made if there is none. */
    RawTree(Instance instance) {
        this(instance, NAME);
    }

    /** The tree of a table, which is made if there is none. */
    RawTree(Instance instance, String name) {
        this.instance = instance;
        TableReference table = instance.catalog().find(name);
        if (table == null) {
            table = instance.schema()
                    .createTable(TableDefinition.named(name)
                            .column("key", ColumnType.binary(10))
                            .primaryKey("key")
                            .build());
        }
        tree = table.state().tree();
        session = instance.newSession();
        scan = new ScanOperation(instance.locks(), instance.transactions(), session.context());
    }

    BTree tree() {
        return tree;
    }

    /** The lengths of the prefixes that the keys of each leaf share, of all leaves in the pool. */
    List<Integer> prefixesOfLeaves() {
        BufferPool pool = tree.environment().pool();
        NativeMemory memory = pool.memory();
        List<Integer> prefixes = new ArrayList<>();
        for (int frame = 0; frame < pool.frameCount(); frame++) {
            long page = BufferPool.address(frame);
            if (pool.pageIdOpaque(frame) > 0
                    && Node.isNode(memory, page)
                    && PageLayout.treeId(memory, page) == tree.treeId()
                    && Node.level(memory, page) == 0) {
                prefixes.add(Node.prefixBytes(memory, page));
            }
        }
        return prefixes;
    }

    void begin(Isolation isolation) {
        begin(isolation, Durability.ASYNC);
    }

    void begin(Isolation isolation, Durability durability) {
        session.begin(isolation, durability, Long.MAX_VALUE, Long.MAX_VALUE);
    }

    void commit() {
        session.commit();
    }

    void rollback() {
        session.rollback();
    }

    int savepoint() {
        return session.savepoint();
    }

    void rollbackTo(int savepoint) {
        session.rollbackTo(savepoint);
    }

    void close() {
        session.close();
    }

    boolean insert(byte[] key, byte[] value) {
        session.beforeChange();
        boolean inline = isInline(key, value);
        byte[] stored = inline ? value : chain(value);
        session.insert.start(tree, key, key.length, stored, stored.length, flags(inline));
        session.driver.runPlain(session.insert);
        return freeUnless(session.insert.applied(), inline);
    }

    boolean update(byte[] key, byte[] value) {
        session.beforeChange();
        boolean inline = isInline(key, value);
        byte[] stored = inline ? value : chain(value);
        session.update.start(tree, key, key.length, stored, stored.length, flags(inline), null);
        session.driver.runPlain(session.update);
        return freeUnless(session.update.applied(), inline);
    }

    boolean delete(byte[] key) {
        session.beforeChange();
        session.delete.start(tree, key, key.length, null);
        session.driver.runPlain(session.delete);
        return session.delete.applied();
    }

    private static int flags(boolean inline) {
        return inline ? 0 : NodeLayout.SLOT_OVERFLOW;
    }

    private static boolean isInline(byte[] key, byte[] value) {
        return key.length + value.length <= NodeLayout.INLINE_BYTES_MAX;
    }

    private byte[] chain(byte[] value) {
        OverflowChain.write(tree, session.context(), ChainWaits.UNTIL_DONE, value, value.length, stub);
        return stub;
    }

    private boolean freeUnless(boolean applied, boolean inline) {
        if (!applied && !inline) {
            OverflowChain.free(tree, session.context(), stub);
        }
        return applied;
    }

    /** The value of a key, or null. */
    byte[] get(byte[] key) {
        session.fetch.start(tree, key, key.length, LockMode.KEY_S, false, found);
        session.driver.runPlain(session.fetch);
        return session.fetch.found() ? value(session.fetch.isOverflow()) : null;
    }

    private byte[] value(boolean overflow) {
        byte[] stored = Arrays.copyOf(found.valueBytes(), found.valueLength());
        if (!overflow) {
            return stored;
        }
        byte[] value = new byte[OverflowChain.valueBytes(stored)];
        OverflowChain.read(tree, session.context(), ChainWaits.UNTIL_DONE, stored, value);
        return value;
    }

    /** Takes the records of a scan; false ends it. */
    interface Visitor {
        boolean visit(byte[] key, byte[] value);
    }

    /** Visits the keys from {@code low}, inclusive, to {@code high}, exclusive; null is unbounded. */
    void scan(byte[] low, byte[] high, boolean backward, Visitor visitor) {
        scan.start(
                tree,
                low,
                low == null ? 0 : low.length,
                high,
                high == null ? 0 : high.length,
                backward,
                LockMode.KEY_S,
                found);
        // Ends with the range.
        while (true) {
            scan.next();
            session.driver.runPlain(scan);
            if (!scan.found()) {
                return;
            }
            byte[] key = Arrays.copyOf(found.keyBytes(), found.keyLength());
            if (!visitor.visit(key, value(scan.isOverflow()))) {
                return;
            }
        }
    }

    Validation.Report validate() {
        return instance.validate();
    }
}
