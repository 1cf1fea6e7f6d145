package dev.lockstep.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class ShownArgumentsTest {
    private static final String URL = "jdbc:postgresql://localhost/test?user=u&password=p";

    @Test
    void urlsAreNotShownHoweverTheyAreGiven() {
        assertEquals(
                List.of("tpcc", "--url=(not shown)", "--repeat=2"),
                ShownArguments.of(List.of("tpcc", "--url=" + URL, "--repeat=2")));
        assertEquals(
                List.of("simulate", "--", "tpcc", "--url", "(not shown)", "--think"),
                ShownArguments.of(List.of("simulate", "--", "tpcc", "--url", URL, "--think")));
        assertEquals(List.of("tpcc", "--url"), ShownArguments.of(List.of("tpcc", "--url")));
    }

    /** It stands in files, on pages and below pictures. */
    @Test
    void theOriginOfFiguresHoldsNoPassword() {
        Origin origin = Origin.here(List.of("simulate", "--", "tpcc", "--url", URL), 1);
        assertEquals("./lockstep simulate -- tpcc --url (not shown)", origin.command());
        assertTrue(origin.caption().startsWith(origin.command()), origin::caption);
    }
}
