package dev.lockstep.engine.instance;

import dev.lockstep.engine.Durability;
import dev.lockstep.engine.IndexDefinition;
import dev.lockstep.engine.Isolation;
import dev.lockstep.engine.LockstepException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.SchemaException;
import dev.lockstep.engine.TableDefinition;
import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.Relocation;
import dev.lockstep.engine.btree.TreeWalk;
import dev.lockstep.engine.catalog.TableReference;
import dev.lockstep.engine.catalog.TableState;
import dev.lockstep.engine.catalog.TreeOperations;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.lock.LockName;
import dev.lockstep.engine.type.KeyFormat;
import dev.lockstep.engine.type.StoredTable;
import dev.lockstep.engine.type.StoredTable.IndexState;
import dev.lockstep.engine.type.StoredTable.StoredIndex;
import dev.lockstep.scheduler.InstalledTime;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/**
 * Changes of the schema while the database is in use. Each is one transaction over the catalog, always durable when it
 * returns; one runs at a time, under the exclusive lock of the catalog.
 *
 * <p>New trees are made before the catalog names them and given back after it has ceased to, so a crash in between
 * leaves pages that nothing reaches, which the next open finds and frees.
 *
 * <p>An index on a filled table is made in three steps: it is entered as BUILDING, from when every change of a row
 * keeps it up; the rows are gone through in small transactions that add the missing entries; it becomes READY. Readers
 * and writers of the table wait only for the first and the last step. A crash in between drops the index at the next
 * open. Where the creation fails otherwise, the index is dropped at once; if that waits for the table for too long, it
 * is abandoned, so that nobody reads it or keeps it up, and dropped by the next change of an index of that table.
 */
public final class Schema {
    /** Rows gone through in one transaction of an index build: few enough to hold up no writer for long. */
    private static final int ROWS_PER_BATCH = 512;

    /**
     * How often one batch of an index build is tried again after a deadlock or a timeout: writers may be busy there.
     */
    private static final int BATCH_RETRIES_MAX = 100;

    private final Instance instance;

    /** The trees that the running change has made; guarded by the exclusive lock of the catalog. */
    private final List<BTree> newTrees = new ArrayList<>();

    Schema(Instance instance) {
        this.instance = instance;
    }

    /** Work inside a transaction over the catalog. */
    private <T> T change(Function<SessionCore, T> work) {
        SessionCore session = new SessionCore(instance);
        try {
            instance.requireWritable();
            session.begin(
                    Isolation.SERIALIZABLE,
                    Durability.SYNC,
                    instance.options().lockTimeout().toNanos(),
                    InstalledTime.nanoTime()
                            + instance.options().transactionTimeout().toNanos());
            T result;
            List<BTree> unused = List.of();
            try {
                session.lock(LockName.ofTable(CatalogStore.TREE_ID), LockMode.X);
                session.cleanUpLocked();
                newTrees.clear();
                unused = newTrees;
                result = work.apply(session);
                session.forceDurable();
                session.commit();
            } catch (Throwable failure) {
                // Behind a commit record the lock may be released, and the list be the next one's.
                rollback(session, session.hasCommitted() ? List.of() : List.copyOf(unused), failure);
                throw failure;
            }
            return result;
        } finally {
            session.close();
        }
    }

    /** Takes a change back, with the trees that it has made. */
    private void rollback(SessionCore session, List<BTree> made, Throwable cause) {
        try {
            session.rollbackAfter(cause);
            if (!instance.health().isFailed() && !session.hasCommitted()) {
                // Nothing but a root so far: rows come later.
                free(made.stream().map(BTree::rootPageId).toList());
            }
        } catch (RuntimeException | Error failure) {
            cause.addSuppressed(failure);
        }
    }

    /** Creates a table with its indexes. */
    public TableReference createTable(TableDefinition definition) {
        TableReference[] created = new TableReference[1];
        change(session -> {
            if (instance.catalog().find(definition.name()) != null) {
                throw new SchemaException(Message.of("the table exists")
                        .with("table", definition.name())
                        .remedy("drop it first, or choose another name"));
            }
            TableState state = newTable(session, definition);
            CatalogStore.insert(session, instance.catalogTree(), stored(state));
            session.afterCommitRecord(() -> {
                long createdBy = session.context().transactionId();
                state.tree().readableFrom(createdBy);
                state.indexes().forEach(index -> index.tree().readableFrom(createdBy));
                created[0] = instance.catalog().add(state);
            });
            return state;
        });
        return created[0];
    }

