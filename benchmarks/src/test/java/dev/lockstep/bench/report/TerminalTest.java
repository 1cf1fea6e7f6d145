package dev.lockstep.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TerminalTest {
    /** As they stand in {@code /proc/self/fd}. */
    @ParameterizedTest
    @CsvSource({
        "/dev/pts/0, true",
        "/dev/tty1, true",
        "/dev/ttyS0, true",
        "/dev/console, true",
        "/dev/null, false",
        "/var/tmp/errors.txt, false",
        "pipe:[4711], false",
        "socket:[4711], false"
    })
    void aTerminalIsKnownByItsName(String open, boolean isTerminal) {
        assertEquals(isTerminal, Terminal.isTerminal(open));
    }
}
