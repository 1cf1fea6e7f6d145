package dev.lockstep.scheduler;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What several tests need. */
final class Fixtures {
    private Fixtures() {}

    /** One carrier, teams always formed, switch points on: the paper's scheduler, whose order is exact. */
    static SchedulerOptions exact(SThreadKind kind) {
        return SchedulerOptions.defaults()
                .withCarriers(1)
                .withKind(kind)
                .withTeamMode(TeamMode.ON)
                .withSwitchPointsOn(true);
    }

    /**
     * Starts all bodies so that none runs before all are started: by an S-thread of the same carrier, which keeps it
     * until then. Waits until all have ended and throws what the first that failed has thrown.
     */
    static void runTogether(Scheduler scheduler, List<Runnable> bodies) throws InterruptedException {
        List<SThread> started = Collections.synchronizedList(new ArrayList<>());
        started.add(scheduler.start("starter", 0, () -> {
            for (int i = 0; i < bodies.size(); i++) {
                started.add(scheduler.start("member-" + i, 0, bodies.get(i)));
            }
        }));
        scheduler.awaitTermination();
        rethrow(started);
    }

    static void rethrow(List<SThread> sThreads) {
        for (SThread sThread : sThreads) {
            if (sThread.failure() != null) {
                throw new AssertionError("sThread=" + sThread.name(), sThread.failure());
            }
        }
    }

    static OperationStatistics statistics(Scheduler scheduler, String operation) {
        return scheduler.statistics().stream()
                .filter(each -> each.operation().equals(operation))
                .findAny()
                .orElseThrow(() -> new AssertionError("no such operation: " + operation));
    }
}
