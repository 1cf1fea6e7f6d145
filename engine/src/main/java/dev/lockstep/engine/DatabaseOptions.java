package dev.lockstep.engine;

import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.scheduler.NodeLayout;
import java.time.Duration;

/**
 * How a database is opened. Immutable and thread-safe.
 *
 * <pre>{@code
 * DatabaseOptions options = DatabaseOptions.builder()
 *         .createIfMissing(true)
 *         .poolBytes(1L << 30)
 *         .build();
 * }</pre>
 */
public final class DatabaseOptions {
    /** Smallest pool: 128 frames, a few for each of a dozen threads and the reserve that splits take frames from. */
    public static final long POOL_BYTES_MIN = 1L << 20;

    /**
     * Largest pool, 1 TiB but for a few pages: the table of latches beside it is then one array of 16 GiB, which is as
     * long as an array can be.
     */
    public static final long POOL_BYTES_MAX = (1L << 40) - (1L << 20);

    /** 256 MiB: a small application's data and the hot part of a larger one's, on any machine that runs a JVM today. */
    public static final long POOL_BYTES_DEFAULT = 256L << 20;

    /** Shortest lock timeout: below a millisecond a wait is over before the owner of the lock has run. */
    public static final Duration LOCK_TIMEOUT_MIN = Duration.ofMillis(1);

    /**
     * Ten seconds: deadlocks are found without it, so it only ends waits for transactions that are stuck or very long.
     */
    public static final Duration LOCK_TIMEOUT_DEFAULT = Duration.ofSeconds(10);

    /** Shortest transaction timeout. */
    public static final Duration TRANSACTION_TIMEOUT_MIN = Duration.ofMillis(1);

    /**
     * One hour: longer than loading all data in one transaction takes, short enough that one that hangs among others'
     * locks does not keep its own, and the log it needs for rollback, for ever. It is looked at by its statements; one
     * that was forgotten is ended by {@link Session#close}, and by {@link Database#close} where its thread has ended.
     */
    public static final Duration TRANSACTION_TIMEOUT_DEFAULT = Duration.ofHours(1);

    /**
     * Smallest limit of what a transaction may hold: some thousand changes, more than the engine's own make at once.
     */
    public static final long TRANSACTION_BYTES_MIN = 1L << 20;

    /** Most bytes of undo that a transaction can hold: they lie in one array, which grows by doubling. */
    public static final long TRANSACTION_UNDO_BYTES_MAX = 512L << 20;

    /**
     * All that is possible: a transaction that loads some million rows goes through. The undo lies in the heap, and an
     * application with a small one sets less.
     */
    public static final long TRANSACTION_UNDO_BYTES_DEFAULT = TRANSACTION_UNDO_BYTES_MAX;

    /** Largest limit of the log that a transaction may hold, a petabyte: as good as none. */
    public static final long TRANSACTION_LOG_BYTES_MAX = 1L << 50;

    /**
     * 16 GiB: a minute of log at full load, and about as long to recover; a transaction that is left open for longer
     * beside that was forgotten.
     */
    public static final long TRANSACTION_LOG_BYTES_DEFAULT = 16L << 30;

    /** Longest timeout, a year: it keeps deadlines in nanoseconds far from overflow. */
    public static final Duration TIMEOUT_MAX = Duration.ofDays(365);

    /** Smallest log segment: several of the longest log records, and few enough files for a directory. */
    public static final int LOG_SEGMENT_BYTES_MIN = 1 << 20;

    /** Largest log segment, 256 MiB: recovery holds two of them in memory. */
    public static final int LOG_SEGMENT_BYTES_MAX = LogOptions.SEGMENT_BYTES_MAX;

    /**
     * 64 MiB: a second of log at full load, so that making a file is rare, while a small database keeps little of it.
     */
    public static final int LOG_SEGMENT_BYTES_DEFAULT = 64 << 20;

    /** Shortest log between two checkpoints, a mebibyte: below it they would be written without pause. */
    public static final long CHECKPOINT_LOG_BYTES_MIN = 1L << 20;

    /** Longest log between two checkpoints, a petabyte: as good as no checkpoint for the log's length. */
    public static final long CHECKPOINT_LOG_BYTES_MAX = 1L << 50;

    /**
     * 256 MiB, with pools of up to 512. Recovery reads some hundred MB of log a second, so that it stays within
     * seconds; and at 200 MB of log a second a checkpoint begins no more often than once a second.
     */
    public static final long CHECKPOINT_LOG_BYTES_DEFAULT_MIN = 256L << 20;

