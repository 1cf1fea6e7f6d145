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
              {"phase": 0, "total": {"instructions": 7, "levels": {}}},
              {"phase": 1, "total": {"instructions": 100000, "levels": {
                "l1i": {"misses": 1000, "classes": null},
                "l1d": {"misses": 2000, "classes": {"cold": 19, "replacement": 1800, "trueSharing": 181}}}}}]}}]}
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
        // One in a hundred in one of the two is enough.
        assertTrue(against(RESULT.replace("\"cold\": 19", "\"cold\": 21")).stream()
                .anyMatch(check -> check.quantity().equals("L1D misses, cold") && !check.passes()));
    }

    @Test
    void aHundredthAndThreeAreTheBounds() throws IOException {
        assertTrue(against(RESULT.replace("100000", "101000")).stream().allMatch(Check::passes));
        assertFalse(against(RESULT.replace("100000", "101001")).stream().allMatch(Check::passes));
        assertTrue(against(RESULT.replace("1800", "1854")).stream().allMatch(Check::passes));
        assertFalse(against(RESULT.replace("1800", "1855")).stream().allMatch(Check::passes));
        assertFalse(against(RESULT.replace("\"misses\": 1000", "\"misses\": 960")).stream()
                .allMatch(Check::passes));
    }
}
