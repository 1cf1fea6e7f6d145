package dev.lockstep.bench.codemap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.lockstep.bench.Needed;
import dev.lockstep.bench.simulate.ContinuationSwitches;
import dev.lockstep.counters.NativePart;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** How often a simulated JVM of which that is known freezes and thaws continuations. */
@Execution(ExecutionMode.CONCURRENT)
class ContinuationSwitchesTest {
    /** Of compiled code, such as the first one, or one behind a collection. */
    private static final long BY_CHANCE_MAX = 5;

    private static final int INTERPRETED = 300;
    private static final int COMPILED = 2_000;

    @TempDir
    private Path directory;

    private ContinuationSwitches switches(List<String> jvmOptions, int times) throws IOException {
        Needed.requireSimulator();
        Needed.require(NativePart.AGENT);
        Path library = Path.of(System.getProperty("java.home"), "lib", "server", "libjvm.so");
        Needed.require(!ElfFunctions.read(library).isEmpty(), "This JVM's libjvm.so has no symbol table.");
        Path json = directory.resolve("result.json");
        List<String> options = new ArrayList<>(jvmOptions);
        options.addAll(List.of("-XX:+UseSerialGC", "-Djdk.virtualThreadScheduler.parallelism=1"));
        MarkedRun.simulate(
                List.of(
                        "--l1i",
                        "32K,8,64",
                        "--code",
                        directory.resolve("code.txt").toString(),
                        "--json",
                        json.toString()),
                options,
                FreezingProgram.class,
                Integer.toString(times));
        ObjectMapper mapper = new ObjectMapper();
        ContinuationSwitches switches = mapper.treeToValue(
                mapper.readTree(json.toFile()).at("/processes/0/continuations"), ContinuationSwitches.class);
        assertEquals("", switches.notCounted());
        return switches;
    }

    @Test
    void interpretedFramesAreFrozenAndThawedSlowly() throws IOException {
        ContinuationSwitches switches = switches(List.of("-Xint"), INTERPRETED);
        assertEquals(INTERPRETED, switches.freezes(), switches::sentence);
        assertEquals(INTERPRETED, switches.slowFreezes(), switches::sentence);
        assertEquals(0, switches.newChunks(), switches::sentence);
        // Of a stack no more than two frames at once.
        assertTrue(switches.thaws() > INTERPRETED, switches::sentence);
        assertEquals(switches.thaws(), switches.slowThaws(), switches::sentence);
    }

    /** All methods of the thread's stack are compiled before they are called, and no others, which saves time. */
    @Test
    void compiledFramesAreFrozenAndThawedAtOnce() throws IOException {
        List<String> options =
                new ArrayList<>(List.of("-Xcomp", "-XX:TieredStopAtLevel=1", "-XX:CompileCommand=quiet"));
        for (String type : List.of(
                "java.lang.Thread",
                "java.lang.VirtualThread*",
                "jdk.internal.vm.Continuation*",
                FreezingProgram.class.getName() + "*")) {
            options.add("-XX:CompileCommand=compileonly," + type + "::*");
        }
        ContinuationSwitches switches = switches(options, COMPILED);
        assertEquals(COMPILED, switches.freezes(), switches::sentence);
        assertTrue(switches.slowFreezes() <= BY_CHANCE_MAX, switches::sentence);
        assertTrue(switches.newChunks() <= BY_CHANCE_MAX, switches::sentence);
        assertTrue(switches.thaws() >= COMPILED, switches::sentence);
        assertTrue(switches.slowThaws() <= BY_CHANCE_MAX, switches::sentence);
    }
}
