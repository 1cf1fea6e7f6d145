package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.lockstep.engine.catalog.TableReference;
import dev.lockstep.engine.catalog.TableState;
import dev.lockstep.engine.file.EngineThread;
import dev.lockstep.engine.instance.Instance;
import dev.lockstep.engine.type.IndexKeyBuilder;
import dev.lockstep.scheduler.Scheduler;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Opens databases for a test and examines them after it: the deep {@link Database#validate()}, each index against its
 * table, sessions and contexts that were left, memory outside the heap, engine threads. Register it with
 * {@code @RegisterExtension}.
 */
public final class ValidatedDatabase implements BeforeEachCallback, AfterEachCallback {
    /** Threads of this pool belong to the process, not to a database, and end when they have been idle for a while. */
    private static final String SHARED_THREADS = "lockstep-file-";

    private final List<Database> databases = new ArrayList<>();
    private Set<Thread> threadsBefore = Set.of();

    /** Opens or creates a database that is examined and closed after the test, if the test has not closed it. */
    public Database open(Path directory, DatabaseOptions options, Scheduler scheduler) {
        return track(Database.open(directory, options, scheduler));
    }

    /** The same with the usual options. */
    public Database open(Path directory) {
        return track(Database.open(directory));
    }

    /** Makes a database in memory that is examined and closed after the test. */
    public Database inMemory(DatabaseOptions options, Scheduler scheduler) {
        return track(Database.inMemory(options, scheduler));
    }

    /** The same with the usual options. */
    public Database inMemory() {
        return inMemory(DatabaseOptions.defaults(), null);
    }

    /** Has a database examined after the test that was opened elsewhere. */
    public Database track(Database database) {
        databases.add(database);
        return database;
    }

    /** Examines a database, closes it, and looks for what it may have left. */
    public void close(Database database) {
        examine(database);
        database.close();
        requireReleased(database);
    }

    /** Everything that must hold while no transaction runs. */
    public static ValidationReport examine(Database database) {
        ValidationReport report = database.validate();
        for (String name : database.tableNames()) {
            examineIndexes(database, database.table(name));
        }
        database.validate();
        return report;
    }

    /** Each index holds exactly the entries that the rows of its table call for. */
    private static void examineIndexes(Database database, Table table) {
        TableDefinition definition = table.definition();
        database.run(transaction -> {
            for (int index = 0; index < definition.indexes().size(); index++) {
                TreeMap<String, String> expected = expectedEntries(transaction, table, index);
                TreeMap<String, String> actual =
                        actualEntries(transaction, table, definition.indexes().get(index));
                assertEquals(
                        expected,
                        actual,
                        "entries of index " + definition.indexes().get(index).name() + " of table " + table.name());
            }
        });
    }

    private static TreeMap<String, String> expectedEntries(Transaction transaction, Table table, int index) {
        TableDefinition definition = table.definition();
        IndexKeyBuilder builder = new IndexKeyBuilder(
                definition.recordFormat(),
                definition.indexFormat(index),
                definition.indexes().get(index).unique());
        TreeMap<String, String> entries = new TreeMap<>();
        Record row = table.newRecord();
        try (Cursor cursor = transaction.scan(table)) {
            while (cursor.next(row)) {
                builder.build(row);
                String columns = hex(builder.bytes(), builder.columnsLength());
                String primaryKey = hex(row.keyBytes(), row.keyLength());
                entries.put(columns + " " + primaryKey, primaryKey);
            }
        }
        return entries;
    }

    private static TreeMap<String, String> actualEntries(Transaction transaction, Table table, IndexDefinition index) {
        TableDefinition definition = table.definition();
        int position = definition.indexPosition(index.name());
        IndexKeyBuilder builder =
                new IndexKeyBuilder(definition.recordFormat(), definition.indexFormat(position), index.unique());
        TreeMap<String, String> entries = new TreeMap<>();
        Record row = table.newRecord();
        Key primaryKey = table.newKey();
        List<String> keys = new ArrayList<>();
        try (Cursor cursor = transaction.scan(table, index.name())) {
            while (cursor.nextKey(primaryKey)) {
                keys.add(hex(primaryKey.bytes(), primaryKey.length()));
            }
        }
        int at = 0;
        try (Cursor cursor = transaction.scan(table, index.name())) {
            while (cursor.next(row)) {
                builder.build(row);
                String columns = hex(builder.bytes(), builder.columnsLength());
                String found = hex(row.keyBytes(), row.keyLength());
                assertEquals(keys.get(at++), found, "an entry leads to its row");
                entries.put(columns + " " + found, found);
            }
        }
        assertEquals(keys.size(), at, "every entry of index " + index.name() + " leads to a row");
        return entries;
    }

    private static String hex(byte[] bytes, int length) {
        return HexFormat.of().formatHex(bytes, 0, length);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        threadsBefore = engineThreads();
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        boolean passed = context.getExecutionException().isEmpty();
        try {
            for (Database database : databases) {
                finish(database, passed);
            }
            if (passed) {
                requireNoThreads();
            }
        } finally {
            databases.clear();
        }
    }

    private static void finish(Database database, boolean passed) {
        Instance instance = database.instance();
        if (!passed) {
            database.abandon();
            return;
        }
        if (instance.pool().memory().scope().isAlive()) {
            if (!instance.health().isFailed()) {
                examine(database);
                requireIdle(database);
            }
            database.close();
        }
        requireReleased(database);
    }

    private static void requireIdle(Database database) {
        assertEquals(
                database.sessionCount(),
                database.instance().transactions().sessionCount(),
                "contexts without a session of the application");
        for (TableReference table : database.instance().catalog().tables()) {
            TableState state = table.state();
            assertFalse(state.indexes().stream().anyMatch(TableState.IndexState::building), "an index is unfinished");
        }
    }

    private static void requireReleased(Database database) {
        assertFalse(database.instance().pool().memory().scope().isAlive(), "the pool's memory is still there");
    }

    /** Every thread of a database that is closed has ended. */
    private void requireNoThreads() throws InterruptedException {
        Set<Thread> left = engineThreads();
        left.removeAll(threadsBefore);
        for (Thread thread : left) {
            // A closed database has told its threads to end; the last of them may be returning.
            thread.join();
        }
    }

    private static Set<Thread> engineThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread ->
                        thread instanceof EngineThread && !thread.getName().startsWith(SHARED_THREADS))
                .collect(Collectors.toSet());
    }
}
