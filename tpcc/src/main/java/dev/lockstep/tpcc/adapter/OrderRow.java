package dev.lockstep.tpcc.adapter;

/** A reusable row of table ORDERS (ORDER in the specification, a reserved word of SQL). Not thread-safe. */
public final class OrderRow {
    /** The value of {@link #carrierId} that stands for NULL: not delivered yet. */
    public static final int NO_CARRIER = 0;

    /** O_W_ID. */
    public int warehouseId;

    /** O_D_ID. */
    public int districtId;

    /** O_ID. */
    public int id;

    /** O_C_ID. */
    public int customerId;

    /** O_ENTRY_D in milliseconds since the epoch. */
    public long entryMillis;

    /** O_CARRIER_ID, 1 to 10, or {@link #NO_CARRIER} for NULL. */
    public int carrierId;

    /** O_OL_CNT. */
    public int lineCount;

    /** O_ALL_LOCAL: 1 when every line is supplied by the order's own warehouse, otherwise 0. */
    public int allLocal;
}
