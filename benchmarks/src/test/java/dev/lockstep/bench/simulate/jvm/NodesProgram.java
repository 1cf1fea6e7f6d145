package dev.lockstep.bench.simulate.jvm;

import dev.lockstep.bench.process.NodesFile;
import dev.lockstep.counters.Markers;
import dev.lockstep.engine.Cursor;
import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.Session;
import dev.lockstep.engine.Table;
import dev.lockstep.engine.TableDefinition;
import dev.lockstep.engine.Transaction;
import dev.lockstep.engine.type.ColumnType;
import dev.lockstep.scheduler.NodeLayout;

/**
 * The main class of a simulated JVM: one thread on core 1 scans a table of 2 MB in a pool of 3 MB, which the main
 * thread has filled before anything was simulated. With the argument {@code layout} the pool is dealt to the machine's
 * nodes.
 */
final class NodesProgram {
    private static final long POOL_BYTES = 3 << 20;
    private static final int ROWS = 2_000;
    private static final int TEXT_CHARACTERS = 1_000;
    private static final int SCANS = 3;

    private NodesProgram() {}

    public static void main(String[] arguments) throws InterruptedException {
        NodeLayout layout = arguments[0].equals("layout") ? NodesFile.layout() : NodeLayout.NONE;
        DatabaseOptions options = DatabaseOptions.builder()
                .poolBytes(POOL_BYTES)
                .nodeLayout(layout)
                .build();
        try (Database database = Database.inMemory(options)) {
            Table table = filled(database);
            Thread scanner = new Thread(() -> scan(database, table), "terminal-1");
            scanner.start();
            scanner.join();
        }
    }

    private static Table filled(Database database) {
        Table table = database.createTable(TableDefinition.named("t")
                .column("id", ColumnType.int32())
                .column("text", ColumnType.string(TEXT_CHARACTERS))
                .primaryKey("id")
                .build());
        String text = "x".repeat(TEXT_CHARACTERS);
        try (Session session = database.openSession()) {
            Record row = table.newRecord();
            Transaction transaction = session.begin();
            for (int id = 0; id < ROWS; id++) {
                row.clear();
                row.setInt(0, id);
                row.setString(1, text);
                transaction.insert(table, row);
            }
            transaction.commit();
        }
        return table;
    }

    private static void scan(Database database, Table table) {
        new BoundMachine().bindCurrentThread(1);
        SimulatedPhases.begin(Markers.PHASE_MEASURED);
        long read = 0;
        try (Session session = database.openSession()) {
            for (int i = 0; i < SCANS; i++) {
                Transaction transaction = session.begin();
                try (Cursor cursor = transaction.scan(table)) {
                    Record row = table.newRecord();
                    while (cursor.next(row)) {
                        read += row.getInt(0);
                    }
                }
                transaction.commit();
            }
        }
        Markers.phaseEnd(Markers.PHASE_MEASURED);
        System.out.println(read);
    }
}
