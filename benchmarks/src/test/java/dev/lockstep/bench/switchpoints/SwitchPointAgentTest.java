package dev.lockstep.bench.switchpoints;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.switchpoints.SwitchPointException.Reason;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The agent, in a JVM of its own and by itself. */
class SwitchPointAgentTest {
    private static final String SUBJECT = Subjects.ThreeSteps.class.getName();
    private static final ClassBytes CLASSES = new ClassBytes(SwitchPointAgentTest.class.getClassLoader());

    @TempDir
    private Path directory;

    private Path file(List<SwitchPoint> points) throws IOException {
        Path file = directory.resolve("points.txt");
        SwitchPoints.of("32K,8,64", CLASSES, points).write(file);
        return file;
    }

    private Path fileOfSteps() throws IOException {
        return file(Inserted.atCalls(Subjects.ThreeSteps.class, "accept", "accept", "fetch").stream()
                .filter(point -> point.descriptor().startsWith("(Ljava/lang/Integer;"))
                .toList());
    }

    private static Instrumentation recorder(List<SwitchPointAgent> added) {
        return (Instrumentation) Proxy.newProxyInstance(
                SwitchPointAgentTest.class.getClassLoader(),
                new Class<?>[] {Instrumentation.class},
                (proxy, method, arguments) -> {
                    added.add((SwitchPointAgent) arguments[0]);
                    return null;
                });
    }

    private SwitchPointException refused(Path file) {
        List<SwitchPointAgent> added = new ArrayList<>();
        SwitchPointException refused = assertThrows(
                SwitchPointException.class, () -> SwitchPointAgent.premain(file.toString(), recorder(added)));
        assertEquals(List.of(), added);
        return refused;
    }

    /** What {@link AgentProgram} prints. */
    private String run(AgentOptions agent) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Xshare:auto",
                "-XX:ErrorFile=" + directory.resolve("hs_err.log"),
                "--add-exports",
                "java.base/jdk.internal.vm=ALL-UNNAMED",
                "--add-opens",
                "java.base/java.lang=ALL-UNNAMED"));
        command.addAll(agent.write(directory));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), AgentProgram.class.getName()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), printed);
        return printed;
    }

    @Test
    void pointsAreInsertedWhileClassesAreLoaded() throws Exception {
        String printed = run(new AgentOptions(fileOfSteps(), null));
        assertTrue(printed.contains("order: b1 a1 b2 a2 b3 a3 "), printed);
    }

    /** Members do not take turns; each of two passes the point in each of three steps. */
    @Test
    void theCheckingModeCountsInPlaceOfSwitching() throws Exception {
        Path report = directory.resolve("report.txt");
        String printed = run(new AgentOptions(fileOfSteps(), report));
        assertTrue(printed.contains("order: b1 b2 b3 a1 a2 a3 "), printed);
        assertEquals(new CheckReport(List.of(6), List.of(0), List.of()), CheckReport.read(report));
    }

    @Test
    void withoutPointsThereIsNoAgent() throws IOException {
        assertEquals(List.of(), AgentOptions.NONE.write(directory));
    }

    @Test
    void aChangedClassIsRefusedBeforeTheProgramBegins() throws IOException {
        Path points = fileOfSteps();
        String text = Files.readString(points);
        int hash = text.indexOf("class ") + "class ".length();
        Files.writeString(points, text.substring(0, hash) + "0".repeat(8) + text.substring(hash + 8));
        assertEquals(Reason.CLASS, refused(points).reason());
    }

    @Test
    void anotherJvmIsRefused() throws IOException {
        Path points = fileOfSteps();
        Files.writeString(points, Files.readString(points).replaceFirst("jvm .*", "jvm other"));
        assertEquals(Reason.JVM, refused(points).reason());
    }

    @Test
    void aPointWhereALatchIsHeldIsRefused() throws IOException {
        Path points = file(Inserted.atCalls(Subjects.Holder.class, "latch", "inside", "fetch"));
        SwitchPointException refused = refused(points);
        assertEquals(Reason.HELD, refused.reason());
        assertTrue(refused.getMessage().contains("Subjects$Holder.latch()V@"), refused.getMessage());
    }

    @Test
    void whatIsLoadedDifferentlyIsLeftAsItIs() throws IOException {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        SwitchPoints points = SwitchPoints.read(fileOfSteps());
        byte[] bytes = CLASSES.require(SUBJECT);
        ClassLoader loader = getClass().getClassLoader();
        try (PrintStream out = new PrintStream(err, true, StandardCharsets.UTF_8)) {
            SwitchPointAgent agent = new SwitchPointAgent(points, false, out);
            String name = SUBJECT.replace('.', '/');
            assertNotEquals(bytes.length, agent.transform(loader, name, null, null, bytes).length);
            assertNull(agent.transform(loader, "java/lang/Object", null, null, bytes));
            assertEquals("", err.toString(StandardCharsets.UTF_8));
            bytes[bytes.length - 1] ^= 1;
            assertNull(agent.transform(loader, name, null, null, bytes));
        }
        assertTrue(
                err.toString(StandardCharsets.UTF_8).contains("a class has changed"),
                () -> err.toString(StandardCharsets.UTF_8));
    }

    @Test
    void aReportOfTheCheckingModeIsRead() throws IOException {
        Path file = directory.resolve("report.txt");
        CheckReport report = new CheckReport(List.of(3, 0), List.of(1, 0), List.of("a.B"));
        report.write(file);
        assertEquals(report, CheckReport.read(file));
        String text = Files.readString(file);
        for (String damaged :
                List.of(text.replace("end\n", ""), text.replace("3 1", "3"), text.replace("3 1", "x 1"))) {
            Files.writeString(file, damaged);
            SwitchPointException refused = assertThrows(SwitchPointException.class, () -> CheckReport.read(file));
            assertEquals(Reason.FORMAT, refused.reason());
        }
    }

    @Test
    void aPlaceThatIsNotThereIsRefusedInTheCheckingModeToo() throws IOException {
        SwitchPoints points = SwitchPoints.read(
                file(List.of(new SwitchPoint("fetch", SUBJECT, "accept", "(Ljava/lang/Integer;I)V", 999))));
        for (boolean checks : List.of(true, false)) {
            SwitchPointException refused = assertThrows(
                    SwitchPointException.class, () -> SwitchPointAgent.requireUsable(points, CLASSES, checks));
            assertEquals(Reason.PLACE, refused.reason());
        }
    }

    @Test
    void aClassThatCannotBeCountedIsReported() throws IOException {
        HeldCounts.reset(1);
        SwitchPoints points = SwitchPoints.read(fileOfSteps());
        byte[] bytes = CLASSES.require(SUBJECT);
        bytes[bytes.length - 1] ^= 1;
        try (PrintStream err = new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8)) {
            SwitchPointAgent agent = new SwitchPointAgent(points, true, err);
            assertNull(agent.transform(getClass().getClassLoader(), SUBJECT.replace('.', '/'), null, null, bytes));
        }
        assertEquals(List.of(SUBJECT.replace('.', '/')), HeldCounts.report().uncounted());
    }
}
