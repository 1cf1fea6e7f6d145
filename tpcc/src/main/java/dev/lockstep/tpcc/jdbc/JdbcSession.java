package dev.lockstep.tpcc.jdbc;

import dev.lockstep.tpcc.adapter.AbortReason;
import dev.lockstep.tpcc.adapter.CustomerRow;
import dev.lockstep.tpcc.adapter.DistrictByDistrictSession;
import dev.lockstep.tpcc.adapter.DistrictRow;
import dev.lockstep.tpcc.adapter.HistoryRow;
import dev.lockstep.tpcc.adapter.IsolationLevel;
import dev.lockstep.tpcc.adapter.ItemRow;
import dev.lockstep.tpcc.adapter.LastName;
import dev.lockstep.tpcc.adapter.OrderLineRow;
import dev.lockstep.tpcc.adapter.OrderRow;
import dev.lockstep.tpcc.adapter.RetryableTransactionException;
import dev.lockstep.tpcc.adapter.StockRow;
import dev.lockstep.tpcc.adapter.TransactionType;
import dev.lockstep.tpcc.adapter.WarehouseRow;
import dev.lockstep.tpcc.schema.Tables;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;

/** The statements of {@link TpccStatements} on one connection, prepared at the start. */
final class JdbcSession extends DistrictByDistrictSession {
    private static final String CONFLICT = "a row that was just read was changed by another transaction";

    /** A statement to be run; whatever it throws is sorted into what can be tried again and what cannot. */
    private interface Work<T> {
        T run() throws SQLException;
    }

    private interface VoidWork {
        void run() throws SQLException;
    }

    private final JdbcAdapter adapter;
    private final Connection connection;
    private final JdbcValues values;
    private IsolationLevel level;

    private final PreparedStatement warehouseTax;
    private final PreparedStatement districtForOrder;
    private final PreparedStatement updateNextOrderId;
    private final PreparedStatement customerForOrder;
    private final PreparedStatement insertOrder;
    private final PreparedStatement insertNewOrder;
    private final PreparedStatement item;
    private final PreparedStatement[] stock;
    private final PreparedStatement updateStock;
    private final PreparedStatement insertOrderLine;
    private final PreparedStatement payWarehouse;
    private final PreparedStatement warehouseAddress;
    private final PreparedStatement payDistrict;
    private final PreparedStatement districtAddress;
    private final PreparedStatement customersByName;
    private final PreparedStatement customerForPayment;
    private final PreparedStatement customerData;
    private final PreparedStatement updateCustomer;
    private final PreparedStatement updateCustomerAndData;
    private final PreparedStatement insertHistory;
    private final PreparedStatement customerForStatus;
    private final PreparedStatement lastOrder;
    private final PreparedStatement orderLines;
    private final PreparedStatement oldestNewOrder;
    private final PreparedStatement deleteNewOrder;
    private final PreparedStatement deliverOrder;
    private final PreparedStatement orderCustomer;
    private final PreparedStatement deliverOrderLines;
    private final PreparedStatement orderAmount;
    private final PreparedStatement creditCustomer;
    private final PreparedStatement nextOrderId;
    private final PreparedStatement lowStock;
    private int[] namedCustomers = new int[16];

