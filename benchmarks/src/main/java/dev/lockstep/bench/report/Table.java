package dev.lockstep.bench.report;

import java.util.ArrayList;
import java.util.List;

/**
 * Rows under headers. Immutable.
 *
 * @param names how many columns, from the left, are names and not figures
 * @param headers of the columns; figures have their unit there
 * @param rows as many cells each as there are headers
 */
public record Table(int names, List<String> headers, List<List<String>> rows) implements Part {
    /**
     * Copies the rows.
     *
     * @throws IllegalArgumentException if a row has more or fewer cells than there are headers
     */
    public Table {
        headers = List.copyOf(headers);
        rows = rows.stream().map(List::copyOf).toList();
        for (List<String> row : rows) {
            if (row.size() != headers.size()) {
                throw new IllegalArgumentException("a row does not fit: headers=" + headers + " row=" + row);
            }
        }
    }

    /** Begins a table without rows. */
    public static Builder of(int names, String... headers) {
        return new Builder(names, List.of(headers));
    }

    /** Begins a table without rows. */
    public static Builder of(int names, List<String> headers) {
        return new Builder(names, headers);
    }

    /** The lines, each ended, columns aligned. */
    public String text() {
        TextTable text = new TextTable(names, headers);
        rows.forEach(text::row);
        return text.text();
    }

    /** A table in the making. Used by one thread. */
    public static final class Builder {
        private final int names;
        private final List<String> headers;
        private final List<List<String>> rows = new ArrayList<>();

        private Builder(int names, List<String> headers) {
            this.names = names;
            this.headers = headers;
        }

        /** Adds a row. */
        public Builder row(List<String> cells) {
            rows.add(cells);
            return this;
        }

        /** The table as it stands. */
        public Table build() {
            return new Table(names, headers, rows);
        }
    }
}
