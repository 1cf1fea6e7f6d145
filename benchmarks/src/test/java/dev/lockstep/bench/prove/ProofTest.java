package dev.lockstep.bench.prove;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.report.ReportText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is left of a proof's files. */
class ProofTest {
    @TempDir
    private Path directory;

    /** One point, which leaves a file. */
    private record OnePoint(boolean survives, boolean isByTheClock) implements Proof {
        @Override
        public String name() {
            return "one";
        }

        @Override
        public String description() {
            return "Leaves a file.";
        }

        @Override
        public ProofReport run(ProofOptions options, ProofProgress progress, Path scratch) throws IOException {
            Files.createFile(scratch.resolve("evidence"));
            ProofReport.Builder report = new ProofReport.Builder(name(), options);
            if (survives) {
                report.survived();
            } else {
                report.failed(0, "on purpose");
            }
            return report.build();
        }
    }

    private ProofReport run(Proof proof) throws IOException, InterruptedException {
        return proof.run(new ProofOptions(1, Duration.ZERO, 1, OptionalLong.empty(), directory), ProofProgress.NONE);
    }

    private long left() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.endsWith("evidence")).count();
        }
    }

    @Test
    void whatMayNotComeAgainIsKept() throws IOException, InterruptedException {
        ProofReport report = run(new OnePoint(false, true));
        assertEquals(1, left());
        String text = ReportText.of(report.sections());
        assertTrue(text.contains("directory=" + directory), text);
    }

    @Test
    void whatSurvivedOrComesAgainIsNot() throws IOException, InterruptedException {
        assertEquals(List.of(), run(new OnePoint(true, true)).sections());
        assertEquals(List.of(), run(new OnePoint(false, false)).sections());
        assertEquals(0, left());
    }
}
