package dev.lockstep.tpcc.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class UserDelaysTest {
    private final UserDelays delays = new UserDelays();
    private final PausesCounted threads = new PausesCounted();

    /** Threads that do not wait, but count how often they would. */
    private static final class PausesCounted implements TerminalThreads {
        private int pauses;

        @Override
        public String name() {
            return "counted";
        }

        @Override
        public void start(List<? extends TerminalBody> bodies) {
            bodies.forEach(TerminalBody::allTurns);
        }

        @Override
        public void pause(long nanos) {
            pauses++;
        }
    }

    /** Else a run of a number of transactions would measure for how long its users think when all is done. */
    @Test
    void nobodyThinksBehindTheLastTransaction() {
        RunControl control = RunControl.byCount(1, 1, () -> {}, () -> {});
        assertEquals(RunControl.WARM_UP, control.admit());
        delays.think(threads, control, 1);
        assertNotEquals(0, threads.pauses);
        threads.pauses = 0;
        assertEquals(RunControl.MEASURE, control.admit());
        delays.think(threads, control, 1);
        assertEquals(0, threads.pauses);
        delays.key(threads, control, 1);
        assertNotEquals(0, threads.pauses, "what was admitted is keyed in");
        assertEquals(RunControl.STOP, control.admit());
    }

    @Test
    void usersThinkWhileARunIsHeldBeyondItsNumber() {
        RunControl control = RunControl.byCountHeld(0, 1, () -> {}, () -> {});
        assertEquals(RunControl.MEASURE, control.admit());
        delays.think(threads, control, 1);
        assertNotEquals(0, threads.pauses);
        control.release();
        threads.pauses = 0;
        delays.think(threads, control, 1);
        assertEquals(0, threads.pauses);
    }

    @Test
    void usersThinkUntilARunByTimeStops() {
        RunControl control = RunControl.byTime();
        delays.think(threads, control, 1);
        assertNotEquals(0, threads.pauses);
        control.phase(RunControl.STOP);
        threads.pauses = 0;
        delays.think(threads, control, 1);
        delays.key(threads, control, 1);
        assertEquals(0, threads.pauses);
    }
}
