package dev.lockstep.engine.lock;

/**
 * The largest commit LSN of those that released a lock of a stripe early (see {@link LockManager#releaseAll}), in a
 * table of fixed size hashed by name.
 *
 * <p>Per place there are two numbers: one of releases that conflict with every mode (X and the like), and one of
 * releases of intention modes, which occur on tables only and which only requests that conflict with IX heed: otherwise
 * every reader of a table would depend on every writer of other keys in it. Names with one place only make each other
 * more cautious.
 *
 * <p>Thread-safety: guarded by the latch of the stripe.
 */
final class EarlyReleases {
    /**
     * Places in all stripes together: a few times the locks that one group commit releases. A power of two.
     */
    private static final int PLACES = 1 << 14;

    /**
     * Places that a stripe has at least: where all that is released begins alike, it is remembered in the stripes of
     * one group.
     */
    private static final int PLACES_MIN = 256;

    /** The bits of a name that choose the place. */
    private static final int PLACE_SHIFT = 34;

    private static final int INTENTION_PARTS = LockMode.partsOf(LockMode.IX);

    private final long[] lsns;

    EarlyReleases(int stripeCount) {
        lsns = new long[2 * Math.max(PLACES_MIN, PLACES / stripeCount)];
    }

    /** Remembers the commit LSN of a transaction that releases a lock early, if others depend on it. */
    void remember(long name, int mode, long commitLsn) {
        if (LockMode.permitsWriting(mode)) {
            boolean intention = LockName.isTable(name) && LockMode.keyPart(mode) != LockMode.X;
            raise(place(name) + (intention ? 1 : 0), commitLsn);
        }
    }

    private void raise(int place, long commitLsn) {
        lsns[place] = Math.max(lsns[place], commitLsn);
    }

    /** What a transaction depends on that takes a lock in a mode. */
    long lsn(long name, int mode) {
        int place = place(name);
        boolean heedsIntentions = LockName.isTable(name) && (LockMode.conflictsOf(mode) & INTENTION_PARTS) != 0;
        return heedsIntentions ? Math.max(lsns[place], lsns[place + 1]) : lsns[place];
    }

    private int place(long name) {
        return (int) (name >>> PLACE_SHIFT) << 1 & lsns.length - 1;
    }
}
