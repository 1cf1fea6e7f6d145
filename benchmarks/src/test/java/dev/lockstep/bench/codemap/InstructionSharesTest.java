package dev.lockstep.bench.codemap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Instructions by part, of files made by hand. */
class InstructionSharesTest {
    private static final String EVENTS =
            """
            lockstep-code-events 1
            v 25
            m 1 a/B hot ()V
            m 2 a/B warm ()V
            D 1 9000 256 Interpreter
            D 2 9100 64 call_stub
            D 3 1000 4096 temporary
            L 4 1000 64 3 1 2
            U 5 1000
            L 6 1000 128 4 2 1
            r 20000 30000 /opt/jdk/lib/server/libjvm.so
            r 30000 40000 /lib/libc.so.6
            r 40000 50000 /lib/libm.so.6
            end
            """;

    private static final String LINES =
            """
            lockstep-code-lines 5
            b 1010 16 4 4
            b 1010 16 5 7
            b 1050 16 6 3
            b 9010 16 7 0
            b 9110 16 8 0
            b 20010 16 9 0
            b 30010 16 10 0
            b 40010 16 11 0
            b 60000 16 12 0
            c 1 3 carrier
            0 1 1
            1 100 100
            2 1000 1000
            1 100 100
            c 1 0 client
            3 2 2
            4 3 3
            5 1 1
            c 0 0 client
            6 1 1
            7 1 1
            8 1 1
            end
            """;

    @TempDir
    Path directory;

    private Path eventsFile;
    private Path linesFile;

    @BeforeEach
    void write() throws IOException {
        eventsFile = Files.writeString(directory.resolve("events.txt"), EVENTS);
        linesFile = Files.writeString(directory.resolve("lines.txt"), LINES);
    }

    @Test
    void addsUpInstructionsByPart() throws IOException {
        CodeLines lines = CodeLines.read(linesFile);
        CodeEvents events = CodeEvents.read(eventsFile);
        InstructionShares measured = InstructionShares.of(lines, events, context -> context.phase() == 1);
        // The block at 1050 is behind the method of epoch 4, so it belongs to the one that was reported next.
        assertEquals(
                Map.of(
                        CodePart.C1, 4L,
                        CodePart.C2, 200 * 5L + 1000 * 6,
                        CodePart.INTERPRETER, 14L,
                        CodePart.STUB, 24L,
                        CodePart.JVM, 9L),
                measured.instructions());
        assertEquals(7000.0 / 7018, measured.c2OfJava(), 1e-12);
        assertEquals(0, measured.unresolved());

        InstructionShares outside = InstructionShares.of(lines, events, context -> context.phase() == 0);
        assertEquals(Map.of(CodePart.LIBC, 10L, CodePart.LIBRARY, 11L, CodePart.UNKNOWN, 12L), outside.instructions());
        assertEquals(12.0 / 33, outside.unresolved(), 1e-12);
        assertEquals(0, outside.c2OfJava());
    }

    @Test
    void refusesWhatIsNotExecutedCode() throws IOException {
        for (String damaged : new String[] {
            LINES.replace("lines 5", "lines 4"),
            LINES.replace("c 1 3 carrier\n", "d 2 7\nc 1 3 carrier\n"),
            LINES.replace("c 1 0 client\n", "d 2\nc 1 0 client\n"),
            LINES.replace("end\n", ""),
            LINES.replace("3 2 2", "9 2 2"),
            LINES.replace("c 1 3 carrier\n", ""),
            LINES.replace("b 60000 16 12 0", "b 60000 16")
        }) {
            Files.writeString(linesFile, damaged);
            assertThrows(CodeFormatException.class, () -> CodeLines.read(linesFile), damaged);
        }
        Files.writeString(linesFile, "");
        assertThrows(CodeFormatException.class, () -> CodeLines.read(linesFile));
    }
}
