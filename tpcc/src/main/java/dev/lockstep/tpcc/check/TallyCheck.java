package dev.lockstep.tpcc.check;

import dev.lockstep.tpcc.adapter.TpccScale;
import dev.lockstep.tpcc.workload.Tally;
import java.util.ArrayList;
import java.util.List;

/** Compares what a run changed in the database with what the driver counted by itself. */
public final class TallyCheck {
    private final List<String> differences = new ArrayList<>();

    private TallyCheck() {}

    /**
     * Compares.
     *
     * @param before totals before the run
     * @param after totals after it
     * @param tally of all transactions that committed in between, warm-up included
     * @return the differences, each with its place and both values; empty when all is well
     */
    public static List<String> differences(DatabaseTotals before, DatabaseTotals after, Tally tally) {
        TallyCheck check = new TallyCheck();
        check.compare(before, after, tally);
        return List.copyOf(check.differences);
    }

    private void compare(DatabaseTotals before, DatabaseTotals after, Tally tally) {
        TpccScale scale = before.scale;
        long payments = 0;
        long paymentCents = 0;
        long deliveries = 0;
        long orderLines = 0;
        for (int w = 1; w <= scale.warehouses(); w++) {
            long warehouseCents = 0;
            for (int d = 1; d <= TpccScale.DISTRICTS; d++) {
                int district = TpccScale.districtIndex(w, d);
                String where = " warehouseId=" + w + " districtId=" + d;
                long orders = tally.orders(w, d);
                equal("orderNumbers" + where, after.nextOrderId[district] - before.nextOrderId[district], orders);
                equal("orders" + where, after.orders[district] - before.orders[district], orders);
                equal(
                        "orderLines" + where,
                        after.orderLines[district] - before.orderLines[district],
                        tally.orderLines(w, d));
                equal(
                        "newOrders" + where,
                        after.newOrders[district] - before.newOrders[district],
                        orders - tally.deliveries(w, d));
                equal(
                        "districtYtdCents" + where,
                        after.districtYtd[district] - before.districtYtd[district],
                        tally.paymentCents(w, d));
                equal(
                        "historyRows" + where,
                        after.historyRows[district] - before.historyRows[district],
                        tally.payments(w, d));
                equal(
                        "historyCents" + where,
                        after.historyCents[district] - before.historyCents[district],
                        tally.paymentCents(w, d));
                payments += tally.payments(w, d);
                warehouseCents += tally.paymentCents(w, d);
                deliveries += tally.deliveries(w, d);
                orderLines += tally.orderLines(w, d);
            }
            equal(
                    "warehouseYtdCents warehouseId=" + w,
                    after.warehouseYtd[w - 1] - before.warehouseYtd[w - 1],
                    warehouseCents);
            paymentCents += warehouseCents;
        }
        equal("customerPayments", after.paymentCount - before.paymentCount, payments);
        equal("customerYtdPaymentCents", after.ytdPaymentCents - before.ytdPaymentCents, paymentCents);
        equal("customerDeliveries", after.deliveryCount - before.deliveryCount, deliveries);
        equal("customerBalanceCents", after.balanceCents - before.balanceCents, tally.deliveredCents() - paymentCents);
        equal("stockYtd", after.stockYtd - before.stockYtd, tally.quantitySold());
        equal("stockOrders", after.stockOrders - before.stockOrders, orderLines);
        equal("stockRemotes", after.stockRemotes - before.stockRemotes, tally.remoteLines());
    }

    private void equal(String what, long changed, long counted) {
        if (changed != counted) {
            differences.add(what + " database=" + changed + " driver=" + counted);
        }
    }
}