    private TableState newTable(SessionCore session, TableDefinition definition) {
        int treeId = instance.catalog().takeTreeId();
        BTree tree = newTree(
                session,
                treeId,
                treeId,
                definition.keyFormat(),
                definition.recordFormat().asciiBytesMax());
        List<TableState.IndexState> indexes = new ArrayList<>();
        for (int i = 0; i < definition.indexes().size(); i++) {
            BTree indexTree = newTree(session, instance.catalog().takeTreeId(), treeId, definition.indexFormat(i), 0);
            TreeOperations indexOperations =
                    operations(definition, definition.indexes().get(i));
            indexes.add(new TableState.IndexState(indexTree, indexOperations, false));
        }
        return new TableState(
                definition, tree, TreeOperations.register(instance.scheduler(), definition.name()), indexes);
    }

    private TreeOperations operations(TableDefinition definition, IndexDefinition index) {
        return TreeOperations.register(instance.scheduler(), definition.name() + "." + index.name());
    }

    private BTree newTree(SessionCore session, int treeId, int lockTreeId, KeyFormat format, int rowBytes) {
        int pageId = instance.environment().allocator().allocate();
        BTree tree = new BTree(instance.environment(), treeId, pageId, lockTreeId, format.leadingBytes(), rowBytes);
        try {
            tree.create(session.context());
        } catch (Throwable failure) {
            instance.environment().allocator().free(pageId);
            throw failure;
        }
        newTrees.add(tree);
        return tree;
    }

    /** The catalog's form of a table. */
    static StoredTable stored(TableState state) {
        return stored(state, BTree::rootPageId);
    }

    private static StoredTable stored(TableState state, ToIntFunction<BTree> rootPageId) {
        List<StoredIndex> indexes = new ArrayList<>();
        for (TableState.IndexState index : state.indexes()) {
            indexes.add(new StoredIndex(
                    index.tree().treeId(),
                    rootPageId.applyAsInt(index.tree()),
                    index.building() ? IndexState.BUILDING : IndexState.READY));
        }
        return new StoredTable(state.definition(), state.tree().treeId(), rootPageId.applyAsInt(state.tree()), indexes);
    }

    /**
     * Moves the root of a tree to a lower free page. Nobody waits for it but other changes of the schema; it is as
     * durable as what is committed next.
     *
     * @return false if the table or the tree is gone, or there is no lower free page
     */
    @SuppressWarnings("ReferenceEquality") // that very tree
    boolean moveRoot(TableReference table, BTree tree, Relocation relocation) {
        return change(session -> {
            if (table.isDropped()) {
                return false;
            }
            TableState state = session.open(table, LockMode.IS).table();
            if (tree.isDropped()) {
                return false;
            }
            int toPageId = instance.environment().allocator().allocateBelow(tree.rootPageId());
            if (toPageId < 0) {
                return false;
            }
            StoredTable moved = stored(state, other -> other == tree ? toPageId : other.rootPageId());
            try {
                CatalogStore.moveRoot(session, instance.catalogTree(), moved, tree, toPageId, relocation);
            } catch (Throwable failure) {
                if (tree.rootPageId() != toPageId) {
                    instance.environment().allocator().free(toPageId);
                }
                throw failure;
            }
            return true;
        });
    }

    /** The running form of a table in the catalog. */
    TableState running(StoredTable stored) {
        TableDefinition definition = stored.definition();
        List<TableState.IndexState> indexes = new ArrayList<>();
        for (int i = 0; i < stored.indexes().size(); i++) {
            StoredIndex index = stored.indexes().get(i);
            indexes.add(new TableState.IndexState(
                    new BTree(
                            instance.environment(),
                            index.treeId(),
                            index.rootPageId(),
                            stored.treeId(),
                            definition.indexFormat(i).leadingBytes()),
                    operations(definition, definition.indexes().get(i)),
                    index.state() == IndexState.BUILDING));
        }
        return new TableState(
                definition,
                new BTree(
                        instance.environment(),
                        stored.treeId(),
                        stored.rootPageId(),
                        stored.treeId(),
                        definition.keyFormat().leadingBytes(),
                        definition.recordFormat().asciiBytesMax()),
                TreeOperations.register(instance.scheduler(), definition.name()),
                indexes);
    }

