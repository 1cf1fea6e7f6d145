package dev.lockstep.counters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.BeforeAll;
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

    /** Compiled for all tests: the sanitizers make the compiler take longer than most of the programs. */
    private static final Map<List<String>, Path> OBJECTS = new ConcurrentHashMap<>();

    @TempDir
    static Path shared;

    @TempDir
    Path directory;

    @BeforeAll
    static void forgetObjectsOfAnEarlierRun() {
        OBJECTS.clear();
    }

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
        assertPasses(run(program, sanitizers(ADDRESSES_AND_OVERFLOWS)));
    }

    @Test
    void hasNoRaces() throws Exception {
        List<String> sanitizer = sanitizers(RACES);
        if (sanitizer.isEmpty()) {
            throw CPrograms.notRun("the C compiler has no thread sanitizer");
        }
        assertPasses(run("threads_test", sanitizer));
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
        String original = Files.readString(SIMULATOR.resolve(part));
        assertTrue(original.contains(rule), () -> part + " lacks " + rule);
        Path copy = Files.writeString(directory.resolve(part), original.replace(rule, broken));
        CPrograms.Run run = run("random_test", List.of(), copy);
        assertNotEquals(0, run.exitCode(), run.output());
        assertTrue(run.output().contains("repeat with: random_test"), run.output());
    }

    private static void assertPasses(CPrograms.Run run) {
        assertEquals("all passed", run.output().strip());
        assertEquals(0, run.exitCode());
    }

    /** Runs a program with the model, some of whose parts are replaced by files of the same name. */
    private CPrograms.Run run(String program, List<String> sanitizers, Path... replacements) throws Exception {
        Map<String, Path> sources = new LinkedHashMap<>();
        for (String part : PARTS) {
            sources.put(part, SIMULATOR.resolve(part));
        }
        for (Path replacement : replacements) {
            sources.put(replacement.getFileName().toString(), replacement);
        }
        List<Path> objects = new ArrayList<>();
        for (Path source : sources.values()) {
            objects.add(object(source, sanitizers));
        }
        List<String> options = new ArrayList<>(sanitizers);
        options.add("-shared");
        Path model = CPrograms.compile(directory.resolve("model.so"), options, objects.toArray(Path[]::new));
        Path executable = CPrograms.compile(
                directory.resolve(program),
                sanitizers,
                object(CPrograms.testSource(program + ".c"), sanitizers),
                model.toAbsolutePath());
        return CPrograms.run(Map.of(), List.of(executable.toString()));
    }

    private static Path object(Path source, List<String> sanitizers) {
        List<String> options = new ArrayList<>(sanitizers);
        options.addAll(List.of("-O2", "-g", "-I", SIMULATOR.toString(), "-fPIC", "-c"));
        List<String> compiled = new ArrayList<>(options);
        compiled.add(source.toString());
        return OBJECTS.computeIfAbsent(compiled, key -> {
            try {
                return CPrograms.compile(Files.createTempFile(shared, "model", ".o"), options, source);
            } catch (IOException e) {
                throw new UncheckedIOException("cannot compile source=" + source, e);
            } catch (InterruptedException e) {
                throw new AssertionError("interrupted while the compiler ran source=" + source, e);
            }
        });
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