    /**
     * 1 GiB, with pools of 2 GiB and more, as much as PostgreSQL lets come together ({@code max_wal_size}): of a
     * database that is changed without pause it writes the same pages a quarter as often as 256 MiB do.
     */
    public static final long CHECKPOINT_LOG_BYTES_DEFAULT_MAX = 1L << 30;

    /** Shortest time between two checkpoints: below it one would begin before the last has ended. */
    public static final Duration CHECKPOINT_INTERVAL_MIN = Duration.ofMillis(10);

    /**
     * Half of the time between two checkpoints: a page that was dirtied before the last one is then written while the
     * disk has time, and recovery reads no more than half an interval more.
     */
    public static final double CHECKPOINT_SPREAD_DEFAULT = 0.5;

    /** Nine tenths: what is left has to do for pages that come late. */
    public static final double CHECKPOINT_SPREAD_MAX = 0.9;

    /** Ten seconds: no disk in use is slower, and nothing waits longer without being told so. */
    public static final Duration EXTRA_FORCE_DELAY_MAX = Duration.ofSeconds(10);

    /** Smallest limit for the versions of snapshots: some hundred rows, enough for a test to reach it. */
    public static final long SNAPSHOT_BYTES_MIN = 1L << 16;

    /** Largest limit for the versions of snapshots, 1 TiB: what no heap reaches. */
    public static final long SNAPSHOT_BYTES_MAX = 1L << 40;

    /**
     * 64 MiB: the versions of some hundred thousand rows, an eighth of the heap that the command line gives to a
     * database.
     */
    public static final long SNAPSHOT_BYTES_DEFAULT = 64L << 20;

    /** As many transactions as there are sessions. */
    public static final int OPEN_TRANSACTION_COUNT_UNLIMITED = Integer.MAX_VALUE;

    private final DatabaseSettings settings;

    /** The settings are this object's own: nobody changes them any more. */
    private DatabaseOptions(DatabaseSettings settings) {
        this.settings = settings;
    }

    /**
     * All defaults: an existing database, for reading and writing, durable, serializable.
     *
     * @return the options
     */
    public static DatabaseOptions defaults() {
        return builder().build();
    }

    /**
     * Begins with all defaults.
     *
     * @return a builder
     */
    public static Builder builder() {
        return new Builder(new DatabaseSettings());
    }

    /**
     * Begins with these options.
     *
     * @return a builder
     */
    public Builder toBuilder() {
        return new Builder(settings.copy());
    }

    /**
     * When commits are answered.
     *
     * @return {@link Durability#SYNC} unless set
     */
    public Durability durability() {
        return settings.durability;
    }

    /**
     * The isolation of transactions that do not name their own.
     *
     * @return {@link Isolation#SERIALIZABLE} unless set
     */
    public Isolation isolation() {
        return settings.isolation;
    }

    /**
     * The room for pages in memory, outside the heap.
     *
     * @return bytes
     */
    public long poolBytes() {
        return settings.poolBytes;
    }

    /**
     * Whether changes are refused.
     *
     * @return false unless set
     */
    public boolean readOnly() {
        return settings.readOnly;
    }

    /**
     * Whether a directory without a database becomes an empty database.
     *
     * @return false unless set: a misspelt directory is then an error, not an empty database
     */
    public boolean createIfMissing() {
        return settings.createIfMissing;
    }

    /**
     * Whether a database that ran with {@link Durability#NONE} and was not closed is emptied instead of refused.
     *
     * @return false unless set: it drops all data
     */
    public boolean startEmptyAfterUncleanClose() {
        return settings.startEmptyAfterUncleanClose;
    }

    /**
     * How long one wait for a lock may take.
     *
     * @return the time
     */
    public Duration lockTimeout() {
        return settings.lockTimeout;
    }

    /**
     * How long a transaction may run that does not name its own limit.
     *
     * @return the time
     */
    public Duration transactionTimeout() {
        return settings.transactionTimeout;
    }

    /**
     * How much undo a transaction may hold.
     *
     * @return bytes
     */
    public long transactionUndoBytes() {
        return settings.transactionUndoBytes;
    }

    /**
     * How much log a transaction may hold, its rollback included.
     *
     * @return bytes
     */
    public long transactionLogBytes() {
        return settings.transactionLogBytes;
    }

