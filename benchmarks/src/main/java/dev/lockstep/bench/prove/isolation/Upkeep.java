package dev.lockstep.bench.prove.isolation;

import dev.lockstep.bench.process.ScratchDirectory;
import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.IndexDefinition;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.Table;
import dev.lockstep.engine.TableDefinition;
import dev.lockstep.engine.type.ColumnType;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * What is done to a database beside its transactions, none of which may notice: rounds of a checkpoint, an index that
 * is made on the filled table and dropped, a table that comes and goes, a backup, and a compaction that moves the pages
 * of the others to where that table was. What a backup shows is kept: it has to be a state between two commits.
 *
 * <p>One thread of its own, from {@link #start} to {@link #end}.
 */
final class Upkeep {
    private static final String BALLAST = "ballast";
    private static final int BALLAST_ROWS = 64;
    private static final int BALLAST_BYTES = 4_000;
    private static final String INDEX = "by_register";

    /** Backups that are kept until the end. */
    private static final int BACKUPS_MAX = 8;

    private final Database database;
    private final Path backups;
    private final Function<Database, Map<Integer, long[]>> reader;
    private final List<Map<Integer, long[]>> shown = new ArrayList<>();
    private final Thread thread = Thread.ofPlatform().name("upkeep").unstarted(this::run);
    private volatile boolean ends;
    private int rounds;
    private int backupCount;
    private long pagesMoved;
    private Throwable failure;

    private Upkeep(Database database, Path backups, Function<Database, Map<Integer, long[]>> reader) {
        this.database = database;
        this.backups = backups;
        this.reader = reader;
    }

    /**
     * Begins with the first round.
     *
     * @param backups a directory that is not there, for the backups
     * @param reader reads all that transactions have written
     */
    static Upkeep start(Database database, Path backups, Function<Database, Map<Integer, long[]>> reader) {
        Upkeep upkeep = new Upkeep(database, backups, reader);
        upkeep.thread.start();
        return upkeep;
    }

    private void run() {
        try {
            // Ends when it is told to, and has done one round at least.
            do {
                round();
                rounds++;
            } while (!ends);
        } catch (Throwable e) {
            // An error too: the history would else pass for one beside which nothing failed.
            failure = e;
        }
    }

    private void round() {
        Table ballast = database.createTable(TableDefinition.named(BALLAST)
                .column("key", ColumnType.int32())
                .column("value", ColumnType.binary(BALLAST_BYTES))
                .primaryKey("key")
                .build());
        database.run(transaction -> {
            Record row = ballast.newRecord();
            for (int key = 0; key < BALLAST_ROWS; key++) {
                row.clear();
                row.setInt(0, key);
                row.setBytes(1, new byte[BALLAST_BYTES], 0, BALLAST_BYTES);
                transaction.insert(ballast, row);
            }
        });
        database.createIndex(IndexDefinition.of(INDEX, HistoryRecorder.TABLE, "register"));
        database.checkpoint();
        if (backupCount < BACKUPS_MAX) {
            database.backup(backup(backupCount));
            backupCount++;
        }
        database.dropIndex(HistoryRecorder.TABLE, INDEX);
        database.dropTable(BALLAST);
        pagesMoved += database.compact().pagesMoved();
    }

    private Path backup(int number) {
        return backups.resolve("backup-" + number);
    }

    /**
     * What the backups show, in the order in which they were made. They are opened here and not beside the
     * transactions, which would be through before. After {@link #end}.
     *
     * @throws IllegalStateException if a round has failed
     */
    List<Map<Integer, long[]>> backups() throws IOException {
        if (failure != null) {
            throw new IllegalStateException("upkeep failed beside transactions: round=" + rounds, failure);
        }
        for (int i = shown.size(); i < backupCount; i++) {
            try (Database copy = Database.open(backup(i), DatabaseOptions.defaults())) {
                copy.validate();
                shown.add(reader.apply(copy));
            }
        }
        ScratchDirectory.remove(backups);
        return shown;
    }

    /** How many pages compactions have moved. After {@link #end}. */
    long pagesMoved() {
        return pagesMoved;
    }

    /** Waits for the end of the round. */
    void end() throws InterruptedException {
        ends = true;
        thread.join();
    }
}
