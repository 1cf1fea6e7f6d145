package dev.lockstep.bench.codemap;

import dev.lockstep.bench.simulate.MarkedOperation;
import dev.lockstep.bench.simulate.jvm.CompiledMethod;
import java.util.List;

/**
 * What a child JVM tells of its run, beside what plugin and agent have written.
 *
 * @param compileMillis time that the compilers worked in the measured phase
 * @param operations what was marked, and how often it began in the measured phase
 * @param obstacle why operations could not be marked, empty if they were
 * @param compiled its compiled methods when the measured phase began; none where it warmed up by no transaction
 * @param time what told engine and scheduler the time
 * @param jvm name and version
 * @param flags command line of the JVM
 */
record CodeMapChildReport(
        long compileMillis,
        List<MarkedOperation> operations,
        String obstacle,
        List<CompiledMethod> compiled,
        String time,
        String jvm,
        List<String> flags) {
    /** Takes own copies. */
    CodeMapChildReport {
        operations = List.copyOf(operations);
        compiled = List.copyOf(compiled);
        flags = List.copyOf(flags);
    }
}
