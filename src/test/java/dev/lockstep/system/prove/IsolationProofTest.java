package dev.lockstep.system.prove;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.prove.ProofReport;
import dev.lockstep.bench.prove.isolation.IsolationProof;
import java.nio.file.Path;
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
        Map<String, Long> counts = report.counts();
        assertTrue(counts.get("histories on disk") > 0, counts::toString);
        assertTrue(counts.getOrDefault("histories of 2,048 threads", 0L) > 0, counts::toString);
        assertTrue(counts.get("histories of virtual threads") > 0, counts::toString);
        assertTrue(counts.get("histories with an index") > 0, counts::toString);
        assertTrue(counts.get("histories without an index") > 0, counts::toString);
        assertTrue(counts.get("keys deleted") > 0, counts::toString);
        assertTrue(counts.get("backups beside transactions, compared") > 0, counts::toString);
        assertTrue(counts.get("pages moved by compactions beside transactions") > 0, counts::toString);
        assertTrue(counts.get("histories of S-threads, virtual") > 0, counts::toString);
        assertTrue(counts.get("histories of S-threads, continuations") > 0, counts::toString);
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
    }
}
