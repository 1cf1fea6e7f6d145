package dev.lockstep.engine;

import dev.lockstep.engine.buffer.BufferStatistics;
import dev.lockstep.engine.catalog.TableReference;
import dev.lockstep.engine.file.DiskStorage;
import dev.lockstep.engine.file.Storage;
import dev.lockstep.engine.instance.CallGate;
import dev.lockstep.engine.instance.Instance;
import dev.lockstep.engine.instance.InstanceOpener;
import dev.lockstep.engine.instance.Validation;
import dev.lockstep.engine.instance.Verification;
import dev.lockstep.engine.lock.LockStatistics;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.engine.log.LogStatistics;
import dev.lockstep.engine.proof.OtherStorage;
import dev.lockstep.engine.salvage.FileInspector;
import dev.lockstep.engine.salvage.Salvage;
import dev.lockstep.scheduler.Scheduler;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * An open database. Thread-safe; close it when done.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code sessions} holds the sessions that applications have opened and not closed; while one of them has an open
 *       transaction the database does not close.
 *   <li>Calls that work on the instance without a session are inside {@code gate}, and the instance is closed only when
 *       none is.
 *   <li>{@code pooled} holds idle sessions for {@link #run}, one for each thread that was inside it at the same time.
 * </ul>
 */
public final class Database implements AutoCloseable {
    static {
        OtherStorage.register(new OtherStorage.Access() {
            @Override
            public Database open(Storage storage, Path directory, DatabaseOptions options, LogOptions logOptions) {
                Database opened = Database.open(storage, directory, options, null, logOptions);
                opened.instance.endSearchForLostPages();
                return opened;
            }

            @Override
            public void abandon(Database database) {
                database.abandon();
            }
        });
    }

    /** Of the database that a salvage fills: rows come in the order of their keys, entries of indexes in any. */
    private static final long SALVAGE_POOL_BYTES = 64 << 20;

    private final Instance instance;
    private final String name;
    private final TransactionOptions transactionOptions;
    private final Set<Session> sessions = ConcurrentHashMap.newKeySet();
    private final ConcurrentLinkedDeque<Session> pooled = new ConcurrentLinkedDeque<>();
    private final CallGate gate = new CallGate();

    private volatile Consumer<Database> beforeClose;
    private volatile boolean closed;

    private Database(Instance instance, String name) {
        this.instance = instance;
        this.name = name;
        transactionOptions = TransactionOptions.of(instance.options());
        DatabaseEvents.opened(this);
    }

    /**
     * Opens the database of a directory, or creates it, with the usual options.
     *
     * @param directory where its files are; made if it does not exist
     * @return the open database
     */
    public static Database open(Path directory) {
        return open(directory, DatabaseOptions.builder().createIfMissing(true).build());
    }

    /**
     * Opens the database of a directory, or creates it if the options allow. After a crash this recovers everything
     * that was acknowledged.
     *
     * @param directory where its files are
     * @param options how it works
     * @return the open database
     * @throws MissingFileException if there is none and none may be created, or one of its files is missing
     * @throws DatabaseInUseException if somebody, in this process or another, has it open
     * @throws TruncatedFileException if a file is shorter than what it ought to hold
     * @throws UnknownFormatException if the files belong to something else
     * @throws NewerFormatException if a later version of the engine has written them
     * @throws OlderFormatException if a version wrote them whose format is no longer read
     * @throws IncompleteCopyException if the directory holds a backup or a salvage that did not come to its end
     * @throws CorruptionException if what was acknowledged cannot be recovered, because files are damaged
     * @throws UncleanShutdownException if it was used without a log and not closed in order
     * @throws ReadOnlyException if it is to be opened for reading and needs recovery
     * @throws DiskFullException if there is no room for a file
     * @throws StorageException if a file cannot be read or written
     */
    public static Database open(Path directory, DatabaseOptions options) {
        return open(directory, options, null);
    }

    /**
     * Opens a database whose transactions may run on the S-threads of a scheduler. Throws what {@link #open(Path,
     * DatabaseOptions)} does.
     *
     * @param directory where its files are
     * @param options how it works
     * @param scheduler the scheduler, or null
     * @return the open database
     */
    public static Database open(Path directory, DatabaseOptions options, Scheduler scheduler) {
        return open(
                DiskStorage.of(options.uncachedWrites()),
                directory,
                options,
                scheduler,
                InstanceOpener.defaultLogOptions(options));
    }

    /**
     * Opens a database on another file system, or with a log that behaves as an experiment wants it.
     *
     * @param storage the file system
     * @param directory where its files are
     * @param options how it works
     * @param scheduler the scheduler, or null
     * @param logOptions how the log works
     * @return the open database
     */
    static Database open(
            Storage storage, Path directory, DatabaseOptions options, Scheduler scheduler, LogOptions logOptions) {
        return new Database(
                new InstanceOpener(options, scheduler, logOptions).open(storage, directory), directory.toString());
    }

    /**
     * Makes an empty database that lives in memory and is gone when it is closed. The pool holds all of it.
     *
     * @param options how it works; no transaction waits for a disk, whatever its durability
     * @return the open database
     */
    public static Database inMemory(DatabaseOptions options) {
        return inMemory(options, null);
    }

    /**
     * Makes an empty database in memory whose transactions may run on the S-threads of a scheduler.
     *
     * @param options how it works
     * @param scheduler the scheduler, or null
     * @return the open database
     */
    public static Database inMemory(DatabaseOptions options, Scheduler scheduler) {
        return new Database(new InstanceOpener(options, scheduler).openInMemory(), "(in memory)");
    }

    /**
     * Creates a table with its indexes, atomically and durably. Changes of the schema wait for each other, here for
     * {@link DatabaseOptions#lockTimeout()} at most.
     *
     * @param definition the table
     * @return a handle on it
     * @throws SchemaException if it exists
     * @throws LockTimeoutException if another change of the schema runs for longer; there is no table then
     * @throws TransactionTimeoutException if that takes until {@link DatabaseOptions#transactionTimeout()}; there is no
     *     table then
     * @throws InterruptedOperationException if the thread is interrupted while it waits; there is no table then
     * @throws ReadOnlyException if the database is open for reading
     * @throws DatabaseClosedException if the database is closed or being closed
     */
    public Table createTable(TableDefinition definition) {
        return inside(() -> new Table(instance.schema().createTable(definition)));
    }

    /**
     * A handle on a table.
     *
     * @param name its name
     * @return the handle
     * @throws SchemaException if there is no such table
     * @throws DatabaseClosedException if the database is closed or being closed
     */
    public Table table(String name) {
        requireOpen();
        TableReference reference = instance.catalog().find(name);
        if (reference == null) {
            throw new SchemaException(Message.of("there is no such table")
                    .with("table", name)
                    .with("tables", tableNames())
                    .remedy("create it with createTable()"));
        }
        return new Table(reference);
    }

    /**
     * The names of all tables.
     *
     * @return sorted
     * @throws DatabaseClosedException if the database is closed or being closed
     */
    public List<String> tableNames() {
        requireOpen();
        return instance.catalog().names();
    }

    /**
     * Drops a table and its indexes, atomically and durably. Waits for transactions that use it, for {@link
     * DatabaseOptions#lockTimeout()} at most; for one that the calling thread itself has open in vain.
     *
     * @param name its name
     * @throws SchemaException if there is no such table
     * @throws LockTimeoutException if a transaction uses it for longer; nothing has changed
     * @throws TransactionTimeoutException if the drop takes until {@link DatabaseOptions#transactionTimeout()}; nothing
     *     has changed
     * @throws InterruptedOperationException if the thread is interrupted while it waits; nothing has changed
     * @throws DeadlockException if the transactions that it waits for wait for it; nothing has changed
     * @throws ReadOnlyException if the database is open for reading
     * @throws DatabaseClosedException if the database is closed or being closed
     */
    public void dropTable(String name) {
        inside(() -> instance.schema().dropTable(name));
    }

    /**
     * Creates an index, on a filled table too, atomically and durably. Others go on using the table: it is locked for
     * moments, at the beginning and at the end, which wait for the transactions that use it, for {@link
     * DatabaseOptions#lockTimeout()} at most; for one that the calling thread itself has open in vain. A change by
     * which a row would get the key of another one in a unique index is refused as soon as that one has its entry; a
     * row that has not been reached has none yet, and if the two have still one key when it is reached, the creation
     * fails. A change that makes a row too long for an entry is refused as well. Both errors name the index, which
     * {@link Table#definition()} does not list before it is done.
     *
     * @param index the index
     * @throws DuplicateKeyException if the index is unique and rows are not; there is no index then
     * @throws RecordTooLargeException if a row is too long for an entry; there is no index then
     * @throws SchemaException if there is no such table or column, or such an index
     * @throws LockTimeoutException if a transaction uses the table for too long; there is no index then
     * @throws TransactionTimeoutException if one of its steps takes until {@link DatabaseOptions#transactionTimeout()};
     *     there is no index then
     * @throws InterruptedOperationException if the thread is interrupted while it waits; there is no index then
     * @throws DeadlockException if the transactions that it waits for wait for it; there is no index then
     * @throws ReadOnlyException if the database is open for reading
     * @throws DatabaseClosedException if the database is closed or being closed
     */
    public void createIndex(IndexDefinition index) {
        inside(() -> instance.schema().createIndex(index));
    }

    /**
     * Drops an index, atomically and durably. Waits for transactions that use its table; for one that the calling
     * thread itself has open in vain.
     *
     * @param table the name of its table
     * @param index its name
     * @throws SchemaException if there is no such table or index
     * @throws LockTimeoutException if a transaction uses the table for longer than {@link
     *     DatabaseOptions#lockTimeout()}; nothing has changed
     * @throws TransactionTimeoutException if the drop takes until {@link DatabaseOptions#transactionTimeout()}; nothing
     *     has changed
     * @throws InterruptedOperationException if the thread is interrupted while it waits; nothing has changed
     * @throws DeadlockException if the transactions that it waits for wait for it; nothing has changed
     * @throws ReadOnlyException if the database is open for reading
     * @throws DatabaseClosedException if the database is closed or being closed
     */
    public void dropIndex(String table, String index) {
        inside(() -> instance.schema().dropIndex(table, index));
    }

    /**
     * Opens a session for a thread that runs many transactions.
     *
     * @return the session
     * @throws DatabaseClosedException if the database is closed or being closed
     */
    public Session openSession() {
        return inside(() -> {
            Session session = new Session(this, instance.newSession());
            sessions.add(session);
            return session;
        });
    }

    /**
     * Makes an object that waits for the disk in place of a session.
     *
     * @return one that waits for nothing yet, for one thread at a time
     * @throws DatabaseClosedException if the database is closed or being closed
     */
    public PendingCommit newPendingCommit() {
        requireOpen();
        return new PendingCommit(instance);
    }

    void sessionClosed(Session session) {
        sessions.remove(session);
        session.core().close();
    }

    /**
     * Runs work in a transaction with the database's options and commits it. Any exception or error rolls back. Besides
     * what the work throws, all that {@link Session#begin()} and {@link Transaction#commit()} may throw.
     *
     * <p>Work that waits for another transaction of its own thread, such as one that it has begun this one in, waits
     * for itself: no deadlock is seen, and the wait ends with the lock timeout.
     *
     * @param work what to do
     * @param <E> the checked exception of the work
     * @throws E what the work threw
     */
    public <E extends Exception> void run(TransactionWork.WithoutResult<E> work) throws E {
        run(transactionOptions, work);
    }

    /**
     * Runs work in a transaction and commits it. Any exception or error rolls back. Besides what the work throws, all
     * that {@link Session#begin(TransactionOptions)} and {@link Transaction#commit()} may throw.
     *
     * <p>Work that waits for another transaction of its own thread, such as one that it has begun this one in, waits
     * for itself: no deadlock is seen, and the wait ends with the lock timeout.
     *
     * @param options how it runs; retries apply to deadlocks and timeouts
     * @param work what to do
     * @param <E> the checked exception of the work
     * @throws E what the work threw
     */
    public <E extends Exception> void run(TransactionOptions options, TransactionWork.WithoutResult<E> work) throws E {
        call(options, transaction -> {
            work.accept(transaction);
            return null;
        });
    }

    /**
     * Runs work that has a result in a transaction, with the database's options, and commits it. Any exception or error
     * rolls back. Besides what the work throws, all that {@link Session#begin()} and {@link Transaction#commit()} may
     * throw.
     *
     * <p>Work that waits for another transaction of its own thread, such as one that it has begun this one in, waits
     * for itself: no deadlock is seen, and the wait ends with the lock timeout.
     *
     * @param work what to do
     * @param <T> the type of the result
     * @param <E> the checked exception of the work
     * @return the result
     * @throws E what the work threw
     */
    public <T, E extends Exception> T call(TransactionWork<T, E> work) throws E {
        return call(transactionOptions, work);
    }

    /**
     * Runs work that has a result in a transaction and commits it. Any exception or error rolls back. Besides what the
     * work throws, all that {@link Session#begin(TransactionOptions)} and {@link Transaction#commit()} may throw.
     *
     * <p>Work that waits for another transaction of its own thread, such as one that it has begun this one in, waits
     * for itself: no deadlock is seen, and the wait ends with the lock timeout.
     *
     * @param options how it runs; retries apply to deadlocks and timeouts
     * @param work what to do
     * @param <T> the type of the result
     * @param <E> the checked exception of the work
     * @return the result
     * @throws E what the work threw
     */
    public <T, E extends Exception> T call(TransactionOptions options, TransactionWork<T, E> work) throws E {
        requireOpen();
        Session session = pooled.poll();
        if (session == null) {
            session = openSession();
        }
        try {
            return session.call(options, work);
        } finally {
            if (session.hasUnfinishedTransaction()) {
                session.discard();
            } else {
                pooled.push(session);
            }
        }
    }

    TransactionOptions transactionOptions() {
        return transactionOptions;
    }

    /**
     * Writes a checkpoint, so that a crash would have less to recover, and returns when it is on disk. Does nothing in
     * a database in memory or one that is open for reading.
     *
     * @throws DatabaseFailedException if the database has failed, or fails by this
     * @throws DatabaseClosedException if it is closed or being closed
     * @throws DiskFullException if there is no room for it; an earlier checkpoint stands
     */
    public void checkpoint() {
        inside(instance::checkpoint);
    }

    /**
     * Copies the database into another directory while transactions run. The copy is a database of its own: opened, it
     * recovers to the state at the end of the call, with every transaction that had been answered when the call began
     * and none half. The log that the copy needs is kept until the call returns, so it grows with what is written
     * meanwhile.
     *
     * <p>A call that fails leaves no files in the directory but <code>lock.lockstep</code>. What a crash leaves there
     * is not opened as a database ({@link IncompleteCopyException}).
     *
     * @param target a directory that does not exist or is empty
     * @return what was copied
     * @throws TargetNotEmptyException if there is something in the directory; it is left as it is
     * @throws MaintenanceRefusedException if another backup, a compaction or {@link #validate()} runs, or the database
     *     has no files or no log
     * @throws CorruptionException if a page is damaged
     * @throws DiskFullException if there is no room
     * @throws DatabaseClosedException if the database is closed
     */
    public BackupReport backup(Path target) {
        return backup(target, ProgressListener.NONE);
    }

    /**
     * Copies the database like {@link #backup(Path)}, and tells how far it is.
     *
     * @param target a directory that does not exist or is empty
     * @param progress hears how far it is
     * @return what was copied
     */
    public BackupReport backup(Path target, ProgressListener progress) {
        return inside(() -> instance.backup(target, gate.watched(progress)));
    }

    /**
     * Makes the data file shorter while transactions run: pages at its end are moved into free ones before them, and
     * the end is cut off. Deleted rows' pages are used again without it; this gives them back to the file system. A row
     * of more than 1,500 bytes stays where it is while a transaction has it locked. After a crash it first waits until
     * the engine has found the pages that nothing leads to any more.
     *
     * @return what was done
     * @throws MaintenanceRefusedException if a backup, another compaction or {@link #validate()} runs, or the database
     *     has no files or no log
     * @throws ReadOnlyException if the database was opened for reading only
     * @throws DiskFullException if there is no room for the log of the moves; the database goes on
     * @throws DatabaseClosedException if the database is closed
     */
    public CompactionReport compact() {
        return compact(ProgressListener.NONE);
    }

    /**
     * Makes the data file shorter like {@link #compact()}, and tells how far it is.
     *
     * @param progress hears how far it is
     * @return what was done
     */
    public CompactionReport compact(ProgressListener progress) {
        return inside(() -> instance.compact(gate.watched(progress)));
    }

    /**
     * Checks the files of a closed database and names everything that is wrong with them. Nothing is changed. Of a
     * database that was not closed in order, pages and log are checked but not trees, which are whole only after
     * recovery, and of one that was used without a log its pages alone; a page that the next open would mend from the
     * double-write area counts as damaged there.
     *
     * @param directory where its files are
     * @return what was counted and found
     * @throws MissingFileException if there is no database
     * @throws DatabaseInUseException if somebody, in this process or another, has it open
     * @throws IncompleteCopyException if it is a backup that was not finished
     */
    public static VerificationReport verify(Path directory) {
        return verify(directory, ProgressListener.NONE);
    }

    /**
     * Checks the files of a closed database like {@link #verify(Path)}, and tells how far it is.
     *
     * @param directory where its files are
     * @param progress hears how far it is
     * @return what was counted and found
     */
    public static VerificationReport verify(Path directory, ProgressListener progress) {
        return new Verification(DiskStorage.INSTANCE, directory, progress).run();
    }

    /**
     * Saves what is readable of a damaged database into a new one: all rows of all tables whose pages can be read, with
     * the tree where it is whole and without it where it is not, their values in overflow pages, and what the log
     * knows better than the pages. Indexes are built anew. Where a row is there in several states the newest is taken;
     * changes of transactions that did not commit are left out where the log can tell. The damaged database is only
     * read.
     *
     * <p>The result is a sound database, whatever was lost; the report says what was. A call that fails leaves no files
     * in the new directory but <code>lock.lockstep</code>. What a crash leaves there is not opened as a database
     * ({@link IncompleteCopyException}).
     *
     * @param from the directory of the damaged database
     * @param to a directory that does not exist or is empty
     * @param progress hears how far it is
     * @return what was saved and what is lost
     * @throws MissingFileException if there is no file of pages
     * @throws DatabaseInUseException if somebody, in this process or another, has the damaged database open
     * @throws TargetNotEmptyException if there is something in the new directory; it is left as it is
     * @throws IncompleteCopyException if the damaged database is a backup that was not finished
     * @throws NewerFormatException if a later version of the engine has written the file of pages
     * @throws DiskFullException if there is no room
     */
    public static SalvageReport salvage(Path from, Path to, ProgressListener progress) {
        return salvage(DiskStorage.INSTANCE, from, to, progress);
    }

    /** The same on another file system. */
    static SalvageReport salvage(Storage storage, Path from, Path to, ProgressListener progress) {
        DatabaseOptions options = DatabaseOptions.builder()
                .createIfMissing(true)
                .durability(Durability.NONE)
                .poolBytes(SALVAGE_POOL_BYTES)
                .build();
        return new Salvage(
                        storage,
                        from,
                        to,
                        () -> new Database(new InstanceOpener(options, null).createLocked(storage, to), to.toString()),
                        Database::abandonIfOpen,
                        progress)
                .run();
    }

    /**
     * Opens the files of a closed database, whole or damaged, to be looked at piece by piece: files, checkpoint,
     * catalog, pages, trees and the log. Nothing is changed, and nothing is recovered.
     *
     * @param directory where its files are
     * @return what shows them; to be closed
     * @throws MissingFileException if there is no database
     * @throws DatabaseInUseException if somebody, in this process or another, has it open
     * @throws IncompleteCopyException if it is a backup that was not finished
     * @throws NewerFormatException if a later version of the engine has written it
     */
    public static Inspection inspect(Path directory) {
        return new Inspection(new FileInspector(DiskStorage.INSTANCE, directory));
    }

    /**
     * Checks everything: the order in every tree, that each page is reached exactly once, latches and locks at rest. No
     * transaction may run meanwhile. After a crash it first waits until the engine has found the pages that nothing
     * leads to any more.
     *
     * @return what was counted
     * @throws TransactionsRunningException if transactions are open; nothing is checked then
     * @throws MaintenanceRefusedException if a backup, a compaction or another validation runs; nothing is checked then
     * @throws CorruptionException at the first rule that is broken
     * @throws DatabaseClosedException if the database is closed
     */
    public ValidationReport validate() {
        Validation.Report report = inside(() -> {
            int running = openTransactionCount();
            if (running > 0) {
                throw new TransactionsRunningException(Message.of("transactions are open")
                        .with("openTransactions", running)
                        .remedy("end them before validate(), which wants a database at rest"));
            }
            return instance.validate();
        });
        return new ValidationReport(report.trees(), report.nodes(), report.records(), report.ghosts(), report.pages());
    }

    /**
     * What was counted since the database was opened, over all sessions.
     *
     * @return the counts
     * @throws DatabaseClosedException if the database is closed or being closed
     */
    public DatabaseStatistics statistics() {
        return inside(this::count);
    }

    private DatabaseStatistics count() {
        BufferStatistics pool = instance.pool().statistics();
        LockStatistics locks = instance.locks().statistics();
        LogStatistics log =
                instance.log() == null ? LogStatistics.NONE : instance.log().statistics();
        return new DatabaseStatistics(
                log.commitCount(),
                log.forceCount(),
                log.appendedBytes(),
                log.writtenBytes(),
                pool.accesses(),
                pool.misses(),
                pool.pageReads(),
                pool.pageWrites(),
                pool.evictions(),
                locks.waits(),
                locks.deadlocks());
    }

    /**
     * What goes on right now: open transactions, locks with those who hold and await them, what log is kept and why,
     * checkpoints, the pool. Holds nobody up for longer than it takes to copy a part of the lock table; costs about as
     * much as there are sessions, locks and pages in the pool, so it is for people and for monitors that ask every few
     * seconds. The same is to be had as events of JFR (<code>dev.lockstep.*</code>) and, by
     * {@link dev.lockstep.engine.management.DatabaseManagement}, over JMX.
     *
     * @return the picture
     * @throws DatabaseClosedException if the database is closed or being closed
     */
    public DatabaseStatus status() {
        return inside(() -> StatusReader.read(instance, sessions));
    }

    /** Its directory, for events. */
    String name() {
        return name;
    }

    Instance instance() {
        return instance;
    }

    /** Runs a call that is no transaction, which a close waits for. */
    private <T> T inside(Supplier<T> call) {
        requireOpen();
        gate.enter();
        try {
            return call.get();
        } finally {
            gate.leave();
        }
    }

    private void inside(Runnable call) {
        inside(() -> {
            call.run();
            return null;
        });
    }

    /** Sessions that applications have opened and not closed, and those kept for {@link #run}. */
    int sessionCount() {
        return sessions.size();
    }

    void requireOpen() {
        if (closed) {
            instance.requireOpen();
            throw closing();
        }
    }

    boolean isClosed() {
        return closed;
    }

    static DatabaseClosedException closing() {
        return new DatabaseClosedException(
                Message.of("the database is being closed").with("closed", true).remedy("open it again"));
    }

    /**
     * Writes everything back and closes. Waits for calls of this object that have begun, such as changes of the schema,
     * checkpoints, validations, backups and compactions; later ones get a {@link DatabaseClosedException}. A second
     * call does nothing, but wait for the first one if that has not returned. Transactions that were left open by
     * threads that have ended since are rolled back. After a crash it waits until the engine has found the pages that
     * nothing leads to any more.
     *
     * @throws TransactionsRunningException if transactions are open; the database stays open
     * @throws MaintenanceRefusedException if the {@link ProgressListener} of a backup or compaction calls this, which
     *     would wait for itself; the database stays open
     * @throws DiskFullException if there is no room for what was not written back yet. With a log the database is
     *     closed, and the next open brings everything back; with {@link Durability#NONE} it stays open, and can be
     *     closed when there is room
     * @throws StorageException if the system refuses to write it, as where the process has no file descriptor left. As
     *     with a full disk a database without a log stays open, unless a force failed, or a write of which nobody can
     *     tell: then it is closed
     * @throws StackOverflowError if too little stack is left; the database stays open
     */
    @Override
    public void close() {
        gate.closeAlone(this::closeIfOpen);
    }

    private void closeIfOpen() {
        if (closed) {
            return;
        }
        sessions.forEach(Session::endOrphan);
        Consumer<Database> examination = beforeClose;
        if (examination != null && openTransactionCount() == 0) {
            examination.accept(this);
        }
        if (closed) {
            // By the examination.
            return;
        }
        closed = true;
        gate.close();
        int running = openTransactionCount();
        if (running > 0) {
            gate.reopen();
            closed = false;
            throw new TransactionsRunningException(Message.of("transactions are open")
                    .with("openTransactions", running)
                    .remedy("end them before closing"));
        }
        drain();
        try {
            instance.close();
        } finally {
            if (instance.isClosed()) {
                DatabaseEvents.closed(this);
            } else {
                gate.reopen();
                closed = false;
            }
        }
    }

    /** Waits for calls that are inside; where it cannot wait for them the database stays open. */
    private void drain() {
        boolean drained = false;
        try {
            gate.drain();
            drained = true;
        } finally {
            if (!drained) {
                gate.reopen();
                closed = false;
            }
        }
    }

    private int openTransactionCount() {
        int running = 0;
        for (Session session : sessions) {
            if (session.hasOpenTransaction()) {
                running++;
            }
        }
        return running;
    }

    /** Has the database examined whenever it is about to be closed, while it can still be used. For tests. */
    void beforeClose(Consumer<Database> examination) {
        beforeClose = examination;
    }

    private void abandonIfOpen() {
        if (!closed) {
            abandon();
        }
    }

    /** Leaves the files as a crash would. For tests of recovery, and where nobody will need them. */
    void abandon() {
        closed = true;
        DatabaseEvents.closed(this);
        instance.abandon();
    }
}
