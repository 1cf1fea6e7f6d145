package dev.lockstep.bench.tpcc;

import dev.lockstep.bench.report.Spelling;
import dev.lockstep.scheduler.OperationStatistics;
import java.util.Map;

/**
 * Teams of one operation in the measured phase, as in Table 4 of the STEPS paper.
 *
 * @param operation its name
 * @param teamLimit how many members a team of it may have
 * @param operations begun, in teams and outside
 * @param straightOperations of these outside any team
 * @param teams formed
 * @param membersIn members when a team formed, on average
 * @param membersOut members that were left when a team ended, on average
 * @param membersStaged members whose operation their teams' first members did, their own included
 * @param membersLent members whose operation another carrier did
 * @param teamsConsolidated teams that had members of other operations of its kind beside its own
 * @param membersBeside those members, on average over all teams
 * @param ready threads of the same carrier that could run when a team formed, its members included, on average
 * @param switches turns taken at switch points
 * @param switchesSkipped times that a latch or a pinned stack kept a member from switching
 * @param strays members that left before the end, by reason
 * @param nanosPerOperation time in the operation for each one begun
 */
public record TeamReport(
        String operation,
        int teamLimit,
        long operations,
        long straightOperations,
        long teams,
        double membersIn,
        double membersOut,
        long membersStaged,
        long membersLent,
        long teamsConsolidated,
        double membersBeside,
        double ready,
        long switches,
        long switchesSkipped,
        Map<String, Long> strays,
        double nanosPerOperation) {
    static TeamReport of(OperationStatistics statistics) {
        return new TeamReport(
                statistics.operation(),
                statistics.teamLimit(),
                statistics.operations(),
                statistics.straightOperations(),
                statistics.teams(),
                statistics.membersInMean(),
                statistics.membersOutMean(),
                statistics.membersStaged(),
                statistics.membersLent(),
                statistics.teamsConsolidated(),
                statistics.teamMembersMean() - statistics.membersInMean(),
                statistics.readyMean(),
                statistics.switches(),
                statistics.switchesSkipped(),
                Spelling.keys(statistics.strays()),
                statistics.operations() == 0 ? 0 : (double) statistics.nanos() / statistics.operations());
    }
}