    JdbcSession(JdbcAdapter adapter, Connection connection, TpccStatements sql) throws SQLException {
        this.adapter = adapter;
        this.connection = connection;
        this.values = adapter.values();
        warehouseTax = connection.prepareStatement(sql.warehouseTax);
        districtForOrder = connection.prepareStatement(sql.districtForOrder);
        updateNextOrderId = connection.prepareStatement(sql.updateNextOrderId);
        customerForOrder = connection.prepareStatement(sql.customerForOrder);
        insertOrder = connection.prepareStatement(sql.insert(Tables.ORDERS));
        insertNewOrder = connection.prepareStatement(sql.insert(Tables.NEW_ORDER));
        item = connection.prepareStatement(sql.item);
        stock = new PreparedStatement[sql.stock.length];
        for (int i = 0; i < stock.length; i++) {
            stock[i] = connection.prepareStatement(sql.stock[i]);
        }
        updateStock = connection.prepareStatement(sql.updateStock);
        insertOrderLine = connection.prepareStatement(sql.insert(Tables.ORDER_LINE));
        payWarehouse = connection.prepareStatement(sql.payWarehouse);
        warehouseAddress = connection.prepareStatement(sql.warehouseAddress);
        payDistrict = connection.prepareStatement(sql.payDistrict);
        districtAddress = connection.prepareStatement(sql.districtAddress);
        customersByName = connection.prepareStatement(sql.customersByName);
        customerForPayment = connection.prepareStatement(sql.customerForPayment);
        customerData = connection.prepareStatement(sql.customerData);
        updateCustomer = connection.prepareStatement(sql.updateCustomer);
        updateCustomerAndData = connection.prepareStatement(sql.updateCustomerAndData);
        insertHistory = connection.prepareStatement(sql.insert(Tables.HISTORY));
        customerForStatus = connection.prepareStatement(sql.customerForStatus);
        lastOrder = connection.prepareStatement(sql.lastOrder);
        orderLines = connection.prepareStatement(sql.orderLines);
        oldestNewOrder = connection.prepareStatement(sql.oldestNewOrder);
        deleteNewOrder = connection.prepareStatement(sql.deleteNewOrder);
        deliverOrder = connection.prepareStatement(sql.deliverOrder);
        orderCustomer = connection.prepareStatement(sql.orderCustomer);
        deliverOrderLines = connection.prepareStatement(sql.deliverOrderLines);
        orderAmount = connection.prepareStatement(sql.orderAmount);
        creditCustomer = connection.prepareStatement(sql.creditCustomer);
        nextOrderId = connection.prepareStatement(sql.nextOrderId);
        lowStock = connection.prepareStatement(sql.lowStock);
        connection.commit();
    }

    private <T> T call(Work<T> work) {
        try {
            return work.run();
        } catch (SQLException e) {
            AbortReason reason = adapter.peer().reason(e);
            if (reason != null) {
                throw new RetryableTransactionException(reason, e);
            }
            throw new IllegalStateException("statement failed engine=" + adapter.name(), e);
        }
    }

    private void run(VoidWork work) {
        call(() -> {
            work.run();
            return null;
        });
    }

    private static PreparedStatement key(PreparedStatement statement, int first, int a) throws SQLException {
        statement.setInt(first, a);
        return statement;
    }

    private static PreparedStatement key(PreparedStatement statement, int first, int a, int b) throws SQLException {
        statement.setInt(first, a);
        statement.setInt(first + 1, b);
        return statement;
    }

    private static PreparedStatement key(PreparedStatement statement, int first, int a, int b, int c)
            throws SQLException {
        statement.setInt(first, a);
        statement.setInt(first + 1, b);
        statement.setInt(first + 2, c);
        return statement;
    }

    private static ResultSet one(PreparedStatement statement) throws SQLException {
        ResultSet rows = statement.executeQuery();
        if (!rows.next()) {
            rows.close();
            throw new SQLException("row not found: the database was not loaded at this scale statement=" + statement);
        }
        return rows;
    }

    /** Runs a change of one row that is known to exist. */
    private static void change(PreparedStatement statement) throws SQLException {
        if (statement.executeUpdate() != 1) {
            throw new SQLException("row not found: the database was not loaded at this scale statement=" + statement);
        }
    }

    @Override
    public void begin(TransactionType type) {
        IsolationLevel wanted = adapter.level(type);
        if (level != wanted) {
            run(() -> connection.setTransactionIsolation(JdbcAdapter.jdbcLevel(wanted)));
            level = wanted;
        }
    }

    @Override
    public void commit() {
        run(connection::commit);
    }

    @Override
    public void rollback() {
        run(connection::rollback);
    }

    @Override
    public int readWarehouseTax(int warehouseId) {
        return call(() -> {
            try (ResultSet rows = one(key(warehouseTax, 1, warehouseId))) {
                return values.rate(rows, 1);
            }
        });
    }

