package dev.lockstep.engine;

import dev.lockstep.engine.buffer.PageAccessCounter;
import dev.lockstep.engine.instance.SessionCore;

/**
 * Runs one transaction after the other without allocating anew. Used by one thread at a time: a platform thread, a
 * virtual thread or an S-thread; make one session per thread of work and keep it.
 *
 * <p>Invariants:
 * <ul>
 *   <li>At most one transaction is open, always the same object; what it has locked or changed is gone or permanent
 *       when it is not.
 *   <li>{@code closed} is set once; a transaction that is open then is rolled back.
 * </ul>
 */
public final class Session implements AutoCloseable {
    private final Database database;
    private final SessionCore core;
    private final Transaction transaction;
    private boolean closed;

    Session(Database database, SessionCore core) {
        this.database = database;
        this.core = core;
        transaction = new Transaction(core);
    }

    /**
     * Begins a transaction with the database's options.
     *
     * @return the transaction, valid until it is committed or rolled back
     * @throws TransactionStateException if the session's last transaction is still open
     * @throws TransactionTooLargeException if the engine has rolled the last transaction back, and its thread has not
     *     ended it yet
     * @throws WrongThreadException if another thread is about to begin one
     * @throws BusyException if as many transactions are open as may be
     * @throws DatabaseClosedException if the database is closed or being closed
     * @throws DatabaseFailedException if the database has failed
     */
    public Transaction begin() {
        return begin(database.transactionOptions());
    }

    /**
     * Begins a transaction.
     *
     * @param options how it runs
     * @return the transaction, valid until it is committed or rolled back
     * @throws TransactionStateException if the session's last transaction is still open
     * @throws TransactionTooLargeException if the engine has rolled the last transaction back, and its thread has not
     *     ended it yet
     * @throws WrongThreadException if another thread is about to begin one
     * @throws InvalidOptionException if there are none, or they ask for more durability than the database has
     * @throws BusyException if as many transactions are open as may be
     * @throws DatabaseClosedException if the database is closed or being closed
     * @throws DatabaseFailedException if the database has failed
     */
    public Transaction begin(TransactionOptions options) {
        requireOpen();
        database.requireOpen();
        transaction.begin(options);
        // Looked at again now that a close would see the transaction: one of the two notices the other.
        if (database.isClosed()) {
            transaction.rollback();
            throw Database.closing();
        }
        return transaction;
    }

    /**
     * Runs work in a transaction and commits it. Any exception or error rolls back. Besides what the work throws, all
     * that {@link #begin(TransactionOptions)} and {@link Transaction#commit()} may throw.
     *
     * <p>Work that waits for another transaction of its own thread, such as one that it has begun this one in, waits
     * for itself: no deadlock is seen, and the wait ends with the lock timeout.
     *
     * @param options how it runs; its retries apply to deadlocks and timeouts
     * @param work what to do
     * @param <T> the type of the result
     * @param <E> the checked exception of the work
     * @return the result of the work
     * @throws E what the work threw
     */
    public <T, E extends Exception> T call(TransactionOptions options, TransactionWork<T, E> work) throws E {
        for (int retry = 0; ; retry++) {
            Transaction open = begin(options);
            boolean works = true;
            try {
                T result = work.apply(open);
                works = false;
                open.commit();
                return result;
            } catch (Throwable failure) {
                // Work that has ended its transaction itself may have committed it, and must not do so twice.
                boolean hasEnded = works && !open.gate().isUnfinished();
                rollback(open, failure);
                boolean again = !hasEnded && failure instanceof LockstepException typed && typed.isRetryable();
                if (!again || retry >= options.retryCountMax()) {
                    throw failure;
                }
            }
        }
    }

    private static void rollback(Transaction open, Throwable cause) {
        try {
            open.rollback();
        } catch (RuntimeException | Error failure) {
            cause.addSuppressed(failure);
        }
    }

    /** Returns what this session has counted since it was opened. */
    public SessionStatistics statistics() {
        PageAccessCounter pages = core.context().pageAccesses();
        return new SessionStatistics(pages.accessesOpaque(), pages.missesOpaque());
    }

    /** Ends a session whose transaction could not be rolled back where it ran, for want of stack. */
    void discard() {
        transaction.rollback();
        closed = true;
        database.sessionClosed(this);
    }

    /** Rolls back the transaction of a thread that has ended, which nobody else will end. */
    void endOrphan() {
        if (transaction.gate().isOrphaned()) {
            transaction.rollback();
        }
    }

    /** Whether its transaction was not ended by its thread, even if the engine has rolled it back. */
    boolean hasUnfinishedTransaction() {
        return transaction.gate().isUnfinished();
    }

    boolean hasOpenTransaction() {
        return transaction.isOpen();
    }

    /** The one object that all its transactions are. */
    Transaction transaction() {
        return transaction;
    }

    SessionCore core() {
        return core;
    }

    private void requireOpen() {
        if (closed) {
            throw new TransactionStateException(
                    Message.of("the session is closed").with("closed", true).remedy("open another with openSession()"));
        }
    }

    /**
     * Ends the session. A second call does nothing. A session whose thread has ended may be closed by any other.
     *
     * @throws WrongThreadException if another thread has a transaction open, or begins one; it stays open
     * @throws LeakedHandleException if its transaction is still open; it is rolled back
     */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        transaction.gate().requireNotBeginning();
        boolean leaked = transaction.gate().isUnfinished();
        transaction.rollback();
        closed = true;
        database.sessionClosed(this);
        if (leaked) {
            throw new LeakedHandleException(Message.of("the session was closed with an open transaction")
                    .with("openTransactions", 1)
                    .remedy("commit or roll back before closing; it was rolled back"));
        }
    }
}
