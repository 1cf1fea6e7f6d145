package dev.lockstep.tpcc.lockstep;

import dev.lockstep.engine.Cursor;
import dev.lockstep.engine.Isolation;
import dev.lockstep.engine.Key;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.RowBatch;
import dev.lockstep.engine.Session;
import dev.lockstep.engine.Transaction;
import dev.lockstep.engine.TransactionOptions;
import dev.lockstep.tpcc.adapter.HistoryRow;
import dev.lockstep.tpcc.adapter.OldRowTarget;
import dev.lockstep.tpcc.adapter.OrderLineRow;
import dev.lockstep.tpcc.adapter.OrderRow;
import dev.lockstep.tpcc.adapter.TpccScale;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Removes old orders and payments while transactions run, so that a database that is used for long stays as large as
 * it is: TPC-C itself removes NEW_ORDER rows alone. An order goes when it has been delivered and its customer has a
 * newer one, which is what Order-Status reads; so each transaction finds what it found before. What was removed and
 * what is left are together what a database without removal would hold.
 *
 * <p>Not thread-safe; one of them for a database at a time.
 */
public final class LockstepRetention implements AutoCloseable {
    /** Orders removed at a time: with their lines two hundred rows or so, whose locks nobody waits long for. */
    private static final int ORDERS_PER_TRANSACTION = 16;

    private static final int PAYMENTS_PER_TRANSACTION = 100;

    /** Most orders, or payments, of one call: it keeps their keys in memory meanwhile. */
    private static final int REMOVED_MAX = 100_000;

    /** An order with its lines is locked in the order in which transactions lock them; they may still meet. */
    private static final int RETRIES_MAX = 100;

    private final TpccScale scale;
    private final LockstepTables tables;
    private final Session session;
    private final TransactionOptions options;
    private final Key orderKey;
    private final Key orderLineKey;
    private final Key historyKey;
    private final Record order;
    private final Record history;
    private final RowBatch lines;

    /** By customer: the O_ID of the newest order seen if it may go as soon as a newer one is seen, else 0. */
    private final int[] removable;

    private final long[] found = new long[REMOVED_MAX];

    /** An order that was removed. */
    private record RemovedOrder(OrderRow order, List<OrderLineRow> lines) {}

    LockstepRetention(LockstepTables tables, Session session, TpccScale scale, TransactionOptions like) {
        this.scale = scale;
        this.tables = tables;
        this.session = session;
        options = new TransactionOptions(
                Isolation.READ_COMMITTED, like.durability(), like.lockTimeout(), like.timeout(), RETRIES_MAX);
        orderKey = tables.orders().newKey();
        orderLineKey = tables.orderLine().newKey();
        historyKey = tables.history().newKey();
        order = tables.orders().newRecord();
        history = tables.history().newRecord();
        lines = tables.orderLine().newBatch(TpccScale.ORDER_LINES_MAX);
        removable = new int[scale.customers()];
    }

    /**
     * Removes the delivered orders that were entered before a time and are not their customers' newest, the first
     * hundred thousand of them.
     *
     * @param enteredBeforeMillis since the epoch
     * @param target is given them, group by group
     * @return number of orders
     */
    public int removeOrders(long enteredBeforeMillis, OldRowTarget target) {
        int count = findOrders(enteredBeforeMillis);
        for (int first = 0; first < count; first += ORDERS_PER_TRANSACTION) {
            int begin = first;
            int end = Math.min(first + ORDERS_PER_TRANSACTION, count);
            List<RemovedOrder> removed = session.call(options, transaction -> {
                List<RemovedOrder> group = new ArrayList<>();
                for (int i = begin; i < end; i++) {
                    group.add(remove(transaction, found[i]));
                }
                return group;
            });
            removed.forEach(one -> target.order(one.order(), one.lines()));
        }
        return count;
    }

