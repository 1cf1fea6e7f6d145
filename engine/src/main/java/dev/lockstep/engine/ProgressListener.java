package dev.lockstep.engine;

/**
 * Hears how far a long call is: a backup, a compaction, a verification, a salvage. Called by the thread that runs it,
 * between two of its steps, so it should return soon; what it throws ends the call like any other failure, and leaves
 * the database as it was. It must not close that database, which waits for the call ({@link
 * MaintenanceRefusedException}).
 */
@FunctionalInterface
public interface ProgressListener {
    /** One that does not care. */
    ProgressListener NONE = (stage, done, total) -> {};

    /** What is being done. */
    enum Stage {
        /** Pages are copied. */
        COPY_PAGES("pages copied"),
        /** The log is copied; counted in bytes. */
        COPY_LOG("bytes of the log copied"),
        /** Tables are gone through for pages at the end of the file, which are moved; several times, if need be. */
        MOVE_PAGES("tables gone through"),
        /** Pages are read and judged. */
        READ_PAGES("pages read"),
        /** The log is read and judged; the number of its records is not known before. */
        READ_LOG("log records read"),
        /** Pages of trees are read, from the roots on; counted of all pages, of which some are in no tree. */
        WALK_TREES("pages of trees read"),
        /** The log is read and repeated; the number of its records is not known before. */
        REPEAT_LOG("log records repeated"),
        /** Rows are written; their number is not known before. */
        SAVE_ROWS("rows saved");

        private final String words;

        Stage(String words) {
            this.words = words;
        }

        /** What is counted, in words. */
        public String words() {
            return words;
        }
    }

    /**
     * Some of the work is done.
     *
     * @param stage what is being done; stages follow each other, and some may come again
     * @param done how much of it, growing within a stage
     * @param total how much there is to do as far as is known; 0 if it is not
     */
    void progressed(Stage stage, long done, long total);
}
