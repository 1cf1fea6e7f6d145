package dev.lockstep.bench.tpcc;

/** What decides which terminal of Lockstep runs next. */
enum Scheduling {
    /** One ordinary virtual thread for each terminal, on the JDK's own scheduler. */
    JDK,
    /** One S-thread for each terminal, in teams. */
    STEPS,
    /** Platform threads: engines other than Lockstep. */
    PLATFORM
}
