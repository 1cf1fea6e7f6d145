package dev.lockstep.tpcc.adapter;

/** A reusable row of table WAREHOUSE. Not thread-safe. */
public final class WarehouseRow {
    /** W_ID. */
    public int id;

    /** W_NAME. */
    public final Text name = new Text(10);

    /** W_STREET_1. */
    public final Text street1 = new Text(20);

    /** W_STREET_2. */
    public final Text street2 = new Text(20);

    /** W_CITY. */
    public final Text city = new Text(20);

    /** W_STATE. */
    public final Text state = new Text(2);

    /** W_ZIP. */
    public final Text zip = new Text(9);

    /** W_TAX in ten-thousandths. */
    public int taxTenThousandths;

    /** W_YTD in cents. */
    public long ytdCents;
}
