package dev.lockstep.bench.switchpoints;

import dev.lockstep.scheduler.SThreadKind;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.SchedulerOptions;
import dev.lockstep.scheduler.TeamMode;

/** Two S-threads that run one operation as a team, and print in which order; started with the agent. */
final class AgentProgram {
    private AgentProgram() {}

    public static void main(String[] arguments) throws InterruptedException {
        StringBuilder order = new StringBuilder();
        SchedulerOptions options = SchedulerOptions.defaults()
                .withCarriers(1)
                .withKind(SThreadKind.CONTINUATION)
                .withTeamMode(TeamMode.ON)
                .withSwitchPointsOn(false);
        try (Scheduler scheduler = new Scheduler(options)) {
            int fetch = scheduler.registerOperation("fetch");
            scheduler.start("starter", 0, () -> {
                for (String member : new String[] {"a", "b"}) {
                    scheduler.start(
                            member, 0, () -> new Subjects.ThreeSteps().accept(fetch, step -> order.append(member)
                                    .append(step)
                                    .append(' ')));
                }
            });
            scheduler.awaitTermination();
        }
        System.out.println("order: " + order);
    }
}
