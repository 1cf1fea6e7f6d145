package dev.lockstep.bench.tpcc;

import dev.lockstep.bench.process.Verdict;
import dev.lockstep.bench.simulate.FixedAddresses;
import dev.lockstep.bench.simulate.jvm.SameProcessor;
import dev.lockstep.bench.simulate.jvm.SimulatedTime;
import dev.lockstep.bench.simulate.jvm.SteadyState;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * How far to believe the figures of a simulated run.
 *
 * @param label of the run
 * @param repeat number of the repetition, from 1
 * @param time by which the simulated run waited, sampled and measured
 * @param realSeconds from the start of the simulated JVM to its measured phase, on the machine's clock
 * @param machine the same run on the machine's processor, with the same flags: the control
 * @param flags of both JVMs
 * @param steady whether the simulated JVM was in the steady state of the control
 */
public record SimulationCheck(
        String label,
        int repeat,
        String time,
        double realSeconds,
        RunReport machine,
        SameProcessor flags,
        SteadyState steady) {
    /** How far to believe the run. */
    Verdict verdict() {
        List<String> sentences = new ArrayList<>(steady.sentences());
        sentences.add(String.format(Locale.ROOT, "Its measured phase began after %.0f s.", realSeconds));
        sentences.add(SimulatedTime.sentence(time));
        sentences.add(FixedAddresses.sentence());
        sentences.add("Limits of spins are counts of rounds, as always; no decision of a native run is replayed.");
        sentences.add(String.format(
                Locale.ROOT,
                "The control, on the machine's processor with the same flags: %,.0f transactions a second.",
                machine.txnPerSecond()));
        sentences.add(flags.sentence());
        return new Verdict(label, steady.counts(), sentences);
    }
}
