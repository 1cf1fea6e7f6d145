package dev.lockstep.bench.codemap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.lockstep.bench.Main;
import dev.lockstep.bench.Needed;
import dev.lockstep.counters.NativePart;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import picocli.CommandLine;

/** A program that is not ours, simulated and once more on the machine's processor. */
@Execution(ExecutionMode.CONCURRENT)
class ControlledProgramTest {
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path directory;

    private int simulate() {
        Needed.requireSimulator();
        Needed.require(NativePart.AGENT);
        List<String> words =
                new ArrayList<>(List.of("simulate", "--phases-only", "--l1i", "32K,8,64", "--control", "--code"));
        words.addAll(List.of(file("code.txt"), "--json", file("result.json"), "--", "java", "-XX:+UseSerialGC"));
        words.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path")));
        words.add(MeasuredProgram.class.getName());
        CommandLine line = Main.commandLine();
        line.setOut(new PrintWriter(new StringWriter()));
        line.setErr(new PrintWriter(err));
        return line.execute(words.toArray(String[]::new));
    }

    private String file(String name) {
        return directory.resolve(name).toString();
    }

    private JsonNode verdict() throws IOException {
        return new ObjectMapper()
                .readTree(directory.resolve("result.json").toFile())
                .at("/verdicts/0");
    }

    @Test
    void countsWhereC2HadCompiledWhatRan() throws IOException {
        assertEquals(0, simulate(), err::toString);
        String sentences = verdict().get("sentences").toString();
        assertTrue(sentences.contains("\"Steady: C2 had compiled "), sentences);
        assertTrue(sentences.contains("The control ran on the machine's processor"), sentences);
        assertTrue(sentences.contains("The compiled sizes of "), sentences);
    }
}
