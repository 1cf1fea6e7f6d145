package dev.lockstep.bench.indexfetch;

/** What each member of a team does with one row. */
enum RowOperation {
    /** Finds it by its primary key and copies it. */
    FETCH,
    /** Finds it, locks it exclusively, changes one column and writes it back, with a log. */
    UPDATE,
    /** Inserts it, and an entry into each of eight secondary indexes, with a log. */
    INSERT8;

    private static final int INDEXES = 8;

    /** Whether it changes the table, and so has a log: without one it would be another operation. */
    boolean isLogged() {
        return this != FETCH;
    }

    /** Whether one call executes it, or the fetch that it begins with, for a whole team of transactions. */
    boolean isStaged() {
        return this != INSERT8;
    }

    /** Under which the scheduler knows the operation that it begins with. */
    String firstName() {
        return (this == INSERT8 ? "insert " : "fetch ") + FetchTable.NAME;
    }

    /** Secondary indexes of its table. */
    int indexes() {
        return this == INSERT8 ? INDEXES : 0;
    }
}
