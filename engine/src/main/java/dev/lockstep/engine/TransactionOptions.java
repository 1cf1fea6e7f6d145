package dev.lockstep.engine;

import java.time.Duration;

/**
 * How a transaction runs. Immutable; the methods make changed copies.
 *
 * @param isolation what it may see of others
 * @param durability when its commit is answered; not stronger than what the database was opened with
 * @param lockTimeout how long it waits for one lock, 0 to {@link DatabaseOptions#TIMEOUT_MAX}; with 0 it does not wait
 * @param timeout how long it may take as a whole, 0 to {@link DatabaseOptions#TIMEOUT_MAX}; looked at whenever it waits
 *     for a lock or for a page, where a scan has found some hundred rows more, and at one of some ten statements: one
 *     that commits goes on, and one whose thread does nothing here keeps its locks. What bounds the wait of others is
 *     their own lock timeout, and what ends an idle transaction is the limit of its log ({@link
 *     DatabaseOptions.Builder#transactionLogBytes})
 * @param retryCountMax how often {@link Database#run} runs it again after a deadlock or a timeout, 0 to 1,000
 * @param snapshot whether it only reads, all from one {@linkplain #readOnlySnapshot() snapshot}; its isolation then
 *     says nothing
 * @param kind what transactions are called that execute the same operations in the same order, or the empty string:
 *     those of one kind can begin together as a team ({@link dev.lockstep.scheduler.TeamPolicy#waves()})
 */
