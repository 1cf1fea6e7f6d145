package dev.lockstep.tpcc.lockstep;

import dev.lockstep.engine.Cursor;
import dev.lockstep.engine.FetchGroup;
import dev.lockstep.engine.Key;
import dev.lockstep.engine.PendingCommit;
import dev.lockstep.engine.RangeBatch;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.RowBatch;
import dev.lockstep.engine.Session;
import dev.lockstep.engine.Table;
import dev.lockstep.engine.Transaction;
import dev.lockstep.engine.TransactionOptions;
import dev.lockstep.tpcc.adapter.CommitAnswer;
import dev.lockstep.tpcc.adapter.CustomerRow;
import dev.lockstep.tpcc.adapter.DistrictRow;
import dev.lockstep.tpcc.adapter.HistoryRow;
import dev.lockstep.tpcc.adapter.ItemRow;
import dev.lockstep.tpcc.adapter.LastName;
import dev.lockstep.tpcc.adapter.OrderLineRow;
import dev.lockstep.tpcc.adapter.OrderRow;
import dev.lockstep.tpcc.adapter.StockRow;
import dev.lockstep.tpcc.adapter.Text;
import dev.lockstep.tpcc.adapter.TpccScale;
import dev.lockstep.tpcc.adapter.TpccSession;
import dev.lockstep.tpcc.adapter.TransactionType;
import dev.lockstep.tpcc.adapter.WarehouseRow;
import java.util.Arrays;

/**
 * The statements on Lockstep's own interface, with keys and records that are made once. What a statement asks of
 * several rows goes to the engine together; {@link RowByRowSession} asks for one after the other.
 */
class LockstepSession implements TpccSession {
    /** Most lines of an order, clause 2.4.1.3. */
    static final int LINES_MAX = 15;

    /** Stock rows of which the quantity is read at once: three times as many as one chunk of fetches has. */
    private static final int STOCKS_TOGETHER = 48;

    /** Order lines read at once: more than an order has, and few enough to stay in the first-level cache. */
    private static final int LINES_TOGETHER = 32;

    /** Customers of one name found at once; there are three on average. */
    private static final int NAMESAKES_TOGETHER = 16;

    /** First size of the list of customers of one name; there are three on average, and it grows. */
    private static final int NAMESAKES_INITIAL = 64;

    final LockstepTables tables;
    private final Session session;
    private final TransactionOptions[] options;
    private final Key warehouseKey;
    private final Key districtKey;
    private final Key customerKey;
    private final Key customerNameKey;
    private final Key orderCustomerKey;
    private final Key orderLineKey;
    private final Key orderLineEndKey;
    private final Record warehouse;
    private final Record district;
    final Record customer;
    private final Record history;
    final Record newOrder;
    final Record order;
    private final RowBatch orderCustomer;
    private final RowBatch items;
    private final RowBatch stocks;
    private final FetchGroup orderReads;
    private final int[] expectedItemIds = new int[LINES_MAX];
    private final int[] expectedSuppliers = new int[LINES_MAX];
    private final int[] stockOfRow = new int[LINES_MAX];
    private final RowBatch stockQuantities;
    private final RowBatch orderLines;
    private final RowBatch linesRead;
    private final RangeBatch oldestNewOrders;
    private final RowBatch orders;
    private final RangeBatch linesDelivered;
    private final RowBatch customers;
    private final RowBatch customersFound;
    private final Text lastName = new Text(16);
    final ItemSet distinctItems = new ItemSet();
    private int[] namesakes = new int[NAMESAKES_INITIAL];
    private PendingCommit answer;
    private Transaction tx;

