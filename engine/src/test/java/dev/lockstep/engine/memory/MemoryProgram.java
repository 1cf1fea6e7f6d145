package dev.lockstep.engine.memory;

import dev.lockstep.engine.Cursor;
import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.Table;
import dev.lockstep.engine.TableDefinition;
import dev.lockstep.engine.Transaction;
import dev.lockstep.engine.type.ColumnType;
import dev.lockstep.scheduler.memory.AddressSpace;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/**
 * The main class of a JVM that is to work alike with native access, raw or not, and without: numbers in trusted memory,
 * and changes of a database beside those of a map, enough for nodes to be split and merged. Arguments are a directory
 * and a seed.
 */
final class MemoryProgram {
    private static final int CHANGES = 20_000;
    private static final int KEYS = 4_000;
    private static final int TEXT_MAX = 200;
    private static final int CHANGES_PER_TRANSACTION = 50;
    private static final int COPIED_BYTES_MAX = 700;

    private MemoryProgram() {}

    public static void main(String[] arguments) {
        System.out.println(AddressSpace.isRaw() ? "raw" : AddressSpace.isOpen() ? "open" : "closed");
        System.out.println(numbers());
        System.out.println(copies());
        System.out.println(changes(Path.of(arguments[0]), Long.parseLong(arguments[1])));
    }

    private static String numbers() {
        try (Arena arena = Arena.ofConfined()) {
            NativeMemory memory = NativeMemory.trusted(arena.allocate(24));
            memory.setByte(0, (byte) 0x81);
            memory.setShort(1, (short) 0x8283);
            memory.setInt(3, 0x84858687);
            memory.setLong(7, 0x88898A8B8C8D8E8FL);
            memory.setLong(15, memory.getLongBigEndian(7));
            memory.setByte(23, (byte) (memory.getByte(0) + memory.getShort(1) + memory.getInt(3) + memory.getLong(7)));
            byte[] bytes = new byte[24];
            memory.copyTo(0, bytes, 0, bytes.length);
            return HexFormat.of().formatHex(bytes);
        }
    }

    /** Every length around those at which another way of copying begins, and of rows, at every alignment. */
    private static String copies() {
        byte[] source = new byte[COPIED_BYTES_MAX + 2 * Long.BYTES];
        for (int i = 0; i < source.length; i++) {
            source[i] = (byte) (i * 37 + 1);
        }
        int copies = 0;
        for (int bytes = 0; bytes <= COPIED_BYTES_MAX; bytes++) {
            for (int from = 0; from < Long.BYTES; from++) {
                int at = Long.BYTES - 1 - from;
                byte[] expected = new byte[source.length];
                System.arraycopy(source, from, expected, at, bytes);
                try (Arena arena = Arena.ofConfined()) {
                    NativeMemory memory = NativeMemory.trusted(arena.allocate(source.length));
                    memory.copyFrom(source, from, at, bytes);
                    byte[] read = new byte[source.length];
                    memory.copyTo(0, read, 0, read.length);
                    byte[] readAgain = new byte[source.length];
                    memory.copyTo(at, readAgain, at, bytes);
                    byte[] copied = new byte[source.length];
                    AddressSpace.copy(source, from, copied, at, bytes);
                    if (!Arrays.equals(expected, read)
                            || !Arrays.equals(expected, readAgain)
                            || !Arrays.equals(expected, copied)) {
                        return "wrong copy: bytes=" + bytes + " from=" + from;
                    }
                }
                copies++;
            }
        }
        return copies + " copies";
    }

    private static String changes(Path directory, long seed) {
        RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
        Map<Integer, String> model = new TreeMap<>();
        TableDefinition definition = TableDefinition.named("text")
                .column("id", ColumnType.int32())
                .column("text", ColumnType.string(TEXT_MAX))
                .primaryKey("id")
                .index("by_text", "text")
                .build();
        // Too small for the rows, so that pages go and come back.
        DatabaseOptions options = DatabaseOptions.builder()
                .createIfMissing(true)
                .poolBytes(DatabaseOptions.POOL_BYTES_MIN)
                .build();
        try (Database database = Database.open(directory, options)) {
            Table table = database.createTable(definition);
            for (int done = 0; done < CHANGES; done += CHANGES_PER_TRANSACTION) {
                database.run(tx -> {
                    for (int i = 0; i < CHANGES_PER_TRANSACTION; i++) {
                        change(random, table, tx, model);
                    }
                });
            }
        }
        try (Database database = Database.open(directory, options)) {
            Table table = database.table("text");
            return database.call(tx -> compare(table, tx, model));
        }
    }

    private static void change(RandomGenerator random, Table table, Transaction tx, Map<Integer, String> model) {
        int id = random.nextInt(KEYS);
        if (model.containsKey(id) && random.nextInt(3) == 0) {
            tx.delete(table, table.newKey().add(id));
            model.remove(id);
            return;
        }
        String text = Integer.toString(random.nextInt(KEYS)).repeat(random.nextInt(1, TEXT_MAX / 4));
        Record row = table.newRecord();
        row.setInt(0, id);
        row.setString(1, text);
        if (model.put(id, text) == null) {
            tx.insert(table, row);
        } else {
            tx.update(table, row);
        }
    }

    private static String compare(Table table, Transaction tx, Map<Integer, String> model) {
        Map<Integer, String> rows = new TreeMap<>();
        Record row = table.newRecord();
        try (Cursor cursor = tx.scan(table)) {
            while (cursor.next(row)) {
                rows.put(row.getInt(0), row.getString(1));
            }
        }
        int byText = 0;
        try (Cursor cursor = tx.scan(table, "by_text")) {
            while (cursor.next(row)) {
                byText++;
            }
        }
        return rows.equals(model) && byText == model.size() ? "same rows " + rows.hashCode() : "other rows";
    }
}
