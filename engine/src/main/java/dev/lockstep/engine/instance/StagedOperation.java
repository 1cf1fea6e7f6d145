package dev.lockstep.engine.instance;

import dev.lockstep.engine.btree.TreeDescent;
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

    /** The walk that comes first of those under way; only while some is. */
    abstract TreeDescent walk();

    /**
     * Sorts members of a team whose walks are under way by their keys, where at least two go from the root: neighbours
     * then descend together.
     */
    static void sortByKey(StagedWork[] team, int from, int to) {
        int fromRoot = 0;
        for (int i = from; i < to; i++) {
            fromRoot += walk(team, i).isFromRoot() ? 1 : 0;
        }
        if (fromRoot < 2) {
            return;
        }
        for (int i = from + 1; i < to; i++) {
            StagedWork moved = team[i];
            int at = i;
            while (at > from && ((StagedOperation) moved).walk().sortsBefore(walk(team, at - 1))) {
                team[at] = team[at - 1];
                at--;
            }
            team[at] = moved;
        }
    }

    private static TreeDescent walk(StagedWork[] team, int member) {
        return ((StagedOperation) team[member]).walk();
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
