package dev.lockstep.bench.steps;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * What was measured on this machine's processor.
 *
 * @param notRun why nothing was, or null
 * @param ratios between the variants
 * @param forced options of the JVMs that stand beside simulated ones, whose flags they force; else empty
 * @param runs in the order in which they ran
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record NativeFigures(String notRun, NativeRatios ratios, List<String> forced, List<NativeRun> runs) {
    /** Of what cannot run here. */
    static NativeFigures notRun(String reason) {
        return new NativeFigures(reason, NativeRatios.of(List.of()), List.of(), List.of());
    }

    /** Of runs that were made. */
    static NativeFigures of(List<String> forced, List<NativeRun> runs) {
        return new NativeFigures(null, NativeRatios.of(runs), List.copyOf(forced), List.copyOf(runs));
    }
}