    LockstepSession(LockstepTables tables, Session session, TransactionOptions[] options) {
        this.tables = tables;
        this.session = session;
        this.options = options;
        warehouseKey = tables.warehouse().newKey();
        districtKey = tables.district().newKey();
        customerKey = tables.customer().newKey();
        customerNameKey = tables.customer().newIndexKey(Columns.CUSTOMER_BY_NAME);
        orderCustomerKey = tables.orders().newIndexKey(Columns.ORDERS_BY_CUSTOMER);
        orderLineKey = tables.orderLine().newKey();
        orderLineEndKey = tables.orderLine().newKey();
        warehouse = tables.warehouse().newRecord();
        district = tables.district().newRecord();
        customer = tables.customer().newRecord();
        history = tables.history().newRecord();
        newOrder = tables.newOrder().newRecord();
        order = tables.orders().newRecord();
        orderCustomer = tables.customer().newBatch(1);
        items = tables.item().newBatch(LINES_MAX);
        stocks = tables.stock().newBatch(LINES_MAX);
        orderReads = new FetchGroup()
                .read(tables.customer(), orderCustomer)
                .read(tables.item(), items)
                .exclusive(tables.stock(), stocks);
        stockQuantities = tables.stock().newBatch(STOCKS_TOGETHER, Columns.S_QUANTITY);
        orderLines = tables.orderLine().newBatch(LINES_MAX);
        linesRead = tables.orderLine()
                .newBatch(
                        LINES_TOGETHER,
                        Columns.OL_I_ID,
                        Columns.OL_SUPPLY_W_ID,
                        Columns.OL_QUANTITY,
                        Columns.OL_AMOUNT,
                        Columns.OL_DELIVERY_D);
        oldestNewOrders = tables.newOrder().newRangeBatch(TpccScale.DISTRICTS, 1);
        orders = tables.orders().newBatch(TpccScale.DISTRICTS);
        linesDelivered = tables.orderLine().newRangeBatch(TpccScale.DISTRICTS, LINES_MAX);
        customers = tables.customer().newBatch(TpccScale.DISTRICTS);
        customersFound = tables.customer().newBatch(NAMESAKES_TOGETHER);
    }

    @Override
    public void begin(TransactionType type) {
        tx = session.begin(options[type.ordinal()]);
    }

    @Override
    public void commit() {
        if (answer == null) {
            tx.commit();
        } else {
            tx.commit(answer);
        }
    }

    @Override
    public void answerTo(CommitAnswer waiting) {
        answer = waiting instanceof LockstepAnswer own ? own.commit() : null;
    }

    @Override
    public final void rollback() {
        if (tx != null) {
            tx.rollback();
        }
    }

    static void require(boolean found, Table table, Key key) {
        if (!found) {
            throw new IllegalStateException("row is missing table=" + table.name() + " key=" + key);
        }
    }

    private static void requireAll(int found, Table table, RowBatch batch) {
        for (int i = 0; found < batch.size() && i < batch.size(); i++) {
            require(batch.found(i), table, batch.key(i));
        }
    }

    /** The open transaction. */
    final Transaction transaction() {
        return tx;
    }

    final void fetch(Table table, Key key, Record into) {
        require(tx.fetch(table, key, into), table, key);
    }

    final void lock(Table table, Key key, Record into) {
        require(tx.fetchExclusive(table, key, into), table, key);
    }

    final void update(Table table, Record row) {
        if (!tx.update(table, row)) {
            throw new IllegalStateException("locked row is missing table=" + table.name() + " row=" + row);
        }
    }

    private void update(Table table, RowBatch batch) {
        requireAll(tx.update(table, batch), table, batch);
    }

    @Override
    public int readWarehouseTax(int warehouseId) {
        fetch(tables.warehouse(), warehouseKey.reset().add(warehouseId), warehouse);
        return (int) warehouse.getDecimalUnscaled(Columns.W_TAX);
    }

    @Override
    public void takeOrderId(int warehouseId, int districtId, DistrictRow row) {
        lock(tables.district(), districtKey.reset().add(warehouseId).add(districtId), district);
        row.taxTenThousandths = (int) district.getDecimalUnscaled(Columns.D_TAX);
        row.nextOrderId = district.getInt(Columns.D_NEXT_O_ID);
        district.setInt(Columns.D_NEXT_O_ID, row.nextOrderId + 1);
        update(tables.district(), district);
    }

    final Key customerKey(int warehouseId, int districtId, int customerId) {
        return customerKey.reset().add(warehouseId).add(districtId).add(customerId);
    }

    /** Reads and locks it now: while one search waits for memory all others go on. */
    @Override
    public void expectOrder(
            int warehouseId, int districtId, int customerId, int[] itemIds, int[] supplyWarehouseIds, int lineCount) {
        orderCustomer.clear();
        orderCustomer.addKey().add(warehouseId).add(districtId).add(customerId);
        items.clear();
        stocks.clear();
        for (int i = 0; i < lineCount; i++) {
            items.addKey().add(itemIds[i]);
            if (i == 0 || itemIds[i] != itemIds[i - 1] || supplyWarehouseIds[i] != supplyWarehouseIds[i - 1]) {
                expectedItemIds[stocks.size()] = itemIds[i];
                expectedSuppliers[stocks.size()] = supplyWarehouseIds[i];
                stocks.addKey().add(supplyWarehouseIds[i]).add(itemIds[i]);
            }
        }
        lockItems();
        tx.fetch(orderReads);
    }

