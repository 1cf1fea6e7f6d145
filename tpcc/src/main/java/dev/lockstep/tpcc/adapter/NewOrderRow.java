package dev.lockstep.tpcc.adapter;

/** A reusable row of table NEW_ORDER. Not thread-safe. */
public final class NewOrderRow {
    /** NO_W_ID. */
    public int warehouseId;

    /** NO_D_ID. */
    public int districtId;

    /** NO_O_ID. */
    public int orderId;
}
