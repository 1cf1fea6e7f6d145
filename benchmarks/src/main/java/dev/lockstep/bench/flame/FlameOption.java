package dev.lockstep.bench.flame;

import picocli.CommandLine.Option;

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
}
