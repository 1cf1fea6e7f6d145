package dev.lockstep.tpcc.adapter;

/** A reusable row of table CUSTOMER. Not thread-safe. */
public final class CustomerRow {
    /** Longest C_DATA in characters. */
    public static final int DATA_CHARACTERS = 500;

    /** C_W_ID. */
    public int warehouseId;

    /** C_D_ID. */
    public int districtId;

    /** C_ID. */
    public int id;

    /** C_FIRST. */
    public final Text first = new Text(16);

    /** C_MIDDLE. */
    public final Text middle = new Text(2);

    /** C_LAST. */
    public final Text last = new Text(16);

    /** C_STREET_1. */
    public final Text street1 = new Text(20);

    /** C_STREET_2. */
    public final Text street2 = new Text(20);

    /** C_CITY. */
    public final Text city = new Text(20);

    /** C_STATE. */
    public final Text state = new Text(2);

    /** C_ZIP. */
    public final Text zip = new Text(9);

    /** C_PHONE. */
    public final Text phone = new Text(16);

    /** C_SINCE in milliseconds since the epoch. */
    public long sinceMillis;

    /** C_CREDIT: {@code GC} for good, {@code BC} for bad. */
    public final Text credit = new Text(2);

    /** C_CREDIT_LIM in cents. */
    public long creditLimitCents;

    /** C_DISCOUNT in ten-thousandths. */
    public int discountTenThousandths;

    /** C_BALANCE in cents. */
    public long balanceCents;

    /** C_YTD_PAYMENT in cents. */
    public long ytdPaymentCents;

    /** C_PAYMENT_CNT. */
    public int paymentCount;

    /** C_DELIVERY_CNT. */
    public int deliveryCount;

    /** C_DATA. */
    public final Text data = new Text(DATA_CHARACTERS);

    /** Whether C_CREDIT says bad credit. */
    public boolean badCredit() {
        return credit.at(0) == 'B';
    }
}
