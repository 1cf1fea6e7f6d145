package dev.lockstep.system.prove;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.prove.FuzzProof;
import dev.lockstep.bench.prove.ProofReport;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FuzzProofTest {
    private static final int POINTS = 500;

    @TempDir
    Path directory;

    @Test
    void damagedFilesGiveTypedErrorsOrWhatWasCommitted() throws Exception {
        FuzzProof proof = new FuzzProof();
        ProofReport report =
                ProofRun.survives(proof, ProofRun.options(proof, directory).withPoints(POINTS));
        assertEquals(POINTS, report.tried());
        for (String outcome : new String[] {"typed error", "correct", "other contents"}) {
            assertTrue(report.counts().getOrDefault(outcome, 0L) > 0, () -> outcome + " " + report.counts());
        }
    }

    @Test
    @Tag(ProofRun.NIGHTLY)
    void aHundredThousandDamagedDatabasesDoTheSame() throws Exception {
        FuzzProof proof = new FuzzProof();
        ProofReport report = ProofRun.survives(proof, ProofRun.options(proof, directory));
        assertEquals(100_000, report.tried());
    }
}
