package dev.lockstep.engine.instance;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.Isolation;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.TableDefinition;
import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.LeafChange;
import dev.lockstep.engine.btree.PoolRedo;
import dev.lockstep.engine.buffer.BufferPool;
import dev.lockstep.engine.file.PageFile;
import dev.lockstep.engine.log.LogReader;
import dev.lockstep.engine.log.LogRecordType;
import dev.lockstep.engine.log.LogRecordView;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.operation.UndoOperation;
import dev.lockstep.engine.recovery.Checkpoint;
import dev.lockstep.engine.recovery.Recovery;
import dev.lockstep.engine.transaction.UndoBuffer;
import dev.lockstep.engine.type.KeyFormat;
import dev.lockstep.engine.type.StoredTable;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Brings a database back after a crash: redo by page, then undo by key.
 *
 * <p>Undo may split nodes, and must not take a page for that to which it returns later: the value before an update,
 * say, whose overflow pages only the log still names. So the page bitmap has, before undo begins, every page that was
 * in use or held at the crash. Such a page was allocated either before the checkpoint read the bitmap, and has not been
 * given back since then, or behind that, and its first contents are in the log. What was given back before the bitmap
 * was read is not needed: whatever left it behind is in the log before the end that the checkpoint has waited for.
 * Pages too many, which were given back since the checkpoint, are left to {@link LostPages}.
 */
final class CrashRecovery {
    /**
     * Segments of the log beyond which it is given up at once. Every opening begins one, however short: a process that
     * is killed again and again soon after it has started would fill its directory with them. With segments and
     * checkpoints as they are by default, a database in use has about as many.
     */
    static final int SEGMENTS_MAX = 8;

    /**
     * How much log in front of redo is looked at for pages to be read, at most: some 900 records of TPC-C and as many
     * hundred pages as make up for the time that the disk takes, without which each page costs two changes of thread.
     */
    private static final long AHEAD_BYTES_MAX = 1 << 17;

    /** So that pages that were read ahead fill no more than a fraction of a small pool: a record takes 64 or more. */
    private static final long AHEAD_BYTES_PER_FRAME = 16;

    private final Recovery recovery;
    private final LogReader reader;
    private final Checkpoint checkpoint;
    private final PoolRedo pages;

    /**
     * @param readsAhead whether pages are read before redo comes to them
     */
    CrashRecovery(LogReader reader, Checkpoint checkpoint, BufferPool pool, boolean readsAhead) {
        this.reader = reader;
        this.checkpoint = checkpoint;
        pages = new PoolRedo(pool);
        long aheadBytes = readsAhead ? Math.min(AHEAD_BYTES_MAX, pool.frameCount() * AHEAD_BYTES_PER_FRAME) : 0;
        recovery = new Recovery(reader, checkpoint.redoScanLsn(), pages, aheadBytes);
    }

    /**
     * Repeats the log; the LSN at which it ends.
     *
     * @throws CorruptionException if the log or a page that it names is damaged, or such a page is newer than the log
     */
    long redo() {
        long endLsn = recovery.redo();
        pages.requireNoDamage();
        if (pages.lsnMax() >= endLsn) {
            throw PageFile.newerThanLog(pages.newestPageId(), pages.lsnMax(), endLsn);
        }
        return endLsn;
    }

    /** Whether the log is in so many pieces that the next recovery should begin behind them. */
    boolean wantsCheckpoint() {
        return reader.segmentCount() > SEGMENTS_MAX;
    }

    /** Rolls back what had not committed. */
    void undo(Instance instance) {
        SessionCore session = new SessionCore(instance);
        try {
            // A tree that was created and dropped since the checkpoint has left its pages.
            instance.catalog().sawTreeId(pages.treeIdMax());
            instance.environment().allocator().loadSuperset(inUseAtMost());
            Map<Integer, BTree> trees = trees(instance, session);
            UndoOperation operation = new UndoOperation(instance.locks(), instance.transactions(), session.context);
            var report = recovery.undo(
                    instance.log(),
                    (record, lastLsn) -> undo(session, operation, trees, record, lastLsn),
                    session.context.waiter());
            instance.transactions().sawTransactionId(report.transactionIdMax());
            instance.recovered(report);
        } finally {
            session.context.logEnded();
            session.close();
            reader.close();
        }
    }

    private static long undo(
            SessionCore session,
            UndoOperation operation,
            Map<Integer, BTree> trees,
            LogRecordView record,
            long lastLsn) {
        NativeMemory body = record.body();
        BTree tree = trees.get(LeafChange.treeId(body));
        if (tree == null) {
            throw new CorruptionException(Message.of("the log names a tree that the catalog does not know")
                    .with("treeId", LeafChange.treeId(body))
                    .with("lsn", record.lsn())
                    .remedy("restore the database from a backup"));
        }
        session.context.begin(Isolation.SERIALIZABLE, Long.MAX_VALUE, Long.MAX_VALUE);
        session.context.identify(record.transactionId(), record.lsn());
        session.context.appended(lastLsn);
        byte kind =
                switch (record.type()) {
                    case LogRecordType.INSERT -> UndoBuffer.INSERT;
                    case LogRecordType.UPDATE -> UndoBuffer.UPDATE;
                    default -> UndoBuffer.DELETE;
                };
        operation.startFromLog(tree, kind, body, record.previousLsn());
        session.driver.runPlain(operation);
        return session.context.lastLsn();
    }

    /**
     * The trees that the catalog names. Before undo they are also all whose records may have to be undone: who drops a
     * table holds its exclusive lock from before the catalog's entry is deleted until the drop has ended, so no other
     * loser has changed it, and the drop itself has changed the catalog alone.
     */
    static Map<Integer, BTree> trees(Instance instance, SessionCore session) {
        Map<Integer, BTree> trees = new HashMap<>();
        trees.put(CatalogStore.TREE_ID, instance.catalogTree());
        List<StoredTable> tables = CatalogStore.readRaw(session, instance.catalogTree());
        for (StoredTable table : tables) {
            TableDefinition definition = table.definition();
            addTree(instance, trees, table.treeId(), table.rootPageId(), table.treeId(), definition.keyFormat());
            for (int i = 0; i < table.indexes().size(); i++) {
                StoredTable.StoredIndex index = table.indexes().get(i);
                addTree(instance, trees, index.treeId(), index.rootPageId(), table.treeId(), definition.indexFormat(i));
            }
        }
        return trees;
    }

    private static void addTree(
            Instance instance,
            Map<Integer, BTree> trees,
            int treeId,
            int rootPageId,
            int lockTreeId,
            KeyFormat format) {
        trees.put(treeId, new BTree(instance.environment(), treeId, rootPageId, lockTreeId, format.leadingBytes()));
        instance.catalog().sawTreeId(treeId);
    }

    /** The pages that the checkpoint has in use and those that a log record behind it names. */
    private long[] inUseAtMost() {
        BitSet pageIds = BitSet.valueOf(checkpoint.pageBitmap());
        pageIds.or(pages.named());
        pageIds.set(0);
        return pageIds.toLongArray();
    }
}
