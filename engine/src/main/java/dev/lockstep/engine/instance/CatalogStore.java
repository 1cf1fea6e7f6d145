package dev.lockstep.engine.instance;

import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.ChainWaits;
import dev.lockstep.engine.btree.NodeLayout;
import dev.lockstep.engine.btree.OverflowChain;
import dev.lockstep.engine.btree.Relocation;
import dev.lockstep.engine.btree.TreeWalk;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.operation.ChangeOperation;
import dev.lockstep.engine.type.RawRecord;
import dev.lockstep.engine.type.SchemaCodec;
import dev.lockstep.engine.type.StoredTable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The catalog on disk: a tree of its own whose keys are table names and whose values are {@link StoredTable}s. Changed
 * by transactions like any table, so a change of the schema is as atomic and as durable as they are.
 */
final class CatalogStore {
    /** The catalog's tree comes first and needs no catalog to be found. */
    static final int TREE_ID = FixedPlaces.CATALOG_TREE_ID;

    /** The page of its root, behind the file header. */
    static final int ROOT_PAGE_ID = FixedPlaces.CATALOG_ROOT_PAGE_ID;

    private CatalogStore() {}

    /** Inserts a table; the transaction is open. */
    static void insert(SessionCore session, BTree catalog, StoredTable table) {
        byte[] key = key(table.definition().name());
        byte[] value = SchemaCodec.encode(table);
        session.beforeChange();
        byte[] stored = stored(session, catalog, key, value);
        session.insert.start(catalog, key, key.length, stored, stored.length, flags(stored, value));
        run(session, catalog, session.insert, stored, value, table);
    }

    /** Replaces a table's entry. */
    static void update(SessionCore session, BTree catalog, StoredTable table) {
        byte[] key = key(table.definition().name());
        byte[] value = SchemaCodec.encode(table);
        session.beforeChange();
        byte[] stored = stored(session, catalog, key, value);
        session.update.start(catalog, key, key.length, stored, stored.length, flags(stored, value), null);
        run(session, catalog, session.update, stored, value, table);
    }

    /** Runs a change that has to find the entry, or room for it; its chain goes with it where it fails. */
    private static void run(
            SessionCore session,
            BTree catalog,
            ChangeOperation change,
            byte[] stored,
            byte[] value,
            StoredTable table) {
        try {
            session.driver.runPlain(change);
            if (!change.applied()) {
                throw new AssertionError("table=" + table.definition().name());
            }
        } catch (Throwable failure) {
            if (stored != value && !change.applied()) {
                session.freeChainAfter(failure, catalog, stored);
            }
            throw failure;
        }
    }

    /**
     * Moves the root of a tree to another page, and has the table's entry name it. The transaction holds the exclusive
     * lock of the catalog, and one that keeps the tree from being dropped; it has changed nothing in the catalog.
     *
     * @param moved the entry as it is to be: no shorter and no longer than it is
     * @param toPageId the page, which was just allocated; the caller gives it back if this fails
     */
    static void moveRoot(
            SessionCore session, BTree catalog, StoredTable moved, BTree tree, int toPageId, Relocation relocation) {
        byte[] key = key(moved.definition().name());
        byte[] value = SchemaCodec.encode(moved);
        byte[] replaced = storedValue(session, catalog, key);
        byte[] stored = stored(session, catalog, key, value);
        try {
            relocation.moveRoot(tree, catalog, session.context, key, stored, toPageId);
        } catch (Throwable failure) {
            if (stored != value && tree.rootPageId() != toPageId) {
                session.freeChainAfter(failure, catalog, stored);
            }
            throw failure;
        }
        if (stored != value) {
            session.freeChain(catalog, replaced);
        }
    }

    /** The value of an entry as its leaf has it: a stub where it lies in overflow pages. */
    private static byte[] storedValue(SessionCore session, BTree catalog, byte[] key) {
        RawRecord sink = new RawRecord();
        session.fetch.start(catalog, key, key.length, LockMode.KEY_X, false, sink);
        session.driver.runPlain(session.fetch);
        return Arrays.copyOf(sink.valueBytes(), sink.valueLength());
    }

    static void delete(SessionCore session, BTree catalog, String name) {
        byte[] key = key(name);
        session.beforeChange();
        session.delete.start(catalog, key, key.length, null);
        session.driver.runPlain(session.delete);
        if (!session.delete.applied()) {
            throw new AssertionError("table=" + name);
        }
    }

    /**
     * All tables as they stand in the pages, without locks: while nobody else is at work, at open.
     *
     * <p>Without the entries of dropped tables: the value of a ghost may be gone already, its pages given to others.
     */
    static List<StoredTable> readRaw(SessionCore session, BTree catalog) {
        List<StoredTable> tables = new ArrayList<>();
        new TreeWalk(catalog, session.context).visitRecords((flags, value) -> {
            byte[] whole = value;
            if ((flags & NodeLayout.SLOT_OVERFLOW) != 0) {
                whole = new byte[OverflowChain.valueBytes(value)];
                OverflowChain.read(catalog, session.context, ChainWaits.UNTIL_DONE, value, whole);
            }
            tables.add(SchemaCodec.decode(whole, 0, whole.length));
        });
        return tables;
    }

    private static byte[] key(String name) {
        return name.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] stored(SessionCore session, BTree catalog, byte[] key, byte[] value) {
        if (key.length + value.length <= NodeLayout.INLINE_BYTES_MAX) {
            return value;
        }
        byte[] stub = new byte[OverflowChain.stubBytes()];
        OverflowChain.write(catalog, session.context, ChainWaits.UNTIL_DONE, value, value.length, stub);
        return stub;
    }

    private static int flags(byte[] stored, byte[] value) {
        return stored == value ? 0 : NodeLayout.SLOT_OVERFLOW;
    }
}
