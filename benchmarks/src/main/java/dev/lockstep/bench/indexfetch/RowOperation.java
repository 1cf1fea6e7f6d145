package dev.lockstep.bench.indexfetch;

/** What each member of a team does with one row. */
enum RowOperation {
    /** Finds it by its primary key and copies it. */
    FETCH,
    /** Finds it, locks it exclusively, changes one column and writes it back, with a log. */
    UPDATE
}