    @Override
    public void takeOrderId(int warehouseId, int districtId, DistrictRow row) {
        run(() -> {
            try (ResultSet rows = one(key(districtForOrder, 1, warehouseId, districtId))) {
                row.taxTenThousandths = values.rate(rows, 1);
                row.nextOrderId = rows.getInt(2);
            }
            updateNextOrderId.setInt(1, row.nextOrderId + 1);
            change(key(updateNextOrderId, 2, warehouseId, districtId));
        });
    }

    @Override
    public void readCustomerForOrder(int warehouseId, int districtId, int customerId, CustomerRow row) {
        run(() -> {
            try (ResultSet rows = one(key(customerForOrder, 1, warehouseId, districtId, customerId))) {
                row.discountTenThousandths = values.rate(rows, 1);
                JdbcValues.text(rows, 2, row.last);
                JdbcValues.text(rows, 3, row.credit);
            }
        });
    }

    @Override
    public void insertOrder(OrderRow row) {
        run(() -> {
            JdbcRows.bind(insertOrder, row);
            insertOrder.executeUpdate();
        });
    }

    @Override
    public void insertNewOrder(int warehouseId, int districtId, int orderId) {
        run(() -> key(insertNewOrder, 1, warehouseId, districtId, orderId).executeUpdate());
    }

    @Override
    public void readItems(int[] itemIds, int count, ItemRow[] rows) {
        run(() -> {
            for (int i = 0; i < count; i++) {
                ItemRow row = rows[i];
                try (ResultSet found = key(item, 1, itemIds[i]).executeQuery()) {
                    if (found.next()) {
                        row.id = itemIds[i];
                        row.priceCents = (int) values.cents(found, 1);
                        JdbcValues.text(found, 2, row.name);
                        JdbcValues.text(found, 3, row.data);
                    } else {
                        row.id = 0;
                    }
                }
            }
        });
    }

    @Override
    public void lockStocks(int[] warehouseIds, int[] itemIds, int count, int districtId, StockRow[] rows) {
        run(() -> {
            for (int i = 0; i < count; i++) {
                StockRow row = rows[i];
                row.warehouseId = warehouseIds[i];
                row.itemId = itemIds[i];
                try (ResultSet found = one(key(stock[districtId - 1], 1, warehouseIds[i], itemIds[i]))) {
                    row.quantity = found.getInt(1);
                    row.ytd = found.getInt(2);
                    row.orderCount = found.getInt(3);
                    row.remoteCount = found.getInt(4);
                    JdbcValues.text(found, 5, row.data);
                    JdbcValues.text(found, 6, row.districtInfos[districtId - 1]);
                }
            }
        });
    }

    @Override
    public void updateStocks(StockRow[] rows, int count) {
        run(() -> {
            for (int i = 0; i < count; i++) {
                StockRow row = rows[i];
                updateStock.setInt(1, row.quantity);
                updateStock.setInt(2, row.ytd);
                updateStock.setInt(3, row.orderCount);
                updateStock.setInt(4, row.remoteCount);
                key(updateStock, 5, row.warehouseId, row.itemId).addBatch();
            }
            updateStock.executeBatch();
        });
    }

    @Override
    public void insertOrderLines(OrderLineRow[] rows, int count) {
        run(() -> {
            for (int i = 0; i < count; i++) {
                JdbcRows.bind(insertOrderLine, rows[i]);
                insertOrderLine.addBatch();
            }
            insertOrderLine.executeBatch();
        });
    }

    @Override
    public void payWarehouse(int warehouseId, long amountCents, WarehouseRow row) {
        run(() -> {
            JdbcValues.cents(payWarehouse, 1, amountCents);
            change(key(payWarehouse, 2, warehouseId));
            try (ResultSet rows = one(key(warehouseAddress, 1, warehouseId))) {
                JdbcValues.text(rows, 1, row.name);
                JdbcValues.text(rows, 2, row.street1);
                JdbcValues.text(rows, 3, row.street2);
                JdbcValues.text(rows, 4, row.city);
                JdbcValues.text(rows, 5, row.state);
                JdbcValues.text(rows, 6, row.zip);
            }
        });
    }

