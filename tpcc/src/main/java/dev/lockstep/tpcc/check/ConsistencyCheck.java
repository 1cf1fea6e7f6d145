package dev.lockstep.tpcc.check;

import dev.lockstep.tpcc.adapter.CustomerRow;
import dev.lockstep.tpcc.adapter.DistrictRow;
import dev.lockstep.tpcc.adapter.HistoryRow;
import dev.lockstep.tpcc.adapter.NewOrderRow;
import dev.lockstep.tpcc.adapter.OrderLineRow;
import dev.lockstep.tpcc.adapter.OrderRow;
import dev.lockstep.tpcc.adapter.StockRow;
import dev.lockstep.tpcc.adapter.TpccScale;
import dev.lockstep.tpcc.adapter.TpccScanner;
import java.util.Collections;
import java.util.SortedMap;

/**
 * Reads a database at rest once, and judges the twelve consistency conditions of clause 3.3.2 from what it read. Needs
 * about 7 bytes an order and 32 a customer. Not thread-safe.
 */
public final class ConsistencyCheck {
    /** The number of conditions. */
    public static final int CONDITIONS = 12;

    /** The verdict on a condition that holds. */
    public static final String OK = Verdicts.OK;

    private final TpccScale scale;
    private final DatabaseTotals totals;
    private final Verdicts verdicts = new Verdicts(CONDITIONS);
    private final long[] warehouseHistoryCents;
    private final long[] customerBalance;
    private final long[] customerYtdPayment;
    private final long[] customerHistoryCents;
    private final long[] customerDeliveredCents;
    private final DistrictOrders[] orders;
    private final long[] declaredLines;
    private final int[] highestOrderId;
    private final int[] lowestNewOrderId;
    private final int[] highestNewOrderId;

    private ConsistencyCheck(TpccScale scale) {
        this.scale = scale;
        totals = new DatabaseTotals(scale);
        int districts = scale.districts();
        int customers = scale.customers();
        warehouseHistoryCents = new long[scale.warehouses()];
        customerBalance = new long[customers];
        customerYtdPayment = new long[customers];
        customerHistoryCents = new long[customers];
        customerDeliveredCents = new long[customers];
        orders = new DistrictOrders[districts];
        for (int district = 0; district < districts; district++) {
            orders[district] = new DistrictOrders();
        }
        declaredLines = new long[districts];
        highestOrderId = new int[districts];
        lowestNewOrderId = new int[districts];
        highestNewOrderId = new int[districts];
    }

    /**
     * What a check found.
     *
     * @param conditions verdict by number of the condition, from 1: {@link #OK} or the first violation
     * @param totals counts and sums, for the comparison with a tally
     */
    public record Report(SortedMap<Integer, String> conditions, DatabaseTotals totals) {
        /** Whether all conditions hold. */
        public boolean ok() {
            return conditions.values().stream().allMatch(OK::equals);
        }
    }

    /** Tells how many orders of a district should have been delivered by now, loaded ones included. */
    @FunctionalInterface
    public interface ExpectedDeliveries {
        /** Condition 11: orders less NEW_ORDER rows. */
        long delivered(int warehouseId, int districtId);
    }

    /** Checks a database that has just been loaded. */
    public static Report afterLoad(TpccScale scale, TpccScanner scanner) {
        return check(scale, scanner, (w, d) -> scale.deliveredPerDistrict());
    }

    /**
     * Checks a database that transactions have run on.
     *
     * @param expected for condition 11, which holds in the specification's form only right after loading
     */
    public static Report check(TpccScale scale, TpccScanner scanner, ExpectedDeliveries expected) {
        ConsistencyCheck check = new ConsistencyCheck(scale);
        check.read(scanner);
        check.judge(expected);
        return new Report(Collections.unmodifiableSortedMap(check.verdicts.result()), check.totals);
    }

    private void read(TpccScanner scanner) {
        scanner.warehouses(row -> totals.warehouseYtd[row.id - 1] = row.ytdCents);
        scanner.districts(this::district);
        scanner.histories(this::history);
        scanner.customers(this::customer);
        scanner.newOrders(this::newOrder);
        scanner.orders(this::order);
        scanner.orderLines(this::orderLine);
        scanner.stocks(this::stock);
    }

    private void district(DistrictRow row) {
        int district = TpccScale.districtIndex(row.warehouseId, row.id);
        totals.districtYtd[district] = row.ytdCents;
        totals.nextOrderId[district] = row.nextOrderId;
    }

    private void history(HistoryRow row) {
        int district = TpccScale.districtIndex(row.warehouseId, row.districtId);
        totals.historyRows[district]++;
        totals.historyCents[district] += row.amountCents;
        warehouseHistoryCents[row.warehouseId - 1] += row.amountCents;
        customerHistoryCents[scale.customerIndex(row.customerWarehouseId, row.customerDistrictId, row.customerId)] +=
                row.amountCents;
    }

    private void customer(CustomerRow row) {
        int customer = scale.customerIndex(row.warehouseId, row.districtId, row.id);
        customerBalance[customer] = row.balanceCents;
        customerYtdPayment[customer] = row.ytdPaymentCents;
        totals.balanceCents += row.balanceCents;
        totals.ytdPaymentCents += row.ytdPaymentCents;
        totals.paymentCount += row.paymentCount;
        totals.deliveryCount += row.deliveryCount;
    }

