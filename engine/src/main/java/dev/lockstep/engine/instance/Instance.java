package dev.lockstep.engine.instance;

import dev.lockstep.engine.BackupReport;
import dev.lockstep.engine.CompactionReport;
import dev.lockstep.engine.DatabaseClosedException;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.DiskFullException;
import dev.lockstep.engine.MaintenanceRefusedException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.ProgressListener;
import dev.lockstep.engine.ReadOnlyException;
import dev.lockstep.engine.StorageException;
import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.TreeEnvironment;
import dev.lockstep.engine.buffer.BufferPool;
import dev.lockstep.engine.catalog.Catalog;
import dev.lockstep.engine.file.EngineThreads;
import dev.lockstep.engine.lock.LockManager;
import dev.lockstep.engine.log.Log;
import dev.lockstep.engine.log.LogRecordLayout;
import dev.lockstep.engine.recovery.Checkpointer;
import dev.lockstep.engine.recovery.RecoveryReport;
import dev.lockstep.engine.transaction.TransactionTable;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.Waiter;
import java.nio.file.Path;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * The parts of an open database and how they hang together. Made by {@link InstanceOpener}; thread-safe.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code log} is null exactly for databases in memory, for durability NONE, and for those open for reading only.
 *   <li>{@code files} is null exactly for databases in memory.
 *   <li>After {@code closed} is set no transaction begins.
 *   <li>{@code maintenance} names the one backup, compaction or validation that runs, or is null.
 * </ul>
 */
public final class Instance {
    /**
     * Groups of stripes of the lock table: so many that a tenant or warehouse that one processor serves is rarely in a
     * group with one of the few dozen that another serves.
     */
    private static final int LOCK_GROUPS = 64;

    /**
     * Stripes of a group for each processor, all of which may work in one group. A stripe is latched for some ten
     * nanoseconds, so two threads rarely meet in one; and a visit touches half a dozen cache lines that stay in the L1
     * only while a transaction visits few stripes.
     */
    private static final int LOCK_STRIPES_PER_PROCESSOR = 4;

    private final DatabaseOptions options;
    private final Scheduler scheduler;
    private final Health health;
    private final BufferPool pool;
    private final TreeEnvironment environment;
    private final Log log;
    private final LockManager locks;
    private final TransactionTable transactions;
    private final Catalog catalog;
    private final BTree catalogTree;
    private final GateOperations operations;
    private final Schema schema;
    private final InstanceFiles files;
    private final AtomicReference<String> maintenance = new AtomicReference<>();
    private final TransactionLimit transactionLimit;
    private final ThreadPoolExecutor idleRollbacks = EngineThreads.oneAfterTheOther("lockstep-idle-rollback");
    private final long logFirstLsn;
    private RecoveryReport recoveryReport;
    private LostPages lostPagesOrNull;
    private volatile boolean closed;

    Instance(
            DatabaseOptions options,
            Scheduler scheduler,
            Health health,
            TreeEnvironment environment,
            TransactionTable transactions,
            Catalog catalog,
            InstanceFiles files) {
        this.options = options;
        this.scheduler = scheduler;
        this.health = health;
        locks = new LockManager(LOCK_GROUPS, lockStripesPerGroup(), health::check);
        health.onFailure(locks::wakeAll);
        this.environment = environment;
        this.pool = environment.pool();
        this.log = environment.log();
        this.transactions = transactions;
        this.catalog = catalog;
        locks.namePlacesBy(catalog::describe);
        this.files = files;
        catalogTree = new BTree(environment, CatalogStore.TREE_ID, CatalogStore.ROOT_PAGE_ID, CatalogStore.TREE_ID, 0);
        operations = GateOperations.register(scheduler);
        schema = new Schema(this);
        int openMax = options.openTransactionCountMax();
        logFirstLsn = log == null ? 0 : log.tailLsn();
        transactionLimit =
                openMax == DatabaseOptions.OPEN_TRANSACTION_COUNT_UNLIMITED ? null : new TransactionLimit(openMax);
        if (log != null && options.durableSnapshots()) {
            transactions.expectSnapshots(log, options.snapshotBytesMax());
        }
    }

