/** S-threads, switch points, operation lists, teams, carriers and latches. Knows nothing of storage. */
module dev.lockstep.scheduler {
    requires jdk.jfr;
}
