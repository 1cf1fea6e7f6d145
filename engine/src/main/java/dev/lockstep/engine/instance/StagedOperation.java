package dev.lockstep.engine.instance;

import dev.lockstep.scheduler.InstalledProbe;
import dev.lockstep.scheduler.StagedWork;

/** What a team's leader can do of an operation of a session; see {@link StagedFetch} and {@link StagedChange}. */
abstract class StagedOperation implements StagedWork {
    /** Of the session. */
    final OperationDriver driver;

    StagedOperation(OperationDriver driver) {
        this.driver = driver;
    }

    /**
     * Moves those of this kind and this database to the front of a team, and returns how many they are; the others do
     * their work by themselves. Databases share lists, of tables with the same name at least, but what is read ahead
     * for them lies in different pools; updates of a table that go different ways share a list too.
     */
    final int withoutOthers(StagedWork[] team, int count) {
        int members = 0;
        for (int i = 0; i < count; i++) {
            StagedWork member = team[i];
            if (member.getClass() == getClass() && driver.hasPoolOf(((StagedOperation) member).driver)) {
                team[i] = team[members];
                team[members++] = member;
            }
        }
        return members;
    }

    /** What is done from here on, by whoever leads, is this one's. */
    final void tellOwner() {
        if (InstalledProbe.isPresent()) {
            InstalledProbe.doesWorkOf(driver.sThread());
        }
    }

    /** The loops over all members, each so short that marks would be more than what they tell apart. */
    static void tellSharedWork() {
        if (InstalledProbe.isPresent()) {
            InstalledProbe.doesSharedWork();
        }
    }
}
