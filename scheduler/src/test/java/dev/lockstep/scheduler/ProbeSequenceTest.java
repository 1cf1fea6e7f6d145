package dev.lockstep.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a probe is told of the scheduler itself, in order: in JVMs of their own, where one is installed. */
class ProbeSequenceTest {
    private static void assertTold(String expected, SThreadKind kind, String program)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(flag -> flag.startsWith("--add"))
                .forEach(command::add);
        command.addAll(List.of(
                "-D" + InstalledProbe.PROPERTY + "=" + SequenceProbe.class.getName(),
                "-cp",
                System.getProperty("java.class.path"),
                ProbedMembers.class.getName(),
                kind.name(),
                program));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(expected.strip(), String.join(" ", output.lines().toList()), output);
        assertEquals(0, process.waitFor());
    }

    /**
     * From the call of the wrapper to the beginning of the operation everything is the scheduler's, also what comes
     * after the wait in a list: member 0 waits there, and member 1 forms the team and leads it.
     */
    @ParameterizedTest
    @EnumSource(
            value = SThreadKind.class,
            names = {"VIRTUAL", "CONTINUATION"})
    void theWrapperIsTheSchedulers(SThreadKind kind) throws IOException, InterruptedException {
        assertTold(
                "0:resumed 0:entered 0:left 0:left"
                        + " 1:resumed 1:entered 1:begin-fetch 1:work 1:left 1:left"
                        + " 0:resumed 0:begin-fetch 0:work 0:left 0:left"
                        + " 1:resumed 1:entered 1:end 1:entered 1:left"
                        + " 0:resumed 0:entered 0:end 0:entered 0:left",
                kind,
                "team");
    }

    @ParameterizedTest
    @EnumSource(
            value = SThreadKind.class,
            names = {"VIRTUAL", "CONTINUATION"})
    void anOperationThatRunsStraightIsToldOfItsTimingsOnly(SThreadKind kind) throws IOException, InterruptedException {
        assertTold(
                "0:resumed 0:entered 0:begin-fetch 0:end 0:entered 0:begin-fetch 0:end 0:begin-fetch 0:end"
                        + " 0:entered 0:left",
                kind,
                "straight");
    }

    /**
     * Works are the operation's, told with their owners, and gathering them and letting their owners go is the
     * scheduler's.
     */
    @ParameterizedTest
    @EnumSource(
            value = SThreadKind.class,
            names = {"VIRTUAL", "CONTINUATION"})
    void aLeaderIsInItsOperationWhileItDoesTheWorks(SThreadKind kind) throws IOException, InterruptedException {
        assertTold(
                "0:resumed 0:entered 0:left 0:left"
                        + " 1:resumed 1:entered 1:begin-fetch 1:entered 1:returned"
                        + " 1:does-fetch-of-member-1 1:does-fetch-of-member-0 1:shares 1:works-2 1:entered 1:returned"
                        + " 1:entered 1:end 1:entered 1:left"
                        + " 0:resumed 0:begin-fetch 0:entered 0:end 0:entered 0:left",
                kind,
                "staged");
    }

    /** A helper has begun no operation itself, and is told of the works of those that have. */
    @ParameterizedTest
    @EnumSource(
            value = SThreadKind.class,
            names = {"VIRTUAL", "CONTINUATION"})
    void aHelperIsToldWhoseWorksItDoes(SThreadKind kind) throws IOException, InterruptedException {
        assertTold(
                "helper:shares helper:does-there-of-member-2 helper:does-there-of-member-3 helper:shares",
                kind,
                "lent");
    }

    @ParameterizedTest
    @EnumSource(
            value = SThreadKind.class,
            names = {"VIRTUAL", "CONTINUATION"})
    void aYieldIsTheSchedulers(SThreadKind kind) throws IOException, InterruptedException {
        assertTold(
                "0:resumed 0:entered 0:begin-fetch 0:entered 0:left 0:left"
                        + " 1:resumed 1:entered 1:begin-fetch 1:entered 1:left 1:left"
                        + " 0:resumed 0:returned 0:end 0:entered 0:left"
                        + " 1:resumed 1:returned 1:end 1:entered 1:left",
                kind,
                "yield");
    }

    @ParameterizedTest
    @EnumSource(
            value = SThreadKind.class,
            names = {"VIRTUAL", "CONTINUATION"})
    void aWrapperThatFailsIsLeft(SThreadKind kind) throws IOException, InterruptedException {
        assertTold("0:resumed 0:entered 0:returned 0:policy 0:entered 0:left", kind, "policy");
    }
}
