package dev.lockstep.bench.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.lockstep.engine.Database;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class InspectCommandTest extends FilesCommandFixture {
    @Test
    void aWholeDatabaseEndsWithZero() throws IOException {
        Path json = directory.resolve("shown.json");
        assertEquals(0, execute("inspect", home.toString(), "--json", json.toString()), () -> out + " " + err);
        for (String word : new String[] {"Closed in order", "pages.lockstep", "account", "leaf", "0 damaged pages."}) {
            assertTrue(out.toString().contains(word), out::toString);
        }
        JsonNode overview = new ObjectMapper().readTree(json.toFile()).get("overview");
        assertEquals("account", overview.at("/catalog/0/name").asText());
        assertTrue(overview.get("closedInOrder").asBoolean());
    }

    @Test
    void pageTreeAndLog() throws IOException {
        Path json = directory.resolve("shown.json");
        String leaf = Integer.toString(LEAF_PAGE_ID);
        int code = execute(
                "inspect",
                home.toString(),
                "--page",
                leaf,
                "--tree",
                "account",
                "--log",
                "--limit",
                "5",
                "--json",
                json.toString());
        assertEquals(0, code, () -> out + " " + err);
        assertTrue(out.toString().contains("Page " + leaf + ": leaf, sound."), out::toString);
        assertTrue(out.toString().contains("2,000 records"), out::toString);
        assertTrue(out.toString().contains("5 records from LSN 4096"), out::toString);
        JsonNode shown = new ObjectMapper().readTree(json.toFile());
        assertEquals(5, shown.get("log").size());
        assertEquals(ROWS, shown.at("/tree/records").asInt());
        assertEquals(LEAF_PAGE_ID, shown.at("/page/pageId").asInt());
    }

    @Test
    void aChangedPageIsNamedAndEndsWithOne() throws IOException {
        changeLeaf();
        assertEquals(1, execute("inspect", home.toString()), () -> out + " " + err);
        assertTrue(out.toString().contains("page " + LEAF_PAGE_ID + ": its checksum is wrong"), out::toString);
        assertTrue(out.toString().contains("1 damaged pages."), out::toString);
        assertEquals(1, execute("inspect", home.toString(), "--page", Integer.toString(LEAF_PAGE_ID)));
        assertEquals(1, execute("inspect", home.toString(), "--tree", "account"));
        assertTrue(out.toString().contains("are not reached: page " + LEAF_PAGE_ID), out::toString);
        assertEquals(0, execute("inspect", home.toString(), "--page", "2"));
    }

    @Test
    void wrongCalls() {
        assertEquals(2, execute("inspect", home.toString(), "--tree", "nowhere"));
        assertTrue(err.toString().contains("names no such tree"), err::toString);
        assertEquals(2, execute("inspect", home.toString(), "--page", "0"));
        assertEquals(2, execute("inspect", home.toString(), "--log", "--limit", "0"));
        assertEquals(2, execute("inspect", home.toString(), "--limit", "5"));
        assertTrue(err.toString().contains("it needs --log"), err::toString);
    }

    @Test
    void aDatabaseThatIsOpenIsAWrongCall() {
        Database database = Database.open(home);
        try {
            assertEquals(2, execute("inspect", home.toString()));
            assertTrue(err.toString().contains("in use"), err::toString);
        } finally {
            database.close();
        }
        assertEquals("", out.toString());
    }

    @Test
    void noDatabaseIsAWrongCall() {
        assertEquals(2, execute("inspect", directory.resolve("nowhere").toString()));
        assertTrue(err.toString().contains("there is no database in the directory"), err::toString);
        assertEquals(2, execute("inspect"));
        assertEquals("", out.toString());
    }

    @Test
    void theHelpTeaches() {
        assertEquals(0, execute("inspect", "--help"));
        for (String word : new String[] {"--json", "Exit codes", "Examples", "./lockstep inspect /var/lib/shop"}) {
            assertTrue(out.toString().contains(word), out::toString);
        }
    }
}
