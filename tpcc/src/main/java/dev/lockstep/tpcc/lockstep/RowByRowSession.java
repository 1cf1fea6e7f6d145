package dev.lockstep.tpcc.lockstep;

import dev.lockstep.engine.Cursor;
import dev.lockstep.engine.Key;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.Session;
import dev.lockstep.engine.TransactionOptions;
import dev.lockstep.tpcc.adapter.CustomerRow;
import dev.lockstep.tpcc.adapter.ItemRow;
import dev.lockstep.tpcc.adapter.LastName;
import dev.lockstep.tpcc.adapter.OrderLineRow;
import dev.lockstep.tpcc.adapter.StockRow;
import dev.lockstep.tpcc.adapter.TpccScale;
import java.util.Arrays;

/**
 * The statements that {@link LockstepSession} makes of several rows together, made of one row after the other: what
 * batches are measured against. Everything else, the order of rows and locks included, is the same.
 */
final class RowByRowSession extends LockstepSession {
    private final Key itemKey;
    private final Key stockKey;
    private final Key newOrderKey;
    private final Key orderKey;
    private final Key primaryKeyFound;
    private final Record item;
    private final Record orderLine;
    private final Record[] stocksLocked = new Record[LINES_MAX];

    RowByRowSession(LockstepTables tables, Session session, TransactionOptions[] options) {
        super(tables, session, options);
        itemKey = tables.item().newKey();
        stockKey = tables.stock().newKey();
        newOrderKey = tables.newOrder().newKey();
        orderKey = tables.orders().newKey();
        primaryKeyFound = tables.customer().newKey();
        item = tables.item().newRecord();
        orderLine = tables.orderLine().newRecord();
        Arrays.setAll(stocksLocked, i -> tables.stock().newRecord());
    }

    /** Does nothing: each row is read or locked by itself. */
    @Override
    public void expectOrder(
            int warehouseId, int districtId, int customerId, int[] itemIds, int[] supplyWarehouseIds, int lineCount) {}

    @Override
    public void readCustomerForOrder(int warehouseId, int districtId, int customerId, CustomerRow row) {
        fetch(tables.customer(), customerKey(warehouseId, districtId, customerId), customer);
        readForOrder(customer, row);
    }

    @Override
    public void readItems(int[] itemIds, int count, ItemRow[] rows) {
        lockItems();
        for (int i = 0; i < count; i++) {
            if (transaction().fetch(tables.item(), itemKey.reset().add(itemIds[i]), item)) {
                read(item, itemIds[i], rows[i]);
                // The next item is read into the same record.
                rows[i].name.keep();
                rows[i].data.keep();
            } else {
                rows[i].id = 0;
            }
        }
    }

    @Override
    public void lockStocks(int[] warehouseIds, int[] itemIds, int count, int districtId, StockRow[] rows) {
        for (int i = 0; i < count; i++) {
            lock(tables.stock(), stockKey.reset().add(warehouseIds[i]).add(itemIds[i]), stocksLocked[i]);
            read(stocksLocked[i], warehouseIds[i], itemIds[i], districtId, rows[i]);
        }
    }

    @Override
    public void updateStocks(StockRow[] rows, int count) {
        for (int i = 0; i < count; i++) {
            write(rows[i], stocksLocked[i]);
            update(tables.stock(), stocksLocked[i]);
        }
    }

    @Override
    public void insertOrderLines(OrderLineRow[] rows, int count) {
        for (int i = 0; i < count; i++) {
            RowMapping.write(rows[i], orderLine);
            transaction().insert(tables.orderLine(), orderLine);
        }
    }

    @Override
    public int findCustomer(int warehouseId, int districtId, LastName name) {
        int count = 0;
        try (Cursor found = scanCustomers(warehouseId, districtId, name)) {
            while (found.nextKey(primaryKeyFound)) {
                addNamesake(count++, primaryKeyFound.getInt(2));
            }
        }
        return middleNamesake(count);
    }

    @Override
    public int readOrderLines(int warehouseId, int districtId, int orderId, OrderLineRow[] rows) {
        int count = 0;
        try (Cursor lines = scanOrderLines(warehouseId, districtId, orderId)) {
            while (lines.next(orderLine)) {
                read(orderLine, rows[count++]);
            }
        }
        return count;
    }

    @Override
    public int removeOldestNewOrders(int warehouseId, int[] districtIds, int[] orderIds) {
        int count = 0;
        for (int districtId = 1; districtId <= TpccScale.DISTRICTS; districtId++) {
            newOrderKey.reset().add(warehouseId).add(districtId);
            if (removeOldestNewOrder()) {
                districtIds[count] = districtId;
                orderIds[count++] = newOrder.getInt(Columns.NO_O_ID);
            }
        }
        return count;
    }

    /** Finds it by {@code newOrderKey} and leaves it in {@code newOrder}; false if there is none. */
    private boolean removeOldestNewOrder() {
        try (Cursor oldest =
                transaction().scan(tables.newOrder()).within(newOrderKey).exclusive()) {
            if (!oldest.next(newOrder)) {
                return false;
            }
        }
        if (!transaction().delete(tables.newOrder(), newOrder)) {
            throw new IllegalStateException("locked row is missing table=new_order row=" + newOrder);
        }
        return true;
    }

    @Override
    public void deliverOrders(
            int warehouseId, int[] districtIds, int[] orderIds, int count, int carrierId, int[] customerIds) {
        for (int i = 0; i < count; i++) {
            Key key = orderKey.reset().add(warehouseId).add(districtIds[i]).add(orderIds[i]);
            lock(tables.orders(), key, order);
            customerIds[i] = deliver(order, carrierId);
            update(tables.orders(), order);
        }
    }

    @Override
    public void deliverOrderLines(
            int warehouseId, int[] districtIds, int[] orderIds, int count, long deliveryMillis, long[] amountsCents) {
        for (int i = 0; i < count; i++) {
            amountsCents[i] = 0;
            try (Cursor lines =
                    scanOrderLines(warehouseId, districtIds[i], orderIds[i]).exclusive()) {
                while (lines.next(orderLine)) {
                    amountsCents[i] += deliver(orderLine, deliveryMillis);
                    update(tables.orderLine(), orderLine);
                }
            }
        }
    }

    @Override
    public void creditCustomers(int warehouseId, int[] districtIds, int[] customerIds, long[] amountsCents, int count) {
        for (int i = 0; i < count; i++) {
            lock(tables.customer(), customerKey(warehouseId, districtIds[i], customerIds[i]), customer);
            credit(customer, amountsCents[i]);
            update(tables.customer(), customer);
        }
    }

    @Override
    public int countLowStock(int warehouseId, int districtId, int fromOrderId, int toOrderId, int threshold) {
        distinctItems.clear();
        try (Cursor lines = scanOrders(warehouseId, districtId, fromOrderId, toOrderId)) {
            while (lines.next(orderLine)) {
                distinctItems.add(orderLine.getInt(Columns.OL_I_ID));
            }
        }
        int low = 0;
        Record stock = stocksLocked[0];
        for (int i = 0; i < distinctItems.size(); i++) {
            fetch(tables.stock(), stockKey.reset().add(warehouseId).add(distinctItems.get(i)), stock);
            low += stock.getInt(Columns.S_QUANTITY) < threshold ? 1 : 0;
        }
        return low;
    }
}
