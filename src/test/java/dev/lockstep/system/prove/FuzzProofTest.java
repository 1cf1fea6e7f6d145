package dev.lockstep.system.prove;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.prove.FuzzProof;
import dev.lockstep.bench.prove.ProofOptions;
import dev.lockstep.bench.prove.ProofReport;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FuzzProofTest {
    /** Half of them guided, as far as the fuzzer runs here: the inputs it begins with, and some hundred of its own. */
    private static final int POINTS = 300;

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
        requireGuidedHalf(report);
        boolean isUnseen =
                report.sections().stream().anyMatch(section -> section.heading().equals("Not seen"));
        Map<String, Long> counts = report.counts();
        assertTrue(isUnseen || counts.containsKey(FuzzProof.NATIVE_MEGABYTES), counts::toString);
    }

    private static void requireGuidedHalf(ProofReport report) {
        Map<String, Long> counts = report.counts();
        if (counts.containsKey(FuzzProof.NOT_RUN)) {
            System.out.println("NOT RUN: the guided half of the fuzz proof; " + report.sections());
        } else {
            assertEquals(report.tried() / 2, counts.get(FuzzProof.GUIDED), counts::toString);
            long main = counts.get(FuzzProof.GUIDED + " of pages") + counts.get(FuzzProof.GUIDED + " of log");
            assertTrue(main * 2 >= counts.get(FuzzProof.GUIDED), counts::toString);
        }
    }

    /** Log records with right checksums that fit no page: errors without a type, until they were found so. */
    @Test
    void inputsThatFailedOnceGiveTypedErrors() throws Exception {
        FuzzProof proof = new FuzzProof();
        ProofOptions options = ProofOptions.of(proof, 1, directory).withPoints(2_000);
        for (String name : new String[] {"page-zero.input", "undo-misfit.input"}) {
            Path input = Path.of(FuzzProofTest.class.getResource(name).toURI());
            assertEquals(1, ProofRun.survives(proof, options.withInput(input)).tried());
        }
        ProofOptions alone =
                new ProofOptions(options.points(), options.time(), options.seed(), OptionalLong.of(1_908), directory);
        assertEquals(1, ProofRun.survives(proof, alone).tried());
    }

    @Test
    @Tag(ProofRun.NIGHTLY)
    void aHundredThousandDamagedDatabasesDoTheSame() throws Exception {
        FuzzProof proof = new FuzzProof();
        ProofReport report = ProofRun.survives(proof, ProofRun.options(proof, directory));
        assertEquals(100_000, report.tried());
        requireGuidedHalf(report);
    }
}
