package dev.lockstep.system.prove;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.prove.Proof;
import dev.lockstep.bench.prove.ProofOptions;
import dev.lockstep.bench.prove.ProofProgress;
import dev.lockstep.bench.prove.ProofReport;
import java.nio.file.Path;

/** Runs proofs as tests. {@code -Dlockstep.seed=N} takes another seed. */
final class ProofRun {
    /** The tag of the long versions. */
    static final String NIGHTLY = "nightly";

    static final long SEED = Long.getLong("lockstep.seed", 1);

    private ProofRun() {}

    /** What a proof does unless said otherwise, in a directory. */
    static ProofOptions options(Proof proof, Path directory) {
        return ProofOptions.of(proof, SEED, directory);
    }

    /** Runs a proof and prints what was tried; a point that failed fails the test, with the lines that replay it. */
    static ProofReport survives(Proof proof, ProofOptions options) throws Exception {
        ProofReport report = proof.run(options, ProofProgress.NONE);
        System.out.println(report.summary() + " seed=" + options.seed() + " " + report.counts());
        assertTrue(report.ok(), () -> report.summary() + " seed=" + options.seed() + " " + report.failures());
        return report;
    }
}
