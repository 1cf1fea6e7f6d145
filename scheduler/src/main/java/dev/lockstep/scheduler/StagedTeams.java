package dev.lockstep.scheduler;

import java.util.Arrays;

/**
 * Puts the works of a team's members into the hands of the member that comes first, its leader.
 *
 * <p>A probe is told that the leader is in its operation while it does the works of all, and by the works whose stage
 * comes next ({@link InstalledProbe#doesWorkOf}), so that what instruments count by the application's contexts, such
 * as transaction types, is the owner's.
 *
 * <p>A leader should not be suspended before it is through with the works. A virtual S-thread is, all the same, where
 * it waits long for a latch or the JDK blocks it. Then its followers must neither go on nor hold up others, so they
 * leave the team with it, as strays, and are ready when it is through.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code offered} is set only in an S-thread that is inside {@code beginOperation}; a member of the team with
 *       {@code offered} set has not had its turn.
 *   <li>{@code led} is set exactly while the S-thread's work is in the hands of a leader, for which {@code leading} is
 *       set. The S-thread is then either in the team, together with its leader and not before it, or linked from the
 *       leader's {@code followers}.
 * </ul>
 *
 * <p>Thread-safety: none; it belongs to its carrier's thread.
 */
final class StagedTeams {
    private static final StagedWork[] NONE = {};

    private final CarrierTeams teams;
    private final Team team;

    /** Reused from team to team; taken away while a leader uses it, as another may lead while that one is suspended. */
    private StagedWork[] spare = NONE;

    StagedTeams(CarrierTeams teams) {
        this.teams = teams;
        this.team = teams.team();
    }

    /**
     * Does the works of the members that have not had their turn; on the stack of the mounted member, which is one of
     * them and has reserved stack.
     *
     * @param ready takes those who have had to leave the team
     */
    void lead(SThread leader, ReadyQueue ready) {
        StagedWork[] works = spare.length < team.size() ? new StagedWork[team.size()] : spare;
        spare = NONE;
        InstalledProbe.entered(leader);
        leader.leading = true;
        int count = gather(leader, works);
        try {
            if (count > 1) {
                countStaged(leader);
                runTogether(leader, works, count);
            }
        } finally {
            leader.leading = false;
            release(leader, ready);
            Arrays.fill(works, 0, count, null);
            spare = works;
            InstalledProbe.returned(leader);
        }
    }

    private static void runTogether(SThread leader, StagedWork[] works, int count) {
        InstalledProbe.returned(leader);
        try {
            works[0].runTogether(works, count);
        } finally {
            InstalledProbe.entered(leader);
        }
    }

    private void countStaged(SThread leader) {
        OperationList[] lists = teams.lists();
        SThread member = leader;
        do {
            if (member.led || member == leader) {
                lists[member.operation].counters.add(OperationCounters.STAGED, 1);
            }
            member = member.next;
        } while (member != leader);
    }

    private static int gather(SThread leader, StagedWork[] works) {
        works[0] = leader.offered;
        leader.offered = null;
        int count = 1;
        for (SThread member = leader.next; member != leader; member = member.next) {
            if (member.offered != null) {
                works[count++] = member.offered;
                member.offered = null;
                member.led = true;
            }
        }
        return count;
    }

    /** Takes the followers out of the team: their leader has been suspended, and is still in it. */
    void holdFollowers(SThread leader) {
        SThread member = leader.next;
        while (member != leader) {
            SThread after = member.next;
            if (member.led) {
                teams.leave(member, WaitReason.OTHER);
                member.state = SThread.State.HELD;
                member.next = leader.followers;
                leader.followers = member;
            }
            member = after;
        }
    }

    private static void release(SThread leader, ReadyQueue ready) {
        if (leader.member) {
            for (SThread member = leader.next; member != leader; member = member.next) {
                member.led = false;
            }
        }
        while (leader.followers != null) {
            SThread follower = leader.followers;
            leader.followers = follower.next;
            follower.led = false;
            ready.appendResumed(follower);
        }
    }
}
