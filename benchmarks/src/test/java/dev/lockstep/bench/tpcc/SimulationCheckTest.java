package dev.lockstep.bench.tpcc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.lockstep.bench.process.Verdict;
import java.util.Locale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which simulated runs count. */
class SimulationCheckTest {
    @ParameterizedTest
    @CsvSource({
        "300, true, 0.97, true",
        "301, true, 0.97, false",
        "301, false, 0.97, true",
        "300, true, 0.94, false",
    })
    void onlyWhatIsSteadyInTimeCounts(double warmUpSeconds, boolean lockstep, double c2Share, boolean counts)
            throws JsonProcessingException {
        String check = String.format(
                Locale.ROOT,
                """
                {"label": "lockstep/steps", "repeat": 1, "time": "cycles", "realSeconds": 400, "warmUpSeconds": %f,
                 "lockstep": %b, "machine": {"txnPerSecond": 7.0},
                 "flags": {"forced": [], "chosen": [], "remaining": []},
                 "steady": {"simulatedC2Share": %3$f, "machineC2Share": %3$f, "samples": 900, "jvmShare": 0.01,
                  "hottest": []}}
                """,
                warmUpSeconds,
                lockstep,
                c2Share);
        Verdict verdict =
                new ObjectMapper().readValue(check, SimulationCheck.class).verdict();
        assertEquals(counts, verdict.counts(), verdict::line);
        assertEquals(
                warmUpSeconds > 300 && lockstep, verdict.line().contains("LATE, counts for nothing: Its measured"));
        assertEquals(lockstep, verdict.line().contains("Its limits, group commit"), verdict::line);
        assertEquals(!lockstep, verdict.line().contains("timers of its own, if it has any, by the machine's clock."));
        assertTrue(verdict.line().contains("began after 400 s, of which it warmed up for"), verdict::line);
    }
}
