package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.catalog.TableReference;
import dev.lockstep.engine.catalog.TableState;
import dev.lockstep.engine.file.DiskStorage;
import dev.lockstep.engine.file.EngineThread;
import dev.lockstep.engine.instance.Instance;
import dev.lockstep.engine.instance.InstanceOpener;
import dev.lockstep.engine.instance.OperationDriver;
import dev.lockstep.engine.instance.SessionCore;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.engine.operation.ScanOperation;
import dev.lockstep.engine.type.IndexKeyBuilder;
import dev.lockstep.engine.type.RawRecord;
import dev.lockstep.scheduler.Scheduler;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Opens databases for a test and examines each after it, or when the test closes it: the deep {@link
 * Database#validate()}, each index against its table, sessions and contexts that were left, memory outside the heap,
 * engine threads. Register it with {@code @RegisterExtension}.
 */
public final class ValidatedDatabase implements BeforeEachCallback, AfterEachCallback {
    /** For a new database, or one that is there, with the smallest pool, so that pages are soon evicted. */
    public static final DatabaseOptions SMALLEST = DatabaseOptions.builder()
            .createIfMissing(true)
            .poolBytes(DatabaseOptions.POOL_BYTES_MIN)
            .build();

    /** Threads of this pool belong to the process, not to a database, and end when they have been idle for a while. */
    private static final String SHARED_THREADS = "lockstep-file-";

    private static final long MEMORY_BYTES = 32 << 20;

    /** A part of the usual ring: to make that takes longer than many a test. */
    private static final int LOG_BUFFER_BYTES = 1 << 20;

    /** As of {@link Database#open(Path)}, but for pool and log, for the same reason. */
    public static final DatabaseOptions USUAL = DatabaseOptions.builder()
            .createIfMissing(true)
            .poolBytes(MEMORY_BYTES)
            .build();

    /** No machine is so slow. */
    private static final Duration HANG = Duration.ofMinutes(15);

    private final List<Database> databases = new ArrayList<>();

    /**
     * Marks the threads of a test: a thread has the class loader of the one that made it, unless it asks for another.
     */
    private ClassLoader mark;

    private ClassLoader loaderBefore;

    /** Opens or creates a database that is examined and closed after the test, if the test has not closed it. */
    public Database open(Path directory, DatabaseOptions options, Scheduler scheduler) {
        LogOptions log = InstanceOpener.defaultLogOptions(options).withBufferBytes(LOG_BUFFER_BYTES);
        return track(Database.open(DiskStorage.of(options.uncachedWrites()), directory, options, scheduler, log));
    }

    /** The same with {@link #USUAL} options. */
    public Database open(Path directory) {
        return open(directory, USUAL, null);
    }

    /** Makes a database in memory that is examined and closed after the test. */
    public Database inMemory(DatabaseOptions options, Scheduler scheduler) {
        return track(Database.inMemory(options, scheduler));
    }

    /** The same, with room for what a test usually needs. */
    public Database inMemory() {
        return inMemory(DatabaseOptions.builder().poolBytes(MEMORY_BYTES).build(), null);
    }

    /** Has a database examined after the test that was opened elsewhere. */
    public Database track(Database database) {
        database.beforeClose(ValidatedDatabase::examineIfUsable);
        return unexamined(database);
    }

    /** Looks after the test for what a database may have left that is closed beside other threads that use it. */
    public Database unexamined(Database database) {
        databases.add(database);
        return database;
    }

    private static void examineIfUsable(Database database) {
        if (!database.instance().health().isFailed()) {
            examine(database);
        }
    }

    /** Examines a database, closes it, and looks for what it may have left. */
    public void close(Database database) {
        assertFalse(database.instance().health().isFailed(), "the database is marked failed");
        examine(database);
        database.beforeClose(null);
        database.close();
        requireReleased(database);
        databases.remove(database);
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
        for (int at = 0; at < definition.indexes().size(); at++) {
            int index = at;
            assertEquals(
                    database.call(transaction -> expectedEntries(transaction, table, index)),
                    actualEntries(database.instance(), table, index),
                    "entries of index " + definition.indexes().get(index).name() + " of table " + table.name());
        }
    }

    private static SortedMap<String, String> expectedEntries(Transaction transaction, Table table, int index) {
        TableDefinition definition = table.definition();
        IndexKeyBuilder builder = new IndexKeyBuilder(
                definition.recordFormat(),
                definition.indexFormat(index),
                definition.indexes().get(index).unique());
        SortedMap<String, String> entries = new TreeMap<>();
        Record row = table.newRecord();
        try (Cursor cursor = transaction.scan(table)) {
            while (cursor.next(row)) {
                builder.build(row);
                String columns = hex(builder.bytes(), 0, builder.columnsLength());
                String primaryKey = hex(row.keyBytes(), 0, row.keyLength());
                entries.put(columns + " " + primaryKey, primaryKey);
            }
        }
        return entries;
    }

    /** The entries as they are stored, not as the rows that they lead to would have them. */
    private static SortedMap<String, String> actualEntries(Instance instance, Table table, int index) {
        TableState state = table.reference().state();
        TableDefinition definition = state.definition();
        IndexKeyBuilder builder = new IndexKeyBuilder(
                definition.recordFormat(),
                definition.indexFormat(index),
                definition.indexes().get(index).unique());
        SortedMap<String, String> entries = new TreeMap<>();
        SessionCore session = instance.newSession();
        try {
            session.begin(Isolation.READ_COMMITTED, Durability.ASYNC, Long.MAX_VALUE, Long.MAX_VALUE);
            OperationDriver driver =
                    new OperationDriver(instance.pool(), instance.scheduler(), instance.locks(), session.context());
            ScanOperation scan = new ScanOperation(instance.locks(), instance.transactions(), session.context());
            RawRecord entry = new RawRecord();
            scan.start(state.indexes().get(index).tree(), null, 0, null, 0, false, LockMode.KEY_S, entry);
            for (scan.next(), driver.runPlain(scan); scan.found(); scan.next(), driver.runPlain(scan)) {
                int keyAt = builder.primaryKeyOffset(entry.keyBytes(), 0, entry.keyLength());
                String columns = hex(entry.keyBytes(), 0, keyAt);
                String primaryKey = keyAt == entry.keyLength()
                        ? hex(entry.valueBytes(), 0, entry.valueLength())
                        : hex(entry.keyBytes(), keyAt, entry.keyLength());
                entries.put(columns + " " + primaryKey, primaryKey);
            }
            session.commit();
        } finally {
            session.close();
        }
        return entries;
    }

    private static String hex(byte[] bytes, int from, int to) {
        return HexFormat.of().formatHex(bytes, from, to);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        loaderBefore = Thread.currentThread().getContextClassLoader();
        mark = new ClassLoader(loaderBefore) {};
        Thread.currentThread().setContextClassLoader(mark);
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
            Thread.currentThread().setContextClassLoader(loaderBefore);
        }
    }

    private static void finish(Database database, boolean passed) {
        Instance instance = database.instance();
        if (!passed) {
            database.abandon();
            return;
        }
        if (instance.pool().memory().segment().scope().isAlive()) {
            if (!instance.health().isFailed()) {
                examine(database);
                requireIdle(database);
            }
            database.beforeClose(null);
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
        assertFalse(
                database.instance().pool().memory().segment().scope().isAlive(), "the pool's memory is still there");
    }

    /** Every thread of a database that is closed has ended. */
    private void requireNoThreads() throws InterruptedException {
        for (Thread thread : engineThreads()) {
            // A closed database has told its threads to end; the last of them may be returning.
            assertTrue(thread.join(HANG), () -> "a thread of a closed database does not end: " + thread);
        }
    }

    /** The threads of the engine that this test has brought about, not those of tests beside it. */
    Set<Thread> engineThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread instanceof EngineThread
                        && thread.getContextClassLoader() == mark
                        && !thread.getName().startsWith(SHARED_THREADS))
                .collect(Collectors.toSet());
    }
}
