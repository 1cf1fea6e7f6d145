package dev.lockstep.bench.tpcc;

import dev.lockstep.scheduler.TeamPolicy;

/** The policies that choose the next team, by name. */
enum NamedPolicy {
    /** What the last member of a team or the last stray wants: that of STEPS, section 4.1.1. */
    LAST_WANTED(TeamPolicy.lastWanted()),

    /** The list that has waited longest. */
    LONGEST_WAITING(TeamPolicy.longestWaiting()),

    /** The list with the most members. */
    LARGEST(TeamPolicy.largest());

    private final TeamPolicy policy;

    NamedPolicy(TeamPolicy policy) {
        this.policy = policy;
    }

    TeamPolicy policy() {
        return policy;
    }
}
