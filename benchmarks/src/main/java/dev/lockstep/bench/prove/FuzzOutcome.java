package dev.lockstep.bench.prove;

import dev.lockstep.bench.report.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What came of opening and reading damaged files. */
enum FuzzOutcome {
    /** A typed error. */
    TYPED_ERROR,
    /** All that was committed was read. */
    CORRECT,
    /** What was committed up to some transaction was read. */
    EARLIER,
    /** Checksums were made right, so that other contents are what the file says; it was read without harm. */
    OTHER_CONTENTS,
    /** It must not be. */
    FAILED;

    /** What {@link #OTHER_CONTENTS} means, in one sentence for readers. */
    static final String FORGERY = "Other contents are what an input says whose checksums were made right, so that it is"
            + " another database, valid in itself, which no reader could tell from a real one: they count as neither"
            + " an error nor a failure.";

    /** What reports call it. */
    String title() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    /**
     * Numbers of inputs for the reader.
     *
     * @param header what the rows are
     * @param titles of the rows
     * @param inputs for each row as many numbers as there are outcomes
     */
    static Table table(String header, List<String> titles, long[][] inputs) {
        List<String> headers = new ArrayList<>(List.of(header));
        for (FuzzOutcome outcome : values()) {
            headers.add(outcome.title());
        }
        Table.Builder table = Table.of(1, headers);
        for (int i = 0; i < inputs.length; i++) {
            List<String> row = new ArrayList<>(List.of(titles.get(i)));
            for (long count : inputs[i]) {
                row.add(String.format(Locale.ROOT, "%,d", count));
            }
            table.row(row);
        }
        return table.build();
    }
}
