package dev.lockstep.system.style;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TextRuleTest {
    private static List<SourceFile> files;

    @BeforeAll
    static void readProject() {
        files = Project.files();
    }

    @ParameterizedTest
    @EnumSource
    void theProjectKeeps(TextRule rule) {
        List<String> violations =
                files.stream().flatMap(file -> rule.violations(file).stream()).toList();
        assertTrue(violations.isEmpty(), () -> rule + ":\n" + String.join("\n", violations));
    }

    @ParameterizedTest
    @EnumSource
    void theRuleFindsItsOffender(TextRule rule) {
        assertEquals(1, rule.violations(rule.offender).size(), () -> rule.violations(rule.offender)
                .toString());
        assertEquals(List.of(), rule.violations(rule.innocent));
    }

    @Test
    void theProjectIsRead() {
        Set<String> paths = files.stream().map(SourceFile::path).collect(Collectors.toSet());
        assertTrue(paths.contains("src/test/java/dev/lockstep/system/style/TextRuleTest.java"));
        assertTrue(paths.contains("native/src/main/c/lockstep_counters.c"));
        assertTrue(paths.contains(".ci/run"));
        assertTrue(paths.stream().noneMatch(path -> path.contains("/target/")));
    }

    /** The log of a JVM that crashed in one test failed this class too, as it names paths of the machine. */
    @Test
    void whatARunLeavesBehindIsNotTheProject(@TempDir Path root) throws IOException {
        Files.createDirectories(root.resolve("engine/target"));
        for (String path : List.of(
                "README.md", "engine/pom.xml", "engine/hs_err_pid12.log", "engine/core.12", "engine/target/a.txt")) {
            Files.writeString(root.resolve(path), "text");
        }
        assertEquals(
                List.of("README.md", "engine/pom.xml"),
                Project.files(root).stream().map(SourceFile::path).toList());
    }

    @Test
    void everyPackageOfMainCodeIsDescribed() {
        assertEquals(Set.of(), undescribedPackages(files));
        assertEquals(
                Set.of("engine/src/main/java/b"),
                undescribedPackages(List.of(
                        new SourceFile("engine/src/main/java/module-info.java", ""),
                        new SourceFile("engine/src/main/java/a/A.java", ""),
                        new SourceFile("engine/src/main/java/a/package-info.java", ""),
                        new SourceFile("engine/src/main/java/b/B.java", ""))));
    }

    /** Directories of main code that hold classes and no description of their package. */
    private static Set<String> undescribedPackages(List<SourceFile> files) {
        Set<String> described = files.stream()
                .filter(file -> file.path().endsWith("/package-info.java"))
                .map(file -> directory(file.path()))
                .collect(Collectors.toSet());
        return files.stream()
                .filter(file -> file.isJava() && file.path().contains("/src/main/java/"))
                .filter(file -> !file.path().endsWith("/module-info.java"))
                .map(file -> directory(file.path()))
                .filter(directory -> !described.contains(directory))
                .collect(Collectors.toSet());
    }

    private static String directory(String path) {
        return path.substring(0, path.lastIndexOf('/'));
    }
}