    /** Orders come by district and number, so the one before of the same customer is the older one. */
    private int findOrders(long enteredBeforeMillis) {
        Arrays.fill(removable, 0);
        OrderRow row = new OrderRow();
        return session.call(options, transaction -> {
            int count = 0;
            try (Cursor orders = transaction.scan(tables.orders())) {
                while (count < REMOVED_MAX && orders.next(order)) {
                    RowMapping.read(order, row);
                    int customer = scale.customerIndex(row.warehouseId, row.districtId, row.customerId);
                    if (removable[customer] != 0) {
                        found[count++] = orderName(row.warehouseId, row.districtId, removable[customer]);
                    }
                    boolean isOld = row.carrierId != OrderRow.NO_CARRIER && row.entryMillis < enteredBeforeMillis;
                    removable[customer] = isOld ? row.id : 0;
                }
            }
            return count;
        });
    }

    private static long orderName(int warehouseId, int districtId, int orderId) {
        return (long) TpccScale.districtIndex(warehouseId, districtId) << Integer.SIZE | orderId;
    }

    private RemovedOrder remove(Transaction transaction, long orderName) {
        int district = (int) (orderName >>> Integer.SIZE);
        int warehouseId = district / TpccScale.DISTRICTS + 1;
        int districtId = district % TpccScale.DISTRICTS + 1;
        orderKey.reset().add(warehouseId).add(districtId).add((int) orderName);
        orderLineKey.reset().add(warehouseId).add(districtId).add((int) orderName);
        LockstepSession.require(
                transaction.fetchExclusive(tables.orders(), orderKey, order), tables.orders(), orderKey);
        OrderRow removed = new OrderRow();
        RowMapping.read(order, removed);
        List<OrderLineRow> removedLines = new ArrayList<>(removed.lineCount);
        try (Cursor cursor =
                transaction.scan(tables.orderLine()).within(orderLineKey).exclusive()) {
            while (cursor.next(lines) > 0) {
                for (int i = 0; i < lines.size(); i++) {
                    OrderLineRow line = new OrderLineRow();
                    RowMapping.read(lines.record(i), line);
                    removedLines.add(line);
                    transaction.delete(tables.orderLine(), lines.record(i));
                }
            }
        }
        transaction.delete(tables.orders(), order);
        return new RemovedOrder(removed, removedLines);
    }

    /**
     * Removes the payments made before a time, the first hundred thousand of them.
     *
     * @param madeBeforeMillis since the epoch
     * @param target is given them, group by group
     * @return number of payments
     */
    public int removeHistories(long madeBeforeMillis, OldRowTarget target) {
        int count = findHistories(madeBeforeMillis);
        for (int first = 0; first < count; first += PAYMENTS_PER_TRANSACTION) {
            int begin = first;
            int end = Math.min(first + PAYMENTS_PER_TRANSACTION, count);
            List<HistoryRow> removed = session.call(options, transaction -> {
                List<HistoryRow> group = new ArrayList<>();
                for (int i = begin; i < end; i++) {
                    historyKey.reset().add(found[i]);
                    LockstepSession.require(
                            transaction.fetchExclusive(tables.history(), historyKey, history),
                            tables.history(),
                            historyKey);
                    HistoryRow row = new HistoryRow();
                    RowMapping.read(history, row);
                    group.add(row);
                    transaction.delete(tables.history(), history);
                }
                return group;
            });
            removed.forEach(target::history);
        }
        return count;
    }

    private int findHistories(long madeBeforeMillis) {
        HistoryRow row = new HistoryRow();
        return session.call(options, transaction -> {
            int count = 0;
            try (Cursor payments = transaction.scan(tables.history())) {
                while (count < REMOVED_MAX && payments.next(history)) {
                    RowMapping.read(history, row);
                    if (row.dateMillis < madeBeforeMillis) {
                        found[count++] = row.id;
                    }
                }
            }
            return count;
        });
    }

    @Override
    public void close() {
        session.close();
    }
}
