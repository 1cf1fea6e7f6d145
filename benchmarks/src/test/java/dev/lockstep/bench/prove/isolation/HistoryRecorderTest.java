package dev.lockstep.bench.prove.isolation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.engine.Isolation;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What the levels admit is found in histories of real transactions. */
class HistoryRecorderTest {
    private static final long SEED = 20_250_101;

    /** What is admitted is not only admitted, but met by transactions that nobody has arranged. */
    @Test
    void whatIsAdmittedHappens() throws InterruptedException {
        for (Isolation level : Isolation.values()) {
            History history = HistoryRecorder.record(new HistorySpec(
                    level, ThreadKind.VIRTUAL_THREADS, 64, 40, SEED, Optional.empty(), Optional.empty()));
            Map<Finding, String> found = HistoryChecker.check(history);
            assertEquals(Map.of(), IsolationProof.forbidden(history, found), () -> "seed=" + SEED);
            assertEquals(level == Isolation.SERIALIZABLE, found.isEmpty(), () -> level + " seed=" + SEED);
        }
    }
}