    /**
     * The size of a file of the log.
     *
     * @return bytes, a power of two
     */
    public int logSegmentBytes() {
        return settings.logSegmentBytes;
    }

    /**
     * What is added to each force of the log.
     *
     * @return the time
     */
    public Duration extraForceDelay() {
        return settings.extraForceDelay;
    }

    /**
     * The nodes of the machine that the frames of the buffer pool are dealt to.
     *
     * @return {@link NodeLayout#NONE} unless set
     */
    public NodeLayout nodeLayout() {
        return settings.nodeLayout;
    }

    /**
     * What the earlier versions of rows may take that are kept for open snapshots, roughly, in the heap.
     *
     * @return bytes
     */
    public long snapshotBytesMax() {
        return settings.snapshotBytesMax;
    }

    /**
     * Whether snapshots start at the last durable commit, else at the last one.
     *
     * @return true unless set; always false with {@link Durability#NONE}, which has no log
     */
    public boolean durableSnapshots() {
        return settings.durableSnapshots();
    }

    /**
     * How many transactions may be open at the same time.
     *
     * @return {@link #OPEN_TRANSACTION_COUNT_UNLIMITED} unless set
     */
    public int openTransactionCountMax() {
        return settings.openTransactionCountMax;
    }

    /**
     * After how much log a checkpoint begins.
     *
     * @return bytes, by {@link #poolBytes()} unless set
     */
    public long checkpointLogBytes() {
        return settings.checkpointLogBytes();
    }

    /**
     * After how much time a checkpoint begins, if there was log since the last one.
     *
     * @return the time
     */
    public Duration checkpointInterval() {
        return settings.checkpointInterval;
    }

    /**
     * Over which share of the interval a checkpoint writes its pages.
     *
     * @return 0 to {@link #CHECKPOINT_SPREAD_MAX}
     */
    public double checkpointSpread() {
        return settings.checkpointSpread;
    }

    /**
     * What mends pages that were written halfway.
     *
     * @return {@link TornPageProtection#DOUBLE_WRITE} unless set
     */
    public TornPageProtection tornPageProtection() {
        return settings.tornPageProtection;
    }

    /** {@return whether pages are written with checksums, and these are looked at when they are read} */
    public boolean pageChecksums() {
        return settings.pageChecksums;
    }

    /** {@return whether the log and the copies of pages are written past the system's cache, where that lets them} */
    public boolean uncachedWrites() {
        return settings.uncachedWrites;
    }

    /** The options, for messages and reports. */
    @Override
    public String toString() {
        return settings.toString();
    }

    /** Collects options; each setter checks its value at once. Not thread-safe. */
    public static final class Builder {
        private final DatabaseSettings settings;

        private Builder(DatabaseSettings settings) {
            this.settings = settings;
        }

        /**
         * Sets whether snapshots start at the last durable commit, else at the last one. Neither waits. For that the
         * database keeps what commits have replaced until they are durable: with {@link Durability#ASYNC} for up to 100
         * ms, which costs a transaction of some ten changes about a tenth of its time. A program that commits so and
         * takes no snapshots, or wants them to show what it has just committed, sets false. Default: true.
         *
         * @param value whether no crash may take what a snapshot has shown
         * @return this builder
         * @see TransactionOptions#readOnlySnapshot()
         */
        public Builder durableSnapshots(boolean value) {
            settings.durableSnapshots = value;
            return this;
        }

        /**
         * Sets what the earlier versions of rows may take that are kept for open snapshots. Beyond it the oldest
         * snapshot is ended, and its next read throws a {@link SnapshotTooOldException}. Versions are kept in the heap,
         * for rows that were changed while a snapshot was open, until it closes.
         *
         * <p>As much again may be taken by what commits have replaced that are not on disk yet, which a snapshot needs
         * that begins before they are. Beyond that, whoever begins to change something waits for the disk first.
         * Default: {@link #SNAPSHOT_BYTES_DEFAULT}.
         *
         * @param bytes {@link #SNAPSHOT_BYTES_MIN} to {@link #SNAPSHOT_BYTES_MAX}
         * @return this builder
         * @throws InvalidOptionException if out of range
         */
        public Builder snapshotBytesMax(long bytes) {
            settings.snapshotBytesMax =
                    OptionValues.requireRange("snapshotBytesMax", bytes, SNAPSHOT_BYTES_MIN, SNAPSHOT_BYTES_MAX);
            return this;
        }

