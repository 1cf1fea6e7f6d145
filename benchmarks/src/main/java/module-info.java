/** The command line, experiments and benchmarks. */
module dev.lockstep.bench {
    requires dev.lockstep.counters;
    requires dev.lockstep.engine;
    requires dev.lockstep.scheduler;
    requires dev.lockstep.tpcc;
    requires info.picocli;

    // picocli sets the fields of commands.
    opens dev.lockstep.bench to
            info.picocli;
}
