package dev.lockstep.bench.files;

import dev.lockstep.bench.Main;
import dev.lockstep.engine.Database;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.Table;
import dev.lockstep.engine.TableDefinition;
import dev.lockstep.engine.file.PageFile;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.type.ColumnType;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.RandomAccessFile;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** A closed database with one table, and the command line in front of it. */
abstract class FilesCommandFixture {
    static final int ROWS = 2_000;

    /** Behind the catalog's root and that of the table, which both have pages of their own. */
    static final int LEAF_PAGE_ID = 4;

    final StringWriter out = new StringWriter();
    final StringWriter err = new StringWriter();

    @TempDir
    Path directory;

    Path home;

    private boolean damaged;

    @BeforeEach
    void makeDatabase() {
        home = directory.resolve("database");
        Database database = Database.open(home);
        try (database) {
            fill(database);
        }
    }

    /** Commands that look at a database leave it as whole as it was. */
    @AfterEach
    void validateUnlessDamaged() {
        if (damaged) {
            return;
        }
        Database database = Database.open(home);
        try (database) {
            database.validate();
        }
    }

    private static void fill(Database database) {
        Table table = database.createTable(TableDefinition.named("account")
                .column("id", ColumnType.int32())
                .column("owner", ColumnType.string(100))
                .primaryKey("id")
                .build());
        database.run(tx -> {
            Record row = table.newRecord();
            for (int id = 0; id < ROWS; id++) {
                row.setInt(0, id);
                row.setString(1, "the owner of the account number " + id);
                tx.insert(table, row);
            }
        });
    }

    /** Changes a bit in the middle of a leaf of the table. */
    void changeLeaf() throws IOException {
        try (RandomAccessFile file =
                new RandomAccessFile(home.resolve(PageFile.PAGES_FILE).toFile(), "rw")) {
            long position = PageLayout.fileOffset(LEAF_PAGE_ID) + PageLayout.PAGE_BYTES / 2;
            file.seek(position);
            int found = file.read();
            file.seek(position);
            file.write(found ^ 1);
            damaged = true;
        }
    }

    /** Runs a command and returns its exit code. */
    int execute(String... arguments) {
        CommandLine commandLine = Main.commandLine();
        commandLine.setOut(new PrintWriter(out));
        commandLine.setErr(new PrintWriter(err));
        return commandLine.execute(arguments);
    }
}
