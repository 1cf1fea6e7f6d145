package dev.lockstep.engine.instance;

import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.NodeLayout;
import dev.lockstep.engine.btree.OverflowChain;
import dev.lockstep.engine.btree.TreeWalk;
import dev.lockstep.engine.type.SchemaCodec;
import dev.lockstep.engine.type.StoredTable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
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
        byte[] stored = stored(session, catalog, key, value);
        session.beforeChange();
        session.insert.start(catalog, key, key.length, stored, stored.length, flags(stored, value));
        session.driver.runPlain(session.insert);
        if (!session.insert.applied()) {
            throw new AssertionError("table=" + table.definition().name());
        }
    }

    /** Replaces a table's entry. */
    static void update(SessionCore session, BTree catalog, StoredTable table) {
        byte[] key = key(table.definition().name());
        byte[] value = SchemaCodec.encode(table);
        byte[] stored = stored(session, catalog, key, value);
        session.beforeChange();
        session.update.start(catalog, key, key.length, stored, stored.length, flags(stored, value), null);
        session.driver.runPlain(session.update);
        if (!session.update.applied()) {
            throw new AssertionError("table=" + table.definition().name());
        }
    }

    static void delete(SessionCore session, BTree catalog, String name) {
        byte[] key = key(name);
        session.beforeChange();
        session.delete.start(catalog, key, key.length);
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
                OverflowChain.read(catalog, session.context, value, whole);
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
        OverflowChain.write(catalog, session.context, value, value.length, stub);
        return stub;
    }

    private static int flags(byte[] stored, byte[] value) {
        return stored == value ? 0 : NodeLayout.SLOT_OVERFLOW;
    }
}
