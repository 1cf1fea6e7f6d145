package dev.lockstep.tpcc.adapter;

/**
 * A session that hands everything to another one; a subclass changes what it watches. Used by one thread at a time, as
 * the other, which it closes.
 */
public class DelegatingSession implements TpccSession {
    private final TpccSession session;

    /**
     * Makes a session of another one.
     *
     * @param session the other
     */
    protected DelegatingSession(TpccSession session) {
        this.session = session;
    }

    @Override
    public void begin(TransactionType type) {
        session.begin(type);
    }

    @Override
    public void commit() {
        session.commit();
    }

    @Override
    public void rollback() {
        session.rollback();
    }

    @Override
    public void answerTo(CommitAnswer answer) {
        session.answerTo(answer);
    }

    @Override
    public int readWarehouseTax(int warehouseId) {
        return session.readWarehouseTax(warehouseId);
    }

    @Override
    public void takeOrderId(int warehouseId, int districtId, DistrictRow row) {
        session.takeOrderId(warehouseId, districtId, row);
    }

    @Override
    public void expectOrder(
            int warehouseId, int districtId, int customerId, int[] itemIds, int[] supplyWarehouseIds, int lineCount) {
        session.expectOrder(warehouseId, districtId, customerId, itemIds, supplyWarehouseIds, lineCount);
    }

    @Override
    public void readCustomerForOrder(int warehouseId, int districtId, int customerId, CustomerRow row) {
        session.readCustomerForOrder(warehouseId, districtId, customerId, row);
    }

    @Override
    public void insertOrder(OrderRow row) {
        session.insertOrder(row);
    }

    @Override
    public void insertNewOrder(int warehouseId, int districtId, int orderId) {
        session.insertNewOrder(warehouseId, districtId, orderId);
    }

    @Override
    public void readItems(int[] itemIds, int count, ItemRow[] rows) {
        session.readItems(itemIds, count, rows);
    }

    @Override
    public void lockStocks(int[] warehouseIds, int[] itemIds, int count, int districtId, StockRow[] rows) {
        session.lockStocks(warehouseIds, itemIds, count, districtId, rows);
    }

    @Override
    public void updateStocks(StockRow[] rows, int count) {
        session.updateStocks(rows, count);
    }

    @Override
    public void insertOrderLines(OrderLineRow[] rows, int count) {
        session.insertOrderLines(rows, count);
    }

    @Override
    public void payWarehouse(int warehouseId, long amountCents, WarehouseRow row) {
        session.payWarehouse(warehouseId, amountCents, row);
    }

    @Override
    public void payDistrict(int warehouseId, int districtId, long amountCents, DistrictRow row) {
        session.payDistrict(warehouseId, districtId, amountCents, row);
    }

    @Override
    public int findCustomer(int warehouseId, int districtId, LastName lastName) {
        return session.findCustomer(warehouseId, districtId, lastName);
    }

    @Override
    public void lockCustomerForPayment(int warehouseId, int districtId, int customerId, CustomerRow row) {
        session.lockCustomerForPayment(warehouseId, districtId, customerId, row);
    }

    @Override
    public void readCustomerData(CustomerRow row) {
        session.readCustomerData(row);
    }

    @Override
    public void updateCustomerPayment(CustomerRow row, boolean withData) {
        session.updateCustomerPayment(row, withData);
    }

    @Override
    public void insertHistory(HistoryRow row) {
        session.insertHistory(row);
    }

    @Override
    public void readCustomerForStatus(int warehouseId, int districtId, int customerId, CustomerRow row) {
        session.readCustomerForStatus(warehouseId, districtId, customerId, row);
    }

    @Override
    public boolean readLastOrder(int warehouseId, int districtId, int customerId, OrderRow row) {
        return session.readLastOrder(warehouseId, districtId, customerId, row);
    }

    @Override
    public int readOrderLines(int warehouseId, int districtId, int orderId, OrderLineRow[] rows) {
        return session.readOrderLines(warehouseId, districtId, orderId, rows);
    }

    @Override
    public int removeOldestNewOrders(int warehouseId, int[] districtIds, int[] orderIds) {
        return session.removeOldestNewOrders(warehouseId, districtIds, orderIds);
    }

    @Override
    public void deliverOrders(
            int warehouseId, int[] districtIds, int[] orderIds, int count, int carrierId, int[] customerIds) {
        session.deliverOrders(warehouseId, districtIds, orderIds, count, carrierId, customerIds);
    }

    @Override
    public void deliverOrderLines(
            int warehouseId, int[] districtIds, int[] orderIds, int count, long deliveryMillis, long[] amountsCents) {
        session.deliverOrderLines(warehouseId, districtIds, orderIds, count, deliveryMillis, amountsCents);
    }

    @Override
    public void creditCustomers(int warehouseId, int[] districtIds, int[] customerIds, long[] amountsCents, int count) {
        session.creditCustomers(warehouseId, districtIds, customerIds, amountsCents, count);
    }

    @Override
    public int readNextOrderId(int warehouseId, int districtId) {
        return session.readNextOrderId(warehouseId, districtId);
    }

    @Override
    public int countLowStock(int warehouseId, int districtId, int fromOrderId, int toOrderId, int threshold) {
        return session.countLowStock(warehouseId, districtId, fromOrderId, toOrderId, threshold);
    }

    @Override
    public void close() {
        session.close();
    }
}