    private static int lockStripesPerGroup() {
        int processors = Runtime.getRuntime().availableProcessors();
        if (processors == 1) {
            // Nobody works beside another, and locks that are taken together are then all of one stripe.
            return 1;
        }
        int wanted = LOCK_STRIPES_PER_PROCESSOR * processors;
        return Math.min(LockManager.STRIPES_MAX / LOCK_GROUPS, 2 * Integer.highestOneBit(wanted - 1));
    }

    public DatabaseOptions options() {
        return options;
    }

    /** The scheduler whose S-threads run transactions, or null. */
    public Scheduler scheduler() {
        return scheduler;
    }

    public Health health() {
        return health;
    }

    public BufferPool pool() {
        return pool;
    }

    public TreeEnvironment environment() {
        return environment;
    }

    /** The log, or null where none is written. */
    public Log log() {
        return log;
    }

    public LockManager locks() {
        return locks;
    }

    public TransactionTable transactions() {
        return transactions;
    }

    /** How many transactions of applications may be open, or null without a limit. */
    public TransactionLimit transactionLimit() {
        return transactionLimit;
    }

    /**
     * Rolls transactions back that were taken from their threads. There may be as many as there are sessions, and their
     * rollbacks mostly wait for the same disk: so not a thread for each.
     */
    public ThreadPoolExecutor idleRollbacks() {
        return idleRollbacks;
    }

    public Catalog catalog() {
        return catalog;
    }

    BTree catalogTree() {
        return catalogTree;
    }

    GateOperations operations() {
        return operations;
    }

    public Schema schema() {
        return schema;
    }

    /** What recovery did at open; null for a new database and after a clean close. */
    public RecoveryReport recoveryReport() {
        return recoveryReport;
    }

    void recovered(RecoveryReport report) {
        recoveryReport = report;
    }

    /** What looks for lost pages, or has; null for a new database and after a clean close. */
    LostPages lostPagesOrNull() {
        return lostPagesOrNull;
    }

    /** Pages that nothing leads to could not be given back: the next open has to look for them. */
    void pagesAreLost() {
        environment.allocator().pagesAreLost();
    }

    /** Whether pages may be in use that nothing leads to and that nobody looks for now. */
    boolean hasLostPages() {
        return environment.allocator().hasLostPages();
    }

    void looksFor(LostPages lostPages) {
        lostPagesOrNull = lostPages;
    }

    /** Waits until lost pages are found, or the search has been given up, so that nobody reads beside the caller. */
    public void endSearchForLostPages() {
        if (lostPagesOrNull != null) {
            lostPagesOrNull.tryEnd();
        }
    }

    /** Waits until the bitmap of the pages in use is exact. */
    private void awaitExactBitmap() {
        if (lostPagesOrNull != null) {
            lostPagesOrNull.awaitEnd();
        }
    }

    /**
     * Waits outside any session until the log is durable up to a record, which {@link Log#signalWhenDurable} was told.
     *
     * @param lsn of the record
     * @param waiter the one that was named there
     */
    public void awaitDurableSignal(long lsn, Waiter waiter) {
        StackReserve.require(OperationDriver.FRAMES_PER_WAIT, (int) (lsn / LogRecordLayout.ALIGNMENT_BYTES));
        try {
            log.awaitDurableSignal(lsn, waiter);
        } catch (StackOverflowError full) {
            // In the middle of the wait, where a latch may be left taken.
            health.fail(full);
            throw full;
        }
    }

    public SessionCore newSession() {
        requireOpen();
        return new SessionCore(this);
    }

    /**
     * @throws ReadOnlyException if the database was opened for reading only
     */
    void requireWritable() {
        if (options.readOnly()) {
            throw new ReadOnlyException(Message.of("the database was opened for reading only")
                    .with("readOnly", true)
                    .remedy("open it without readOnly to change it"));
        }
    }

