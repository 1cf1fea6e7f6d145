package dev.lockstep.tpcc.ordered;

import dev.lockstep.tpcc.adapter.CustomerRow;
import dev.lockstep.tpcc.adapter.DistrictByDistrictSession;
import dev.lockstep.tpcc.adapter.DistrictRow;
import dev.lockstep.tpcc.adapter.HistoryRow;
import dev.lockstep.tpcc.adapter.ItemRow;
import dev.lockstep.tpcc.adapter.LastName;
import dev.lockstep.tpcc.adapter.OrderLineRow;
import dev.lockstep.tpcc.adapter.OrderRow;
import dev.lockstep.tpcc.adapter.StockRow;
import dev.lockstep.tpcc.adapter.TransactionType;
import dev.lockstep.tpcc.adapter.WarehouseRow;
import dev.lockstep.tpcc.ordered.OrderedDatabase.Key2;
import dev.lockstep.tpcc.ordered.OrderedDatabase.Key3;
import dev.lockstep.tpcc.ordered.OrderedDatabase.Key4;
import dev.lockstep.tpcc.ordered.OrderedDatabase.NameKey;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;

/** The statements on {@link OrderedDatabase}; a change leaves behind how to take it back. */
final class OrderedSession extends DistrictByDistrictSession {
    private final OrderedDatabase db;
    private final Deque<Runnable> undo = new ArrayDeque<>();
    private Rows.Customer lockedCustomer;
    private final List<Rows.Stock> lockedStocks = new ArrayList<>();

    OrderedSession(OrderedDatabase db) {
        this.db = db;
    }

    @Override
    public void begin(TransactionType type) {
        undo.clear();
    }

    @Override
    public void commit() {
        undo.clear();
    }

    @Override
    public void rollback() {
        while (!undo.isEmpty()) {
            undo.pop().run();
        }
    }

    @Override
    public int readWarehouseTax(int warehouseId) {
        return db.warehouses.get(warehouseId).taxTenThousandths;
    }

    @Override
    public void takeOrderId(int warehouseId, int districtId, DistrictRow row) {
        Rows.District district = db.districts.get(new Key2(warehouseId, districtId));
        row.taxTenThousandths = district.taxTenThousandths;
        row.nextOrderId = district.nextOrderId++;
        undo.push(() -> district.nextOrderId--);
    }

    @Override
    public void readCustomerForOrder(int warehouseId, int districtId, int customerId, CustomerRow row) {
        db.customers.get(new Key3(warehouseId, districtId, customerId)).to(row);
    }

    @Override
    public void insertOrder(OrderRow row) {
        Rows.Order order = new Rows.Order(row);
        Key3 key = new Key3(row.warehouseId, row.districtId, row.id);
        Key4 byCustomer = new Key4(row.warehouseId, row.districtId, row.customerId, row.id);
        db.orders.put(key, order);
        db.ordersByCustomer.put(byCustomer, order);
        undo.push(() -> {
            db.orders.remove(key);
            db.ordersByCustomer.remove(byCustomer);
        });
    }

    @Override
    public void insertNewOrder(int warehouseId, int districtId, int orderId) {
        Key3 key = new Key3(warehouseId, districtId, orderId);
        db.newOrders.put(key, Boolean.TRUE);
        undo.push(() -> db.newOrders.remove(key));
    }

    @Override
    public void readItems(int[] itemIds, int count, ItemRow[] rows) {
        for (int i = 0; i < count; i++) {
            Rows.Item item = db.items.get(itemIds[i]);
            if (item == null) {
                rows[i].id = 0;
            } else {
                item.to(rows[i]);
            }
        }
    }

    @Override
    public void lockStocks(int[] warehouseIds, int[] itemIds, int count, int districtId, StockRow[] rows) {
        lockedStocks.clear();
        for (int i = 0; i < count; i++) {
            Rows.Stock stock = db.stocks.get(new Key2(warehouseIds[i], itemIds[i]));
            stock.numbersTo(rows[i]);
            Rows.show(stock.districtInfos[districtId - 1], rows[i].districtInfos[districtId - 1]);
            Rows.show(stock.data, rows[i].data);
            lockedStocks.add(stock);
        }
    }

    @Override
    public void updateStocks(StockRow[] rows, int count) {
        for (int i = 0; i < count; i++) {
            Rows.Stock stock = lockedStocks.get(i);
            int quantity = stock.quantity;
            int ytd = stock.ytd;
            int orderCount = stock.orderCount;
            int remoteCount = stock.remoteCount;
            stock.from(rows[i]);
            undo.push(() -> {
                stock.quantity = quantity;
                stock.ytd = ytd;
                stock.orderCount = orderCount;
                stock.remoteCount = remoteCount;
            });
        }
    }

    @Override
    public void insertOrderLines(OrderLineRow[] rows, int count) {
        for (int i = 0; i < count; i++) {
            OrderLineRow row = rows[i];
            Key4 key = new Key4(row.warehouseId, row.districtId, row.orderId, row.number);
            db.orderLines.put(key, new Rows.OrderLine(row));
            undo.push(() -> db.orderLines.remove(key));
        }
    }

    @Override
    public void payWarehouse(int warehouseId, long amountCents, WarehouseRow row) {
        Rows.Warehouse warehouse = db.warehouses.get(warehouseId);
        warehouse.ytdCents += amountCents;
        undo.push(() -> warehouse.ytdCents -= amountCents);
        warehouse.to(row);
    }

    @Override
    public void payDistrict(int warehouseId, int districtId, long amountCents, DistrictRow row) {
        Rows.District district = db.districts.get(new Key2(warehouseId, districtId));
        district.ytdCents += amountCents;
        undo.push(() -> district.ytdCents -= amountCents);
        district.to(row);
    }

