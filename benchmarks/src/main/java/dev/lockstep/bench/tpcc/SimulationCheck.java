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
 * @param warmUpSeconds the part of these behind loading
 * @param lockstep whether Lockstep ran: it alone counts only if it warmed up for no more than {@link
 *     #WARM_UP_SECONDS_MAX}, since how soon others are steady is not in our hands, and has no timers but by {@code
 *     time}
 * @param machine the same run on the machine's processor, with the same flags: the control
 * @param flags of both JVMs
 * @param steady whether the simulated JVM was in the steady state of the control
 */
public record SimulationCheck(
        String label,
        int repeat,
        String time,
        double realSeconds,
        double warmUpSeconds,
        boolean lockstep,
        RunReport machine,
        SameProcessor flags,
        SteadyState steady) {
    /** So soon behind loading has a simulated Lockstep to be in its steady state. */
    static final double WARM_UP_SECONDS_MAX = 300;

    /** Whether the warm-up was no longer than it may be. */
    private boolean isInTime() {
        return !lockstep || warmUpSeconds <= WARM_UP_SECONDS_MAX;
    }

    /** How far to believe the run. */
    Verdict verdict() {
        List<String> sentences = new ArrayList<>(steady.sentences());
        sentences.add(String.format(
                Locale.ROOT,
                "%sIts measured phase began after %.0f s, of which it warmed up for %.0f%s.",
                isInTime() ? "" : "LATE, counts for nothing: ",
                realSeconds,
                warmUpSeconds,
                lockstep ? String.format(Locale.ROOT, " (at most %.0f)", WARM_UP_SECONDS_MAX) : ""));
        sentences.add(lockstep ? SimulatedTime.sentence(time) : SimulatedTime.sentenceOfOthers(time));
        sentences.add(FixedAddresses.sentence());
        sentences.add("Limits of spins are counts of rounds, as always; no decision of a native run is replayed.");
        sentences.add(String.format(
                Locale.ROOT,
                "The control, on the machine's processor with the same flags: %,.0f transactions a second.",
                machine.txnPerSecond()));
        sentences.add(flags.sentence());
        return new Verdict(label, steady.counts() && isInTime(), sentences);
    }
}
