package dev.lockstep.engine.probe;

import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.Session;
import dev.lockstep.engine.Table;
import dev.lockstep.engine.TableDefinition;
import dev.lockstep.engine.Transaction;
import dev.lockstep.engine.type.ColumnType;
import dev.lockstep.scheduler.SThread;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.SchedulerOptions;
import dev.lockstep.scheduler.TeamMode;
import java.util.ArrayList;
import java.util.List;

/**
 * The main class of a JVM with a {@link RefusingProbe}: the commits of a team, whose members cannot take turns. Prints
 * how the rows are that were committed, behind a rollback of the same session, and whether a turn was refused.
 */
final class RefusedTurns {
    private static final int MEMBERS = 3;
    private static final int ID = 0;
    private static final int AMOUNT = 1;

    private RefusedTurns() {}

    public static void main(String[] arguments) throws InterruptedException {
        SchedulerOptions options = SchedulerOptions.defaults()
                .withCarriers(1)
                .withTeamMode(TeamMode.ON)
                .withSwitchPointsOn(true);
        try (Scheduler scheduler = new Scheduler(options);
                Database database = Database.inMemory(DatabaseOptions.builder().build(), scheduler)) {
            Table table = database.createTable(TableDefinition.named("account")
                    .column("id", ColumnType.int32())
                    .column("amount", ColumnType.int64())
                    .primaryKey("id")
                    .build());
            List<SThread> members = new ArrayList<>();
            SThread starter = scheduler.start("starter", -1, () -> {
                for (int i = 0; i < MEMBERS; i++) {
                    int id = i;
                    members.add(scheduler.start("member-" + id, -1, () -> commitAndRollBack(database, table, id)));
                }
            });
            starter.join();
            for (SThread member : members) {
                member.join();
                System.out.println(member.name() + " failed with " + member.failure());
            }
            print(database, table);
        }
        System.out.println("refused " + (RefusingProbe.refused() > 0));
    }

    private static void commitAndRollBack(Database database, Table table, int id) {
        try (Session session = database.openSession()) {
            Record row = table.newRecord();
            row.setInt(ID, id);
            row.setLong(AMOUNT, 1);
            Transaction kept = session.begin();
            kept.insert(table, row);
            kept.commit();
            Transaction undone = session.begin();
            row.setLong(AMOUNT, 2);
            undone.update(table, row);
            undone.rollback();
        }
    }

    private static void print(Database database, Table table) {
        database.run(transaction -> {
            Record row = table.newRecord();
            for (int id = 0; id < MEMBERS; id++) {
                boolean isThere = transaction.fetch(table, table.newKey().add(id), row);
                System.out.println("row " + id + " is " + (isThere ? row.getLong(AMOUNT) : "missing"));
            }
        });
    }
}