        /**
         * Sets the nodes that the frames of the buffer pool are dealt to, in equal consecutive parts; {@link
         * NodeLayout} says what that changes, and how it is read from a file. The carriers of a scheduler are spread
         * over the same nodes by {@link dev.lockstep.scheduler.SchedulerOptions#withNodes}. Default: {@link
         * NodeLayout#NONE}.
         *
         * @param layout the nodes
         * @return this builder
         * @throws InvalidOptionException if null
         */
        public Builder nodeLayout(NodeLayout layout) {
            settings.nodeLayout = OptionValues.requireSet("nodeLayout", layout);
            return this;
        }

        /**
         * Sets when commits are answered. Default: {@link Durability#SYNC}, because losing an answered commit must be a
         * choice.
         *
         * @param value the durability
         * @return this builder
         * @throws InvalidOptionException if null
         */
        public Builder durability(Durability value) {
            settings.durability = OptionValues.requireSet("durability", value);
            return this;
        }

        /**
         * Sets the isolation of transactions that do not name their own. Default: {@link Isolation#SERIALIZABLE}, the
         * only one under which a correct transaction stays correct beside others.
         *
         * @param value the isolation
         * @return this builder
         * @throws InvalidOptionException if null
         */
        public Builder isolation(Isolation value) {
            settings.isolation = OptionValues.requireSet("isolation", value);
            return this;
        }

        /**
         * Sets the room for pages in memory, outside the heap. Default: {@link #POOL_BYTES_DEFAULT}. The memory for it
         * is a 128th larger, so that pages do not all begin in the same sets of the processor's caches. Every opening
         * touches all of it, which takes half a second to two for each GiB, whatever the size of the database.
         *
         * @param bytes {@link #POOL_BYTES_MIN} to {@link #POOL_BYTES_MAX}; what is beyond a whole page is not used
         * @return this builder
         * @throws InvalidOptionException if out of range
         */
        public Builder poolBytes(long bytes) {
            settings.poolBytes = OptionValues.requireRange("poolBytes", bytes, POOL_BYTES_MIN, POOL_BYTES_MAX);
            return this;
        }

        /**
         * Sets whether changes are refused. Default: false.
         *
         * <p>A database open for reading only keeps others out as any other does, unless its files and directory may
         * not be written: then no permission to write is needed, and several processes may read it side by side.
         *
         * @param value true to refuse them
         * @return this builder
         */
        public Builder readOnly(boolean value) {
            settings.readOnly = value;
            return this;
        }

        /**
         * Sets whether a directory without a database becomes an empty database. Default: false.
         *
         * @param value true to create it
         * @return this builder
         */
        public Builder createIfMissing(boolean value) {
            settings.createIfMissing = value;
            return this;
        }

        /**
         * Sets whether a database that ran with {@link Durability#NONE} and was not closed is emptied instead of
         * refused. Default: false.
         *
         * @param value true to drop its data and start empty
         * @return this builder
         */
        public Builder startEmptyAfterUncleanClose(boolean value) {
            settings.startEmptyAfterUncleanClose = value;
            return this;
        }

        /**
         * Sets how long one wait for a lock may take. Default: {@link #LOCK_TIMEOUT_DEFAULT}.
         *
         * @param time {@link #LOCK_TIMEOUT_MIN} to {@link #TIMEOUT_MAX}
         * @return this builder
         * @throws InvalidOptionException if out of range
         */
        public Builder lockTimeout(Duration time) {
            settings.lockTimeout = OptionValues.requireRange("lockTimeout", time, LOCK_TIMEOUT_MIN, TIMEOUT_MAX);
            return this;
        }

        /**
         * Sets how long a transaction may run that does not name its own limit. It is looked at whenever the
         * transaction waits for a lock or for a page, where a scan has found some hundred rows more, and at one of
         * some ten statements. Default: {@link #TRANSACTION_TIMEOUT_DEFAULT}.
         *
         * @param time {@link #TRANSACTION_TIMEOUT_MIN} to {@link #TIMEOUT_MAX}
         * @return this builder
         * @throws InvalidOptionException if out of range
         */
        public Builder transactionTimeout(Duration time) {
            settings.transactionTimeout =
                    OptionValues.requireRange("transactionTimeout", time, TRANSACTION_TIMEOUT_MIN, TIMEOUT_MAX);
            return this;
        }

