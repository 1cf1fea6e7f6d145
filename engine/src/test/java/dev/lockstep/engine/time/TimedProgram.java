package dev.lockstep.engine.time;

import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.LockTimeoutException;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.Session;
import dev.lockstep.engine.Table;
import dev.lockstep.engine.TableDefinition;
import dev.lockstep.engine.Transaction;
import dev.lockstep.engine.TransactionOptions;
import dev.lockstep.engine.type.ColumnType;
import dev.lockstep.scheduler.SThreadKind;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.SchedulerOptions;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/**
 * The main class of a JVM with {@link HandTime}: somebody waits two hours for a lock, which pass when this program says
 * so. The argument is a kind of S-threads, or {@code threads} for a platform thread and a database without scheduler.
 */
final class TimedProgram {
    private static final Duration LIMIT = Duration.ofHours(2);

    private TimedProgram() {}

    public static void main(String[] arguments) throws InterruptedException {
        DatabaseOptions options = DatabaseOptions.builder().build();
        if (arguments[0].equals("threads")) {
            try (Database database = Database.inMemory(options)) {
                run(database, body -> Thread.ofPlatform().start(body));
            }
            return;
        }
        SThreadKind kind = SThreadKind.valueOf(arguments[0]);
        try (Scheduler scheduler = new Scheduler(SchedulerOptions.defaults().withKind(kind));
                Database database = Database.inMemory(options, scheduler)) {
            run(database, body -> scheduler.start("waits", 0, body));
        }
    }

    private interface Starter {
        void start(Runnable body);
    }

    private static void run(Database database, Starter starter) throws InterruptedException {
        Table table = database.createTable(TableDefinition.named("account")
                .column("id", ColumnType.int32())
                .primaryKey("id")
                .build());
        TransactionOptions waiting = TransactionOptions.of(
                        DatabaseOptions.builder().build())
                .withLockTimeout(LIMIT)
                .withTimeout(LIMIT.multipliedBy(2));
        CountDownLatch ended = new CountDownLatch(1);
        try (Session session = database.openSession()) {
            Transaction holder = session.begin(waiting);
            Record row = table.newRecord();
            row.setInt(0, 1);
            holder.insert(table, row);
            starter.start(() -> fetch(database, table, waiting, ended));
            // The waiting thread looks at the time again and again, and sees it stand still.
            while (HandTime.parksForHours() < 10) {
                Thread.onSpinWait();
            }
            System.out.println("waits still " + (ended.getCount() == 1));
            HandTime.advance(LIMIT.toNanos());
            ended.await();
            holder.rollback();
        }
    }

    private static void fetch(Database database, Table table, TransactionOptions options, CountDownLatch ended) {
        try (Session session = database.openSession()) {
            Transaction transaction = session.begin(options);
            try {
                System.out.println(
                        "found " + transaction.fetch(table, table.newKey().add(1), table.newRecord()));
            } catch (LockTimeoutException expected) {
                System.out.println("out of time");
            }
            transaction.rollback();
        } finally {
            ended.countDown();
        }
    }
}
