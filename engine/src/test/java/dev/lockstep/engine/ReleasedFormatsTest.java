package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Databases written by every format that was ever released are opened, read and changed. A directory of archives is
 * added whenever a format changes ({@link GoldenDatabase#main} writes it), and none is ever removed or written anew.
 */
class ReleasedFormatsTest {
    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    Path scratch;

    @ParameterizedTest
    @ValueSource(strings = {"format-1", "format-2"})
    void aClosedDatabaseIsReadAndChanged(String format) throws IOException {
        Path home = scratch.resolve("database");
        GoldenDatabase.unpack("golden/" + format + "/closed.zip", home);
        VerificationReport report = Database.verify(home);
        assertEquals(List.of(), report.findings());
        use(home);
    }

    @ParameterizedTest
    @ValueSource(strings = {"format-1", "format-2"})
    void aCrashedDatabaseIsRecovered(String format) throws IOException {
        Path home = scratch.resolve("database");
        GoldenDatabase.unpack("golden/" + format + "/crashed.zip", home);
        VerificationReport report = Database.verify(home);
        assertEquals(List.of(), report.findings());
        assertTrue(report.needsRecovery() && report.logRecords() > 0, report::toString);
        use(home);
    }

    private void use(Path home) {
        DatabaseOptions existing =
                ValidatedDatabase.SMALLEST.toBuilder().createIfMissing(false).build();
        Database database = validated.open(home, existing, null);
        GoldenDatabase.require(database);
        database.dropIndex("golden", "by_number");
        database.createIndex(IndexDefinition.of("by_text", "golden", "number", "id"));
        validated.close(database);
        Database again = validated.open(home, existing, null);
        GoldenDatabase.require(again);
        validated.close(again);
    }
}
