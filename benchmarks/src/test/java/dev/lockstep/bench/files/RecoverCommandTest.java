package dev.lockstep.bench.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.lockstep.engine.file.PageFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecoverCommandTest extends FilesCommandFixture {
    @Test
    void aWholeDatabaseEndsWithZero() throws IOException {
        Path json = directory.resolve("saved.json");
        Path saved = directory.resolve("saved");
        int code = execute("recover", home.toString(), "--to", saved.toString(), "--json", json.toString());
        assertEquals(0, code, () -> out + " " + err);
        assertTrue(out.toString().contains("2,000 rows saved"), out::toString);
        assertTrue(out.toString().contains("Nothing is lost."), out::toString);
        assertEquals("", err.toString(), "nobody watches");
        JsonNode report = new ObjectMapper().readTree(json.toFile());
        assertTrue(report.at("/origin/command").asText().startsWith("./lockstep recover " + home), report::toString);
        assertFalse(report.at("/origin/commit").asText().isEmpty(), report::toString);
        assertFalse(report.at("/origin/time").asText().isEmpty(), report::toString);
        assertEquals(ROWS, report.get("rows").asInt());
        assertEquals("account", report.at("/tables/0/name").asText());
        assertEquals(0, execute("verify", saved.toString()));
    }

    @Test
    void aChangedPageIsNamedAndEndsWithOne() throws IOException {
        changeLeaf();
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
    void wrongCalls() throws IOException {
        assertEquals(2, execute("recover", home.toString()), "--to is missing");
        assertEquals(2, execute("recover", home.toString(), "--to", home.toString()));
        Path used = Files.createDirectories(directory.resolve("used/below")).getParent();
        assertEquals(2, execute("recover", home.toString(), "--to", used.toString()));
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
    void nothingIsWrittenAmongTheFilesOfEitherDatabase() throws IOException {
        Path inside = home.resolve("saved");
        assertEquals(2, execute("recover", home.toString(), "--to", inside.toString()));
        assertTrue(
                err.toString().contains("--to " + inside + " lies among the files of the database in " + home),
                err::toString);
        Path link = Files.createSymbolicLink(directory.resolve("link"), home);
        assertEquals(
                2,
                execute(
                        "recover",
                        home.toString(),
                        "--to",
                        link.resolve("saved/deep").toString()));
        assertFalse(Files.exists(inside));
        Path saved = Files.createDirectory(directory.resolve("saved"));
        for (Path json : List.of(home.resolve(PageFile.PAGES_FILE), saved.resolve(PageFile.PAGES_FILE))) {
            assertEquals(2, execute("recover", home.toString(), "--to", saved.toString(), "--json", json.toString()));
        }
        assertEquals("", out.toString());
        assertEquals(0, execute("recover", home.toString(), "--to", saved.toString()), err::toString);
    }

    @Test
    void aTargetThatCannotBeMadeIsAWrongCall() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        for (Path target : List.of(file, file.resolve("below"))) {
            assertEquals(2, execute("recover", home.toString(), "--to", target.toString()));
            assertTrue(err.toString().contains("file=" + target), err::toString);
            assertFalse(err.toString().contains("\tat "), err::toString);
        }
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