    /** Drops a table and its indexes. Waits for the transactions that use it. */
    public void dropTable(String name) {
        free(change(session -> {
            TableReference table = require(name);
            TableState state = session.open(table, LockMode.X).table();
            List<BTree> dropped = new ArrayList<>(List.of(state.tree()));
            state.indexes().forEach(index -> dropped.add(index.tree()));
            List<Integer> pageIds = pagesOf(dropped, session);
            CatalogStore.delete(session, instance.catalogTree(), name);
            session.afterCommitRecord(() -> {
                dropped.forEach(BTree::markDropped);
                instance.catalog().remove(table);
            });
            return pageIds;
        }));
    }

    /** Creates an index, on an empty or a filled table. */
    public void createIndex(IndexDefinition index) {
        instance.requireWritable();
        dropAbandoned(require(index.table()));
        BTree built = change(session -> {
            TableReference reference = require(index.table());
            TableState state = session.open(reference, LockMode.X).table();
            List<TableState.IndexState> indexes = new ArrayList<>(state.indexes());
            TableDefinition definition = state.definition().withIndex(index);
            BTree tree = newTree(
                    session,
                    instance.catalog().takeTreeId(),
                    state.tree().treeId(),
                    definition.indexFormat(indexes.size()),
                    0);
            indexes.add(new TableState.IndexState(tree, operations(definition, index), true));
            TableState next = new TableState(definition, state.tree(), state.operations(), indexes);
            CatalogStore.update(session, instance.catalogTree(), stored(next));
            session.afterCommitRecord(() -> reference.publish(next));
            return tree;
        });
        TableReference table = require(index.table());
        try {
            fill(table, built);
            setReady(table, built);
        } catch (Throwable failure) {
            abandon(table, built);
            try {
                dropAbandoned(table);
            } catch (RuntimeException | Error suppressed) {
                // Tried again by the next change of this table's schema, and at the latest by the next open.
                failure.addSuppressed(suppressed);
            }
            throw failure;
        }
    }

    /** Has nobody keep up an index any more whose creation has failed. It is seen by nobody already. */
    private static void abandon(TableReference table, BTree built) {
        int position = positionOf(table.state(), built);
        if (position >= 0 && table.state().indexes().get(position).building()) {
            built.markAbandoned();
        }
    }

    /** Where an index is among those of its table, -1 if it was dropped: one made since may have its name. */
    @SuppressWarnings("ReferenceEquality") // that very tree
    private static int positionOf(TableState state, BTree tree) {
        for (int i = 0; i < state.indexes().size(); i++) {
            if (state.indexes().get(i).tree() == tree) {
                return i;
            }
        }
        return -1;
    }

    private static int requirePosition(TableState state, BTree built) {
        int position = positionOf(state, built);
        if (position < 0) {
            throw new SchemaException(Message.of("the index was dropped while it was created")
                    .with("table", state.definition().name())
                    .remedy("create it again, if it is wanted"));
        }
        return position;
    }

    /** Drops what failed creations of indexes have left because somebody held the table's lock. */
    private void dropAbandoned(TableReference table) {
        for (TableState.IndexState index : table.state().indexes()) {
            if (index.abandoned()) {
                // Somebody else may do the same.
                drop(table.name(), state -> positionOf(state, index.tree()));
            }
        }
    }

    private void fill(TableReference table, BTree built) {
        SessionCore session = new SessionCore(instance);
        try {
            Record row = new Record(table.state().definition());
            Record last = null;
            // Ends with the table: each batch begins behind the last row of the one before.
            while (true) {
                Record reached = fillBatchWithRetries(session, table, built, last, row);
                if (reached == null) {
                    return;
                }
                last = reached;
            }
        } finally {
            session.close();
        }
    }

    private Record fillBatchWithRetries(
            SessionCore session, TableReference table, BTree built, Record last, Record row) {
        for (int retry = 0; ; retry++) {
            try {
                return fillBatch(session, table, built, last, row);
            } catch (LockstepException failure) {
                if (!failure.isRetryable() || retry == BATCH_RETRIES_MAX) {
                    throw failure;
                }
            }
        }
    }