    @Override
    public void readCustomerForOrder(int warehouseId, int districtId, int customerId, CustomerRow row) {
        requireAll(orderCustomer.found(0) ? 1 : 0, tables.customer(), orderCustomer);
        readForOrder(orderCustomer.record(0), row);
    }

    static void readForOrder(Record customer, CustomerRow row) {
        row.discountTenThousandths = (int) customer.getDecimalUnscaled(Columns.C_DISCOUNT);
        RowMapping.show(customer, Columns.C_LAST, row.last);
        RowMapping.show(customer, Columns.C_CREDIT, row.credit);
    }

    @Override
    public void insertOrder(OrderRow row) {
        RowMapping.write(row, order);
        tx.insert(tables.orders(), order);
    }

    @Override
    public void insertNewOrder(int warehouseId, int districtId, int orderId) {
        newOrder.clear();
        newOrder.setInt(Columns.NO_W_ID, warehouseId);
        newOrder.setInt(Columns.NO_D_ID, districtId);
        newOrder.setInt(Columns.NO_O_ID, orderId);
        tx.insert(tables.newOrder(), newOrder);
    }

    @Override
    public void readItems(int[] itemIds, int count, ItemRow[] rows) {
        for (int i = 0; i < count; i++) {
            if (items.found(i)) {
                read(items.record(i), itemIds[i], rows[i]);
            } else {
                rows[i].id = 0;
            }
        }
    }

    /** Nobody changes items: one lock for all of them. */
    final void lockItems() {
        tx.lockShared(tables.item());
    }

    /** What the row shows lies in the record, as in all methods of this kind. */
    static void read(Record item, int itemId, ItemRow row) {
        row.id = itemId;
        row.priceCents = (int) item.getDecimalUnscaled(Columns.I_PRICE);
        RowMapping.show(item, Columns.I_NAME, row.name);
        RowMapping.show(item, Columns.I_DATA, row.data);
    }

    @Override
    public void lockStocks(int[] warehouseIds, int[] itemIds, int count, int districtId, StockRow[] rows) {
        int next = 0;
        for (int i = 0; i < count; i++) {
            // An item that does not exist has no stock either.
            while (expectedItemIds[next] != itemIds[i] || expectedSuppliers[next] != warehouseIds[i]) {
                next++;
            }
            require(stocks.found(next), tables.stock(), stocks.key(next));
            stockOfRow[i] = next;
            read(stocks.record(next++), warehouseIds[i], itemIds[i], districtId, rows[i]);
        }
    }

    static void read(Record record, int warehouseId, int itemId, int districtId, StockRow row) {
        row.warehouseId = warehouseId;
        row.itemId = itemId;
        row.quantity = record.getInt(Columns.S_QUANTITY);
        row.ytd = record.getInt(Columns.S_YTD);
        row.orderCount = record.getInt(Columns.S_ORDER_CNT);
        row.remoteCount = record.getInt(Columns.S_REMOTE_CNT);
        RowMapping.show(record, Columns.S_DIST_01 + districtId - 1, row.districtInfos[districtId - 1]);
        RowMapping.show(record, Columns.S_DATA, row.data);
    }

    @Override
    public void updateStocks(StockRow[] rows, int count) {
        for (int i = 0; i < count; i++) {
            write(rows[i], stocks.record(stockOfRow[i]));
        }
        if (tx.update(tables.stock(), stocks) != count) {
            throw new IllegalStateException("locked rows are missing table=stock count=" + count);
        }
    }

    static void write(StockRow row, Record record) {
        record.setInt(Columns.S_QUANTITY, row.quantity);
        record.setInt(Columns.S_YTD, row.ytd);
        record.setInt(Columns.S_ORDER_CNT, row.orderCount);
        record.setInt(Columns.S_REMOTE_CNT, row.remoteCount);
    }

    @Override
    public void insertOrderLines(OrderLineRow[] rows, int count) {
        orderLines.clear();
        for (int i = 0; i < count; i++) {
            RowMapping.write(rows[i], orderLines.addRow());
        }
        tx.insert(tables.orderLine(), orderLines);
    }