    @Override
    public void payDistrict(int warehouseId, int districtId, long amountCents, DistrictRow row) {
        run(() -> {
            JdbcValues.cents(payDistrict, 1, amountCents);
            change(key(payDistrict, 2, warehouseId, districtId));
            try (ResultSet rows = one(key(districtAddress, 1, warehouseId, districtId))) {
                JdbcValues.text(rows, 1, row.name);
                JdbcValues.text(rows, 2, row.street1);
                JdbcValues.text(rows, 3, row.street2);
                JdbcValues.text(rows, 4, row.city);
                JdbcValues.text(rows, 5, row.state);
                JdbcValues.text(rows, 6, row.zip);
            }
        });
    }

    @Override
    public int findCustomer(int warehouseId, int districtId, LastName lastName) {
        return call(() -> {
            customersByName.setString(3, lastName.string());
            int count = 0;
            try (ResultSet rows =
                    key(customersByName, 1, warehouseId, districtId).executeQuery()) {
                while (rows.next()) {
                    if (count == namedCustomers.length) {
                        namedCustomers = Arrays.copyOf(namedCustomers, 2 * count);
                    }
                    namedCustomers[count++] = rows.getInt(1);
                }
            }
            return count == 0 ? 0 : namedCustomers[(count + 1) / 2 - 1];
        });
    }

    @Override
    public void lockCustomerForPayment(int warehouseId, int districtId, int customerId, CustomerRow row) {
        run(() -> {
            row.warehouseId = warehouseId;
            row.districtId = districtId;
            row.id = customerId;
            try (ResultSet rows = one(key(customerForPayment, 1, warehouseId, districtId, customerId))) {
                JdbcValues.text(rows, 1, row.first);
                JdbcValues.text(rows, 2, row.middle);
                JdbcValues.text(rows, 3, row.last);
                JdbcValues.text(rows, 4, row.street1);
                JdbcValues.text(rows, 5, row.street2);
                JdbcValues.text(rows, 6, row.city);
                JdbcValues.text(rows, 7, row.state);
                JdbcValues.text(rows, 8, row.zip);
                JdbcValues.text(rows, 9, row.phone);
                row.sinceMillis = JdbcValues.millis(rows, 10, 0);
                JdbcValues.text(rows, 11, row.credit);
                row.creditLimitCents = values.cents(rows, 12);
                row.discountTenThousandths = values.rate(rows, 13);
                row.balanceCents = values.cents(rows, 14);
                row.ytdPaymentCents = values.cents(rows, 15);
                row.paymentCount = rows.getInt(16);
            }
        });
    }

    @Override
    public void readCustomerData(CustomerRow row) {
        run(() -> {
            try (ResultSet rows = one(key(customerData, 1, row.warehouseId, row.districtId, row.id))) {
                JdbcValues.text(rows, 1, row.data);
            }
        });
    }

    @Override
    public void updateCustomerPayment(CustomerRow row, boolean withData) {
        run(() -> {
            PreparedStatement statement = withData ? updateCustomerAndData : updateCustomer;
            JdbcValues.cents(statement, 1, row.balanceCents);
            JdbcValues.cents(statement, 2, row.ytdPaymentCents);
            statement.setInt(3, row.paymentCount);
            int next = 4;
            if (withData) {
                JdbcValues.text(statement, next++, row.data);
            }
            change(key(statement, next, row.warehouseId, row.districtId, row.id));
        });
    }

    @Override
    public void insertHistory(HistoryRow row) {
        run(() -> {
            JdbcRows.bind(insertHistory, row);
            insertHistory.executeUpdate();
        });
    }

