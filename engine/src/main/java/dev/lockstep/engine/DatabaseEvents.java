package dev.lockstep.engine;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.FlightRecorderListener;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Percentage;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/**
 * What {@link Database#status()} says, as JFR events of every open database, once a second unless the recording's
 * settings under {@code dev.lockstep.*} say otherwise; locks that nobody waits for only if these ask for them. As long
 * as nobody uses JFR, it is not even started, and nothing is looked at. Thread-safe.
 */
final class DatabaseEvents {
    private static final Set<Database> OPEN = ConcurrentHashMap.newKeySet();

    static {
        FlightRecorder.addListener(new FlightRecorderListener() {
            @Override
            public void recorderInitialized(FlightRecorder recorder) {
                FlightRecorder.addPeriodicEvent(
                        OpenTransaction.class, () -> OPEN.forEach(DatabaseEvents::transactions));
                FlightRecorder.addPeriodicEvent(
                        ContendedLock.class, () -> OPEN.forEach(DatabaseEvents::contendedLocks));
                FlightRecorder.addPeriodicEvent(HeldLock.class, () -> OPEN.forEach(DatabaseEvents::heldLocks));
                FlightRecorder.addPeriodicEvent(DatabaseState.class, () -> OPEN.forEach(DatabaseEvents::state));
            }
        });
    }

    private DatabaseEvents() {}

    static void opened(Database database) {
        OPEN.add(database);
    }

    static void closed(Database database) {
        OPEN.remove(database);
    }

    /** What could be seen; null of a database that is being closed. */
    private static DatabaseStatus look(Database database) {
        try {
            return database.status();
        } catch (DatabaseClosedException e) {
            // Between the look at the set and this one.
            return null;
        }
    }

    private static void transactions(Database database) {
        DatabaseStatus status = look(database);
        if (status == null) {
            return;
        }
        for (DatabaseStatus.OpenTransaction open : status.transactions()) {
            OpenTransaction event = new OpenTransaction();
            event.database = database.name();
            event.owner = open.owner();
            event.id = open.id();
            event.transactionThread = open.thread();
            event.isolation = open.isolation().name();
            event.open = open.openNanos();
            event.rollbackOnly = open.rollbackOnly();
            event.locks = open.lockCount();
            event.undo = open.undoBytes();
            event.firstLsn = open.firstLsn();
            event.waitsFor = open.waitsFor();
            event.commit();
        }
    }

    private static void contendedLocks(Database database) {
        DatabaseStatus status = look(database);
        if (status == null) {
            return;
        }
        for (DatabaseStatus.Lock lock : status.locks()) {
            if (lock.waiters().isEmpty()) {
                // Those that somebody waits for come first.
                return;
            }
            ContendedLock event = new ContendedLock();
            event.database = database.name();
            event.lock = lock.name();
            event.table = lock.table();
            event.holders = lock.holders().toString();
            event.waiters = lock.waiters().toString();
            event.commit();
        }
    }

    private static void heldLocks(Database database) {
        DatabaseStatus status = look(database);
        if (status == null) {
            return;
        }
        for (DatabaseStatus.Lock lock : status.locks()) {
            HeldLock event = new HeldLock();
            event.database = database.name();
            event.lock = lock.name();
            event.table = lock.table();
            event.holders = lock.holders().toString();
            event.waiters = lock.waiters().toString();
            event.commit();
        }
    }

    private static void state(Database database) {
        DatabaseStatus status = look(database);
        if (status == null) {
            return;
        }
        DatabaseState event = new DatabaseState();
        event.database = database.name();
        event.openTransactions = status.transactions().size();
        event.locksComplete = status.locksComplete();
        event.openSnapshots = status.snapshots().openCount();
        event.oldestSnapshot = status.snapshots().oldestNanos();
        event.logKept = status.log().keptBytes();
        event.logKeptFor = status.log().keptFor().name();
        event.checkpoints = status.checkpoint().completedCount();
        event.checkpointRunning = status.checkpoint().running();
        event.checkpointProgress = status.checkpoint().progress();
        event.poolAccesses = status.pool().accesses();
        event.poolHitRatio = status.pool().hitRatio();
        event.failure = status.health().failure();
        event.setbacks = status.health().setbackCount();
        event.lastSetback = status.health().lastSetback();
        event.commit();
    }

    @Name("dev.lockstep.OpenTransaction")
    @Label("Open Transaction")
    @Description("A transaction that is open")
    @Category("Lockstep")
    @Period("1 s")
    @StackTrace(false)
    static final class OpenTransaction extends Event {
        @Label("Database")
        String database;

        @Label("Owner")
        @Description("The number under which it holds locks")
        int owner;

        @Label("Id")
        long id;

        @Label("Transaction Thread")
        String transactionThread;

        @Label("Isolation")
        String isolation;

        @Label("Open")
        @Timespan(Timespan.NANOSECONDS)
        long open;

        @Label("Rollback Only")
        boolean rollbackOnly;

        @Label("Locks")
        int locks;

        @Label("Undo")
        @DataAmount
        long undo;

        @Label("First LSN")
        long firstLsn;

        @Label("Waits For")
        String waitsFor;
    }

    @Name("dev.lockstep.ContendedLock")
    @Label("Contended Lock")
    @Description("A lock that somebody waits for")
    @Category("Lockstep")
    @Period("1 s")
    @StackTrace(false)
    static final class ContendedLock extends Event {
        @Label("Database")
        String database;

        @Label("Lock")
        String lock;

        @Label("Table")
        String table;

        @Label("Holders")
        String holders;

        @Label("Waiters")
        String waiters;
    }

    @Name("dev.lockstep.HeldLock")
    @Label("Held Lock")
    @Description("A lock, whether somebody waits for it or not: many, so only a recording that asks for them has them")
    @Category("Lockstep")
    @Enabled(false)
    @Period("1 s")
    @StackTrace(false)
    static final class HeldLock extends Event {
        @Label("Database")
        String database;

        @Label("Lock")
        String lock;

        @Label("Table")
        String table;

        @Label("Holders")
        String holders;

        @Label("Waiters")
        String waiters;
    }

    @Name("dev.lockstep.DatabaseState")
    @Label("Database State")
    @Description("Log, checkpoints and pool of an open database")
    @Category("Lockstep")
    @Period("1 s")
    @StackTrace(false)
    static final class DatabaseState extends Event {
        @Label("Database")
        String database;

        @Label("Open Transactions")
        int openTransactions;

        @Label("Locks Complete")
        @Description("Whether the events of locks leave none out: they end at a number of requests")
        boolean locksComplete;

        @Label("Open Snapshots")
        int openSnapshots;

        @Label("Oldest Snapshot")
        @Timespan(Timespan.NANOSECONDS)
        long oldestSnapshot;

        @Label("Log Kept")
        @DataAmount
        long logKept;

        @Label("Log Kept For")
        String logKeptFor;

        @Label("Checkpoints")
        long checkpoints;

        @Label("Checkpoint Running")
        boolean checkpointRunning;

        @Label("Checkpoint Progress")
        @Percentage
        double checkpointProgress;

        @Label("Pool Accesses")
        long poolAccesses;

        @Label("Pool Hit Ratio")
        @Percentage
        double poolHitRatio;

        @Label("Failure")
        @Description("Why the database is marked failed; empty if it is not")
        String failure;

        @Label("Setbacks")
        @Description("How often something failed in the background that will be tried again, such as on a full disk")
        long setbacks;

        @Label("Last Setback")
        String lastSetback;
    }
}