    @Override
    public void payWarehouse(int warehouseId, long amountCents, WarehouseRow row) {
        lock(tables.warehouse(), warehouseKey.reset().add(warehouseId), warehouse);
        RowMapping.show(warehouse, Columns.W_NAME, row.name);
        RowMapping.show(warehouse, Columns.W_STREET_1, row.street1);
        RowMapping.show(warehouse, Columns.W_STREET_2, row.street2);
        RowMapping.show(warehouse, Columns.W_CITY, row.city);
        RowMapping.show(warehouse, Columns.W_STATE, row.state);
        RowMapping.show(warehouse, Columns.W_ZIP, row.zip);
        warehouse.setDecimalUnscaled(Columns.W_YTD, warehouse.getDecimalUnscaled(Columns.W_YTD) + amountCents);
        update(tables.warehouse(), warehouse);
    }

    @Override
    public void payDistrict(int warehouseId, int districtId, long amountCents, DistrictRow row) {
        lock(tables.district(), districtKey.reset().add(warehouseId).add(districtId), district);
        RowMapping.show(district, Columns.D_NAME, row.name);
        RowMapping.show(district, Columns.D_STREET_1, row.street1);
        RowMapping.show(district, Columns.D_STREET_2, row.street2);
        RowMapping.show(district, Columns.D_CITY, row.city);
        RowMapping.show(district, Columns.D_STATE, row.state);
        RowMapping.show(district, Columns.D_ZIP, row.zip);
        district.setDecimalUnscaled(Columns.D_YTD, district.getDecimalUnscaled(Columns.D_YTD) + amountCents);
        update(tables.district(), district);
    }

    @Override
    public int findCustomer(int warehouseId, int districtId, LastName name) {
        int count = 0;
        try (Cursor found = scanCustomers(warehouseId, districtId, name)) {
            while (found.nextKeys(customersFound) > 0) {
                for (int i = 0; i < customersFound.size(); i++) {
                    addNamesake(count++, customersFound.key(i).getInt(2));
                }
            }
        }
        return middleNamesake(count);
    }

    final Cursor scanCustomers(int warehouseId, int districtId, LastName name) {
        name.to(lastName);
        customerNameKey
                .reset()
                .add(warehouseId)
                .add(districtId)
                .addUtf8(lastName.bytes(), lastName.offset(), lastName.length());
        return tx.scan(tables.customer(), Columns.CUSTOMER_BY_NAME).within(customerNameKey);
    }

    final void addNamesake(int index, int customerId) {
        if (index == namesakes.length) {
            namesakes = Arrays.copyOf(namesakes, 2 * namesakes.length);
        }
        namesakes[index] = customerId;
    }

    /** The one whom clause 2.5.2.2 takes, 0 if there is none. */
    final int middleNamesake(int count) {
        return count == 0 ? 0 : namesakes[(count + 1) / 2 - 1];
    }

    @Override
    public void lockCustomerForPayment(int warehouseId, int districtId, int customerId, CustomerRow row) {
        lock(tables.customer(), customerKey(warehouseId, districtId, customerId), customer);
        row.warehouseId = warehouseId;
        row.districtId = districtId;
        row.id = customerId;
        RowMapping.show(customer, Columns.C_FIRST, row.first);
        RowMapping.show(customer, Columns.C_MIDDLE, row.middle);
        RowMapping.show(customer, Columns.C_LAST, row.last);
        RowMapping.show(customer, Columns.C_STREET_1, row.street1);
        RowMapping.show(customer, Columns.C_STREET_2, row.street2);
        RowMapping.show(customer, Columns.C_CITY, row.city);
        RowMapping.show(customer, Columns.C_STATE, row.state);
        RowMapping.show(customer, Columns.C_ZIP, row.zip);
        RowMapping.show(customer, Columns.C_PHONE, row.phone);
        RowMapping.show(customer, Columns.C_CREDIT, row.credit);
        row.sinceMillis = RowMapping.readMillis(customer, Columns.C_SINCE);
        row.creditLimitCents = customer.getDecimalUnscaled(Columns.C_CREDIT_LIM);
        row.discountTenThousandths = (int) customer.getDecimalUnscaled(Columns.C_DISCOUNT);
        row.balanceCents = customer.getDecimalUnscaled(Columns.C_BALANCE);
        row.ytdPaymentCents = customer.getDecimalUnscaled(Columns.C_YTD_PAYMENT);
        row.paymentCount = customer.getInt(Columns.C_PAYMENT_CNT);
        row.deliveryCount = customer.getInt(Columns.C_DELIVERY_CNT);
    }

