package dev.lockstep.bench.flame;

import dev.lockstep.bench.report.ResultOptions;
import dev.lockstep.counters.Markers;
import java.util.Optional;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code --flame}, to be mixed into the command of an experiment whose children draw a {@link FlameRun} each. */
public final class FlameOption {
    @Option(
            names = "--flame",
            description = "With --out: draws flame graphs (HTML, by async-profiler), each from a further run, which"
                    + " counts for no figure. Frames in orange are no methods but say what was done: the operation with"
                    + " its index, the team (straight: outside any), and the transaction where there are several"
                    + " types.")
    private boolean asked;

    /** For picocli. */
    public FlameOption() {}

    /** Whether the user wants them. */
    public boolean isAsked() {
        return asked;
    }

    /**
     * Requires a report and a real processor where the user wants them.
     *
     * @throws ParameterException if there is none
     */
    public void require(ResultOptions results) {
        require(results, Markers.isSimulated());
    }

    void require(ResultOptions results, boolean simulated) {
        results.require(
                !asked || !simulated,
                "--flame would draw the emulator under ./lockstep simulate: run the command without simulate");
        results.require(!asked || results.directory() != null, "--flame needs --out DIR, where the flame graphs go");
    }

    /**
     * Those of an experiment, none yet; empty where the user wants none.
     *
     * @param results of the experiment, prepared
     */
    public Optional<FlameGraphs> graphs(ResultOptions results) {
        return asked ? Optional.of(new FlameGraphs(results.directory())) : Optional.empty();
    }
}
