/** S-threads, switch points, operation lists, teams, carriers and latches. Knows nothing of storage. */
@SuppressWarnings("module") // The engine is built after this one.
module dev.lockstep.scheduler {
    requires java.management;
    requires jdk.jfr;

    exports dev.lockstep.scheduler;
    exports dev.lockstep.scheduler.latch;

    // No application can name it: it reads and writes anywhere.
    exports dev.lockstep.scheduler.memory to
            dev.lockstep.engine;

    uses dev.lockstep.scheduler.MachineBinding;
    uses dev.lockstep.scheduler.OperationProbe;
    uses dev.lockstep.scheduler.TimeSource;
}