    @Override
    public void readCustomerData(CustomerRow row) {
        RowMapping.show(customer, Columns.C_DATA, row.data);
    }

    @Override
    public void updateCustomerPayment(CustomerRow row, boolean withData) {
        customer.setDecimalUnscaled(Columns.C_BALANCE, row.balanceCents);
        customer.setDecimalUnscaled(Columns.C_YTD_PAYMENT, row.ytdPaymentCents);
        customer.setInt(Columns.C_PAYMENT_CNT, row.paymentCount);
        if (withData) {
            RowMapping.write(customer, Columns.C_DATA, row.data);
        }
        update(tables.customer(), customer);
    }

    @Override
    public void insertHistory(HistoryRow row) {
        RowMapping.write(row, history);
        tx.insert(tables.history(), history);
    }

    @Override
    public void readCustomerForStatus(int warehouseId, int districtId, int customerId, CustomerRow row) {
        fetch(tables.customer(), customerKey(warehouseId, districtId, customerId), customer);
        row.balanceCents = customer.getDecimalUnscaled(Columns.C_BALANCE);
        RowMapping.show(customer, Columns.C_FIRST, row.first);
        RowMapping.show(customer, Columns.C_MIDDLE, row.middle);
        RowMapping.show(customer, Columns.C_LAST, row.last);
    }

    @Override
    public boolean readLastOrder(int warehouseId, int districtId, int customerId, OrderRow row) {
        orderCustomerKey.reset().add(warehouseId).add(districtId).add(customerId);
        try (Cursor placed = tx.scan(tables.orders(), Columns.ORDERS_BY_CUSTOMER)
                .within(orderCustomerKey)
                .backward()) {
            if (!placed.next(order)) {
                return false;
            }
        }
        RowMapping.read(order, row);
        return true;
    }

    private Key orderLineKey(int warehouseId, int districtId, int orderId) {
        return orderLineKey.reset().add(warehouseId).add(districtId).add(orderId);
    }

    @Override
    public int readOrderLines(int warehouseId, int districtId, int orderId, OrderLineRow[] rows) {
        int count = 0;
        try (Cursor lines = scanOrderLines(warehouseId, districtId, orderId)) {
            while (lines.next(linesRead) > 0) {
                for (int i = 0; i < linesRead.size(); i++) {
                    read(linesRead.record(i), rows[count++]);
                }
            }
        }
        return count;
    }

    final Cursor scanOrderLines(int warehouseId, int districtId, int orderId) {
        return tx.scan(tables.orderLine()).within(orderLineKey(warehouseId, districtId, orderId));
    }

    static void read(Record line, OrderLineRow row) {
        row.itemId = line.getInt(Columns.OL_I_ID);
        row.supplyWarehouseId = line.getInt(Columns.OL_SUPPLY_W_ID);
        row.quantity = line.getInt(Columns.OL_QUANTITY);
        row.amountCents = (int) line.getDecimalUnscaled(Columns.OL_AMOUNT);
        row.deliveryMillis = RowMapping.readDelivery(line);
    }

    @Override
    public int removeOldestNewOrders(int warehouseId, int[] districtIds, int[] orderIds) {
        oldestNewOrders.clear();
        for (int districtId = 1; districtId <= TpccScale.DISTRICTS; districtId++) {
            oldestNewOrders.addRange().add(warehouseId).add(districtId);
        }
        int count = tx.fetchExclusive(tables.newOrder(), oldestNewOrders);
        RowBatch rows = oldestNewOrders.rows();
        for (int i = 0; i < count; i++) {
            districtIds[i] = rows.record(i).getInt(Columns.NO_D_ID);
            orderIds[i] = rows.record(i).getInt(Columns.NO_O_ID);
        }
        if (tx.delete(tables.newOrder(), rows) != count) {
            throw new IllegalStateException("locked rows are missing table=new_order warehouseId=" + warehouseId);
        }
        return count;
    }

