package dev.lockstep.scheduler;

import java.util.Objects;

/**
 * How a scheduler is set up. Start from {@link #defaults()} and change what differs.
 *
 * @param name prefix of the carriers' thread names
 * @param carriers platform threads that run S-threads, 1 to {@link #CARRIERS_MAX}; one per core that is meant to run
 *     transactions. Of no effect for kind plain
 * @param kind what S-threads are made of
 * @param teamMode when teams are formed
 * @param teamLimit largest number of members of a team, 1 or more; larger lists give several teams
 * @param teamLimits of which operations teams have fewer members, so that what they touch stays in the L2 cache;
 *     {@link TeamLimits#NONE} for none
 * @param consolidationOn whether the lists of operations of one kind ({@link Scheduler#registerOperation}) whose teams
 *     stay small give teams together; with {@link TeamMode#ON}, of no effect otherwise. Each member then runs its
 *     own operation, on its own index
 * @param switchPointsOn whether members take turns at switch points; if not, a team's members run one after another
 * @param barriersOn whether S-threads of carriers 0 and 1, 2 and 3, and so on, meet at the switch points of an
 *     operation that both execute, in place of taking turns there with those of their own carrier: for carriers on the
 *     hardware threads of one core (STEPS, section 6). Nobody waits long for one that does not come. Of effect with
 *     switch points on
 * @param teamExecution whether the members' works are done by one of them or by each
 * @param lendingOn whether a carrier that has nothing to do does works that wait in a list of another; with {@link
 *     TeamMode#ON} and {@link TeamExecution#STAGED} and several carriers, of no effect otherwise. Such works must do
 *     with any thread ({@link StagedWork})
 * @param policy which list becomes the next team
 * @param uncaughtExceptionHandler what is called when an S-thread's body throws, on that S-thread; {@code null} for
 *     what the JVM does with any thread's
 * @param nodes which the carriers are spread over, {@link NodeLayout#NONE} for a machine that is not divided
 */
