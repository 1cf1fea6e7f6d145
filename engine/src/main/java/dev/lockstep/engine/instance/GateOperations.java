package dev.lockstep.engine.instance;

import dev.lockstep.scheduler.InstalledProbe;
import dev.lockstep.scheduler.Scheduler;

/**
 * The operation lists that belong to no tree: begin and commit (Table 2 of the STEPS paper). Without a scheduler the
 * numbers are those of the installed probe.
 */
record GateOperations(int begin, int commit) {
    static GateOperations register(Scheduler scheduler) {
        return scheduler == null
                ? new GateOperations(InstalledProbe.number("begin"), InstalledProbe.number("commit"))
                : new GateOperations(scheduler.registerOperation("begin"), scheduler.registerOperation("commit"));
    }
}
