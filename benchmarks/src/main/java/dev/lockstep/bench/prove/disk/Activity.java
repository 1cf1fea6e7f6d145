package dev.lockstep.bench.prove.disk;

import java.util.Locale;

/** What a database was doing when the disk failed. The workload says it before each of its steps. */
public enum Activity {
    /** A new database is made. */
    CREATION,
    /** A table or an index is created or dropped. */
    SCHEMA,
    /** Rows are inserted and updated, nodes stay as they are. */
    CHANGE,
    /** Rows are inserted, and nodes split: the node count of the database grows in each of these steps. */
    SPLIT,
    /** Rows are deleted, and nodes merged: the node count of the database shrinks in each of these steps. */
    MERGE,
    /** A transaction whose changes are on disk is rolled back, in part or as a whole. */
    ROLLBACK,
    /** A checkpoint is written that somebody asked for. */
    CHECKPOINT,
    /** Nodes are moved and the end of the file is cut off, beside a running transaction and after it. */
    COMPACTION,
    /** A copy is made, while others commit and checkpoints are written. */
    BACKUP,
    /** A database that was not closed in order is opened. */
    RECOVERY,
    /** A database is closed, or opened after it was closed in order. */
    CLOSE,
    /** Transactions of TPC-C. */
    TPCC;

    /** For people. */
    String title() {
        return name().toLowerCase(Locale.ROOT);
    }
}
