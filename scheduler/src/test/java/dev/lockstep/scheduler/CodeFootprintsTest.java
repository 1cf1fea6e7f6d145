package dev.lockstep.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Footprints from a file: what is read, and which files are refused. */
class CodeFootprintsTest {
    private static final String TEXT =
            """
            lockstep-code-footprints 2
            jvm Some VM 25.0.3+9
            workload operations
            operation 4608 begin
            operation 54272 commit
            operation 9600 fetch account
            shared 0 1 1408
            shared 0 2 1024
            data 1280 begin
            data 4096 fetch account
            workload tpcc
            operation 12800 fetch stock
            end
            """;

    @TempDir
    Path directory;

    private Path file(String text) throws IOException {
        return Files.writeString(directory.resolve("footprints.txt"), text);
    }

    @Test
    void readsWhatEachOperationExecutes() throws IOException {
        Map<String, CodeFootprints> workloads = CodeFootprints.read(file(TEXT));
        assertEquals(List.of("operations", "tpcc"), List.copyOf(workloads.keySet()));
        CodeFootprints operations = workloads.get("operations");
        assertEquals("operations", operations.workload());
        assertEquals(List.of("begin", "commit", "fetch account"), operations.operations());
        assertEquals(OptionalLong.of(9600), operations.bytes("fetch account"));
        assertEquals(OptionalLong.empty(), operations.bytes("fetch stock"));
        assertEquals(OptionalLong.of(1024), operations.sharedBytes("begin", "fetch account"));
        assertEquals(OptionalLong.of(1024), operations.sharedBytes("fetch account", "begin"));
        assertEquals(OptionalLong.of(0), operations.sharedBytes("commit", "fetch account"));
        assertEquals(OptionalLong.of(4608), operations.sharedBytes("begin", "begin"));
        assertEquals(OptionalLong.empty(), operations.sharedBytes("begin", "fetch stock"));
        assertEquals(Map.of("begin", 1280L, "fetch account", 4096L), operations.dataBytes());
        assertEquals(OptionalLong.of(12800), workloads.get("tpcc").bytes("fetch stock"));
        assertEquals(Map.of(), workloads.get("tpcc").dataBytes());
        assertEquals(
                OptionalLong.empty(),
                workloads.get("tpcc").bytes("begin"),
                "an operation of one workload says nothing of another");
    }

    @Test
    void tellsTheBuildOfTheJvm() throws IOException {
        CodeFootprints foreign = CodeFootprints.read(file(TEXT)).get("operations");
        assertEquals("Some VM 25.0.3+9", foreign.jvm());
        assertFalse(foreign.isOfThisJvm());
        CodeFootprints own = CodeFootprints.read(file(TEXT.replace("Some VM 25.0.3+9", CodeFootprints.thisJvm())))
                .get("operations");
        assertTrue(own.isOfThisJvm(), own::jvm);
        // The same release, built again.
        CodeFootprints rebuilt = CodeFootprints.read(
                        file(TEXT.replace("Some VM 25.0.3+9", CodeFootprints.thisJvm() + "-1")))
                .get("operations");
        assertFalse(rebuilt.isOfThisJvm(), rebuilt::jvm);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    lockstep-code-footprints 2 | lockstep-code-footprints 3  | known version
                    lockstep-code-footprints 2 | lockstep-code-map 1         | known version
                    lockstep-code-footprints 2 | lockstep-code-footprints 1  | line=9
                    data 1280 begin            | data 0 begin                | line=9
                    data 1280 begin            | data 4096 fetch account     | line=10
                    data 1280 begin            | data 1280                   | line=9
                    workload operations        | data 1280 begin             | line=3
                    operation 4608 begin       | operation many begin        | line=4
                    operation 4608 begin       | operation -1 begin          | line=4
                    operation 4608 begin       | operation 4608              | line=4
                    operation 54272 commit     | operation 54272 begin       | line=5
                    shared 0 2 1024            | shared 0 3 1024             | line=8
                    shared 0 2 1024            | shared 2 0 1024             | line=8
                    shared 0 2 1024            | shared 0 1 1024             | line=8
                    shared 0 2 1024            | overlap 0 2 1024            | line=8
                    workload operations        | jvm again                   | line=4
                    end                        | jvm again                   | cut short
                    """)
    void refusesWhatItCannotRead(String found, String changed, String words) throws IOException {
        Path file = file(TEXT.replace(found + "\n", changed + "\n"));
        String message = assertThrows(CodeFootprintsException.class, () -> CodeFootprints.read(file))
                .getMessage();
        assertTrue(message.contains(words), message);
        assertTrue(message.endsWith("file=" + file + "; make one with ./lockstep codemap --footprints FILE"), message);
    }

    /** As it was before data was measured. */
    @Test
    void readsTheVersionWithoutData() throws IOException {
        String text = TEXT.replace("footprints 2", "footprints 1")
                .lines()
                .filter(line -> !line.startsWith("data "))
                .collect(Collectors.joining("\n", "", "\n"));
        CodeFootprints operations = CodeFootprints.read(file(text)).get("operations");
        assertEquals(OptionalLong.of(9600), operations.bytes("fetch account"));
        assertEquals(OptionalLong.of(1024), operations.sharedBytes("begin", "fetch account"));
        assertEquals(Map.of(), operations.dataBytes());
    }

    @Test
    void aFileThatIsMissingIsNoDamagedOne() {
        assertThrows(NoSuchFileException.class, () -> CodeFootprints.read(directory.resolve("missing.txt")));
    }
}
