package dev.lockstep.bench.simulate.validation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.lockstep.bench.simulate.validation.TpccRepeatCheck.Measured;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Two results made by hand. */
class TpccRepeatCheckTest {
    private static final String RESULT =
            """
            {"processes": [{"result": {"phases": [
              {"phase": 0, "operations": [{"operation": 0, "counts": {"instructions": 7, "levels": {}}}]},
              {"phase": 1, "total": {"instructions": 777777, "levels": {"l1i": {"misses": 7777}}},
               "engine": {"instructions": 77777, "levels": {"l1i": {"misses": 777}}},
               "operations": [
                {"operation": 0, "counts": {"instructions": 60000, "levels": {"l1i": {"misses": 400}}}},
                {"operation": 3, "counts": {"instructions": 40000, "levels": {
                  "l1i": {"misses": 600, "classes": null},
                  "l1d": {"misses": 2000, "classes": {"cold": 29, "replacement": 1800, "trueSharing": 171}}}}}]}]}}]}
            """;

    private static Measured measured(String result) throws IOException {
        return Measured.of(new ObjectMapper().readTree(result));
    }

    private static List<Check> against(String other) throws IOException {
        return TpccRepeatCheck.compare(measured(RESULT), measured(other));
    }

    @Test
    void comparesInstructionsAndClassesThatMatter() throws IOException {
        List<Check> checks = against(RESULT);
        assertEquals(
                List.of(
                        "instructions",
                        "L1D misses",
                        "L1D misses, replacement",
                        "L1D misses, trueSharing",
                        "L1I misses"),
                checks.stream().map(Check::quantity).toList());
        assertTrue(checks.stream().allMatch(Check::passes));
        assertEquals(100_000, measured(RESULT).instructions());
        assertEquals(1_000, measured(RESULT).misses("L1I", Measured.ALL));
        // One in a hundred of all misses, in one of the two, is enough.
        assertTrue(against(RESULT.replace("\"cold\": 29", "\"cold\": 31")).stream()
                .anyMatch(check -> check.quantity().equals("L1D misses, cold") && !check.passes()));
    }

    @Test
    void aHundredthAndThreeAreTheBounds() throws IOException {
        assertTrue(against(RESULT.replace("60000", "61000")).stream().allMatch(Check::passes));
        assertFalse(against(RESULT.replace("60000", "61001")).stream().allMatch(Check::passes));
        assertTrue(against(RESULT.replace("1800", "1854")).stream().allMatch(Check::passes));
        assertFalse(against(RESULT.replace("1800", "1855")).stream().allMatch(Check::passes));
        assertFalse(against(RESULT.replace("\"misses\": 600", "\"misses\": 560")).stream()
                .allMatch(Check::passes));
    }
}
