package dev.lockstep.bench.simulate.validation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.lockstep.bench.Needed;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import picocli.CommandLine;

/** The brief validation of the simulator, where QEMU and valgrind are there. */
@Execution(ExecutionMode.CONCURRENT)
class ValidateCommandTest {
    @TempDir
    Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    /** None of the parts that are tested here runs a command. */
    private static CommandLine none() {
        throw new AssertionError("a part has asked for a command line");
    }

    private int execute(String... arguments) {
        return new CommandLine(new ValidateCommand(ValidateCommandTest::none, "test"))
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
    }

    /** Runs parts, or says that they are not run for want of a tool. */
    private void validate(String... arguments) {
        int exitCode = execute(arguments);
        if (exitCode == CommandLine.ExitCode.USAGE && err.toString().contains(" is not there")) {
            throw Needed.missing(err.toString().lines().findFirst().orElseThrow());
        }
        assertEquals(0, exitCode, () -> out + "\n" + err);
    }

    @Test
    void countsWhatIsComputedByHand() throws Exception {
        Path file = directory.resolve("validation.json");
        Path page = directory.resolve("page");
        validate("--brief", "--json", file.toString(), "--out", page.toString(), "hand", "sharing");
        assertTrue(Files.readString(page.resolve("report.html")).contains("Misses computed by hand, one thread"));
        assertTrue(Files.size(page.resolve("result.json")) > 0);
        JsonNode report = JsonMapper.builder().build().readTree(file.toFile());
        assertTrue(report.path("ok").asBoolean(), report::toString);
        assertEquals(2, report.path("tables").size(), report::toString);
        assertTrue(report.path("tables").path(0).path("checks").size() > 20, report::toString);
    }

    @Test
    void agreesWithCachegrindAndWithItself() {
        validate("--brief", "cachegrind", "repeat");
        assertFalse(out.toString().contains("FAILS"), out::toString);
    }

    @Test
    void namesThePartsThereAre() {
        assertEquals(CommandLine.ExitCode.USAGE, execute("feet"));
        assertTrue(err.toString().contains("'feet' is none of: hand, sharing, pace, cachegrind"), err::toString);
    }
}
