package dev.lockstep.engine.instance;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.ReadOnlyException;
import dev.lockstep.engine.SchemaException;
import dev.lockstep.engine.StorageException;
import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.catalog.TableReference;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.operation.RecordOperation;
import dev.lockstep.engine.operation.SnapshotFetchOperation;
import dev.lockstep.engine.transaction.Snapshot;
import dev.lockstep.engine.transaction.TransactionContext;

/**
 * The snapshot of a session's transaction, and what is asked before and after each read of it.
 *
 * <p>Invariant: {@code snapshot} is not null exactly between {@link #open} and {@link #close}; it is then open in the
 * table of transactions.
 *
 * <p>Used by one thread at a time.
 */
final class SnapshotReading {
    private final Instance instance;
    private final TransactionContext context;
    private final OperationDriver driver;
    private Snapshot snapshot;
    private SnapshotFetchOperation fetch;

    SnapshotReading(Instance instance, TransactionContext context, OperationDriver driver) {
        this.instance = instance;
        this.context = context;
        this.driver = driver;
    }

    boolean isOpen() {
        return snapshot != null;
    }

    Snapshot snapshot() {
        return snapshot;
    }

    /** The operation that reads rows of a snapshot; made when first asked for. */
    SnapshotFetchOperation fetch() {
        if (fetch == null) {
            fetch = new SnapshotFetchOperation(instance.locks(), instance.transactions(), context);
        }
        return fetch;
    }

    /**
     * Opens a snapshot, and waits for nobody.
     *
     * @param durably whether all that it shows has to be on disk: it starts at the last durable commit then
     */
    void open(boolean durably) {
        snapshot = instance.transactions().openSnapshot(instance.options().snapshotBytesMax(), durably);
    }

    /** Closes the snapshot, if there is one. */
    void close() {
        Snapshot closing = snapshot;
        if (closing != null) {
            // First: the close may find no memory, and the next transaction of the session must not read this one.
            snapshot = null;
            closing.close();
        }
    }

    /**
     * A snapshot is read without locks, and a table in it only if it was there when the snapshot was opened.
     *
     * @param mode the lock that another transaction would need
     * @throws ReadOnlyException if it is not one for reading
     * @throws SchemaException if the table was created since, or dropped
     */
    void requireTable(TableReference table, int mode) {
        if (mode != LockMode.IS) {
            throw new ReadOnlyException(Message.of("a transaction that reads a snapshot changes and locks nothing")
                    .with("table", table.name())
                    .with("snapshot", true)
                    .remedy("do this in a transaction without readOnlySnapshot()"));
        }
        requireTree(table.state().tree(), table.name());
    }

    /**
     * @throws SchemaException if the tree was made known after the snapshot was opened
     */
    void requireTree(BTree tree, String name) {
        if (!snapshot.isVisible(tree.readableFromId())) {
            throw new SchemaException(Message.of("the table or index was created after the snapshot was opened")
                    .with("name", name)
                    .remedy("begin a new snapshot"));
        }
    }

    /** Runs an operation that reads the snapshot, and then decides whether it has. */
    void run(RecordOperation operation, int list, boolean yieldFirst) {
        BTree tree = operation.tree();
        try {
            if (yieldFirst) {
                driver.runAfterYield(operation, list);
            } else {
                driver.run(operation, list);
            }
        } catch (StorageException | CorruptionException failure) {
            // Pages of a tree that was dropped meanwhile may be anything.
            requireRead(tree);
            throw failure;
        }
        requireRead(tree);
    }

    private void requireRead(BTree tree) {
        snapshot.requireReadable();
        if (tree.isDropped()) {
            throw new SchemaException(Message.of("the table or index was dropped after the snapshot was opened")
                    .with("treeId", tree.treeId())
                    .remedy("read it before it is dropped; a snapshot holds no locks that would keep it"));
        }
    }
}
