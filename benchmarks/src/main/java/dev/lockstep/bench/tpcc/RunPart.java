package dev.lockstep.bench.tpcc;

/** Which part of a run a child JVM does. */
enum RunPart {
    /** Everything: loads, checks, runs, checks. */
    WHOLE,
    /** Loads the database, and closes it. */
    LOAD,
    /** Opens a database that was loaded, reads it once, and runs. */
    LOADED,
    /** Opens a database on which a run has worked, and the same as it was before, and checks. */
    CHECK,
    /** Loads and runs, without checks: engines whose rows are in memory. */
    UNCHECKED
}
