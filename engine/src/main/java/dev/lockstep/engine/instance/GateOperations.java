package dev.lockstep.engine.instance;

import dev.lockstep.scheduler.InstalledProbe;
import dev.lockstep.scheduler.Scheduler;

/**
 * The operation lists that belong to no tree: begin and commit (Table 2 of the STEPS paper). Without a scheduler the
 * numbers are those of the installed probe. Transactions of a kind begin in a list of that kind.
 */
final class GateOperations {
    private final Scheduler scheduler;
    private final int begin;
    private final int commit;

    private GateOperations(Scheduler scheduler, int begin, int commit) {
        this.scheduler = scheduler;
        this.begin = begin;
        this.commit = commit;
    }

    static GateOperations register(Scheduler scheduler) {
        return scheduler == null
                ? new GateOperations(null, InstalledProbe.number("begin"), InstalledProbe.number("commit"))
                : new GateOperations(scheduler, scheduler.registerBegin(""), scheduler.registerOperation("commit"));
    }

    int begin() {
        return begin;
    }

    /** The begin of transactions of one kind; not quick, but for the empty string. */
    int begin(String kind) {
        return scheduler == null || kind.isEmpty() ? begin : scheduler.registerBegin(kind);
    }

    int commit() {
        return commit;
    }
}
