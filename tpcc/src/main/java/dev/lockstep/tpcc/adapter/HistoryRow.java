package dev.lockstep.tpcc.adapter;

/** A reusable row of table HISTORY. Not thread-safe. */
public final class HistoryRow {
    /** H_ID: chosen by the workload so that it never repeats; the specification gives the table no key. */
    public long id;

    /** H_C_ID. */
    public int customerId;

    /** H_C_D_ID. */
    public int customerDistrictId;

    /** H_C_W_ID. */
    public int customerWarehouseId;

    /** H_D_ID: where the payment was made. */
    public int districtId;

    /** H_W_ID: where the payment was made. */
    public int warehouseId;

    /** H_DATE in milliseconds since the epoch. */
    public long dateMillis;

    /** H_AMOUNT in cents. */
    public long amountCents;

    /** H_DATA. */
    public final Text data = new Text(24);
}
