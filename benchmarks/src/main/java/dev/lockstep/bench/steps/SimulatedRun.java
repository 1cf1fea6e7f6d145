package dev.lockstep.bench.steps;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.lockstep.bench.tpcc.SimulationCheck;
import dev.lockstep.bench.tpcc.TeamReport;
import java.util.List;
import java.util.Map;

/**
 * One run on the simulated machine.
 *
 * @param variant which
 * @param command that runs it alone
 * @param failure why there is no figure of it, or empty
 * @param commandFailed whether that is because its command could not do its work, simulator or workload
 * @param doubt why its figures count for nothing all the same, or empty
 * @param machine lines of the simulated machine
 * @param transactions measured
 * @param events in all of them, by the names of {@link SimulatedEvent}
 * @param observed misses in all of them of further caches, by level and geometry
 * @param teams of each operation
 * @param check its flags, the sizes of its hottest methods, and its control; null where it left none
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record SimulatedRun(
        StepsVariant variant,
        String command,
        String failure,
        boolean commandFailed,
        String doubt,
        List<String> machine,
        long transactions,
        Map<String, Long> events,
        Map<String, Long> observed,
        List<TeamReport> teams,
        SimulationCheck check) {
    /** A run that left no figures. */
    static SimulatedRun failed(StepsVariant variant, String command, String failure, boolean commandFailed) {
        return new SimulatedRun(
                variant, command, failure, commandFailed, "", List.of(), 0, Map.of(), Map.of(), List.of(), null);
    }

    /** Whether there are figures. */
    boolean isMeasured() {
        return failure.isEmpty();
    }

    /** Whether they count. */
    boolean counts() {
        return isMeasured() && doubt.isEmpty();
    }

    /** Of each transaction, NaN where it was not counted. */
    double each(Map<String, Long> of, String event) {
        Long count = of.get(event);
        return count == null || transactions == 0 ? Double.NaN : (double) count / transactions;
    }
}
