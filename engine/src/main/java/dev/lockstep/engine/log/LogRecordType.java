package dev.lockstep.engine.log;

/**
 * The types and flags of log records. The numbers are stored and never change.
 *
 * <p>The log itself knows {@link #SEAL} and {@link #PAD}; recovery knows how a record moves its transaction on; the
 * payloads belong to those who write them.
 */
public final class LogRecordType {
    /** A record was inserted. Undoable. */
    public static final byte INSERT = 2;

    /** A record was changed. Undoable. */
    public static final byte UPDATE = 3;

    /** A record was marked deleted. Undoable. */
    public static final byte DELETE = 4;

    /** The transaction committed: the commit is durable when this record is. */
    public static final byte COMMIT = 5;

    /** The transaction is rolled back completely. */
    public static final byte ABORT_END = 6;

    /** A change of several pages that is redone as a whole and never undone (a nested top action of ARIES). */
    public static final byte SYSTEM = 7;

    /** The image of a page before it is written in place: what recovery has where it was torn. Never undone. */
    public static final byte PAGE_IMAGE = 9;

    /** Largest type that a payload owner may use; everything above belongs to the log. */
    public static final byte APPLICATION_MAX = 13;

    /** Ends a batch, with its checksum. What lies behind the last valid seal was never acknowledged. */
    public static final byte SEAL = 14;

    /** Fills a segment up to its closing seal. */
    public static final byte PAD = 15;

    /** Flag of a compensation record (CLR): redo-only, the payload begins with {@code undoNextLsn}. */
    public static final int FLAG_COMPENSATION = 1;

    private LogRecordType() {}

    /**
     * Whether undo has to hand the record to its owner.
     *
     * @param type the type of the record
     * @param flags the flags of the record
     * @return false for compensation records, {@link #SYSTEM}, {@link #PAGE_IMAGE}, and the records that end a
     *     transaction
     */
    public static boolean isUndoable(int type, int flags) {
        return (flags & FLAG_COMPENSATION) == 0
                && type != COMMIT
                && type != ABORT_END
                && type != SYSTEM
                && type != PAGE_IMAGE
                && type <= APPLICATION_MAX;
    }
}
