package dev.lockstep.system.prove;

import dev.lockstep.bench.prove.OverloadProof;
import dev.lockstep.bench.prove.SoakProof;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What depends on how fast a machine is, or takes an hour: in the nightly profile alone. */
@Tag(ProofRun.NIGHTLY)
class LoadProofsTest {
    @TempDir
    Path directory;

    @Test
    void tenTimesTheTerminalsKeepTheThroughput() throws Exception {
        OverloadProof proof = new OverloadProof();
        ProofRun.survives(proof, ProofRun.options(proof, directory));
    }

    @Test
    void anHourOfEverythingLeavesNothingBehind() throws Exception {
        SoakProof proof = new SoakProof();
        ProofRun.survives(proof, ProofRun.options(proof, directory));
    }
}
