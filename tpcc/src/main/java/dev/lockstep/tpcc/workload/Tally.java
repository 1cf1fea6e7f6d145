package dev.lockstep.tpcc.workload;

import dev.lockstep.tpcc.adapter.TpccScale;
import java.util.ArrayList;
import java.util.List;

/**
 * What committed transactions must have done to the database, counted by the driver alone: per district what a terminal
 * does at home, and sums of what may reach other warehouses. Not thread-safe; each terminal has one for its warehouse,
 * and they are added up when all have ended.
 */
public final class Tally {
    /** Numbers that are not of districts. */
    private static final int SUMS = 3;

    private final int firstWarehouseId;
    private final int warehouses;
    private final long[] orders;
    private final long[] orderLines;
    private final long[] deliveries;
    private final long[] payments;
    private final long[] paymentCents;
    private long quantitySold;
    private long remoteLines;
    private long deliveredCents;

    /** An empty tally of some warehouses. */
    public Tally(int firstWarehouseId, int warehouses) {
        this.firstWarehouseId = firstWarehouseId;
        this.warehouses = warehouses;
        int districts = warehouses * TpccScale.DISTRICTS;
        orders = new long[districts];
        orderLines = new long[districts];
        deliveries = new long[districts];
        payments = new long[districts];
        paymentCents = new long[districts];
    }

    /**
     * A tally that another process has counted.
     *
     * @param numbers as {@link #numbers} gave them
     * @throws IllegalArgumentException if they are not those of so many warehouses, from the first
     */
    public static Tally of(int warehouses, List<Long> numbers) {
        Tally tally = new Tally(1, warehouses);
        long[][] parts = tally.parts();
        if (numbers.size() != parts.length * tally.orders.length + SUMS) {
            throw new IllegalArgumentException(
                    "no tally of so many warehouses: numbers=" + numbers.size() + " warehouses=" + warehouses);
        }
        int at = 0;
        for (long[] part : parts) {
            for (int i = 0; i < part.length; i++) {
                part[i] = numbers.get(at++);
            }
        }
        tally.quantitySold = numbers.get(at++);
        tally.remoteLines = numbers.get(at++);
        tally.deliveredCents = numbers.get(at);
        return tally;
    }

    /** All counts, in an order that only {@link #of} knows. */
    public List<Long> numbers() {
        List<Long> numbers = new ArrayList<>();
        for (long[] part : parts()) {
            for (long number : part) {
                numbers.add(number);
            }
        }
        numbers.addAll(List.of(quantitySold, remoteLines, deliveredCents));
        return List.copyOf(numbers);
    }

    private long[][] parts() {
        return new long[][] {orders, orderLines, deliveries, payments, paymentCents};
    }

    /** Counts a transaction that has just committed. */
    public void committed(TransactionInput input, TpccTransactions transactions) {
        switch (input.type) {
            case NEW_ORDER -> {
                int district = index(input.warehouseId, input.districtId);
                orders[district]++;
                orderLines[district] += input.lineCount;
                for (int i = 0; i < input.lineCount; i++) {
                    quantitySold += input.quantities[i];
                    if (input.supplyWarehouseIds[i] != input.warehouseId) {
                        remoteLines++;
                    }
                }
            }
            case PAYMENT -> {
                int district = index(input.warehouseId, input.districtId);
                payments[district]++;
                paymentCents[district] += input.amountCents;
            }
            case DELIVERY -> {
                for (int districtId = 1; districtId <= TpccScale.DISTRICTS; districtId++) {
                    if (transactions.deliveredOrderId(districtId) != 0) {
                        deliveries[index(input.warehouseId, districtId)]++;
                        deliveredCents += transactions.deliveredCents(districtId);
                    }
                }
            }
            case ORDER_STATUS, STOCK_LEVEL -> {
                // They change nothing.
            }
        }
    }

    /** Adds another tally, whose warehouses this one covers. */
    public void add(Tally other) {
        for (int w = 0; w < other.warehouses; w++) {
            for (int districtId = 1; districtId <= TpccScale.DISTRICTS; districtId++) {
                int to = index(other.firstWarehouseId + w, districtId);
                int from = w * TpccScale.DISTRICTS + districtId - 1;
                orders[to] += other.orders[from];
                orderLines[to] += other.orderLines[from];
                deliveries[to] += other.deliveries[from];
                payments[to] += other.payments[from];
                paymentCents[to] += other.paymentCents[from];
            }
        }
        quantitySold += other.quantitySold;
        remoteLines += other.remoteLines;
        deliveredCents += other.deliveredCents;
    }

    private int index(int warehouseId, int districtId) {
        return (warehouseId - firstWarehouseId) * TpccScale.DISTRICTS + districtId - 1;
    }

    /** New-Orders of a district. */
    public long orders(int warehouseId, int districtId) {
        return orders[index(warehouseId, districtId)];
    }

    /** Order lines of a district's New-Orders. */
    public long orderLines(int warehouseId, int districtId) {
        return orderLines[index(warehouseId, districtId)];
    }

    /** Orders delivered in a district. */
    public long deliveries(int warehouseId, int districtId) {
        return deliveries[index(warehouseId, districtId)];
    }

    /** Payments made in a district. */
    public long payments(int warehouseId, int districtId) {
        return payments[index(warehouseId, districtId)];
    }

    /** The sum of the payments made in a district, in cents. */
    public long paymentCents(int warehouseId, int districtId) {
        return paymentCents[index(warehouseId, districtId)];
    }

    /** The sum of OL_QUANTITY over all New-Orders. */
    public long quantitySold() {
        return quantitySold;
    }

    /** Order lines that another warehouse supplied. */
    public long remoteLines() {
        return remoteLines;
    }

    /** The worth of all orders delivered, in cents. */
    public long deliveredCents() {
        return deliveredCents;
    }
}
