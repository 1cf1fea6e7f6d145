package dev.lockstep.tpcc.adapter;

/** A reusable row of table ORDER_LINE. Not thread-safe. */
public final class OrderLineRow {
    /** The value of {@link #deliveryMillis} that stands for NULL: not delivered yet. */
    public static final long NOT_DELIVERED = Long.MIN_VALUE;

    /** Length of OL_DIST_INFO in characters. */
    public static final int DISTRICT_INFO_CHARACTERS = 24;

    /** OL_W_ID. */
    public int warehouseId;

    /** OL_D_ID. */
    public int districtId;

    /** OL_O_ID. */
    public int orderId;

    /** OL_NUMBER, from 1. */
    public int number;

    /** OL_I_ID. */
    public int itemId;

    /** OL_SUPPLY_W_ID. */
    public int supplyWarehouseId;

    /** OL_DELIVERY_D in milliseconds since the epoch, or {@link #NOT_DELIVERED} for NULL. */
    public long deliveryMillis;

    /** OL_QUANTITY. */
    public int quantity;

    /** OL_AMOUNT in cents. */
    public int amountCents;

    /** OL_DIST_INFO. */
    public final Text districtInfo = new Text(DISTRICT_INFO_CHARACTERS);
}
