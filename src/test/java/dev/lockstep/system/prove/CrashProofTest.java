package dev.lockstep.system.prove;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.bench.prove.ProofReport;
import dev.lockstep.bench.prove.disk.CrashProof;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Databases on a simulated disk that fails at each of its operations.
 *
 * <p>To be survived in every zone, with everything acknowledged there and nothing by halves:
 *
 * <ul>
 *   <li>whatever becomes of what was not forced: writes dropped, reordered, torn at 512 bytes; creations, renames,
 *       removals, lengths lost or reordered until file and directory are forced; the same again during recovery;
 *   <li>an operation that fails once or for ever, a force among them after which the system shows what is not on the
 *       medium; a full disk at any write or creation.
 * </ul>
 *
 * <p>What the medium does to forced data (a write misdirected within its file, a write lost), by zone:
 *
 * <ul>
 *   <li>pages: survived where the log or the double-write area still has the page, else detected: by checksum, by the
 *       page's id, by its LSN, which the checkpoint keeps apart from it;
 *   <li>double-write area: survived, since the pages themselves are whole;
 *   <li>checkpoint: detected, by checksum;
 *   <li>log: detected where something behind it, the checkpoint or a page proves that it reached further. Else it ends
 *       early at a record boundary, and the database opens as the earlier state;
 *   <li>marks of a clean close: survived, since nothing is read from them.
 * </ul>
 *
 * <p>Detected means a typed error at open or when the page is read, and never another state than one that was there.
 */
class CrashProofTest {
    private static final int POINTS = 500;

    @TempDir
    Path directory;

    @Test
    void aSampleOfAllPointsIsSurvived() throws Exception {
        CrashProof proof = new CrashProof();
        ProofReport report =
                ProofRun.survives(proof, ProofRun.options(proof, directory).withPoints(POINTS));
        assertEquals(POINTS, report.tried());
    }

    @Test
    @Tag(ProofRun.NIGHTLY)
    void twentyThousandPointsAreSurvived() throws Exception {
        CrashProof proof = new CrashProof();
        ProofReport report = ProofRun.survives(proof, ProofRun.options(proof, directory));
        assertEquals(20_000, report.tried());
        List<String> without = report.counts().entrySet().stream()
                .filter(count -> count.getValue() == 0 && !count.getKey().startsWith("of other"))
                .map(Map.Entry::getKey)
                .toList();
        assertEquals(List.of(), without, "faults and activities without points");
    }
}
