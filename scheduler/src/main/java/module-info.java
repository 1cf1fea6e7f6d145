/** S-threads, switch points, operation lists, teams, carriers and latches. Knows nothing of storage. */
module dev.lockstep.scheduler {
    requires jdk.jfr;

    exports dev.lockstep.scheduler;
    exports dev.lockstep.scheduler.latch;

    uses dev.lockstep.scheduler.MachineBinding;
    uses dev.lockstep.scheduler.OperationProbe;
    uses dev.lockstep.scheduler.TimeSource;
}
