package dev.lockstep.scheduler;

import java.util.ArrayList;
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
        rethrow(runTogether(scheduler, () -> {}, bodies));
    }

    /**
     * Likewise, after something else.
     *
     * @return all of them, when they have ended. The starter fills the list alone: for a monitor that its caller has
     *     just then it would give up the carrier, and the bodies would run before all are started
     */
    static List<SThread> runTogether(Scheduler scheduler, Runnable first, List<Runnable> bodies)
            throws InterruptedException {
        List<SThread> members = new ArrayList<>();
        SThread starter = scheduler.start("starter", 0, () -> {
            first.run();
            for (int i = 0; i < bodies.size(); i++) {
                members.add(scheduler.start("member-" + i, 0, bodies.get(i)));
            }
        });
        scheduler.awaitTermination();
        members.add(starter);
        return members;
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
