package dev.lockstep.bench.simulate.validation;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import picocli.CommandLine;

/**
 * Runs the parts of a validation one after the other.
 *
 * @param programs to run
 * @param simulator what is validated
 * @param cachegrind what it is compared with; null where no part needs it
 * @param brief whether small parts are to stand for the whole, as in a build
 * @param commands makes a command line of this program
 * @param seed of TPC-C
 * @param progress is told, in a few words, what comes next
 */
record Validation(
        Programs programs,
        SimulatedInstrument simulator,
        Instrument cachegrind,
        boolean brief,
        Supplier<CommandLine> commands,
        long seed,
        Consumer<String> progress) {
    private static final int BRIEF_EVERY = 3;

    /** The table of one part. */
    ValidationTable run(Part part) throws IOException, InterruptedException {
        return switch (part) {
            case HAND -> hand("Misses computed by hand, one thread", HandCases.all());
            case SHARING -> hand("Misses computed by hand, two threads on two cores", SharingCases.all());
            case PACE -> new PaceCheck(this).run();
            case CACHEGRIND -> new CachegrindComparison(this).run();
            case REPEAT -> new RepeatCheck(this).run();
            case JVM -> new JvmComparison(this).run();
            case SPEED -> new SpeedCheck(this).run();
            case REPEAT_TPCC -> new TpccRepeatCheck(this).run();
        };
    }

    private ValidationTable hand(String title, List<HandCase> cases) throws IOException, InterruptedException {
        List<Check> checks = new ArrayList<>();
        for (int i = 0; i < cases.size(); i++) {
            if (brief && i % BRIEF_EVERY != 0) {
                continue;
            }
            HandCase computed = cases.get(i);
            progress.accept(computed.text());
            Counts counts = simulator.difference(
                    List.of(programs.program(computed.source()).toString()),
                    List.of(computed.pattern()),
                    computed.rounds(),
                    computed.behind(),
                    computed.geometry());
            for (Quantity quantity : Quantity.values()) {
                Double perRound = computed.perRound().get(quantity);
                if (perRound != null) {
                    checks.add(Check.ofCounts(
                            computed.text(),
                            computed.geometry(),
                            quantity,
                            Math.round(perRound * computed.rounds()),
                            counts.get(quantity),
                            computed.bound()));
                }
            }
        }
        return new ValidationTable(
                title,
                "computed",
                List.of("The difference between a run of twice as many rounds and one of as many, so that what comes"
                        + " before the first round and after the last cancels."),
                checks);
    }

    /** One of the C programs. */
    List<String> program(String name) throws IOException, InterruptedException {
        Path file = programs.program(name);
        return List.of(file.toString());
    }

    /** How many rounds of an ordinary program the shorter of two runs has. */
    static Map<String, Long> ordinaryRounds() {
        return Map.of("sort", 2L, "matrix", 2L, "hash", 4L, "tree", 2L, "search", 2L, "dispatch", 3L);
    }
}
