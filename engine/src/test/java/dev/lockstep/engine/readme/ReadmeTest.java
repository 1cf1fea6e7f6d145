package dev.lockstep.engine.readme;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.Database;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.Table;
import dev.lockstep.engine.TableDefinition;
import dev.lockstep.engine.ValidatedDatabase;
import dev.lockstep.engine.type.ColumnType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The README's example compiles, runs, and is the very code that stands in the README. */
class ReadmeTest {
    private static final int LINES_MAX = 22;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    Path directory;

    @Test
    void embedsInTwentyLines() {
        long result;
        // begin of the example
        try (Database database = Database.open(directory)) {
            Table accounts = database.createTable(TableDefinition.named("account")
                    .column("id", ColumnType.int32())
                    .column("owner", ColumnType.string(40))
                    .column("cents", ColumnType.int64())
                    .primaryKey("id")
                    .index("by_owner", "owner")
                    .build());
            database.run(tx -> {
                Record row = accounts.newRecord();
                row.setInt(0, 1);
                row.setString(1, "Ada");
                row.setLong(2, 100);
                tx.insert(accounts, row);
            });
            long cents = database.call(tx -> {
                Record row = accounts.newRecord();
                return tx.fetch(accounts, accounts.newKey().add(1), row) ? row.getLong(2) : 0L;
            });
            // end of the example
            result = cents;
        }
        assertEquals(100, result);
        validated.close(validated.open(directory));
    }

    @Test
    void standsInTheReadme() throws IOException {
        Path module = Path.of("").toAbsolutePath();
        Path root = Files.exists(module.resolve("README.md")) ? module : module.getParent();
        List<String> source =
                Files.readAllLines(root.resolve("engine/src/test/java/dev/lockstep/engine/readme/ReadmeTest.java"));
        int begin = source.indexOf("        // begin of the example");
        int end = source.indexOf("            // end of the example");
        List<String> example = source.subList(begin + 1, end).stream()
                .map(line -> line.substring(8))
                .toList();
        assertTrue(example.size() <= LINES_MAX, () -> "lines=" + example.size());
        String readme = Files.readString(root.resolve("README.md"));
        assertTrue(
                readme.contains("```java\n" + String.join("\n", example) + "\n}\n```"), "the README's example differs");
    }
}
