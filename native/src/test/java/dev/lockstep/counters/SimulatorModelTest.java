package dev.lockstep.counters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The simulator's model of a machine: runs the C programs that test it. */
@Execution(ExecutionMode.CONCURRENT)
class SimulatorModelTest {
    private static final Path SIMULATOR = CPrograms.source("simulator");
    /** The parts of the simulator that make up the model; the others know QEMU. */
    static final List<String> PARTS = List.of(
            "cache.c",
            "coherence.c",
            "directory.c",
            "hierarchy.c",
            "lifetime.c",
            "machine.c",
            "memory.c",
            "model.c",
            "pages.c",
            "prefetch.c",
            "stack.c",
            "tlb.c");

    private static final List<String> ADDRESSES_AND_OVERFLOWS =
            List.of("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined");
    private static final List<String> RACES = List.of("-fsanitize=thread");

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "machine_test",
                "cache_test",
                "hierarchy_test",
                "coherence_test",
                "translation_test",
                "random_test",
                "threads_test"
            })
    void passes(String program) throws Exception {
        assertPasses(run(program, SIMULATOR, sanitizers(ADDRESSES_AND_OVERFLOWS)));
    }

    @Test
    void hasNoRaces() throws Exception {
        List<String> sanitizer = sanitizers(RACES);
        if (sanitizer.isEmpty()) {
            throw CPrograms.notRun("the C compiler has no thread sanitizer");
        }
        assertPasses(run("threads_test", SIMULATOR, sanitizer));
    }

    /** The random test tells a copy in which one rule is broken from the model. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '@',
            value = {
                "hierarchy.c @ request->fetch ? STALL_FETCH_L2 : STALL_DATA_L2  @ STALL_DATA_L2",
                "cache.c     @ stamp < least ? slot                              @ stamp > least ? slot",
                "hierarchy.c @ l1d_states[slot] |= STATE_MODIFIED                @ l1d_states[slot] |= 0",
                "coherence.c @ if (collect == COLLECT_STORE) {                   @ if (false) {",
                "hierarchy.c @ if (model->machine.cache[level].inclusive)        @ if (false)",
                "lifetime.c  @ begun.state |= (uint8_t) class                    @ begun.state |= 0",
                "lifetime.c  @ address) |= FLAG_INVALIDATED                      @ address) |= 0",
                "pages.c     @ homes->nodes[slot] = (uint8_t) node               @ homes->nodes[slot] = 0",
                "tlb.c       @ level-- > leaf                                    @ --level > leaf",
            })
    void aBrokenCopyFails(String part, String rule, String broken) throws Exception {
        Path copy = Files.createDirectory(directory.resolve("copy"));
        try (Stream<Path> sources = Files.list(SIMULATOR)) {
            for (Path source : sources.toList()) {
                Files.copy(source, copy.resolve(source.getFileName()));
            }
        }
        String original = Files.readString(copy.resolve(part));
        assertTrue(original.contains(rule), () -> part + " lacks " + rule);
        Files.writeString(copy.resolve(part), original.replace(rule, broken));
        CPrograms.Run run = run("random_test", copy, List.of());
        assertNotEquals(0, run.exitCode(), run.output());
        assertTrue(run.output().contains("repeat with: random_test"), run.output());
    }

    private static void assertPasses(CPrograms.Run run) {
        assertEquals("all passed", run.output().strip());
        assertEquals(0, run.exitCode());
    }

    private CPrograms.Run run(String program, Path simulator, List<String> sanitizers) throws Exception {
        List<String> options = new ArrayList<>(sanitizers);
        options.addAll(List.of("-O1", "-g", "-I", simulator.toString()));
        List<String> libraryOptions = new ArrayList<>(options);
        libraryOptions.addAll(List.of("-shared", "-fPIC"));
        Path model = CPrograms.compile(
                directory.resolve("model.so"),
                libraryOptions,
                PARTS.stream().map(simulator::resolve).toArray(Path[]::new));
        Path executable = CPrograms.compile(
                directory.resolve(program), options, CPrograms.testSource(program + ".c"), model.toAbsolutePath());
        return CPrograms.run(Map.of(), List.of(executable.toString()));
    }

    /** The options, if the compiler has what they need. */
    private List<String> sanitizers(List<String> options) throws Exception {
        Path source = Files.writeString(directory.resolve("empty.c"), "int main(void) { return 0; }\n");
        List<String> command = new ArrayList<>(List.of(CPrograms.compiler().toString()));
        command.addAll(options);
        command.addAll(List.of("-o", directory.resolve("empty").toString(), source.toString()));
        boolean there = CPrograms.run(Map.of(), command).exitCode() == 0
                && CPrograms.run(Map.of(), List.of(directory.resolve("empty").toString()))
                                .exitCode()
                        == 0;
        return there ? options : List.of();
    }
}
