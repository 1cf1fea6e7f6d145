package dev.lockstep.system.prove;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.prove.ProofReport;
import dev.lockstep.bench.prove.isolation.IsolationProof;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IsolationProofTest {
    /** Every level, all of them mixed, every kind of thread, and each fault of the lock table once. */
    private static final int POINTS = 21;

    /** Some twenty minutes beside another proof. */
    private static final int POINTS_NIGHTLY = 2_000;

    @TempDir
    Path directory;

    @Test
    void levelsKeepTheirWord() throws Exception {
        IsolationProof proof = new IsolationProof(false);
        ProofReport report =
                ProofRun.survives(proof, ProofRun.options(proof, directory).withPoints(POINTS));
        assertEquals(POINTS, report.tried());
        requireVariety(report.counts());
    }

    private static void requireVariety(Map<String, Long> counts) {
        for (String name : List.of(
                "histories on disk",
                "histories of 2,048 threads",
                "histories of virtual threads",
                "histories of S-threads, virtual",
                "histories of S-threads, continuations",
                "histories of S-threads in staged teams",
                "operations run by the leader of a staged team",
                "histories with an index",
                "histories without an index",
                "keys deleted",
                "backups beside transactions, compared",
                "pages moved by compactions beside transactions")) {
            assertTrue(counts.getOrDefault(name, 0L) > 0, () -> name + ": " + counts);
        }
        // Else those that are left prove little.
        assertTrue(counts.get("transactions rolled back") < counts.get("transactions") / 2, counts::toString);
        assertTrue(counts.containsKey("deadlocks found later than 10 ms"), counts::toString);
        assertEquals(
                3,
                counts.keySet().stream()
                        .filter(name -> name.startsWith("broken lock tables noticed"))
                        .count(),
                counts::toString);
    }

    @Test
    @Tag(ProofRun.NIGHTLY)
    void levelsKeepTheirWordInThousandsOfHistories() throws Exception {
        IsolationProof proof = new IsolationProof();
        ProofReport report =
                ProofRun.survives(proof, ProofRun.options(proof, directory).withPoints(POINTS_NIGHTLY));
        assertEquals(POINTS_NIGHTLY, report.tried());
        requireVariety(report.counts());
    }
}
