package dev.lockstep.system.prove;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.prove.KillProof;
import dev.lockstep.bench.prove.ProofReport;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KillProofTest {
    private static final int POINTS = 6;

    @TempDir
    Path directory;

    @Test
    void losesNothingThatWasAnswered() throws Exception {
        KillProof proof = new KillProof();
        ProofReport report =
                ProofRun.survives(proof, ProofRun.options(proof, directory).withPoints(POINTS));
        assertEquals(POINTS, report.tried());
        assertTrue(report.counts().get("commits answered and found") > POINTS, report::toString);
        assertTrue(report.counts().get("answers of readers compared") > 0, report::toString);
        assertEquals(POINTS / 2, report.counts().get("points with LOG_IMAGES"), report::toString);
    }

    @Test
    @Tag(ProofRun.NIGHTLY)
    void losesNothingThatWasAnsweredInAThousandKills() throws Exception {
        KillProof proof = new KillProof();
        ProofReport report = ProofRun.survives(proof, ProofRun.options(proof, directory));
        assertEquals(1_000, report.tried());
        assertTrue(report.counts().get("kills while it recovers") > 100, report::toString);
    }
}
