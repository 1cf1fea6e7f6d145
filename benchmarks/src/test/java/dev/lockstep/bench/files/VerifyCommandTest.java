package dev.lockstep.bench.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.lockstep.engine.Database;
import dev.lockstep.engine.file.PageFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.junit.jupiter.api.Test;

class VerifyCommandTest extends FilesCommandFixture {
    @Test
    void aWholeDatabaseEndsWithZero() throws IOException {
        Path json = directory.resolve("findings.json");
        assertEquals(0, execute("verify", home.toString(), "--json", json.toString()), () -> out + " " + err);
        assertTrue(out.toString().contains("Nothing is wrong."), out::toString);
        assertTrue(out.toString().contains(" in use by 2 trees with 2,001 records."), out::toString);
        JsonNode report = new ObjectMapper().readTree(json.toFile());
        assertTrue(report.at("/origin/command").asText().startsWith("./lockstep verify " + home), report::toString);
        assertFalse(report.at("/origin/commit").asText().isEmpty(), report::toString);
        assertFalse(report.at("/origin/time").asText().isEmpty(), report::toString);
        assertEquals(ROWS + 1, report.get("records").asInt(), "rows and the catalog's entry");
        assertTrue(report.get("findings").isEmpty(), report::toString);
        assertEquals("", err.toString(), "nobody watches");
    }

    @Test
    void aChangedPageIsNamedAndEndsWithOne() throws IOException {
        changeLeaf();
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

    /** Whichever way leads there; what is to be checked stays as it is. */
    @Test
    void aResultAmongTheFilesOfTheDatabaseIsAWrongCall() throws IOException {
        Path link = Files.createSymbolicLink(directory.resolve("link"), home);
        Path dangling = Files.createSymbolicLink(directory.resolve("dangling"), home.resolve("new.json"));
        Path pages = home.resolve(PageFile.PAGES_FILE);
        byte[] before = Files.readAllBytes(pages);
        for (Path json : List.of(
                pages,
                home.resolve("new.json"),
                link.resolve(PageFile.PAGES_FILE),
                home.resolve("../database/new.json"),
                dangling)) {
            for (String command : List.of("verify", "inspect")) {
                assertEquals(2, execute(command, home.toString(), "--json", json.toString()), json::toString);
            }
            assertEquals(2, execute("verify", link.toString(), "--json", json.toString()), json::toString);
        }
        assertArrayEquals(before, Files.readAllBytes(pages));
        assertFalse(Files.exists(home.resolve("new.json")));
        assertTrue(err.toString().contains(" lies among the files of the database in "), err::toString);
        assertEquals("", out.toString());
        Path beside = home.resolve("../beside.json");
        assertEquals(0, execute("verify", home.toString(), "--json", beside.toString()), err::toString);
    }

    /** As where the user may not read them. */
    @Test
    void filesThatCannotBeOpenedAreAWrongCall() throws IOException {
        Path pages = home.resolve(PageFile.PAGES_FILE);
        Path aside = Files.move(pages, home.resolve("aside"));
        Files.createSymbolicLink(pages, pages);
        for (String command : List.of("verify", "inspect")) {
            assertEquals(2, execute(command, home.toString()), () -> out + " " + err);
            assertFalse(err.toString().contains("\tat "), err::toString);
        }
        Files.move(aside, pages, StandardCopyOption.REPLACE_EXISTING);
    }

    @Test
    void theHelpTeaches() {
        assertEquals(0, execute("verify", "--help"));
        for (String word : new String[] {"--json", "Exit codes", "Examples", "./lockstep verify /var/lib/shop"}) {
            assertTrue(out.toString().contains(word), out::toString);
        }
    }
}
