package dev.lockstep.system.style;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.foreign.MemorySegment;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BytecodeRulesTest {
    /** Modules of Lockstep that a module may require, by the module's directory. */
    private static final Map<String, Set<String>> DIRECTIONS = Map.of(
            "scheduler", Set.of(),
            "native", Set.of(),
            "engine", Set.of("dev.lockstep.scheduler"),
            "tpcc", Set.of("dev.lockstep.scheduler", "dev.lockstep.engine"),
            "benchmarks",
                    Set.of(
                            "dev.lockstep.scheduler",
                            "dev.lockstep.engine",
                            "dev.lockstep.tpcc",
                            "dev.lockstep.counters"));

    /** What the engine touches the system's files with: all other classes do it through the interface of the first. */
    private static final List<String> DISK_CLASSES = List.of(
            "dev/lockstep/engine/file/DiskStorage",
            "dev/lockstep/engine/file/DiskBlockFile",
            "dev/lockstep/engine/file/DiskFailures",
            "dev/lockstep/engine/file/UncachedChannel");

    private static final List<String> PLATFORM = List.of("java.", "jdk.", "javax.");

    @SuppressWarnings({"UnusedMethod", "SynchronizeOnNonFinalField", "UnusedVariable"})
    private static final class Offender {
        private final Object lock = new Object();

        synchronized int method() {
            return 1;
        }

        int block() {
            synchronized (lock) {
                return 2;
            }
        }

        @SuppressWarnings("restricted")
        static MemorySegment call() {
            return MemorySegment.NULL.reinterpret(1);
        }

        static void pause() throws InterruptedException {
            Thread.sleep(Duration.ZERO);
        }

        static long time() {
            return System.nanoTime();
        }

        static boolean exists(Path path) {
            return Files.exists(path);
        }
    }

    private static ClassModel read(Class<?> type) throws IOException {
        String name = type.getName();
        try (InputStream bytes = type.getResourceAsStream(name.substring(name.lastIndexOf('.') + 1) + ".class")) {
            return ClassFile.of().parse(bytes.readAllBytes());
        }
    }

    private static List<String> violations(String module, Function<ClassModel, List<String>> rule) throws IOException {
        List<Path> classes = Project.classes(module);
        assertFalse(classes.isEmpty(), module);
        List<String> violations = new ArrayList<>();
        for (Path file : classes) {
            violations.addAll(rule.apply(BytecodeRules.read(file)));
        }
        return violations;
    }

    @ParameterizedTest
    @ValueSource(strings = {"scheduler", "engine"})
    void noMonitorIsEntered(String module) throws IOException {
        assertEquals(List.of(), violations(module, BytecodeRules::monitors));
    }

    @ParameterizedTest
    @ValueSource(strings = {"scheduler", "engine", "native", "tpcc"})
    void noForbiddenCallIsMade(String module) throws IOException {
        assertEquals(List.of(), violations(module, type -> BytecodeRules.calls(type, BytecodeRules.FORBIDDEN_CALLS)));
    }

    /**
     * Module native is there to make them, and is not needed for embedding; one class makes one if it is allowed to.
     */
    @ParameterizedTest
    @ValueSource(strings = {"scheduler", "engine", "tpcc"})
    void noRestrictedCallIsMade(String module) throws IOException {
        List<String> violations = violations(module, type -> BytecodeRules.calls(type, BytecodeRules.RESTRICTED_CALLS));
        violations.removeIf(violation -> violation.startsWith("dev/lockstep/scheduler/memory/AddressSpace."));
        assertEquals(List.of(), violations);
    }

    @ParameterizedTest
    @ValueSource(strings = {"scheduler", "engine"})
    void timeIsAskedForInOnePlace(String module) throws IOException {
        List<String> violations = violations(module, type -> BytecodeRules.calls(type, BytecodeRules.TIME_CALLS));
        violations.removeIf(violation -> violation.startsWith("dev/lockstep/scheduler/InstalledTime."));
        assertEquals(List.of(), violations);
    }

    /** Only so does a disk that fails on demand see every operation. */
    @Test
    void filesAreTouchedInOnePlace() throws IOException {
        List<String> violations = violations("engine", type -> BytecodeRules.named(type, BytecodeRules.FILE_ACCESS));
        assertFalse(violations.isEmpty(), "the disk's own classes");
        violations.removeIf(violation -> DISK_CLASSES.stream()
                .anyMatch(name -> violation.startsWith(name + " ") || violation.startsWith(name + "$")));
        assertEquals(List.of(), violations);
    }

    @Test
    void offendersAreFound() throws IOException {
        ClassModel offender = read(Offender.class);
        assertEquals(2, BytecodeRules.monitors(offender).size());
        assertEquals(
                1, BytecodeRules.calls(offender, BytecodeRules.RESTRICTED_CALLS).size());
        assertEquals(
                1, BytecodeRules.calls(offender, BytecodeRules.FORBIDDEN_CALLS).size());
        assertEquals(1, BytecodeRules.calls(offender, BytecodeRules.TIME_CALLS).size());
        assertEquals(1, BytecodeRules.named(offender, BytecodeRules.FILE_ACCESS).size());
        assertEquals(List.of(), BytecodeRules.monitors(read(SourceFile.class)));
        assertEquals(List.of(), BytecodeRules.calls(read(SourceFile.class), BytecodeRules.RESTRICTED_CALLS));
        assertEquals(List.of(), BytecodeRules.calls(read(SourceFile.class), BytecodeRules.FORBIDDEN_CALLS));
    }

    @Test
    void engineAndSchedulerNeedNoLibrary() throws IOException {
        Map<String, List<String>> allowed = Map.of(
                "scheduler", List.of("dev.lockstep.scheduler."),
                "engine", List.of("dev.lockstep.scheduler.", "dev.lockstep.engine."));
        for (String module : allowed.keySet()) {
            List<String> prefixes = new ArrayList<>(PLATFORM);
            prefixes.addAll(allowed.get(module));
            assertEquals(
                    List.of(),
                    violations(module, type -> List.copyOf(BytecodeRules.foreignPackages(type, prefixes))),
                    module);
        }
    }

    @Test
    void aLibraryIsFound() throws IOException {
        assertEquals(
                Set.of("org.junit.jupiter.api."),
                BytecodeRules.foreignPackages(
                                read(TextRuleTest.class), List.of("java.", "dev.", "org.junit.jupiter.params"))
                        .stream()
                        .filter(name -> !name.startsWith("org.junit.jupiter.params"))
                        .collect(Collectors.toSet()));
    }

    @Test
    void modulesKnowWhomTheyMay() throws IOException {
        assertEquals(Set.copyOf(Project.MODULES), DIRECTIONS.keySet());
        for (String module : Project.MODULES) {
            Path descriptor = Project.root().resolve(module).resolve("target/classes/module-info.class");
            try (InputStream bytes = Files.newInputStream(descriptor)) {
                assertEquals(Set.of(), forbiddenRequires(ModuleDescriptor.read(bytes), DIRECTIONS.get(module)), module);
            }
        }
    }

    @Test
    void aWrongDirectionIsFound() {
        ModuleDescriptor descriptor = ModuleDescriptor.newModule("dev.lockstep.scheduler")
                .requires("java.base")
                .requires("dev.lockstep.engine")
                .build();
        assertEquals(Set.of("dev.lockstep.engine"), forbiddenRequires(descriptor, DIRECTIONS.get("scheduler")));
        assertTrue(forbiddenRequires(descriptor, DIRECTIONS.get("tpcc")).isEmpty());
    }

    private static Set<String> forbiddenRequires(ModuleDescriptor descriptor, Set<String> allowed) {
        Set<String> required = new HashSet<>();
        for (ModuleDescriptor.Requires requires : descriptor.requires()) {
            if (requires.name().startsWith("dev.lockstep.") && !allowed.contains(requires.name())) {
                required.add(requires.name());
            }
        }
        return required;
    }
}