    @Override
    public int findCustomer(int warehouseId, int districtId, LastName lastName) {
        String last = lastName.string();
        NavigableMap<NameKey, Rows.Customer> named = db.customersByName.subMap(
                new NameKey(warehouseId, districtId, last, "", 0),
                true,
                new NameKey(warehouseId, districtId, last + '\0', "", 0),
                false);
        if (named.isEmpty()) {
            return 0;
        }
        List<Rows.Customer> customers = new ArrayList<>(named.values());
        return customers.get((customers.size() + 1) / 2 - 1).id;
    }

    @Override
    public void lockCustomerForPayment(int warehouseId, int districtId, int customerId, CustomerRow row) {
        lockedCustomer = db.customers.get(new Key3(warehouseId, districtId, customerId));
        lockedCustomer.to(row);
    }

    @Override
    public void readCustomerData(CustomerRow row) {
        Rows.show(lockedCustomer.data, row.data);
    }

    @Override
    public void updateCustomerPayment(CustomerRow row, boolean withData) {
        Rows.Customer customer = lockedCustomer;
        long balanceCents = customer.balanceCents;
        long ytdPaymentCents = customer.ytdPaymentCents;
        int paymentCount = customer.paymentCount;
        byte[] data = customer.data;
        customer.balanceCents = row.balanceCents;
        customer.ytdPaymentCents = row.ytdPaymentCents;
        customer.paymentCount = row.paymentCount;
        if (withData) {
            customer.data = Rows.bytes(row.data);
        }
        undo.push(() -> {
            customer.balanceCents = balanceCents;
            customer.ytdPaymentCents = ytdPaymentCents;
            customer.paymentCount = paymentCount;
            customer.data = data;
        });
    }

    @Override
    public void insertHistory(HistoryRow row) {
        long id = row.id;
        db.histories.put(id, new Rows.History(row));
        undo.push(() -> db.histories.remove(id));
    }

    @Override
    public void readCustomerForStatus(int warehouseId, int districtId, int customerId, CustomerRow row) {
        db.customers.get(new Key3(warehouseId, districtId, customerId)).to(row);
    }

    @Override
    public boolean readLastOrder(int warehouseId, int districtId, int customerId, OrderRow row) {
        Map.Entry<Key4, Rows.Order> last =
                db.ordersByCustomer.lowerEntry(new Key4(warehouseId, districtId, customerId, Integer.MAX_VALUE));
        if (last == null
                || last.getKey().warehouseId() != warehouseId
                || last.getKey().districtId() != districtId
                || last.getKey().id() != customerId) {
            return false;
        }
        last.getValue().to(row);
        return true;
    }

    @Override
    public int readOrderLines(int warehouseId, int districtId, int orderId, OrderLineRow[] rows) {
        int count = 0;
        for (Rows.OrderLine line : lines(warehouseId, districtId, orderId, orderId + 1)) {
            line.to(rows[count++]);
        }
        return count;
    }

    private Iterable<Rows.OrderLine> lines(int warehouseId, int districtId, int fromOrderId, int toOrderId) {
        return db.orderLines
                .subMap(
                        new Key4(warehouseId, districtId, fromOrderId, 0),
                        new Key4(warehouseId, districtId, toOrderId, 0))
                .values();
    }

    @Override
    protected int removeOldestNewOrder(int warehouseId, int districtId) {
        Key3 oldest = db.newOrders.higherKey(new Key3(warehouseId, districtId, 0));
        if (oldest == null || oldest.warehouseId() != warehouseId || oldest.districtId() != districtId) {
            return 0;
        }
        db.newOrders.remove(oldest);
        undo.push(() -> db.newOrders.put(oldest, Boolean.TRUE));
        return oldest.id();
    }

    @Override
    protected int deliverOrder(int warehouseId, int districtId, int orderId, int carrierId) {
        Rows.Order order = db.orders.get(new Key3(warehouseId, districtId, orderId));
        int previous = order.carrierId;
        order.carrierId = carrierId;
        undo.push(() -> order.carrierId = previous);
        return order.customerId;
    }

    @Override
    protected long deliverOrderLines(int warehouseId, int districtId, int orderId, long deliveryMillis) {
        long cents = 0;
        for (Rows.OrderLine line : lines(warehouseId, districtId, orderId, orderId + 1)) {
            cents += line.amountCents;
            long previous = line.deliveryMillis;
            line.deliveryMillis = deliveryMillis;
            undo.push(() -> line.deliveryMillis = previous);
        }
        return cents;
    }

    @Override
    protected void creditCustomer(int warehouseId, int districtId, int customerId, long amountCents) {
        Rows.Customer customer = db.customers.get(new Key3(warehouseId, districtId, customerId));
        customer.balanceCents += amountCents;
        customer.deliveryCount++;
        undo.push(() -> {
            customer.balanceCents -= amountCents;
            customer.deliveryCount--;
        });
    }

    @Override
    public int readNextOrderId(int warehouseId, int districtId) {
        return db.districts.get(new Key2(warehouseId, districtId)).nextOrderId;
    }

    @Override
    public int countLowStock(int warehouseId, int districtId, int fromOrderId, int toOrderId, int threshold) {
        Set<Integer> low = new HashSet<>();
        for (Rows.OrderLine line : lines(warehouseId, districtId, fromOrderId, toOrderId)) {
            if (db.stocks.get(new Key2(warehouseId, line.itemId)).quantity < threshold) {
                low.add(line.itemId);
            }
        }
        return low.size();
    }

    @Override
    public void close() {
        rollback();
    }
}
