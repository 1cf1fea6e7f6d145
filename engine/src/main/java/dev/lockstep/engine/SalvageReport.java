package dev.lockstep.engine;

import java.util.List;

/**
 * What {@link Database#salvage} has saved, and what is lost.
 *
 * @param tables what became of each table that the catalog names, by name
 * @param unknownTrees rows that nobody can tell the table of, because the catalog is lost
 * @param catalogComplete whether the catalog was read completely; if not, there may have been further tables
 * @param rows rows saved
 * @param pages pages of the data file, page 0 included
 * @param damagedPages pages that could not be used as they lie in the file: damaged, in a wrong place, older than they
 *     were written, not readable
 * @param log what the log was good for
 * @param problems what is wrong with files as a whole
 */
public record SalvageReport(
        List<SavedTable> tables,
        List<UnknownTree> unknownTrees,
        boolean catalogComplete,
        long rows,
        int pages,
        int damagedPages,
        LogUse log,
        List<String> problems) {
    /** Copies the lists. */
    public SalvageReport {
        tables = List.copyOf(tables);
        unknownTrees = List.copyOf(unknownTrees);
        problems = List.copyOf(problems);
    }

    /**
     * Whether every committed row of every table is in the new database, as far as the files tell. They do not tell of
     * pages that a medium has given back in an earlier state and of which no file names the LSN.
     */
    public boolean isComplete() {
        return catalogComplete && log.isComplete() && tables.stream().allMatch(SavedTable::isComplete);
    }

    /**
     * What became of a table.
     *
     * @param name its name
     * @param rows rows saved
     * @param rowsFoundByScan those of them in leaves to which the tree no longer led
     * @param rowsPerhapsOld those of them that may be an earlier state of the row, or deleted since: in pages that are
     *     older than they were written, or that nothing leads to and nobody knows to be in use
     * @param rowsLost rows that were found and could not be saved
     * @param pagesLost pages of the tree that could not be read, or that broke its rules
     * @param rangesLost ranges of keys of which no leaf was found; 0 means that no row is missing but {@code rowsLost}
     * @param losses why, the first {@link #LOSSES_MAX} in words
     */
    public record SavedTable(
            String name,
            long rows,
            long rowsFoundByScan,
            long rowsPerhapsOld,
            long rowsLost,
            int pagesLost,
            int rangesLost,
            List<String> losses) {
        /** Losses that are told of one table: as many as somebody reads. */
        public static final int LOSSES_MAX = 100;

        /** Copies the list. */
        public SavedTable {
            losses = List.copyOf(losses);
        }

        /** Whether every row is there, and none in an earlier state. */
        public boolean isComplete() {
            return rowsLost == 0 && rangesLost == 0 && rowsPerhapsOld == 0;
        }
    }

    /**
     * Rows of a tree that the catalog does not name: without its columns they cannot be read. Dropped tables leave such
     * pages too.
     *
     * @param treeId the number of the tree
     * @param leafPages leaves found
     * @param records records in them; those of an index count as well
     */
    public record UnknownTree(int treeId, int leafPages, long records) {}

    /**
     * What the log was good for.
     *
     * @param isNeeded whether the database was not closed in order, so that the pages alone are not its last state
     * @param isComplete whether everything needed could be read. If not, rows may be of an earlier state, and of
     *     transactions that had not committed
     * @param records records repeated
     * @param endLsn where reading ended
     * @param rolledBackTransactions transactions that had not committed, whose changes were left out
     * @param refusedChanges changes whose pages are lost
     * @param problem what is wrong with it; empty if nothing is
     */
    public record LogUse(
            boolean isNeeded,
            boolean isComplete,
            long records,
            long endLsn,
            long rolledBackTransactions,
            long refusedChanges,
            String problem) {}
}