    @Override
    public void readCustomerForStatus(int warehouseId, int districtId, int customerId, CustomerRow row) {
        run(() -> {
            try (ResultSet rows = one(key(customerForStatus, 1, warehouseId, districtId, customerId))) {
                row.balanceCents = values.cents(rows, 1);
                JdbcValues.text(rows, 2, row.first);
                JdbcValues.text(rows, 3, row.middle);
                JdbcValues.text(rows, 4, row.last);
            }
        });
    }

    @Override
    public boolean readLastOrder(int warehouseId, int districtId, int customerId, OrderRow row) {
        return call(() -> {
            try (ResultSet rows =
                    key(lastOrder, 1, warehouseId, districtId, customerId).executeQuery()) {
                if (!rows.next()) {
                    return false;
                }
                row.id = rows.getInt(1);
                row.entryMillis = JdbcValues.millis(rows, 2, 0);
                row.carrierId = rows.getInt(3);
                return true;
            }
        });
    }

    @Override
    public int readOrderLines(int warehouseId, int districtId, int orderId, OrderLineRow[] rows) {
        return call(() -> {
            int count = 0;
            try (ResultSet found =
                    key(orderLines, 1, warehouseId, districtId, orderId).executeQuery()) {
                while (found.next()) {
                    OrderLineRow row = rows[count++];
                    row.itemId = found.getInt(1);
                    row.supplyWarehouseId = found.getInt(2);
                    row.quantity = found.getInt(3);
                    row.amountCents = (int) values.cents(found, 4);
                    row.deliveryMillis = JdbcValues.millis(found, 5, OrderLineRow.NOT_DELIVERED);
                }
            }
            return count;
        });
    }

    @Override
    protected int removeOldestNewOrder(int warehouseId, int districtId) {
        return call(() -> {
            int orderId;
            try (ResultSet rows =
                    key(oldestNewOrder, 1, warehouseId, districtId).executeQuery()) {
                if (!rows.next()) {
                    return 0;
                }
                orderId = rows.getInt(1);
            }
            if (key(deleteNewOrder, 1, warehouseId, districtId, orderId).executeUpdate() != 1) {
                throw new RetryableTransactionException(AbortReason.SERIALIZATION, new SQLException(CONFLICT));
            }
            return orderId;
        });
    }

    @Override
    protected int deliverOrder(int warehouseId, int districtId, int orderId, int carrierId) {
        return call(() -> {
            deliverOrder.setInt(1, carrierId);
            change(key(deliverOrder, 2, warehouseId, districtId, orderId));
            try (ResultSet rows = one(key(orderCustomer, 1, warehouseId, districtId, orderId))) {
                return rows.getInt(1);
            }
        });
    }

    @Override
    protected long deliverOrderLines(int warehouseId, int districtId, int orderId, long deliveryMillis) {
        return call(() -> {
            JdbcValues.millis(deliverOrderLines, 1, deliveryMillis, OrderLineRow.NOT_DELIVERED);
            key(deliverOrderLines, 2, warehouseId, districtId, orderId).executeUpdate();
            try (ResultSet rows = one(key(orderAmount, 1, warehouseId, districtId, orderId))) {
                return values.cents(rows, 1);
            }
        });
    }

    @Override
    protected void creditCustomer(int warehouseId, int districtId, int customerId, long amountCents) {
        run(() -> {
            JdbcValues.cents(creditCustomer, 1, amountCents);
            change(key(creditCustomer, 2, warehouseId, districtId, customerId));
        });
    }

    @Override
    public int readNextOrderId(int warehouseId, int districtId) {
        return call(() -> {
            try (ResultSet rows = one(key(nextOrderId, 1, warehouseId, districtId))) {
                return rows.getInt(1);
            }
        });
    }

    @Override
    public int countLowStock(int warehouseId, int districtId, int fromOrderId, int toOrderId, int threshold) {
        return call(() -> {
            lowStock.setInt(3, fromOrderId);
            lowStock.setInt(4, toOrderId);
            lowStock.setInt(5, threshold);
            try (ResultSet rows = one(key(lowStock, 1, warehouseId, districtId))) {
                return rows.getInt(1);
            }
        });
    }

    @Override
    public void close() {
        adapter.close(connection);
    }
}
