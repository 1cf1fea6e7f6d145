package dev.lockstep.engine.instance;

import dev.lockstep.scheduler.StagedWork;

/** What a team's leader can do of an operation of a session; see {@link StagedFetch} and {@link StagedUpdate}. */
abstract class StagedOperation implements StagedWork {
    /** Of the session. */
    final OperationDriver driver;

    StagedOperation(OperationDriver driver) {
        this.driver = driver;
    }

    /**
     * Moves those of this database to the front of a team, and returns how many they are. Databases share lists, of
     * tables with the same name at least, but what is read ahead for them lies in different pools.
     */
    final int withoutOtherDatabases(StagedWork[] team, int count) {
        int members = 0;
        for (int i = 0; i < count; i++) {
            if (driver.hasPoolOf(((StagedOperation) team[i]).driver)) {
                team[members++] = team[i];
            }
        }
        return members;
    }
}