    /** Adds the entries of the next rows; null when there are no more rows. */
    private Record fillBatch(SessionCore session, TableReference table, BTree built, Record last, Record row) {
        // A crash drops an index that is not ready, so nothing is promised before it is.
        session.begin(
                Isolation.REPEATABLE_READ,
                Durability.NONE,
                instance.options().lockTimeout().toNanos(),
                InstalledTime.nanoTime()
                        + instance.options().transactionTimeout().toNanos());
        try {
            TableAccess access = session.open(table, LockMode.IX);
            int position = requirePosition(access.table(), built);
            RangeScan scan = new RangeScan(session);
            scan.overTable(access, table);
            if (last != null) {
                scan.behind(last);
            }
            int rows = 0;
            while (rows < ROWS_PER_BATCH && scan.next(row)) {
                access.insertMissingEntry(position, row);
                rows++;
            }
            session.commit();
            return rows == 0 ? null : new Record(access.table().definition()).copyFrom(row);
        } catch (Throwable failure) {
            session.rollbackAfter(failure);
            throw failure;
        }
    }

    private void setReady(TableReference table, BTree built) {
        change(session -> {
            TableState state = session.open(table, LockMode.X).table();
            List<TableState.IndexState> indexes = new ArrayList<>(state.indexes());
            int position = requirePosition(state, built);
            TableState.IndexState building = indexes.get(position);
            indexes.set(position, new TableState.IndexState(building.tree(), building.operations(), false));
            TableState next = new TableState(state.definition(), state.tree(), state.operations(), indexes);
            CatalogStore.update(session, instance.catalogTree(), stored(next));
            session.afterCommitRecord(() -> {
                building.tree().readableFrom(session.context().transactionId());
                table.publish(next);
            });
            return position;
        });
    }

    /** Drops an index. Waits for the transactions that use its table. */
    public void dropIndex(String tableName, String index) {
        instance.requireWritable();
        dropAbandoned(require(tableName));
        drop(tableName, state -> state.definition().indexPosition(index));
    }

    /**
     * Drops the index at a position of a table's state, which is looked at under the table's lock; none if negative.
     */
    private void drop(String tableName, ToIntFunction<TableState> positionOf) {
        free(change(session -> {
            TableReference table = require(tableName);
            TableState state = session.open(table, LockMode.X).table();
            int position = positionOf.applyAsInt(state);
            if (position < 0) {
                return List.of();
            }
            List<TableState.IndexState> indexes = new ArrayList<>(state.indexes());
            BTree dropped = indexes.remove(position).tree();
            String index = state.definition().indexes().get(position).name();
            List<Integer> pageIds = pagesOf(List.of(dropped), session);
            TableState next =
                    new TableState(state.definition().withoutIndex(index), state.tree(), state.operations(), indexes);
            CatalogStore.update(session, instance.catalogTree(), stored(next));
            session.afterCommitRecord(() -> {
                dropped.markDropped();
                table.publish(next);
            });
            return pageIds;
        }));
    }

    private TableReference require(String name) {
        TableReference table = instance.catalog().find(name);
        if (table == null) {
            throw new SchemaException(Message.of("there is no such table")
                    .with("table", name)
                    .with("tables", instance.catalog().names())
                    .remedy("create it with createTable()"));
        }
        return table;
    }

    /**
     * All pages of trees whose table is locked exclusively: nobody adds one, gives one back or moves one. Read before
     * the catalog forgets the trees, since a page that cannot be read is then a drop that has not happened; afterwards
     * it would be pages that nobody finds any more.
     */
    private List<Integer> pagesOf(List<BTree> trees, SessionCore session) {
        List<Integer> pageIds = new ArrayList<>();
        trees.forEach(tree -> new TreeWalk(tree, session.context()).visitPages(pageIds::add));
        Consumer<Integer> leaves = instance.environment().allocator()::leaves;
        pageIds.forEach(leaves);
        return pageIds;
    }

    private void free(List<Integer> pageIds) {
        Consumer<Integer> free = pageId -> {
            instance.environment().pool().forget(pageId);
            instance.environment().allocator().free(pageId);
        };
        LostPages lostPages = instance.lostPagesOrNull();
        if (lostPages == null) {
            pageIds.forEach(free);
        } else {
            lostPages.betweenReads(() -> pageIds.forEach(free));
        }
    }
}
