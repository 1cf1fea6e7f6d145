package dev.lockstep.tpcc.check;

import dev.lockstep.tpcc.adapter.TpccScale;

/**
 * Counts and sums over a database at rest: what the tally of a run is compared with, as the difference between two of
 * these. District arrays are indexed by {@link TpccScale#districtIndex}; money is in cents.
 */
public final class DatabaseTotals {
    final TpccScale scale;
    final long[] warehouseYtd;
    final long[] districtYtd;
    final long[] nextOrderId;
    final long[] orders;
    final long[] orderLines;
    final long[] newOrders;
    final long[] historyRows;
    final long[] historyCents;
    long balanceCents;
    long ytdPaymentCents;
    long paymentCount;
    long deliveryCount;
    long stockYtd;
    long stockOrders;
    long stockRemotes;

    DatabaseTotals(TpccScale scale) {
        this.scale = scale;
        int districts = scale.districts();
        warehouseYtd = new long[scale.warehouses()];
        districtYtd = new long[districts];
        nextOrderId = new long[districts];
        orders = new long[districts];
        orderLines = new long[districts];
        newOrders = new long[districts];
        historyRows = new long[districts];
        historyCents = new long[districts];
    }

    /** Orders of a district that have been delivered, or were loaded so: its orders less its NEW_ORDER rows. */
    public long delivered(int warehouseId, int districtId) {
        int district = TpccScale.districtIndex(warehouseId, districtId);
        return orders[district] - newOrders[district];
    }
}