    @Override
    public void deliverOrders(
            int warehouseId, int[] districtIds, int[] orderIds, int count, int carrierId, int[] customerIds) {
        orders.clear();
        for (int i = 0; i < count; i++) {
            orders.addKey().add(warehouseId).add(districtIds[i]).add(orderIds[i]);
        }
        requireAll(tx.fetchExclusive(tables.orders(), orders), tables.orders(), orders);
        for (int i = 0; i < count; i++) {
            customerIds[i] = deliver(orders.record(i), carrierId);
        }
        update(tables.orders(), orders);
    }

    /** Sets an order's carrier; returns whose order it is. */
    static int deliver(Record order, int carrierId) {
        order.setInt(Columns.O_CARRIER_ID, carrierId);
        return order.getInt(Columns.O_C_ID);
    }

    @Override
    public void deliverOrderLines(
            int warehouseId, int[] districtIds, int[] orderIds, int count, long deliveryMillis, long[] amountsCents) {
        linesDelivered.clear();
        for (int i = 0; i < count; i++) {
            linesDelivered.addRange().add(warehouseId).add(districtIds[i]).add(orderIds[i]);
        }
        tx.fetchExclusive(tables.orderLine(), linesDelivered);
        RowBatch lines = linesDelivered.rows();
        for (int i = 0; i < count; i++) {
            amountsCents[i] = 0;
            for (int line = linesDelivered.from(i); line < linesDelivered.to(i); line++) {
                amountsCents[i] += deliver(lines.record(line), deliveryMillis);
            }
        }
        update(tables.orderLine(), lines);
    }

    /** Sets an order line's date of delivery; returns its amount in cents. */
    static long deliver(Record line, long deliveryMillis) {
        RowMapping.writeMillis(line, Columns.OL_DELIVERY_D, deliveryMillis);
        return line.getDecimalUnscaled(Columns.OL_AMOUNT);
    }

    @Override
    public void creditCustomers(int warehouseId, int[] districtIds, int[] customerIds, long[] amountsCents, int count) {
        customers.clear();
        for (int i = 0; i < count; i++) {
            customers.addKey().add(warehouseId).add(districtIds[i]).add(customerIds[i]);
        }
        requireAll(tx.fetchExclusive(tables.customer(), customers), tables.customer(), customers);
        for (int i = 0; i < count; i++) {
            credit(customers.record(i), amountsCents[i]);
        }
        update(tables.customer(), customers);
    }

    static void credit(Record customer, long amountCents) {
        long balanceCents = customer.getDecimalUnscaled(Columns.C_BALANCE) + amountCents;
        customer.setDecimalUnscaled(Columns.C_BALANCE, balanceCents);
        customer.setInt(Columns.C_DELIVERY_CNT, customer.getInt(Columns.C_DELIVERY_CNT) + 1);
    }

    @Override
    public int readNextOrderId(int warehouseId, int districtId) {
        fetch(tables.district(), districtKey.reset().add(warehouseId).add(districtId), district);
        return district.getInt(Columns.D_NEXT_O_ID);
    }

    @Override
    public int countLowStock(int warehouseId, int districtId, int fromOrderId, int toOrderId, int threshold) {
        distinctItems.clear();
        try (Cursor lines = scanOrders(warehouseId, districtId, fromOrderId, toOrderId)) {
            while (lines.next(linesRead) > 0) {
                for (int i = 0; i < linesRead.size(); i++) {
                    distinctItems.add(linesRead.record(i).getInt(Columns.OL_I_ID));
                }
            }
        }
        int low = 0;
        int next = 0;
        while (next < distinctItems.size()) {
            stockQuantities.clear();
            while (next < distinctItems.size() && stockQuantities.size() < stockQuantities.capacity()) {
                stockQuantities.addKey().add(warehouseId).add(distinctItems.get(next++));
            }
            requireAll(tx.fetch(tables.stock(), stockQuantities), tables.stock(), stockQuantities);
            for (int i = 0; i < stockQuantities.size(); i++) {
                if (stockQuantities.record(i).getInt(Columns.S_QUANTITY) < threshold) {
                    low++;
                }
            }
        }
        return low;
    }

    /** The lines of several orders, the last one excluded. */
    final Cursor scanOrders(int warehouseId, int districtId, int fromOrderId, int toOrderId) {
        orderLineEndKey.reset().add(warehouseId).add(districtId).add(toOrderId);
        return tx.scan(tables.orderLine())
                .from(orderLineKey(warehouseId, districtId, fromOrderId))
                .before(orderLineEndKey);
    }

    @Override
    public final void close() {
        rollback();
        session.close();
    }
}
