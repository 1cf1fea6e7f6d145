package dev.lockstep.bench.codemap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.autosteps.TraceFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TraceNamesTest {
    @TempDir
    private Path directory;

    private boolean write(Path into, String... lines) throws IOException {
        return TraceNames.write(Files.write(directory.resolve("raw.txt"), List.of(lines)), List.of(), null, null, into);
    }

    @Test
    void withoutOperationsThereIsNoFile() throws IOException {
        Path into = directory.resolve("trace.txt");
        assertFalse(write(into, TraceFile.HEADER, TraceFile.END));
        assertFalse(Files.exists(into));
        String execution = TraceFile.EXECUTION + "1 1 0";
        assertTrue(write(into, TraceFile.HEADER, execution, TraceFile.END));
        assertEquals(List.of(TraceFile.HEADER, execution, TraceFile.END), Files.readAllLines(into));
    }
}
