package dev.lockstep.tpcc.adapter;

/** A reusable row of table DISTRICT. Not thread-safe. */
public final class DistrictRow {
    /** D_W_ID. */
    public int warehouseId;

    /** D_ID. */
    public int id;

    /** D_NAME. */
    public final Text name = new Text(10);

    /** D_STREET_1. */
    public final Text street1 = new Text(20);

    /** D_STREET_2. */
    public final Text street2 = new Text(20);

    /** D_CITY. */
    public final Text city = new Text(20);

    /** D_STATE. */
    public final Text state = new Text(2);

    /** D_ZIP. */
    public final Text zip = new Text(9);

    /** D_TAX in ten-thousandths. */
    public int taxTenThousandths;

    /** D_YTD in cents. */
    public long ytdCents;

    /** D_NEXT_O_ID: the number that the next order will take. */
    public int nextOrderId;
}
