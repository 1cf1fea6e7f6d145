package dev.lockstep.engine.catalog;

import dev.lockstep.scheduler.InstalledProbe;
import dev.lockstep.scheduler.Scheduler;

/**
 * The operation lists of one tree in the scheduler: a list for each operation and index, as in Table 2 of the STEPS
 * paper. Without a scheduler the numbers are those of the installed probe.
 */
public record TreeOperations(int fetch, int scan, int insert, int update, int delete) {
    /** Registers the operations of the tree called {@code name}; {@code scheduler} may be null. */
    public static TreeOperations register(Scheduler scheduler, String name) {
        if (scheduler == null) {
            return new TreeOperations(
                    InstalledProbe.number("fetch " + name),
                    InstalledProbe.number("scan " + name),
                    InstalledProbe.number("insert " + name),
                    InstalledProbe.number("update " + name),
                    InstalledProbe.number("delete " + name));
        }
        return new TreeOperations(
                scheduler.registerOperation("fetch " + name),
                scheduler.registerOperation("scan " + name),
                scheduler.registerOperation("insert " + name),
                scheduler.registerOperation("update " + name),
                scheduler.registerOperation("delete " + name));
    }
}
