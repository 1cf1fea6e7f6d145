package dev.lockstep.system.prove;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.lockstep.bench.prove.OverloadProof;
import dev.lockstep.bench.prove.ProofReport;
import dev.lockstep.bench.prove.soak.SoakProof;
import dev.lockstep.tpcc.adapter.TpccScale;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Overload and soak for seconds: all that they judge but speed, and memory that other tests take as well. */
@Isolated("it looks at the heap of this JVM, in which tests beside it would be seen")
class ShortLoadProofsTest {
    private static final TpccScale SCALE = new TpccScale(1, 1_000, 60, 20);
    private static final Duration TIME = Duration.ofSeconds(5);
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final List<Integer> LADDER = List.of(1, 2, 5);

    /** Other tests leave something in the heap of the test's JVM, or it goes while the soak runs. */
    private static final double HEAP_MEGABYTES_MAX = 24;

    /** The JVM has more of that heap than it has touched, and touches more of it, whatever the soak does. */
    private static final double NATIVE_MEGABYTES_MAX = 4_096;

    @TempDir
    Path directory;

    /** The points say how many numbers of terminals are measured. */
    @Test
    void whoIsTooManyIsToldSo() throws Exception {
        OverloadProof proof = new OverloadProof(SCALE, LADDER, false, Duration.ZERO);
        ProofReport report =
                ProofRun.survives(proof, ProofRun.options(proof, directory).withPoints(2));
        assertEquals(2, report.counts().get("numbers of terminals on the curve"));
        assertNotEquals(0, report.counts().get("transactions refused as busy"));
    }

    @Test
    void nothingStaysBehindOfSecondsOfEverything() throws Exception {
        SoakProof proof = new SoakProof(SCALE, HEAP_MEGABYTES_MAX, NATIVE_MEGABYTES_MAX, INTERVAL);
        ProofReport report =
                ProofRun.survives(proof, ProofRun.options(proof, directory).withTime(TIME));
        assertNotEquals(0, report.counts().get("backups taken"));
        assertNotEquals(0, report.counts().get("pages given back by compactions"));
        assertNotEquals(0, report.counts().get("old rows moved to the archive"));
    }

    @Test
    void pointsSayHowManyLooksTheSoakTakes() throws Exception {
        SoakProof proof = new SoakProof(SCALE, HEAP_MEGABYTES_MAX, NATIVE_MEGABYTES_MAX, INTERVAL);
        ProofReport report =
                ProofRun.survives(proof, ProofRun.options(proof, directory).withPoints(6));
        assertEquals(6, report.counts().get("looks at the process"));
    }
}
