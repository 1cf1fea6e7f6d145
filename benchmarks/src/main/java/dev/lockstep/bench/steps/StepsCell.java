package dev.lockstep.bench.steps;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Optional;

/**
 * All figures of one mix at one number of warehouses.
 *
 * @param mix as {@code tpcc --mix}
 * @param warehouses size of the database
 * @param terminals emulated users in all
 * @param measured on this machine's processor, or null where that was not asked for
 * @param simulated on a simulated machine, or null likewise
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record StepsCell(
        String mix,
        int warehouses,
        int terminals,
        @JsonProperty("native") NativeFigures measured,
        SimulatedFigures simulated) {
    /** What it is called. */
    String title() {
        return mix + ", " + warehouses + (warehouses == 1 ? " warehouse" : " warehouses") + ", " + terminals
                + " terminals";
    }

    /** Why a command of the simulated machine could not do its work, if one could not. */
    Optional<String> failedCommand() {
        return simulated == null
                ? Optional.empty()
                : simulated.runs().stream()
                        .filter(SimulatedRun::commandFailed)
                        .map(SimulatedRun::failure)
                        .findFirst();
    }

    /** Whether all that ran counts. */
    boolean ok() {
        return (measured == null || measured.runs().stream().allMatch(NativeRun::counts))
                && (simulated == null || simulated.runs().stream().allMatch(SimulatedRun::counts));
    }
}
