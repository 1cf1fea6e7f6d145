package dev.lockstep.system.prove;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.prove.ProofOptions;
import dev.lockstep.bench.prove.ProofProgress;
import dev.lockstep.bench.prove.ProofReport;
import dev.lockstep.bench.prove.disk.CrashProof;
import dev.lockstep.bench.prove.disk.Flaw;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Databases on a simulated disk that fails at each of its operations.
 *
 * <p>To be survived in every zone, with everything acknowledged there and nothing by halves, a finished copy included:
 *
 * <ul>
 *   <li>whatever becomes of what was not forced: writes dropped, reordered, torn at 512 bytes; creations, renames,
 *       removals, lengths lost or reordered until file and directory are forced; the same again during recovery, up to
 *       three times. A directory itself, once the engine has made it, is on the medium at once and never lost;
 *   <li>an operation that fails once or for ever: reads as well, and calls that only look for a file, open it or ask
 *       for its length, list a directory or lock it; a force, after which the system shows what is not on the medium; a
 *       full disk at any write or creation; a file system that can only be read from some moment on. While it lasts the
 *       database answers rightly or refuses by a typed error.
 * </ul>
 *
 * <p>What the medium does to forced data, a write lost or misdirected: to another place of its file, or, one in four,
 * of another file of the same directory, at the same position or another within that file's length. {@code Damage}
 * decides for each point whether it must be survived; where the write went elsewhere it is only if that holds of both
 * places, of its own, where it is missing, and of the other, which it has overwritten. By zone:
 *
 * <ul>
 *   <li>file header (the first page of the pages, the headers of the other files): written once, when the file is made;
 *       detected by its checksum, unless the creation of the database was not finished; of a log file like the log;
 *   <li>catalog pages, tree pages, overflow pages: must be survived while the double-write area has the batch, which
 *       it has not where the write was to go there or went there; while no checkpoint has replaced the one before the
 *       write, whose log has all changes since; and once they were written again. What was overwritten likewise, but
 *       for the log, which has no whole pages. Else detected: by checksum, by the page's id, by its LSN, which the
 *       checkpoint keeps apart from it;
 *   <li>double-write area: must be survived, since the pages themselves are whole; all but its header;
 *   <li>log: must be survived once recovery begins in a later segment, and so must be what has overwritten its header.
 *       Else detected where something proves that it reached further: the checkpoint, a batch behind the gap, a page;
 *       and where nothing does, it ends early at a record boundary, and the database opens as an earlier state;
 *   <li>checkpoint: must be survived before it has its name and once a later one has it; else detected, by checksum;
 *   <li>marks (of a clean close, of an unfinished copy): must be survived, since one that cannot be read says no more
 *       than that it is there;
 *   <li>copy: must be survived by the database, and detected in the copy;
 *   <li>lock file: nothing is written to it or read from it; it is locked and no more, so there is nothing to lose;
 *   <li>directory: what is in it comes and goes by creations, renames and removals alone, see above.
 * </ul>
 *
 * <p>Detected means a typed error at open or when the page is read, and never another state than one that was there.
 */
@Order(Integer.MAX_VALUE) // In the profile nightly one thread begins with the first class, the soak, the other here.
class CrashProofTest {
    private static final int POINTS = 500;
    private static final int POINTS_NIGHTLY = 20_000;

    /** What the recorded runs do or not by the choices of their seed: counted for who wants to know. */
    private static final Set<String> LEFT_TO_CHANCE = Set.of(CrashProof.LONG_BATCHES, CrashProof.LONG_RUNS);

    /** Within so many points each of the flaws is found. */
    private static final int POINTS_PER_FLAW = 100;

    @TempDir
    Path directory;

    @Test
    void aSampleOfAllPointsIsSurvived() throws Exception {
        CrashProof proof = new CrashProof();
        ProofOptions options = ProofRun.options(proof, directory);
        ProofReport report = ProofRun.survives(proof, options.withPoints(POINTS));
        assertEquals(POINTS, report.tried());
        String made = "points that seed " + options.seed() + " makes";
        assertEquals(proof.pointsPerRound(options.seed()), report.counts().get(made));
        assertEquals((long) POINTS, report.counts().get(made + ", of these tried"));
        requireAllCounts(report);
    }

    /** Every pair of an operation and a fault; and of the next seed as many as are missing. */
    @Test
    @Tag(ProofRun.NIGHTLY)
    void allPointsAreSurvived() throws Exception {
        CrashProof proof = new CrashProof();
        ProofOptions options = ProofRun.options(proof, directory);
        long points = Math.max(POINTS_NIGHTLY, proof.pointsPerRound(options.seed()));
        ProofReport report = ProofRun.survives(proof, options.withPoints(points));
        assertEquals(points, report.tried());
        requireAllCounts(report);
    }

    /** The proof is able to fail. */
    @ParameterizedTest
    @EnumSource(names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void aFlawIsFound(Flaw flaw) throws Exception {
        CrashProof proof = new CrashProof(flaw);
        ProofReport report =
                proof.run(ProofRun.options(proof, directory).withPoints(POINTS_PER_FLAW), ProofProgress.NONE);
        assertTrue(report.failed() > 0, report::summary);
        assertTrue(report.failures().getFirst().replay().startsWith("./lockstep prove crash --seed "));
    }

    private static void requireAllCounts(ProofReport report) {
        assertTrue(
                report.counts().get(CrashProof.RECOVERIES_CUT_SHORT)
                        >= report.counts().get("crash in recovery"),
                report::toString);
        assertTrue(report.counts().keySet().containsAll(LEFT_TO_CHANCE), report::toString);
        List<String> without = report.counts().entrySet().stream()
                .filter(count -> count.getValue() == 0 && !LEFT_TO_CHANCE.contains(count.getKey()))
                .map(Map.Entry::getKey)
                .toList();
        assertEquals(List.of(), without, "faults and activities without points");
    }
}
