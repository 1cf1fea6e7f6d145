package dev.lockstep.bench.simulate;

import dev.lockstep.bench.process.Machine;
import dev.lockstep.bench.process.SimulatedAs;
import dev.lockstep.bench.process.Verdict;
import dev.lockstep.bench.simulate.jvm.SimulatedTime;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Everything about one {@code ./lockstep simulate}, as {@code --json} writes it. Immutable.
 *
 * @param arguments of the command
 * @param time when it began
 * @param version of this program
 * @param commit of the sources, or null where that is not known
 * @param jvm that ran this command; simulated Java commands run on the same, unless they name another
 * @param machine the real one
 * @param simulated lines of the simulated machine's file
 * @param simulatedSource where its figures come from, empty for the user's own
 * @param settings how it was simulated
 * @param notObservable what no figure here includes
 * @param verdicts how far to believe the runs; empty where nothing is known of that
 * @param processes the simulated processes
 */
public record SimulationReport(
        List<String> arguments,
        String time,
        String version,
        String commit,
        String jvm,
        Machine machine,
        List<String> simulated,
        String simulatedSource,
        SimulatorSettings settings,
        List<String> notObservable,
        List<Verdict> verdicts,
        List<SimulatedProcess> processes) {
    /** What a simulation of user-mode code cannot see. */
    public static final List<String> NOT_OBSERVABLE = List.of(
            "code of the kernel, and time in it or idle: shares of user, kernel and idle come from native runs",
            "I/O, but for the buffers of read and write calls, which are touched from address and length (see"
                    + " --no-buffers)",
            "physical addresses: caches below L1 are indexed by the model's own page map",
            "speculation: only instructions that complete are counted",
            "prefetching by hardware, unless the machine switches on the model's own (--set prefetch.next_line,"
                    + " prefetch.stream)",
            "prefetch and flush instructions: they touch nothing here");

    private static final String STEADY_STATE =
            "whether a JVM was in its steady state, and what it is beside one on this processor: tpcc, jmh and"
                + " indexfetch have measured phases and controls; here start-up and compiling are in the figures, but"
                + " of phases that the program marks";

    /** The same of commands of this program that are simulated whole. */
    private static final List<String> NOT_OBSERVABLE_OF_COMMANDS = with(
            NOT_OBSERVABLE,
            STEADY_STATE,
            "waits and limits in real time: this command's went by the simulated processors' cycles, "
                    + SimulatedTime.CYCLES_PER_NANO
                    + " a nanosecond, and while nobody worked by looks for work, a millisecond each");

    /** The same of those whose child JVMs are left out. */
    private static final List<String> NOT_OBSERVABLE_OF_COMMANDS_ALONE = with(
            NOT_OBSERVABLE_OF_COMMANDS,
            "what child JVMs did: those that this command starts ran on the real processor, or in simulations of its"
                    + " own, and only the one that starts them is simulated");

    /** The same of programs. */
    private static final List<String> NOT_OBSERVABLE_OF_PROGRAMS = with(
            NOT_OBSERVABLE,
            STEADY_STATE,
            "waits and limits in simulated time: programs other than ./lockstep go by the machine's clock");

    private static List<String> with(List<String> all, String... more) {
        return Stream.concat(all.stream(), Stream.of(more)).toList();
    }

    /**
     * What no figure of a command includes.
     *
     * @param ours whether it is one of this program
     * @param as what is done with it, or null where it does not say
     */
    static List<String> notObservable(boolean ours, SimulatedAs as) {
        if (!ours) {
            return NOT_OBSERVABLE_OF_PROGRAMS;
        }
        return switch (as) {
            case null -> NOT_OBSERVABLE_OF_COMMANDS;
            case ALONE -> NOT_OBSERVABLE_OF_COMMANDS_ALONE;
            case CHILDREN -> NOT_OBSERVABLE;
        };
    }

    /** Why figures count for nothing, a sentence each; empty if all count. */
    List<String> doNotCount() {
        List<String> sentences = new ArrayList<>(verdicts.stream()
                .filter(verdict -> !verdict.counts())
                .map(Verdict::line)
                .toList());
        sentences.addAll(unresolved());
        return sentences;
    }

    /** Of which processes the misses were not told by code, as far as that was asked for. */
    private List<String> unresolved() {
        return processes.stream()
                .filter(process -> process.code() != null && !process.code().isResolved())
                .map(process -> process.command() + ": NOT RESOLVED, its places count for nothing. "
                        + SimulationTables.unresolved(process.code()))
                .toList();
    }
}