public record TransactionOptions(
        Isolation isolation,
        Durability durability,
        Duration lockTimeout,
        Duration timeout,
        int retryCountMax,
        boolean snapshot,
        String kind) {
    /** Most retries: a transaction that loses this often has a conflict that retrying does not cure. */
    public static final int RETRY_COUNT_MAX = 1_000;

    /**
     * Checks the values.
     *
     * @throws InvalidOptionException if one is null or out of range
     */
    public TransactionOptions {
        requireGiven("isolation", isolation);
        requireGiven("durability", durability);
        requireGiven("lockTimeout", lockTimeout);
        requireGiven("timeout", timeout);
        requireGiven("kind", kind);
        if (lockTimeout.isNegative() || timeout.isNegative()) {
            throw new InvalidOptionException(Message.of("a timeout is negative")
                    .with("lockTimeout", lockTimeout)
                    .with("timeout", timeout)
                    .remedy("give a duration of zero or more"));
        }
        if (lockTimeout.compareTo(DatabaseOptions.TIMEOUT_MAX) > 0
                || timeout.compareTo(DatabaseOptions.TIMEOUT_MAX) > 0) {
            throw new InvalidOptionException(Message.of("a timeout is too long")
                    .with("lockTimeout", lockTimeout)
                    .with("timeout", timeout)
                    .with("max", DatabaseOptions.TIMEOUT_MAX)
                    .remedy("give a shorter duration"));
        }
        if (retryCountMax < 0 || retryCountMax > RETRY_COUNT_MAX) {
            throw new InvalidOptionException(Message.of("the number of retries is out of range")
                    .with("retryCountMax", retryCountMax)
                    .with("max", RETRY_COUNT_MAX)
                    .remedy("give 0 to run the transaction once"));
        }
    }

    /**
     * The options of a transaction that reads and writes.
     *
     * @param isolation what it may see of others
     * @param durability when its commit is answered; not stronger than what the database was opened with
     * @param lockTimeout how long it waits for one lock
     * @param timeout how long it may take as a whole; {@link #timeout} says where it is looked at
     * @param retryCountMax how often {@link Database#run} runs it again after a deadlock or a timeout, 0 to 1,000
     */
    public TransactionOptions(
            Isolation isolation, Durability durability, Duration lockTimeout, Duration timeout, int retryCountMax) {
        this(isolation, durability, lockTimeout, timeout, retryCountMax, false, "");
    }

    private static void requireGiven(String option, Object value) {
        if (value == null) {
            throw new InvalidOptionException(Message.of("an option of a transaction is null")
                    .with(option, value)
                    .remedy("give a value, or leave the option as the database has it"));
        }
    }

    /**
     * The options that a database gives to its transactions: its isolation, durability and timeouts, no retries.
     *
     * @param options the options of the database
     * @return the options of its transactions
     */
    public static TransactionOptions of(DatabaseOptions options) {
        return new TransactionOptions(
                options.isolation(), options.durability(), options.lockTimeout(), options.transactionTimeout(), 0);
    }

    /**
     * A copy with another isolation level.
     *
     * @param value the level
     * @return the copy
     */
    public TransactionOptions withIsolation(Isolation value) {
        return new TransactionOptions(value, durability, lockTimeout, timeout, retryCountMax, snapshot, kind);
    }

    /**
     * A copy with another durability.
     *
     * @param value the durability
     * @return the copy
     */
    public TransactionOptions withDurability(Durability value) {
        return new TransactionOptions(isolation, value, lockTimeout, timeout, retryCountMax, snapshot, kind);
    }

    /**
     * A copy with another limit for one lock wait.
     *
     * @param value the limit, 0 to {@link DatabaseOptions#TIMEOUT_MAX}
     * @return the copy
     * @throws InvalidOptionException if out of range
     */
    public TransactionOptions withLockTimeout(Duration value) {
        return new TransactionOptions(isolation, durability, value, timeout, retryCountMax, snapshot, kind);
    }

    /**
     * A copy with another limit for the whole transaction.
     *
     * @param value the limit, 0 to {@link DatabaseOptions#TIMEOUT_MAX}
     * @return the copy
     * @throws InvalidOptionException if out of range
     */
    public TransactionOptions withTimeout(Duration value) {
        return new TransactionOptions(isolation, durability, lockTimeout, value, retryCountMax, snapshot, kind);
    }

    /**
     * A copy with another number of retries.
     *
     * @param value how often to run the transaction again, 0 to {@link #RETRY_COUNT_MAX}
     * @return the copy
     * @throws InvalidOptionException if out of range
     */
    public TransactionOptions withRetries(int value) {
        return new TransactionOptions(isolation, durability, lockTimeout, timeout, value, snapshot, kind);
    }

    /**
     * A copy for a transaction that only reads, and reads everything as it was committed when the transaction began:
     * rows by key, batches, and ranges in both directions, of tables and of indexes. It takes no locks, so it waits for
     * nobody and nobody waits for it. What would change or lock something gets a {@link ReadOnlyException}.
     *
     * <p>With {@link DatabaseOptions#durableSnapshots()}, as is the default, it starts at the last durable commit, at
     * once, so that no crash takes what it has shown. What the commits behind that have replaced is kept until they are
     * durable; where that takes more than {@link DatabaseOptions#snapshotBytesMax}, it is writers who wait for the
     * disk. Where commits are answered before they are durable, such a snapshot does not show the last of them, 100 ms
     * of {@link Durability#ASYNC} at most. Without that option, or with {@link Durability#NONE} as its own durability,
     * it starts at the last commit, which a crash may take. A table or index that was created after the begin, or
     * dropped meanwhile, cannot be read in it ({@link SchemaException}). Where the rows changed since its begin come to
     * take more than {@link DatabaseOptions#snapshotBytesMax}, the oldest snapshot is ended ({@link
     * SnapshotTooOldException}).
     *
     * @return the copy
     */
    public TransactionOptions readOnlySnapshot() {
        return new TransactionOptions(isolation, durability, lockTimeout, timeout, retryCountMax, true, kind);
    }

    /**
     * A copy for transactions of one kind, which execute the same operations in the same order.
     *
     * @param value what they are called, or the empty string; of few different ones, since each kind has a list of its
     *     own in the scheduler for good
     * @return the copy
     */
    public TransactionOptions withKind(String value) {
        return new TransactionOptions(isolation, durability, lockTimeout, timeout, retryCountMax, snapshot, value);
    }
}
