package dev.lockstep.bench.flame;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.report.ResultOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;

class FlameOptionTest {
    @Command
    private static final class Experiment implements Callable<Integer> {
        @Mixin
        private FlameOption flame;

        @Mixin
        private ResultOptions results;

        @Override
        public Integer call() {
            return 0;
        }
    }

    private static Experiment parsed(String... words) {
        Experiment experiment = new Experiment();
        new CommandLine(experiment).parseArgs(words);
        return experiment;
    }

    /** The profiler would sample QEMU, which runs the program in its own threads. */
    @Test
    void drawsNoEmulator() {
        Experiment asks = parsed("--flame", "--out=report");
        ParameterException refused =
                assertThrows(ParameterException.class, () -> asks.flame.require(asks.results, true));
        assertTrue(refused.getMessage().contains("run the command without simulate"), refused::getMessage);
        assertDoesNotThrow(() -> asks.flame.require(asks.results, false));
        Experiment asksNot = parsed();
        assertDoesNotThrow(() -> asksNot.flame.require(asksNot.results, true));
    }

    @Test
    void whatAnEarlierReportHasDrawnDoesNotPassForThisOnes(@TempDir Path directory) throws IOException {
        FlameGraphs graphs = new FlameGraphs(directory);
        Files.writeString(graphs.file("some run"), "of yesterday");
        graphs.options("some run");
        assertThrows(NoSuchFileException.class, () -> graphs.add("some run"));
    }

    @Test
    void needsAReport() {
        Experiment asks = parsed("--flame");
        assertThrows(ParameterException.class, () -> asks.flame.require(asks.results, false));
    }
}
