package dev.lockstep.bench.tpcc;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.lockstep.bench.process.Machine;
import java.util.List;
import java.util.Map;

/**
 * The result of one call of the command, as {@code --json} writes it.
 *
 * @param command its arguments, passwords removed
 * @param time when it began, ISO 8601
 * @param lockstep version of this program
 * @param gitCommit commit that the classes were built from, with {@code -dirty} if changed; absent if unknown
 * @param jvm version of the JDK
 * @param machine where it ran
 * @param jvmFlags options that all children share; each run has all of its own
 * @param connections best connection count of each peer
 * @param ratios between configurations
 * @param runs in the order in which they ran
 * @param flameGraphs in the directory of the report; empty without {@code --out}
 * @param simulations how far to believe each simulated run; empty on the machine's own processors
 * @param ok whether every run ended and every check holds
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ExperimentReport(
        List<String> command,
        String time,
        String lockstep,
        String gitCommit,
        String jvm,
        Machine machine,
        List<String> jvmFlags,
        Map<String, Integer> connections,
        Ratios ratios,
        List<RunReport> runs,
        List<FlameGraphReport> flameGraphs,
        List<SimulationCheck> simulations,
        boolean ok) {}
