package dev.lockstep.engine.probe;

import dev.lockstep.engine.Cursor;
import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.DuplicateKeyException;
import dev.lockstep.engine.Isolation;
import dev.lockstep.engine.Key;
import dev.lockstep.engine.LockTimeoutException;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.RowBatch;
import dev.lockstep.engine.Session;
import dev.lockstep.engine.Table;
import dev.lockstep.engine.TableDefinition;
import dev.lockstep.engine.Transaction;
import dev.lockstep.engine.TransactionOptions;
import dev.lockstep.engine.type.ColumnType;
import dev.lockstep.scheduler.SThread;
import dev.lockstep.scheduler.SThreadKind;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.SchedulerOptions;
import dev.lockstep.scheduler.TeamExecution;
import dev.lockstep.scheduler.TeamMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ObjIntConsumer;

/**
 * The main class of a JVM with a probe: runs every kind of operation, and prints what the probe was told. The argument
 * is a kind of S-threads, or {@code threads} for a platform thread and a database without scheduler, or {@code virtual
 * thread} for one that waits there for a lock, or {@code staged} for S-threads one of which fetches for others.
 */
final class ProbedProgram {
    private static final int MEMBERS = 3;
    private static final int ROUNDS = 5;
    private static final int ID = 0;
    private static final int OWNER = 1;
    private static final int AMOUNT = 2;

    /** From one look at whether a thread waits to the next. */
    private static final long LOOK_NANOS = 1_000_000;

    private final Database database;
    private final Table table;
    private final TransactionOptions options;

    private ProbedProgram(Database database) {
        this.database = database;
        table = database.createTable(TableDefinition.named("account")
                .column("id", ColumnType.int32())
                .column("owner", ColumnType.int32())
                .column("amount", ColumnType.int64())
                .primaryKey("id")
                .index("by-owner", "owner")
                .build());
        options = TransactionOptions.of(DatabaseOptions.builder().build())
                .withIsolation(Isolation.SERIALIZABLE)
                .withLockTimeout(Duration.ofMillis(1));
    }

    public static void main(String[] arguments) throws InterruptedException {
        switch (arguments[0]) {
            case "threads" -> onThisThread();
            case "virtual thread" -> onAVirtualThread();
            case "staged" -> inAStagedTeam();
            default -> onSThreads(SThreadKind.valueOf(arguments[0]));
        }
        RecordingProbe.wrong().forEach(System.out::println);
    }

    private static void onThisThread() {
        try (Database database = Database.inMemory(DatabaseOptions.builder().build())) {
            ProbedProgram program = new ProbedProgram(database);
            RecordingProbe.of(null).told().clear();
            program.everything(0, true);
            print(null);
        }
    }

    /** Which waits for a lock of this thread's. */
    private static void onAVirtualThread() throws InterruptedException {
        try (Database database = Database.inMemory(DatabaseOptions.builder().build())) {
            ProbedProgram program = new ProbedProgram(database);
            TransactionOptions patient = program.options.withLockTimeout(Duration.ofMinutes(5));
            try (Session session = database.openSession()) {
                Transaction holding = session.begin(patient);
                Record row = program.table.newRecord();
                fill(row, 0);
                holding.insert(program.table, row);
                Thread waiting = Thread.ofVirtual().start(() -> program.fetchAlone(patient));
                while (waiting.getState() != Thread.State.TIMED_WAITING) {
                    LockSupport.parkNanos(LOOK_NANOS);
                }
                holding.commit();
                waiting.join();
            }
        }
    }

    private void fetchAlone(TransactionOptions patient) {
        try (Session session = database.openSession()) {
            Transaction transaction = session.begin(patient);
            transaction.fetch(table, table.newKey().add(0), table.newRecord());
            transaction.commit();
        }
        print(null);
    }

    private static void onSThreads(SThreadKind kind) throws InterruptedException {
        SchedulerOptions options = teams().withKind(kind);
        for (SThread member : runMembers(options, (program, member) -> program.rounds(member * ROUNDS))) {
            print(member);
        }
    }

