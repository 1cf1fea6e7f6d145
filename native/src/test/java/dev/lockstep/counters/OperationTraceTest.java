package dev.lockstep.counters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The instructions of marked operations, as {@code simulator/traces.c} writes them. */
class OperationTraceTest {
    /** TRACES_PER_OPERATION. */
    private static final int KEPT = 9;

    @TempDir
    private Path directory;

    private CPrograms.Run run(Path trace, int executions) throws Exception {
        Path qemu = CPrograms.require("qemu-x86_64", "qemu-user");
        Path plugin = CPrograms.requireSimulator();
        Path machine = Files.writeString(directory.resolve("machine.txt"), "cores=1\nl1i=32K,8,64\n");
        Path program = CPrograms.compile(
                directory.resolve("operation_traces"), List.of("-O1"), CPrograms.testSource("operation_traces.c"));
        return CPrograms.run(
                Map.of(Markers.ENVIRONMENT, "1"),
                List.of(
                        qemu.toString(),
                        "-cpu",
                        "max",
                        "-plugin",
                        plugin + ",config=" + machine + ",out=" + directory.resolve("result.json") + ",trace=" + trace,
                        program.toString(),
                        Integer.toString(executions)));
    }

    /** Instructions of each execution, as address and length. */
    private List<List<String>> executions(int executions) throws Exception {
        Path trace = directory.resolve("trace.txt");
        CPrograms.Run run = run(trace, executions);
        assertEquals(0, run.exitCode(), run.output());
        List<String> lines = Files.readAllLines(trace);
        assertEquals("lockstep-trace 2", lines.getFirst());
        List<List<String>> found = new ArrayList<>();
        assertEquals("end", lines.getLast());
        int at = 1;
        while (at < lines.size() - 1) {
            String[] head = lines.get(at).split(" ", -1);
            assertEquals("execution", head[0]);
            assertEquals("3", head[1], "what is outside of operations is not traced");
            int count = Integer.parseInt(head[2]);
            found.add(lines.subList(at + 1, at + 1 + count));
            at += 1 + count;
        }
        return found;
    }

    @Test
    void eachInstructionStandsWhereItWasExecuted() throws Exception {
        List<List<String>> executions = executions(5);
        assertEquals(5, executions.size());
        int loop = executions.get(1).size() - executions.getFirst().size();
        assertTrue(loop >= 2 && loop <= 6, "a turn of the loop is a load, a count and a branch: instructions=" + loop);
        for (int i = 1; i < executions.size(); i++) {
            assertEquals(loop, executions.get(i).size() - executions.get(i - 1).size());
        }
        for (int turns = 2; turns <= executions.size(); turns++) {
            Map<String, Integer> counts = new HashMap<>();
            executions.get(turns - 1).forEach(instruction -> counts.merge(instruction, 1, Integer::sum));
            assertEquals(loop, Collections.frequency(counts.values(), turns), counts::toString);
        }
    }

    /** Where the next instruction is the next one in memory, the length leads to it. */
    @Test
    void lengthsLeadFromInstructionToInstruction() throws Exception {
        List<String> instructions = executions(3).getLast();
        int straight = 0;
        for (int i = 0; i + 1 < instructions.size(); i++) {
            long end = address(instructions.get(i))
                    + Long.parseLong(instructions.get(i).split(" ", -1)[1]);
            straight += end == address(instructions.get(i + 1)) ? 1 : 0;
        }
        assertTrue(straight > instructions.size() / 2, instructions::toString);
    }

    private static long address(String instruction) {
        return Long.parseUnsignedLong(instruction.split(" ", -1)[0], 16);
    }

    @Test
    void theFirstExecutionsAreKept() throws Exception {
        List<List<String>> executions = executions(40);
        assertEquals(KEPT, executions.size());
        assertTrue(
                executions.getFirst().size() < executions.getLast().size(), "in the order in which they were executed");
    }

    @Test
    void aFileThatCannotBeWrittenIsToldAtOnce() throws Exception {
        Path file = directory.resolve("missing").resolve("trace.txt");
        CPrograms.Run run = run(file, 1);
        assertTrue(run.exitCode() != 0);
        assertTrue(run.output().contains("the traces cannot be written: file=" + file), run.output());
    }
}
