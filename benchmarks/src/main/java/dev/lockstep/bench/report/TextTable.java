package dev.lockstep.bench.report;

import com.github.freva.asciitable.AsciiTable;
import com.github.freva.asciitable.Column;
import com.github.freva.asciitable.HorizontalAlign;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Rows of text under headers; the first columns are names and stand left, the others are figures and stand right. Used
 * by one thread.
 */
public final class TextTable {
    private static final int WIDTH_MAX = 160;

    private final List<Column> columns = new ArrayList<>();
    private final List<Object[]> rows = new ArrayList<>();

    /**
     * A table without rows.
     *
     * @param names how many of the columns are names
     */
    public TextTable(int names, List<String> headers) {
        for (int i = 0; i < headers.size(); i++) {
            HorizontalAlign align = i < names ? HorizontalAlign.LEFT : HorizontalAlign.RIGHT;
            columns.add(new Column()
                    .header(headers.get(i))
                    .headerAlign(align)
                    .dataAlign(align)
                    .maxWidth(WIDTH_MAX));
        }
    }

    /** Adds a row of as many cells as there are headers. */
    public void row(List<String> cells) {
        rows.add(cells.toArray());
    }

    /** The lines, each ended, without trailing blanks. */
    public String text() {
        String table = AsciiTable.getTable(
                AsciiTable.NO_BORDERS, columns.toArray(Column[]::new), rows.toArray(Object[][]::new));
        return table.lines()
                .map(String::stripTrailing)
                .filter(line -> !line.isEmpty())
                .map(line -> line + "\n")
                .collect(Collectors.joining());
    }
}