    private static void inAStagedTeam() throws InterruptedException {
        SchedulerOptions options = teams().withTeamExecution(TeamExecution.STAGED);
        runMembers(options, (program, member) -> program.fetchOften());
        System.out.println("works of others told " + RecordingProbe.worksOfOthers());
    }

    private static SchedulerOptions teams() {
        return SchedulerOptions.defaults()
                .withCarriers(1)
                .withTeamMode(TeamMode.ON)
                .withSwitchPointsOn(true);
    }

    private static List<SThread> runMembers(SchedulerOptions options, ObjIntConsumer<ProbedProgram> body)
            throws InterruptedException {
        List<SThread> members = new ArrayList<>();
        try (Scheduler scheduler = new Scheduler(options);
                Database database = Database.inMemory(DatabaseOptions.builder().build(), scheduler)) {
            ProbedProgram program = new ProbedProgram(database);
            SThread starter = scheduler.start("starter", -1, () -> {
                for (int i = 0; i < MEMBERS; i++) {
                    int member = i;
                    members.add(scheduler.start("member-" + member, -1, () -> body.accept(program, member)));
                }
            });
            starter.join();
            for (SThread member : members) {
                member.join();
                if (member.failure() != null) {
                    throw new AssertionError(member.name(), member.failure());
                }
            }
        }
        return members;
    }

    /** One fetch in each of its transactions, so that every other operation of a member's is no fetch. */
    private void fetchOften() {
        try (Session session = database.openSession()) {
            Key key = table.newKey();
            Record row = table.newRecord();
            for (int round = 0; round < ROUNDS; round++) {
                Transaction transaction = session.begin(options.withLockTimeout(Duration.ofSeconds(10)));
                transaction.fetch(table, key.reset().add(0), row);
                transaction.commit();
            }
        }
    }

    private void rounds(int first) {
        for (int round = 0; round < ROUNDS; round++) {
            everything(first + round, false);
        }
    }

    private static void print(SThread sThread) {
        RecordingProbe.Recording recording = RecordingProbe.of(sThread);
        System.out.println(String.join(" ", recording.told())
                + (recording.isOutside() ? " outside" : " inside")
                + (recording.resumptions() > 0 ? " resumed" : "")
                + (recording.resumptionsInside() > 0 ? " resumed inside" : ""));
    }

    /** One transaction with every operation, one that is rolled back, and operations that fail. */
    private void everything(int id, boolean alone) {
        Session session = database.openSession();
        Key key = table.newKey();
        Record row = table.newRecord();
        Transaction transaction = session.begin(options.withLockTimeout(Duration.ofSeconds(10)));
        fill(row, id);
        transaction.insert(table, row);
        transaction.fetch(table, key.reset().add(id), row);
        RowBatch batch = table.newBatch(1);
        batch.addKey().add(id);
        transaction.fetch(table, batch);
        try (Cursor cursor = transaction
                .scan(table, "by-owner")
                .from(table.newIndexKey("by-owner").add(id))) {
            require(cursor.next(row));
        }
        row.setLong(AMOUNT, 1);
        require(transaction.update(table, row));
        require(transaction.delete(table, key));
        transaction.commit();

        transaction = session.begin(options);
        transaction.rollback();
        if (alone) {
            failing(session, row, id);
        }
        session.close();
    }

    private void failing(Session session, Record row, int id) {
        Transaction transaction = session.begin(options);
        fill(row, id);
        transaction.insert(table, row);
        try {
            transaction.insert(table, row);
            throw new AssertionError("the key is there");
        } catch (DuplicateKeyException expected) {
            // The operation has ended by an error of the caller.
        }
        try (Session other = database.openSession()) {
            Transaction waiting = other.begin(options);
            try {
                waiting.fetch(table, table.newKey().add(id), row);
                throw new AssertionError("the row is locked");
            } catch (LockTimeoutException expected) {
                waiting.rollback();
            }
        }
        transaction.rollback();
    }

    private static void fill(Record row, int id) {
        row.clear();
        row.setInt(ID, id);
        row.setInt(OWNER, id);
        row.setLong(AMOUNT, 0);
    }

    private static void require(boolean done) {
        if (!done) {
            throw new AssertionError("nothing found");
        }
    }
}
