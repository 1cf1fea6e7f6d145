package dev.lockstep.bench.plan;

import dev.lockstep.scheduler.InstalledProbe;

/**
 * One operator of a plan, which hands its rows to its caller one at a time, and tells the probe when it is called and
 * when it returns. The operators of a plan share the objects in which a row lies. Used by one thread at a time, outside
 * S-threads.
 */
public abstract class Operator {
    private final int number;
    private final int caller;

    /**
     * Makes one.
     *
     * @param name under which it is told
     * @param callerOrEmpty the name of the operator that calls it, empty for the root of a plan
     */
    protected Operator(String name, String callerOrEmpty) {
        number = InstalledProbe.number(name);
        caller = callerOrEmpty.isEmpty() ? 0 : InstalledProbe.number(callerOrEmpty);
    }

    /**
     * Makes the next row.
     *
     * @return false if there is none
     */
    public final boolean next() {
        InstalledProbe.operatorCalled(null, number);
        try {
            return produce();
        } finally {
            InstalledProbe.operatorReturned(null, caller);
        }
    }

    /** What the operator does for a row; see {@link #next}. */
    protected abstract boolean produce();
}