        /**
         * Sets how much undo a transaction may hold: what its changes have replaced, and some 30 bytes for each change.
         * A change that needs more gets a {@link TransactionTooLargeException}, after which the transaction can only be
         * rolled back. Default: {@link #TRANSACTION_UNDO_BYTES_DEFAULT}.
         *
         * @param bytes {@link #TRANSACTION_BYTES_MIN} to {@link #TRANSACTION_UNDO_BYTES_MAX}
         * @return this builder
         * @throws InvalidOptionException if out of range
         */
        public Builder transactionUndoBytes(long bytes) {
            settings.transactionUndoBytes = OptionValues.requireRange(
                    "transactionUndoBytes", bytes, TRANSACTION_BYTES_MIN, TRANSACTION_UNDO_BYTES_MAX);
            return this;
        }

        /**
         * Sets how much log a transaction may hold. From its first change on, the log cannot be cut, whoever writes it,
         * because a crash would need it to take the transaction back. Half of the limit is reserved for that: rolling
         * back writes about as much again as the transaction has written. Once the log has grown by the other half, its
         * next change gets a {@link TransactionTooLargeException}, after which it can only be rolled back; so does any
         * other statement, if a checkpoint has noticed since. A commit goes through: it sets the log free as well. What
         * is not called until the checkpoint after that is rolled back by the engine, and its next call gets the error.
         * Default: {@link #TRANSACTION_LOG_BYTES_DEFAULT}.
         *
         * @param bytes {@link #TRANSACTION_BYTES_MIN} to {@link #TRANSACTION_LOG_BYTES_MAX}
         * @return this builder
         * @throws InvalidOptionException if out of range
         */
        public Builder transactionLogBytes(long bytes) {
            settings.transactionLogBytes = OptionValues.requireRange(
                    "transactionLogBytes", bytes, TRANSACTION_BYTES_MIN, TRANSACTION_LOG_BYTES_MAX);
            return this;
        }

        /**
         * Sets the size of a file of the log. Default: {@link #LOG_SEGMENT_BYTES_DEFAULT}.
         *
         * @param bytes a power of two, {@link #LOG_SEGMENT_BYTES_MIN} to {@link #LOG_SEGMENT_BYTES_MAX}
         * @return this builder
         * @throws InvalidOptionException if out of range or no power of two
         */
        public Builder logSegmentBytes(int bytes) {
            OptionValues.requireRange("logSegmentBytes", bytes, LOG_SEGMENT_BYTES_MIN, LOG_SEGMENT_BYTES_MAX);
            if (Integer.bitCount(bytes) != 1) {
                throw new InvalidOptionException(Message.of("The option is no power of two")
                        .with("logSegmentBytes", bytes)
                        .remedy("Round it to " + Integer.highestOneBit(bytes) + "."));
            }
            settings.logSegmentBytes = bytes;
            return this;
        }

        /**
         * Sets a time that the log waits in each force, in whole milliseconds, as a slower disk would. For experiments
         * with group commit; nothing else gets slower. Default: none.
         *
         * @param time up to {@link #EXTRA_FORCE_DELAY_MAX}
         * @return this builder
         * @throws InvalidOptionException if null or out of range
         */
        public Builder extraForceDelay(Duration time) {
            settings.extraForceDelay =
                    OptionValues.requireRange("extraForceDelay", time, Duration.ZERO, EXTRA_FORCE_DELAY_MAX);
            return this;
        }

        /**
         * Sets how many transactions may be open at the same time; one more gets a {@link BusyException} when it
         * begins. A server that is asked for more than it can do thereby sheds load in place of letting all wait. It
         * costs two atomic operations a transaction. Default: {@link #OPEN_TRANSACTION_COUNT_UNLIMITED}, which costs
         * nothing.
         *
         * @param count 1 or more
         * @return this builder
         * @throws InvalidOptionException if out of range
         */
        public Builder openTransactionCountMax(int count) {
            OptionValues.requireRange("openTransactionCountMax", count, 1, OPEN_TRANSACTION_COUNT_UNLIMITED);
            settings.openTransactionCountMax = count;
            return this;
        }

