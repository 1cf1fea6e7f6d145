package dev.lockstep.scheduler;

import java.util.EnumMap;
import java.util.Map;

/**
 * What a scheduler has counted for one operation since its start or the last reset, over all carriers. The columns
 * "in" and "out" of the paper's Table 4 are {@link #membersInMean()} and {@link #membersOutMean()}, its row of ready
 * threads is {@link #readyMean()}.
 *
 * @param operation the name it was registered under
 * @param teamLimit how many members a team of it may have
 * @param straightOperations operations that ran outside any team, because teams are off for them
 * @param teams teams formed with S-threads that ran it
 * @param membersIn S-threads that entered a team to run it, summed over teams
 * @param membersOut S-threads that ended the operation as members, that is not as strays, summed over teams
 * @param membersStaged members whose works their leaders did, the leaders' own included, summed over teams
 * @param membersLent members whose works another carrier did, which had nothing else to do ({@link
 *     SchedulerOptions#lendingOn}), summed over teams
 * @param teamsConsolidated teams that had members of other operations of its kind beside its own ({@link
 *     SchedulerOptions#consolidationOn})
 * @param membersBeside those other members, summed over teams
 * @param ready S-threads of the same carrier that could run when a team formed, its members included, summed over teams
 * @param switches turns taken at switch points
 * @param switchesSkipped times that a held latch or a pinned stack kept an S-thread from giving up its carrier
 * @param strays members that left their team in the middle of the operation, by reason; reasons without any are absent
 * @param nanos time spent in the operation: of teams from formation to the last departure; of straight operations
 *     from begin to next begin, extrapolated from a sample
 */
public record OperationStatistics(
        String operation,
        int teamLimit,
        long straightOperations,
        long teams,
        long membersIn,
        long membersOut,
        long membersStaged,
        long membersLent,
        long teamsConsolidated,
        long membersBeside,
        long ready,
        long switches,
        long switchesSkipped,
        Map<WaitReason, Long> strays,
        long nanos) {

    /** Copies the map. */
    public OperationStatistics {
        strays = Map.copyOf(strays);
    }

    /**
     * Returns what was counted in two times together.
     *
     * @param other of the same operation
     */
    public OperationStatistics plus(OperationStatistics other) {
        Map<WaitReason, Long> allStrays = new EnumMap<>(WaitReason.class);
        allStrays.putAll(strays);
        other.strays.forEach((reason, count) -> allStrays.merge(reason, count, Long::sum));
        return new OperationStatistics(
                operation,
                teamLimit,
                straightOperations + other.straightOperations,
                teams + other.teams,
                membersIn + other.membersIn,
                membersOut + other.membersOut,
                membersStaged + other.membersStaged,
                membersLent + other.membersLent,
                teamsConsolidated + other.teamsConsolidated,
                membersBeside + other.membersBeside,
                ready + other.ready,
                switches + other.switches,
                switchesSkipped + other.switchesSkipped,
                allStrays,
                nanos + other.nanos);
    }

    /** Returns all operations begun, in teams and outside. */
    public long operations() {
        return straightOperations + membersIn;
    }

    /** Returns how many S-threads entered a team to run it on average, 0 without teams. */
    public double membersInMean() {
        return teams == 0 ? 0 : (double) membersIn / teams;
    }

    /** Returns how many members the teams had that it was run in, on average, 0 without teams. */
    public double teamMembersMean() {
        return teams == 0 ? 0 : (double) (membersIn + membersBeside) / teams;
    }

    /** Returns how many S-threads left a team other than as strays on average, 0 without teams. */
    public double membersOutMean() {
        return teams == 0 ? 0 : (double) membersOut / teams;
    }

    /** Returns how many S-threads could run when a team formed, its members included, on average, 0 without teams. */
    public double readyMean() {
        return teams == 0 ? 0 : (double) ready / teams;
    }

    /** Returns the members that became strays, for whatever reason. */
    public long straysTotal() {
        return strays.values().stream().mapToLong(Long::longValue).sum();
    }
}
