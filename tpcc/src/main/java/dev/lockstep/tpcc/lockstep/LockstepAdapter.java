package dev.lockstep.tpcc.lockstep;

import dev.lockstep.engine.Database;
import dev.lockstep.engine.DeadlockException;
import dev.lockstep.engine.Durability;
import dev.lockstep.engine.Isolation;
import dev.lockstep.engine.LockstepException;
import dev.lockstep.engine.Session;
import dev.lockstep.engine.SessionStatistics;
import dev.lockstep.engine.TransactionOptions;
import dev.lockstep.tpcc.adapter.AbortReason;
import dev.lockstep.tpcc.adapter.CommitAnswer;
import dev.lockstep.tpcc.adapter.IsolationLevel;
import dev.lockstep.tpcc.adapter.TpccAdapter;
import dev.lockstep.tpcc.adapter.TpccLoader;
import dev.lockstep.tpcc.adapter.TpccScale;
import dev.lockstep.tpcc.adapter.TpccScanner;
import dev.lockstep.tpcc.adapter.TpccSession;
import dev.lockstep.tpcc.adapter.TransactionType;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;

/** The engine {@code lockstep}. */
public final class LockstepAdapter implements TpccAdapter {
    /** The engine's name on the command line. */
    public static final String NAME = "lockstep";

    private final Database database;
    private final LockstepTables tables;
    private final TransactionOptions[] options = new TransactionOptions[TransactionType.COUNT];
    private final TransactionOptions loading;
    private final boolean batches;
    private final LongAdder scannerPageAccesses = new LongAdder();
    private final LongAdder scannerPageMisses = new LongAdder();

    /**
     * Uses an open database, with batches; its tables are created if it has none.
     *
     * @param database closed with this adapter
     * @param isolation one level for all transactions, or null for what clause 3.4 asks of each
     * @param durability of every commit
     * @param timeout how long one transaction may take
     */
    public LockstepAdapter(Database database, IsolationLevel isolation, Durability durability, Duration timeout) {
        this(database, isolation, durability, timeout, true);
    }

    /**
     * Uses an open database; its tables are created if it has none.
     *
     * @param database closed with this adapter
     * @param isolation one level for all transactions, or null for what clause 3.4 asks of each
     * @param durability of every commit
     * @param timeout how long one transaction may take
     * @param batches whether rows that a statement names together go to the engine together, or one by one
     */
    public LockstepAdapter(
            Database database, IsolationLevel isolation, Durability durability, Duration timeout, boolean batches) {
        this.database = database;
        this.batches = batches;
        if (database.tableNames().isEmpty()) {
            LockstepSchema.create(database);
        }
        tables = LockstepTables.of(database);
        for (TransactionType type : TransactionType.values()) {
            IsolationLevel level = isolation == null ? IsolationLevel.required(type) : isolation;
            options[type.ordinal()] = new TransactionOptions(
                            Isolation.valueOf(level.name()), durability, timeout, timeout, 0)
                    .withKind(type.title().toLowerCase(Locale.ROOT));
        }
        // Never stronger than the database's own, which the engine refuses.
        Durability loaded = durability == Durability.NONE ? Durability.NONE : Durability.ASYNC;
        loading = new TransactionOptions(Isolation.READ_COMMITTED, loaded, timeout, Duration.ofHours(1), 0);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public int sessionsMax() {
        return Integer.MAX_VALUE;
    }

    @Override
    public String isolation(TransactionType type) {
        return IsolationLevel.valueOf(options[type.ordinal()].isolation().name())
                .title();
    }

    @Override
    public AbortReason retryReason(RuntimeException failure) {
        if (failure instanceof DeadlockException) {
            return AbortReason.DEADLOCK;
        }
        return failure instanceof LockstepException typed && typed.isRetryable() ? AbortReason.TIMEOUT : null;
    }

    @Override
    public TpccSession openSession() {
        Session session = database.openSession();
        return batches ? new LockstepSession(tables, session, options) : new RowByRowSession(tables, session, options);
    }

    @Override
    public CommitAnswer newAnswer() {
        return new LockstepAnswer(database.newPendingCommit());
    }

    @Override
    public TpccLoader openLoader() {
        return new LockstepLoader(tables, database.openSession(), loading);
    }

    @Override
    public void loaded() {
        database.checkpoint();
    }

    @Override
    public TpccScanner openScanner() {
        return new LockstepScanner(tables, database.openSession(), loading, counted -> {
            scannerPageAccesses.add(counted.pageAccesses());
            scannerPageMisses.add(counted.pageMisses());
        });
    }

    /**
     * Opens what removes old orders and payments.
     *
     * @param scale of the database
     */
    public LockstepRetention openRetention(TpccScale scale) {
        return new LockstepRetention(tables, database.openSession(), scale, loading);
    }

    /** What the scanners that were closed have counted. */
    public SessionStatistics scannerStatistics() {
        return new SessionStatistics(scannerPageAccesses.sum(), scannerPageMisses.sum());
    }

    /** The database, for its statistics. */
    public Database database() {
        return database;
    }

    @Override
    public void close() {
        database.close();
    }
}
