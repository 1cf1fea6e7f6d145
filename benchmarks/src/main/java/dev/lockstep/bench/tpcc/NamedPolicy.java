package dev.lockstep.bench.tpcc;

import dev.lockstep.scheduler.TeamPolicy;

/** The policies that choose the next team, by name. */
enum NamedPolicy {
    /** What the last member of a team or the last stray wants: that of STEPS, section 4.1.1. */
    LAST_WANTED,

    /** The list that has waited longest. */
    LONGEST_WAITING,

    /** The list with the most members. */
    LARGEST,

    /** Nobody begins a transaction while others wait in the middle of theirs. */
    WAVES;

    TeamPolicy policy() {
        return switch (this) {
            case LAST_WANTED -> TeamPolicy.lastWanted();
            case LONGEST_WAITING -> TeamPolicy.longestWaiting();
            case LARGEST -> TeamPolicy.largest();
            case WAVES -> TeamPolicy.waves();
        };
    }
}
