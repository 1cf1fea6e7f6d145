package dev.lockstep.bench.steps;

import dev.lockstep.bench.report.MeasurementOptions;
import java.util.List;
import picocli.CommandLine.Option;

/** What {@code steps} is told about simulated runs alone. */
final class SimulatedOptions {
    /** The names of all. */
    static final String[] NAMES = {"--machine", "--l1i", "--transactions", "--warmup-transactions"};

    @Option(
            names = "--machine",
            paramLabel = "PRESET|FILE",
            defaultValue = "athlon-xp",
            description = "The simulated machine, as of ./lockstep simulate. Default: ${DEFAULT-VALUE}, the paper's.")
    private String machine;

    @Option(
            names = "--l1i",
            paramLabel = "GEOMETRY",
            description = "Its L1-I, SIZE,WAYS,LINE, in place of the machine's own; further ones observe the same run.")
    private List<String> l1i = List.of();

    @Option(
            names = "--transactions",
            paramLabel = "N",
            defaultValue = "10000",
            description =
                    "Measured in each simulated run. Default: ${DEFAULT-VALUE}, so many that what is still compiled"
                            + " of short transactions is less than a quarter.")
    private long transactions;

    @Option(
            names = "--warmup-transactions",
            paramLabel = "N",
            description =
                    "Before these. Default: that of ./lockstep simulate -- tpcc, as many as one warehouse needs to be"
                            + " steady; a run that is not counts for nothing.")
    private Long warmUpTransactions;

    /** What the runs have in common. */
    SimulatedSpec spec() {
        return new SimulatedSpec(machine, List.copyOf(l1i), transactions, warmUpTransactions);
    }

    /** Refuses what cannot be simulated. */
    void require(MeasurementOptions options) {
        options.require(transactions >= 1, "--transactions is at least 1");
        options.require(warmUpTransactions == null || warmUpTransactions >= 0, "--warmup-transactions is at least 0");
        try {
            spec().check();
        } catch (IllegalArgumentException e) {
            options.require(false, e.getMessage());
        }
    }

    /** The machine, for people. */
    String machine() {
        return machine + (l1i.isEmpty() ? "" : ", L1-I " + String.join(" ", l1i));
    }
}
