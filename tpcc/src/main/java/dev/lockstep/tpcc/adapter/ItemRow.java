package dev.lockstep.tpcc.adapter;

/** A reusable row of table ITEM. Not thread-safe. */
public final class ItemRow {
    /** I_ID, or 0 when there is no such item. */
    public int id;

    /** I_IM_ID. */
    public int imageId;

    /** I_NAME. */
    public final Text name = new Text(24);

    /** I_PRICE in cents. */
    public int priceCents;

    /** I_DATA. */
    public final Text data = new Text(50);
}