    private void newOrder(NewOrderRow row) {
        int district = TpccScale.districtIndex(row.warehouseId, row.districtId);
        if (totals.newOrders[district]++ == 0) {
            lowestNewOrderId[district] = row.orderId;
        }
        lowestNewOrderId[district] = Math.min(lowestNewOrderId[district], row.orderId);
        highestNewOrderId[district] = Math.max(highestNewOrderId[district], row.orderId);
        orders[district].newOrder(row.orderId);
    }

    private void order(OrderRow row) {
        int district = TpccScale.districtIndex(row.warehouseId, row.districtId);
        totals.orders[district]++;
        declaredLines[district] += row.lineCount;
        highestOrderId[district] = Math.max(highestOrderId[district], row.id);
        orders[district].order(row.id, row.customerId, row.carrierId != OrderRow.NO_CARRIER, row.lineCount);
    }

    private void orderLine(OrderLineRow row) {
        int district = TpccScale.districtIndex(row.warehouseId, row.districtId);
        totals.orderLines[district]++;
        DistrictOrders known = orders[district];
        known.line(row.orderId);
        boolean delivered = row.deliveryMillis != OrderLineRow.NOT_DELIVERED;
        if (delivered != known.delivered(row.orderId)) {
            verdicts.violation(
                    7,
                    "warehouseId=" + row.warehouseId + " districtId=" + row.districtId + " orderId=" + row.orderId
                            + " lineNumber=" + row.number + " lineDelivered=" + delivered + " orderDelivered="
                            + known.delivered(row.orderId));
        }
        if (delivered && known.exists(row.orderId)) {
            int customerId = known.customerId(row.orderId);
            int customer = scale.customerIndex(row.warehouseId, row.districtId, customerId);
            customerDeliveredCents[customer] += row.amountCents;
        }
    }

    private void stock(StockRow row) {
        totals.stockYtd += row.ytd;
        totals.stockOrders += row.orderCount;
        totals.stockRemotes += row.remoteCount;
    }

    private void judge(ExpectedDeliveries expected) {
        for (int w = 1; w <= scale.warehouses(); w++) {
            long districtYtd = 0;
            for (int d = 1; d <= TpccScale.DISTRICTS; d++) {
                districtYtd += totals.districtYtd[TpccScale.districtIndex(w, d)];
            }
            long ytd = totals.warehouseYtd[w - 1];
            verdicts.equal(1, "", w, 0, 0, "W_YTD", ytd, "sum(D_YTD)", districtYtd);
            verdicts.equal(8, "", w, 0, 0, "W_YTD", ytd, "sum(H_AMOUNT)", warehouseHistoryCents[w - 1]);
            for (int d = 1; d <= TpccScale.DISTRICTS; d++) {
                judgeDistrict(w, d, expected);
                judgeOrders(w, d);
                judgeCustomers(w, d);
            }
        }
    }

    private void judgeDistrict(int w, int d, ExpectedDeliveries expected) {
        int district = TpccScale.districtIndex(w, d);
        long newest = totals.nextOrderId[district] - 1;
        verdicts.equal(2, "", w, d, 0, "D_NEXT_O_ID-1", newest, "max(O_ID)", highestOrderId[district]);
        // A district whose orders are all delivered has no NEW_ORDER row to compare.
        if (totals.newOrders[district] > 0) {
            int highest = highestNewOrderId[district];
            verdicts.equal(2, "", w, d, 0, "D_NEXT_O_ID-1", newest, "max(NO_O_ID)", highest);
            long span = highest - lowestNewOrderId[district] + 1L;
            verdicts.equal(3, "", w, d, 0, "max(NO_O_ID)-min(NO_O_ID)+1", span, "count(*)", totals.newOrders[district]);
        }
        verdicts.equal(
                4, "", w, d, 0, "sum(O_OL_CNT)", declaredLines[district], "count(*)", totals.orderLines[district]);
        verdicts.equal(
                9, "", w, d, 0, "D_YTD", totals.districtYtd[district], "sum(H_AMOUNT)", totals.historyCents[district]);
        verdicts.equal(
                11,
                "",
                w,
                d,
                0,
                "orders-newOrders",
                totals.orders[district] - totals.newOrders[district],
                "expected",
                expected.delivered(w, d));
    }

    private void judgeOrders(int w, int d) {
        DistrictOrders known = orders[TpccScale.districtIndex(w, d)];
        for (int o = 0; o <= known.highest(); o++) {
            boolean undelivered = known.exists(o) && !known.delivered(o);
            verdicts.equal(
                    5,
                    "orderId",
                    w,
                    d,
                    o,
                    "orderWithoutCarrier",
                    undelivered ? 1 : 0,
                    "newOrderRows",
                    known.isNew(o) ? 1 : 0);
            verdicts.equal(6, "orderId", w, d, o, "O_OL_CNT", known.declaredLines(o), "count(*)", known.lines(o));
        }
    }

    private void judgeCustomers(int w, int d) {
        for (int c = 1; c <= scale.customersPerDistrict(); c++) {
            int customer = scale.customerIndex(w, d, c);
            long delivered = customerDeliveredCents[customer];
            long balance = customerBalance[customer];
            verdicts.equal(
                    10,
                    "customerId",
                    w,
                    d,
                    c,
                    "C_BALANCE",
                    balance,
                    "sum(OL_AMOUNT)-sum(H_AMOUNT)",
                    delivered - customerHistoryCents[customer]);
            verdicts.equal(
                    12,
                    "customerId",
                    w,
                    d,
                    c,
                    "C_BALANCE+C_YTD_PAYMENT",
                    balance + customerYtdPayment[customer],
                    "sum(OL_AMOUNT)",
                    delivered);
        }
    }
}
