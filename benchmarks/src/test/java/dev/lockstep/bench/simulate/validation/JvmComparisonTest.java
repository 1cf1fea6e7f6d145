package dev.lockstep.bench.simulate.validation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.simulate.jvm.StraightCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class JvmComparisonTest {
    /** Interpreted, it would be the interpreter's few kilobytes that both instruments count. */
    @Test
    void theProgramIsCompiled() throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(JvmComparison.command(JvmComparison.ROUNDS));
        command.add(1, "-XX:+PrintCompilation");
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String printed;
        try {
            printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertEquals(0, process.waitFor(), printed);
        } finally {
            process.destroyForcibly();
        }
        for (int method = 0; method < JvmWork.METHODS; method++) {
            String name = "step" + method;
            assertTrue(
                    printed.lines()
                            .anyMatch(line -> line.contains(StraightCode.NAME) && line.contains("::" + name + " ")),
                    () -> name + " is not compiled: " + printed);
        }
        assertTrue(printed.contains("JvmWork::read"), printed);
    }
}
