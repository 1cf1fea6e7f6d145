package dev.lockstep.tpcc.adapter;

/** Why an attempt at a transaction did not commit. All but {@link #UNUSED_ITEM} are retried with the same input. */
public enum AbortReason {
    /** A New-Order named an item that does not exist: one in a hundred, by clause 2.4.1.4. */
    UNUSED_ITEM,
    /** Chosen as the victim of a deadlock. */
    DEADLOCK,
    /** A lock, or the whole transaction, took longer than its limit. */
    TIMEOUT,
    /** The engine could not order it among concurrent transactions (optimistic and multi-version engines). */
    SERIALIZATION,
    /** The engine refused to begin it, because as many were open as may be. */
    BUSY;

    /** The number of reasons. */
    public static final int COUNT = 5;
}
