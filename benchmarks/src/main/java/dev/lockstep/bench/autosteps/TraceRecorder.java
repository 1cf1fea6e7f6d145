package dev.lockstep.bench.autosteps;

import dev.lockstep.bench.switchpoints.CheckReport;
import java.io.IOException;
import java.nio.file.Path;

/** Runs the program whose operations are to get switch points. */
interface TraceRecorder {
    /**
     * Records the instructions of its operations.
     *
     * @param points file of the points that are to be in its bytecode, or null for none
     * @throws RecordingException if the program cannot be run so, or fails
     */
    TraceFile record(Path points) throws RecordingException, IOException;

    /**
     * Runs it in the checking mode.
     *
     * @throws RecordingException as above
     */
    CheckReport check(Path points) throws RecordingException, IOException;
}
