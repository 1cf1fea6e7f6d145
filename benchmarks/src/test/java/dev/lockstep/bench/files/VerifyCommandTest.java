package dev.lockstep.bench.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class VerifyCommandTest {
    private static final int ROWS = 2_000;

    /** Behind the catalog's root and that of the table, which both have pages of their own. */
    private static final int LEAF_PAGE_ID = 4;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    Path directory;

    private Path home;

    @BeforeEach
    void makeDatabase() {
        home = directory.resolve("database");
        Database database = Database.open(home);
        try (database) {
            fill(database);
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

    private int execute(String... arguments) {
        CommandLine commandLine = Main.commandLine();
        commandLine.setOut(new PrintWriter(out));
        commandLine.setErr(new PrintWriter(err));
        return commandLine.execute(arguments);
    }

    @Test
    void aWholeDatabaseEndsWithZero() throws IOException {
        Path json = directory.resolve("findings.json");
        assertEquals(0, execute("verify", home.toString(), "--json", json.toString()), () -> out + " " + err);
        assertTrue(out.toString().contains("Nothing is wrong."), out::toString);
        assertTrue(out.toString().contains(" in use by 2 trees with 2,001 records."), out::toString);
        JsonNode report = new ObjectMapper().readTree(json.toFile());
        assertEquals(ROWS + 1, report.get("records").asInt(), "rows and the catalog's entry");
        assertTrue(report.get("findings").isEmpty(), report::toString);
    }

    @Test
    void aChangedPageIsNamedAndEndsWithOne() throws IOException {
        try (RandomAccessFile file =
                new RandomAccessFile(home.resolve(PageFile.PAGES_FILE).toFile(), "rw")) {
            long position = PageLayout.fileOffset(LEAF_PAGE_ID) + PageLayout.PAGE_BYTES / 2;
            file.seek(position);
            int found = file.read();
            file.seek(position);
            file.write(found ^ 1);
        }
        Path json = directory.resolve("findings.json");
        assertEquals(1, execute("verify", home.toString(), "--json", json.toString()), () -> out + " " + err);
        assertTrue(out.toString().contains("CHECKSUM page " + LEAF_PAGE_ID + ": "), out::toString);
        assertTrue(out.toString().contains("1 finding."), out::toString);
        JsonNode finding = new ObjectMapper().readTree(json.toFile()).at("/findings/0");
        assertEquals(LEAF_PAGE_ID, finding.get("pageId").asInt());
        assertEquals("CHECKSUM", finding.get("kind").asText());
    }

    @Test
    void aDatabaseThatIsOpenIsAWrongCall() {
        Database database = Database.open(home);
        try {
            assertEquals(2, execute("verify", home.toString()));
            assertTrue(err.toString().contains("in use"), err::toString);
        } finally {
            database.close();
        }
        assertEquals("", out.toString());
    }

    @Test
    void noDatabaseIsAWrongCall() {
        assertEquals(2, execute("verify", directory.resolve("nowhere").toString()));
        assertTrue(err.toString().contains("there is no database in the directory"), err::toString);
        assertEquals(2, execute("verify"));
        assertEquals("", out.toString());
    }

    @Test
    void theHelpTeaches() {
        assertEquals(0, execute("verify", "--help"));
        for (String word : new String[] {"--json", "Exit codes", "Examples", "./lockstep verify /var/lib/shop"}) {
            assertTrue(out.toString().contains(word), out::toString);
        }
    }
}