    /**
     * @throws DatabaseClosedException after close
     */
    public void requireOpen() {
        if (closed) {
            throw new DatabaseClosedException(
                    Message.of("the database is closed").with("closed", true).remedy("open it again"));
        }
    }

    /** The checkpointer, or null where none runs: without log, or for reading only. */
    public Checkpointer checkpointerOrNull() {
        return files == null ? null : files.checkpointer();
    }

    /** The LSN from which recovery would read the log as of the last checkpoint. For statistics. */
    public long logKeptFromLsn() {
        Checkpointer checkpointer = checkpointerOrNull();
        long last = checkpointer == null ? 0 : checkpointer.lastRedoScanLsn();
        return last == 0 ? logFirstLsn : last;
    }

    /** Writes a checkpoint, if there are files. */
    public void checkpoint() {
        requireOpen();
        health.check();
        if (files != null) {
            files.checkpoint(this);
        }
    }

    /**
     * Copies everything into another directory, beside the running transactions.
     *
     * @throws MaintenanceRefusedException if there are no files, no log, or other maintenance is under way
     */
    public BackupReport backup(Path target, ProgressListener progress) {
        requireOpen();
        health.check();
        if (files == null || (log == null && !options.readOnly())) {
            throw new MaintenanceRefusedException(Message.of("only a database with files and a log can be copied")
                    .with("durability", options.durability())
                    .remedy("open it with a directory and durability SYNC or ASYNC"));
        }
        return maintain("backup", () -> files.backup(this, target, progress));
    }

    /**
     * Makes the data file shorter, beside the running transactions.
     *
     * @throws MaintenanceRefusedException if there are no files, no log, or other maintenance is under way
     */
    public CompactionReport compact(ProgressListener progress) {
        requireOpen();
        requireWritable();
        health.check();
        if (files == null || log == null) {
            throw new MaintenanceRefusedException(Message.of("only a database with files and a log can be compacted")
                    .with("durability", options.durability())
                    .remedy("open it with a directory and durability SYNC or ASYNC"));
        }
        awaitExactBitmap();
        return maintain("compaction", () -> files.compact(this, progress));
    }

    /**
     * Backups and compactions exclude each other: a copy needs every page that its log names. A validation wants a
     * database at rest, and no session knows of the transactions of a compaction.
     */
    private <T> T maintain(String activity, Supplier<T> work) {
        String other = maintenance.compareAndExchange(null, activity);
        if (other != null) {
            throw new MaintenanceRefusedException(Message.of("another maintenance of the database is under way")
                    .with("activity", other)
                    .remedy("wait until it has ended"));
        }
        try {
            return work.get();
        } finally {
            maintenance.set(null);
        }
    }

    /**
     * Checks everything that can be checked while nobody changes anything.
     *
     * @throws MaintenanceRefusedException if other maintenance is under way
     */
    public Validation.Report validate() {
        requireOpen();
        awaitExactBitmap();
        return maintain("validation", () -> new Validation(this).run());
    }

    /**
     * Closes the files; the caller has made sure that no session is left.
     *
     * @throws DiskFullException if there is no room for what has to be written; {@link #isClosed} says what became of
     *     it
     * @throws StorageException if the system refuses to write it; {@link #isClosed} says the same
     */
    public void close() {
        closed = true;
        if (files == null) {
            pool.close();
            return;
        }
        try {
            files.close(this);
        } finally {
            closed = files.released();
        }
    }

    public boolean isClosed() {
        return closed;
    }

    /** Leaves everything as a crash would: for tests of recovery. */
    public void abandon() {
        closed = true;
        health.fail(new DatabaseClosedException(
                Message.of("the database was abandoned").with("closed", true).remedy("open it again")));
        if (files == null) {
            pool.close();
        } else {
            files.abandon(this);
        }
    }
}
