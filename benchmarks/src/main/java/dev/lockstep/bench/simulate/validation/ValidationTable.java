package dev.lockstep.bench.simulate.validation;

import dev.lockstep.bench.report.Table;
import java.util.List;
import java.util.Locale;

/**
 * Figures of one kind, with their verdicts.
 *
 * @param title of the table
 * @param expectation what the column of expected figures holds
 * @param notes what a reader must know to judge them
 * @param checks in the order of the table
 */
record ValidationTable(String title, String expectation, List<String> notes, List<Check> checks) {
    private static final int NAME_COLUMNS = 3;
    private static final double PERCENT = 100;
    private static final double WHOLE_MIN = 1e15;

    ValidationTable {
        notes = List.copyOf(notes);
        checks = List.copyOf(checks);
    }

    boolean passes() {
        return checks.stream().allMatch(Check::passes);
    }

    /** The title, and how many figures lie within their bounds. */
    String verdict() {
        long passed = checks.stream().filter(Check::passes).count();
        return title + ": " + passed + " of " + checks.size() + " within their bounds";
    }

    /** The figures, a row for each check. */
    Table table() {
        Table.Builder table = Table.of(
                NAME_COLUMNS,
                "program",
                "caches",
                "counted",
                expectation,
                "simulated",
                "difference",
                "bound",
                "verdict");
        for (Check check : checks) {
            table.row(List.of(
                    check.program(),
                    check.geometry(),
                    check.quantity(),
                    number(check.expected()),
                    number(check.measured()),
                    difference(check),
                    check.bound().text(),
                    check.passes() ? "ok" : "FAILS"));
        }
        return table.build();
    }

    /** The table as text, its verdict in the first line. */
    String text() {
        StringBuilder text = new StringBuilder(verdict()).append('\n');
        notes.forEach(note -> text.append(note).append('\n'));
        return text.append('\n').append(table().text()).toString();
    }

    private static String number(double value) {
        return value == Math.rint(value) && Math.abs(value) < WHOLE_MIN
                ? String.format(Locale.ROOT, "%,d", (long) value)
                : String.format(Locale.ROOT, "%,.3f", value);
    }

    private static String difference(Check check) {
        double distance = check.measured() - check.expected();
        if (distance == 0) {
            return "0";
        }
        return check.expected() == 0
                ? number(distance)
                : String.format(Locale.ROOT, "%+.3f %%", PERCENT * distance / check.expected());
    }
}
