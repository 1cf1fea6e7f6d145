package dev.lockstep.engine.instance;

import dev.lockstep.scheduler.Scheduler;

/** The operation lists that belong to no tree: begin and commit (Table 2 of the STEPS paper). */
record GateOperations(int begin, int commit) {
    static GateOperations register(Scheduler scheduler) {
        return scheduler == null
                ? new GateOperations(0, 0)
                : new GateOperations(scheduler.registerOperation("begin"), scheduler.registerOperation("commit"));
    }
}