public record SchedulerOptions(
        String name,
        int carriers,
        SThreadKind kind,
        TeamMode teamMode,
        int teamLimit,
        TeamLimits teamLimits,
        boolean consolidationOn,
        boolean switchPointsOn,
        boolean barriersOn,
        TeamExecution teamExecution,
        boolean lendingOn,
        TeamPolicy policy,
        Thread.UncaughtExceptionHandler uncaughtExceptionHandler,
        NodeLayout nodes) {

    /** More platform threads than any machine has cores for would only take memory. */
    public static final int CARRIERS_MAX = 4096;

    /**
     * Members of a team unless set otherwise. Ten save 90 % of the instruction misses that can be saved, and the paper
     * sees no incentive beyond 10 to 20 (3.4.2); more members take more of the level-one data cache and wait longer
     * for their turn. Below 4 there is little to share.
     */
    public static final int TEAM_LIMIT_DEFAULT = 10;

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if a number is out of range, or an odd number of carriers has barriers
     */
    public SchedulerOptions {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(teamMode, "teamMode");
        Objects.requireNonNull(teamLimits, "teamLimits");
        Objects.requireNonNull(teamExecution, "teamExecution");
        Objects.requireNonNull(policy, "policy");
        Objects.requireNonNull(nodes, "nodes");
        if (carriers < 1 || carriers > CARRIERS_MAX) {
            throw new IllegalArgumentException("number of carriers out of range: carriers=" + carriers
                    + " carriersMin=1 carriersMax=" + CARRIERS_MAX
                    + "; remedy: one per core that is to run transactions");
        }
        if (barriersOn && carriers % 2 != 0) {
            throw new IllegalArgumentException("barriers are between pairs of carriers: carriers=" + carriers
                    + "; remedy: have an even number of them, the two of a pair on hardware threads of one core");
        }
        if (teamLimit < 1) {
            throw new IllegalArgumentException("team limit out of range: teamLimit=" + teamLimit + " teamLimitMin=1"
                    + "; remedy: choose " + TEAM_LIMIT_DEFAULT + ", or TeamMode.OFF to have no teams");
        }
    }

    /**
     * Returns one carrier per processor, the best supported kind of S-threads, governed teams of up to
     * {@link #TEAM_LIMIT_DEFAULT} with switch points, consolidation and lending off, and the
     * paper's policy.
     */
    public static SchedulerOptions defaults() {
        return new SchedulerOptions(
                "lockstep",
                Math.min(Runtime.getRuntime().availableProcessors(), CARRIERS_MAX),
                Scheduler.probe(SThreadKind.VIRTUAL).available() ? SThreadKind.VIRTUAL : SThreadKind.PLAIN,
                TeamMode.GOVERNED,
                TEAM_LIMIT_DEFAULT,
                TeamLimits.NONE,
                false,
                false,
                false,
                TeamExecution.SWITCHING,
                false,
                TeamPolicy.lastWanted(),
                null,
                NodeLayout.NONE);
    }

    /** Returns a copy with another name. */
    public SchedulerOptions withName(String value) {
        return new SchedulerOptions(
                value,
                carriers,
                kind,
                teamMode,
                teamLimit,
                teamLimits,
                consolidationOn,
                switchPointsOn,
                barriersOn,
                teamExecution,
                lendingOn,
                policy,
                uncaughtExceptionHandler,
                nodes);
    }

    /** Returns a copy with another number of carriers. */
    public SchedulerOptions withCarriers(int value) {
        return new SchedulerOptions(
                name,
                value,
                kind,
                teamMode,
                teamLimit,
                teamLimits,
                consolidationOn,
                switchPointsOn,
                barriersOn,
                teamExecution,
                lendingOn,
                policy,
                uncaughtExceptionHandler,
                nodes);
    }

    /** Returns a copy with another kind of S-threads. */
    public SchedulerOptions withKind(SThreadKind value) {
        return new SchedulerOptions(
                name,
                carriers,
                value,
                teamMode,
                teamLimit,
                teamLimits,
                consolidationOn,
                switchPointsOn,
                barriersOn,
                teamExecution,
                lendingOn,
                policy,
                uncaughtExceptionHandler,
                nodes);
    }

    /** Returns a copy with another mode of forming teams. */
    public SchedulerOptions withTeamMode(TeamMode value) {
        return new SchedulerOptions(
                name,
                carriers,
                kind,
                value,
                teamLimit,
                teamLimits,
                consolidationOn,
                switchPointsOn,
                barriersOn,
                teamExecution,
                lendingOn,
                policy,
                uncaughtExceptionHandler,
                nodes);
    }

    /** Returns a copy with another limit of members. */
    public SchedulerOptions withTeamLimit(int value) {
        return new SchedulerOptions(
                name,
                carriers,
                kind,
                teamMode,
                value,
                teamLimits,
                consolidationOn,
                switchPointsOn,
                barriersOn,
                teamExecution,
                lendingOn,
                policy,
                uncaughtExceptionHandler,
                nodes);
    }

    /** Returns a copy whose operations have other limits of members, within the common one. */
    public SchedulerOptions withTeamLimits(TeamLimits value) {
        return new SchedulerOptions(
                name,
                carriers,
                kind,
                teamMode,
                teamLimit,
                value,
                consolidationOn,
                switchPointsOn,
                barriersOn,
                teamExecution,
                lendingOn,
                policy,
                uncaughtExceptionHandler,
                nodes);
    }

    /** Returns a copy with small teams consolidated or not. */
    public SchedulerOptions withConsolidationOn(boolean value) {
        return new SchedulerOptions(
                name,
                carriers,
                kind,
                teamMode,
                teamLimit,
                teamLimits,
                value,
                switchPointsOn,
                barriersOn,
                teamExecution,
                lendingOn,
                policy,
                uncaughtExceptionHandler,
                nodes);
    }

    /** Returns a copy with switch points on or off. */
    public SchedulerOptions withSwitchPointsOn(boolean value) {
        return new SchedulerOptions(
                name,
                carriers,
                kind,
                teamMode,
                teamLimit,
                teamLimits,
                consolidationOn,
                value,
                barriersOn,
                teamExecution,
                lendingOn,
                policy,
                uncaughtExceptionHandler,
                nodes);
    }

    /** Returns a copy whose switch points are barriers or not. */
    public SchedulerOptions withBarriersOn(boolean value) {
        return new SchedulerOptions(
                name,
                carriers,
                kind,
                teamMode,
                teamLimit,
                teamLimits,
                consolidationOn,
                switchPointsOn,
                value,
                teamExecution,
                lendingOn,
                policy,
                uncaughtExceptionHandler,
                nodes);
    }

    /** Returns a copy whose teams execute otherwise. */
    public SchedulerOptions withTeamExecution(TeamExecution value) {
        return new SchedulerOptions(
                name,
                carriers,
                kind,
                teamMode,
                teamLimit,
                teamLimits,
                consolidationOn,
                switchPointsOn,
                barriersOn,
                value,
                lendingOn,
                policy,
                uncaughtExceptionHandler,
                nodes);
    }

    /** Returns a copy whose carriers help each other or do not. */
    public SchedulerOptions withLendingOn(boolean value) {
        return new SchedulerOptions(
                name,
                carriers,
                kind,
                teamMode,
                teamLimit,
                teamLimits,
                consolidationOn,
                switchPointsOn,
                barriersOn,
                teamExecution,
                value,
                policy,
                uncaughtExceptionHandler,
                nodes);
    }

    /** Returns a copy with another policy. */
    public SchedulerOptions withPolicy(TeamPolicy value) {
        return new SchedulerOptions(
                name,
                carriers,
                kind,
                teamMode,
                teamLimit,
                teamLimits,
                consolidationOn,
                switchPointsOn,
                barriersOn,
                teamExecution,
                lendingOn,
                value,
                uncaughtExceptionHandler,
                nodes);
    }

    /** Returns a copy with another handler of uncaught exceptions. */
    public SchedulerOptions withUncaughtExceptionHandler(Thread.UncaughtExceptionHandler value) {
        return new SchedulerOptions(
                name,
                carriers,
                kind,
                teamMode,
                teamLimit,
                teamLimits,
                consolidationOn,
                switchPointsOn,
                barriersOn,
                teamExecution,
                lendingOn,
                policy,
                value,
                nodes);
    }

    /** Returns a copy whose carriers are spread over nodes; see {@link NodeLayout}. */
    public SchedulerOptions withNodes(NodeLayout value) {
        return new SchedulerOptions(
                name,
                carriers,
                kind,
                teamMode,
                teamLimit,
                teamLimits,
                consolidationOn,
                switchPointsOn,
                barriersOn,
                teamExecution,
                lendingOn,
                policy,
                uncaughtExceptionHandler,
                value);
    }
}
