package dev.lockstep.bench.steps;

import dev.lockstep.bench.report.Figures;
import dev.lockstep.bench.report.Paragraph;
import dev.lockstep.bench.report.Section;
import dev.lockstep.bench.report.Table;
import dev.lockstep.scheduler.CodeFootprints;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/**
 * How much code an operation executes, by which its misses have to be read: what fits the instruction cache misses
 * little, with teams or without.
 *
 * @param workload in which it was measured
 * @param bytes in distinct cache lines that at least one execution in a hundred needs
 * @param dataBytes in distinct lines of data that nine of ten executions do not exceed; 0 where that was not measured
 */
record ExecutedCode(String workload, String operation, long bytes, long dataBytes) {
    private static final double KB = 1024;

    /** Those with most code first. */
    static List<ExecutedCode> of(Collection<CodeFootprints> measured) {
        List<ExecutedCode> all = new ArrayList<>();
        for (CodeFootprints footprints : measured) {
            for (String operation : footprints.operations()) {
                all.add(new ExecutedCode(
                        footprints.workload(),
                        operation,
                        footprints.bytes(operation).orElseThrow(),
                        footprints.dataBytes().getOrDefault(operation, 0L)));
            }
        }
        all.sort(Comparator.comparingLong(ExecutedCode::bytes).reversed());
        return all;
    }

    static Section section(List<ExecutedCode> all) {
        Table.Builder table = Table.of(2, "workload", "operation", "code KB", "data KB");
        all.forEach(each -> table.row(List.of(
                each.workload(),
                each.operation(),
                Figures.plain(each.bytes() / KB),
                each.dataBytes() == 0 ? "-" : Figures.plain(each.dataBytes() / KB))));
        return Section.of(
                "Executed code of each operation",
                new Paragraph("Distinct cache lines of code that at least one execution in a hundred needs, and of data"
                        + " that nine in ten do not exceed, as ./lockstep codemap has measured them. Of what fits a"
                        + " cache teams can save little there."),
                table.build());
    }
}
