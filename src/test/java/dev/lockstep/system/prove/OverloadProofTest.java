package dev.lockstep.system.prove;

import dev.lockstep.bench.prove.OverloadProof;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Depends on how fast a machine is: in the nightly profile alone, and nothing runs beside it. */
@Tag(ProofRun.NIGHTLY)
@Isolated("it compares throughputs")
class OverloadProofTest {
    @TempDir
    Path directory;

    @Test
    void tenTimesTheTerminalsKeepTheThroughput() throws Exception {
        OverloadProof proof = new OverloadProof();
        ProofRun.survives(proof, ProofRun.options(proof, directory));
    }
}