        /**
         * Sets after how much log a checkpoint begins. Recovery after a crash reads about twice as much and
         * {@link #checkpointSpread(double)} of it, more while a transaction runs longer than that; log files before it
         * are used again, and kept for it up to 16 GiB. Default: half of {@link #poolBytes(long)}, but at least
         * {@link #CHECKPOINT_LOG_BYTES_DEFAULT_MIN} and at most {@link #CHECKPOINT_LOG_BYTES_DEFAULT_MAX}.
         *
         * @param bytes {@link #CHECKPOINT_LOG_BYTES_MIN} to {@link #CHECKPOINT_LOG_BYTES_MAX}
         * @return this builder
         * @throws InvalidOptionException if out of range
         */
        public Builder checkpointLogBytes(long bytes) {
            settings.checkpointLogBytesOrZero = OptionValues.requireRange(
                    "checkpointLogBytes", bytes, CHECKPOINT_LOG_BYTES_MIN, CHECKPOINT_LOG_BYTES_MAX);
            return this;
        }

        /**
         * Sets after how much time a checkpoint begins, if there was log since the last one; it begins earlier where
         * {@link #checkpointLogBytes(long)} asks for it. Default: a year, so that the log's length alone decides.
         *
         * @param time {@link #CHECKPOINT_INTERVAL_MIN} to {@link #TIMEOUT_MAX}
         * @return this builder
         * @throws InvalidOptionException if null or out of range
         */
        public Builder checkpointInterval(Duration time) {
            settings.checkpointInterval =
                    OptionValues.requireRange("checkpointInterval", time, CHECKPOINT_INTERVAL_MIN, TIMEOUT_MAX);
            return this;
        }

        /**
         * Sets over which share of the interval, in log or time, whichever comes on faster, a checkpoint writes its
         * pages; but two batches of pages lie at most 200 ms apart. 0 writes them as fast as the disk takes them, as a
         * checkpoint does that somebody waits for: the log then waits for the disk with its commits. Default:
         * {@link #CHECKPOINT_SPREAD_DEFAULT}.
         *
         * @param share 0 to {@link #CHECKPOINT_SPREAD_MAX}
         * @return this builder
         * @throws InvalidOptionException if out of range
         */
        public Builder checkpointSpread(double share) {
            if (!(share >= 0 && share <= CHECKPOINT_SPREAD_MAX)) {
                throw OptionValues.outOfRange("checkpointSpread", share, 0, CHECKPOINT_SPREAD_MAX);
            }
            settings.checkpointSpread = share;
            return this;
        }

        /**
         * Sets what mends pages that were written halfway. Default: {@link TornPageProtection#DOUBLE_WRITE}.
         *
         * @param protection which; the others say what they give up
         * @return this builder
         * @throws InvalidOptionException if null
         */
        public Builder tornPageProtection(TornPageProtection protection) {
            settings.tornPageProtection = OptionValues.requireSet("tornPageProtection", protection);
            return this;
        }

        /**
         * Sets whether pages are written with checksums, and these are looked at when they are read. Default: true.
         *
         * <p>Without them damage by the medium, and pages that a power failure has left half written, come back as if
         * they were what was written: as wrong rows, or as errors of any kind. So the torn-page protection costs what
         * it costs then, and mends nothing. Page ids and LSNs are looked at all the same. For experiments, and for
         * storage that has checksums of its own. A page keeps what it was written with: whether it has a checksum
         * stands in it, and each setting reads the pages of both.
         *
         * @param value false to leave them out
         * @return this builder
         */
        public Builder pageChecksums(boolean value) {
            settings.pageChecksums = value;
            return this;
        }

        /**
         * Sets whether the log and the copies of pages, which only a recovery or a backup reads, are written past the
         * cache of the operating system, where that and the file system let them (tried with ext4). So are long runs
         * of neighbouring pages in place; others go through the cache, which serves those that do not fit the pool.
         * What is durable is the same. Default: true.
         *
         * @param value false to write everything through the cache
         * @return this builder
         */
        public Builder uncachedWrites(boolean value) {
            settings.uncachedWrites = value;
            return this;
        }

        /**
         * Checks the options against each other and makes them.
         *
         * @return the options
         * @throws InvalidOptionException if read-only is combined with creating or emptying
         */
        public DatabaseOptions build() {
            if (settings.readOnly && (settings.createIfMissing || settings.startEmptyAfterUncleanClose)) {
                throw new InvalidOptionException(Message.of("A read-only open cannot create or empty a database")
                        .with("readOnly", true)
                        .with("createIfMissing", settings.createIfMissing)
                        .with("startEmptyAfterUncleanClose", settings.startEmptyAfterUncleanClose)
                        .remedy("Open it for writing, or leave the other two options off."));
            }
            return new DatabaseOptions(settings.copy());
        }
    }
}
