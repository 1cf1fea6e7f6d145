package dev.lockstep.engine;

import dev.lockstep.engine.type.ColumnType;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The main class of a JVM whose heap is full when a transaction commits that has replaced a large value, which is kept
 * for snapshots until the commit is durable. Prints whether the database goes on. The argument is an empty directory.
 */
final class FullHeapProgram {
    private static final int VALUE_BYTES = 8 << 20;
    private static final int FILLING_BYTES = 1 << 20;

    /** For what a commit and the engine's threads need; less than the value. */
    private static final int BYTES_LEFT = 4 << 20;

    private FullHeapProgram() {}

    public static void main(String[] arguments) {
        try (Database database = Database.open(Path.of(arguments[0]), ValidatedDatabase.USUAL)) {
            Table table = database.createTable(TableDefinition.named("picture")
                    .column("id", ColumnType.int32())
                    .column("bytes", ColumnType.binary(VALUE_BYTES))
                    .primaryKey("id")
                    .build());
            Record row = table.newRecord();
            row.setInt(0, 1);
            row.setBytes(1, new byte[VALUE_BYTES], 0, VALUE_BYTES);
            database.run(transaction -> transaction.insert(table, row));
            try (Session session = database.openSession()) {
                Transaction transaction = session.begin();
                row.setBytes(1, new byte[] {1}, 0, 1);
                transaction.update(table, row);
                Deque<byte[]> filling = fill();
                transaction.commit();
                System.out.println("filled " + (filling.size() > 1));
            }
            database.run(transaction -> transaction.fetch(table, table.newKey().add(1), row));
            System.out.println("bytes " + row.getBytes(1).length);
            System.out.println("failure " + database.status().health().failure());
        }
    }

    private static Deque<byte[]> fill() {
        Deque<byte[]> filling = new ArrayDeque<>();
        try {
            while (true) {
                filling.add(new byte[FILLING_BYTES]);
            }
        } catch (OutOfMemoryError full) {
            for (int left = 0; left < BYTES_LEFT; left += FILLING_BYTES) {
                filling.removeLast();
            }
        }
        return filling;
    }
}
