package dev.lockstep.bench.codemap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.Needed;
import dev.lockstep.counters.NativePart;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The agent's log: of a real JVM, and what is read from damaged ones. */
class CodeEventsTest {
    @TempDir
    Path directory;

    private CodeEvents log(String... options) throws Exception {
        Path log = directory.resolve("events.txt");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-agentpath:" + Needed.require(NativePart.AGENT) + "=" + log,
                "-XX:ErrorFile=" + directory.resolve("hs_err.log")));
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), CompiledProgram.class.getName()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        return CodeEvents.read(log);
    }

    private static String name(String method) {
        return CompiledProgram.class.getName() + "." + method;
    }

    /** The levels are the JVM's, and the chain leads from the inlined method to the compiled one. */
    @Test
    void logsLevelsAndInliningChains() throws Exception {
        CodeEvents events = log("-Xbatch");
        assertEquals(System.getProperty("java.vm.version"), events.jvm());
        List<CompiledCode> outer = events.compiled().stream()
                .filter(code -> code.method().equals(name("outer(J)J")))
                .toList();
        assertEquals(
                List.of(CodePart.C1, CodePart.C2),
                outer.stream().map(CompiledCode::part).distinct().toList());
        CompiledCode best = outer.getLast();
        assertTrue(best.compilation() > 0, best::toString);
        boolean inlined = false;
        for (int offset = 0; offset < best.bytes(); offset++) {
            CodeEvents.Frame frame = events.frame(best.frameAt(offset));
            if (frame.method().equals(name("inner(J)J"))) {
                CodeEvents.Frame caller = events.frame(frame.caller());
                assertEquals(name("outer(J)J"), caller.method());
                assertEquals(0, caller.caller());
                assertTrue(frame.line() > caller.line() && caller.line() > 0, frame + " in " + caller);
                inlined = true;
            }
        }
        assertTrue(inlined, "inner was not inlined");
        assertTrue(events.generated().stream().anyMatch(code -> code.name().equals("Interpreter")));
        assertTrue(events.mapped().stream().anyMatch(region -> region.path().endsWith("libjvm.so")));
    }

    /** Code that is compiled to a place where other code was is told from it by its epoch. */
    @Test
    void tellsRecompiledCodeAtAReusedAddress() throws Exception {
        CodeEvents events = log(
                "-Xcomp",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:CompileCommand=quiet",
                "-XX:CompileCommand=compileonly,dev.lockstep.bench.codemap.CompiledProgram*::*");
        CodeResolver resolver = new CodeResolver(events);
        int reused = 0;
        for (CompiledCode later : events.compiled()) {
            for (CompiledCode earlier : events.compiled()) {
                if (earlier.removedEpoch() <= later.epoch() && earlier.contains(later.address())) {
                    assertSame(
                            earlier,
                            resolver.find(later.address(), earlier.epoch()).compiled());
                    assertSame(
                            later, resolver.find(later.address(), later.epoch()).compiled());
                    // Executed a moment before it was reported.
                    assertNotNull(
                            resolver.find(later.address(), later.epoch() - 1).compiled());
                    reused++;
                }
            }
        }
        assertTrue(reused > 0, () -> "no place was used again: " + events.compiled());
    }

    @Test
    void anAgentWithoutAFileIsRefused() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-agentpath:" + Needed.require(NativePart.AGENT),
                        "-version")
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor() != 0, output);
        assertTrue(output.contains("cannot write code events"), output);
    }

    private CodeEvents read(String... lines) throws Exception {
        Path file = directory.resolve("made.txt");
        Files.writeString(file, List.of(lines).stream().collect(Collectors.joining("\n", "", "\n")));
        return CodeEvents.read(file);
    }

    @Test
    void refusesWhatIsNoLog() {
        String[] whole = {"lockstep-code-events 1", "m 1 A b ()V", "f 1 0 1 0 7", "L 1 1000 64 4 3 1", "p 10 1", "end"};
        for (int damaged = 0; damaged < whole.length; damaged++) {
            String[] lines = whole.clone();
            lines[damaged] = "L x";
            assertThrows(CodeFormatException.class, () -> read(lines), lines[damaged]);
        }
        assertThrows(CodeFormatException.class, () -> read("lockstep-code-events 2", "end"));
        assertThrows(CodeFormatException.class, () -> read("lockstep-code-events 1", "v 25"));
    }

    /** The same code reported again, when the agent asks for what there was, is no other code. */
    @Test
    void aMethodReportedTwiceIsOne() throws Exception {
        CodeEvents events = read(
                "lockstep-code-events 1",
                "m 1 a/B c ()V",
                "L 1 1000 64 3 1 1",
                "L 2 1000 64 3 1 1",
                "U 3 1000",
                "L 4 1000 64 3 2 1",
                "end");
        assertEquals(
                List.of(1L, 4L),
                events.compiled().stream().map(CompiledCode::epoch).toList());
        assertEquals("a.B.c()V", events.compiled().getFirst().method());
        assertEquals(3, events.compiled().getFirst().removedEpoch());
    }

    /** A stub lies where a method was removed before it, and not where one was removed since or has come since. */
    @Test
    void tellsAStubOnThePlaceOfARemovedMethod() throws Exception {
        CodeResolver resolver = new CodeResolver(read(
                "lockstep-code-events 1",
                "m 1 a/B c ()V",
                "m 2 a/B d ()V",
                "D 1 1000 64 early",
                "L 2 1000 64 3 1 1",
                "U 4 1000",
                "D 6 1000 64 late",
                "D 6 1000 4096 whole",
                "L 9 1000 64 3 2 2",
                "L 2 9000 64 3 3 1",
                "D 3 9000 64 early",
                "U 4 9000",
                "end"));
        assertEquals("a.B.c()V", resolver.find(0x1008, 3).name());
        for (long epoch = 4; epoch < 9; epoch++) {
            assertEquals(new CodeResolver.Found(CodePart.STUB, null, "late"), resolver.find(0x1008, epoch));
        }
        assertEquals("a.B.d()V", resolver.find(0x1008, 9).name());
        assertEquals("a.B.c()V", resolver.find(0x9008, 5).name());
    }
}
