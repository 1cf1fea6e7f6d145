package dev.lockstep.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class MainTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int execute(String... arguments) {
        CommandLine commandLine = Main.commandLine();
        commandLine.setOut(new PrintWriter(out));
        commandLine.setErr(new PrintWriter(err));
        return commandLine.execute(arguments);
    }

    @Test
    void printsItsVersion() {
        assertEquals(0, execute("--version"));
        assertTrue(out.toString().matches("(?s)lockstep \\d+\\.\\d+\\.\\d+\\RJDK \\d+.*"), out.toString());
    }

    @Test
    void printsItsHelp() {
        assertEquals(0, execute("--help"));
        assertTrue(out.toString().startsWith("Usage: ./lockstep"), out.toString());
    }

    @Test
    void aWrongCallEndsWithTwo() {
        assertEquals(2, execute("--no-such-option"));
        assertEquals(2, execute("no-such-command"));
        assertEquals(2, execute());
        assertTrue(err.toString().contains("No command is named."), err.toString());
        assertEquals("", out.toString());
    }
}
