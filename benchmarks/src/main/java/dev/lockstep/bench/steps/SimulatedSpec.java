package dev.lockstep.bench.steps;

import dev.lockstep.bench.simulate.SimulateOptions;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;

/**
 * What the simulated runs of one command have in common.
 *
 * @param machine as {@code simulate --machine}
 * @param l1i as {@code simulate --l1i}: the first replaces the machine's, the others observe; may be empty
 * @param transactions measured
 * @param warmUpTransactions run before, or null for as many as {@code tpcc} runs there
 */
record SimulatedSpec(String machine, List<String> l1i, long transactions, Long warmUpTransactions) {
    /** Words of {@code simulate}; misses are classed, since only so those of instructions in the L2 are told apart. */
    List<String> words() {
        List<String> words = new ArrayList<>(List.of("simulate"));
        words.addAll(machineWords());
        words.addAll(List.of("--branches", "--set", "classes=merged"));
        return words;
    }

    private List<String> machineWords() {
        List<String> words = new ArrayList<>(List.of("--machine", machine));
        l1i.forEach(geometry -> words.addAll(List.of("--l1i", geometry)));
        return words;
    }

    /** Words of {@code tpcc} that say for how long. */
    List<String> transactionWords() {
        List<String> words = new ArrayList<>(List.of("--transactions", Long.toString(transactions)));
        if (warmUpTransactions != null) {
            words.addAll(List.of("--warmup-transactions", warmUpTransactions.toString()));
        }
        return words;
    }

    /**
     * Tells a machine that cannot be before any run.
     *
     * @throws IllegalArgumentException with a sentence for the user
     */
    void check() {
        SimulateOptions options = CommandLine.populateCommand(
                new SimulateOptions(), machineWords().toArray(String[]::new));
        options.machineLines();
    }
}
