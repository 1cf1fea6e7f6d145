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
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class RecoverCommandTest {
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
        Path json = directory.resolve("saved.json");
        Path saved = directory.resolve("saved");
        int code = execute("recover", home.toString(), "--to", saved.toString(), "--json", json.toString());
        assertEquals(0, code, () -> out + " " + err);
        assertTrue(out.toString().contains("2,000 rows saved"), out::toString);
        assertTrue(out.toString().contains("Nothing is lost."), out::toString);
        assertTrue(err.toString().contains("pages read"), err::toString);
        JsonNode report = new ObjectMapper().readTree(json.toFile());
        assertEquals(ROWS, report.get("rows").asInt());
        assertEquals("account", report.at("/tables/0/name").asText());
        assertEquals(0, execute("verify", saved.toString()));
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
        // Else the page comes back from there.
        Files.delete(home.resolve(PageFile.DOUBLE_WRITE_FILE));
        try (var files = Files.list(home)) {
            for (Path file : files.toList()) {
                if (file.getFileName().toString().startsWith("log-")) {
                    Files.delete(file);
                }
            }
        }
        Path saved = directory.resolve("saved");
        assertEquals(1, execute("recover", home.toString(), "--to", saved.toString()), () -> out + " " + err);
        assertTrue(out.toString().contains("account: page " + LEAF_PAGE_ID + ": its checksum is wrong"), out::toString);
        assertTrue(out.toString().contains("account: rows from ("), out::toString);
        assertTrue(out.toString().contains("Something is lost, or may be."), out::toString);
        assertEquals(0, execute("verify", saved.toString()), "the result is sound");
    }

    @Test
    void wrongCalls() {
        assertEquals(2, execute("recover", home.toString()), "--to is missing");
        assertEquals(2, execute("recover", home.toString(), "--to", home.toString()));
        assertTrue(err.toString().contains("is not empty"), err::toString);
        Path nowhere = directory.resolve("nowhere");
        assertEquals(
                2,
                execute(
                        "recover",
                        nowhere.toString(),
                        "--to",
                        directory.resolve("saved").toString()));
        assertEquals("", out.toString());
    }

    @Test
    void theHelpTeaches() {
        assertEquals(0, execute("recover", "--help"));
        for (String word : new String[] {"--json", "--to", "Exit codes", "./lockstep recover /var/lib/shop"}) {
            assertTrue(out.toString().contains(word), out::toString);
        }
    }
}
