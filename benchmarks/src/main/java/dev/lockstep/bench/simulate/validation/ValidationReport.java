package dev.lockstep.bench.simulate.validation;

import dev.lockstep.bench.process.Machine;
import java.util.List;

/**
 * A validation, as {@code --json} writes it.
 *
 * @param time when it began, UTC
 * @param version of Lockstep
 * @param commit of its sources; null outside a clone
 * @param jvm that ran it
 * @param machine that it ran on
 * @param tables one for each part
 * @param ok whether all figures lie within their bounds
 */
record ValidationReport(
        String time,
        String version,
        String commit,
        String jvm,
        Machine machine,
        List<ValidationTable> tables,
        boolean ok) {
    ValidationReport {
        tables = List.copyOf(tables);
    }
}
