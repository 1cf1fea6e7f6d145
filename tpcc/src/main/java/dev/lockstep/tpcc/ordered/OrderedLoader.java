package dev.lockstep.tpcc.ordered;

import dev.lockstep.tpcc.adapter.CustomerRow;
import dev.lockstep.tpcc.adapter.DistrictRow;
import dev.lockstep.tpcc.adapter.HistoryRow;
import dev.lockstep.tpcc.adapter.ItemRow;
import dev.lockstep.tpcc.adapter.NewOrderRow;
import dev.lockstep.tpcc.adapter.OrderLineRow;
import dev.lockstep.tpcc.adapter.OrderRow;
import dev.lockstep.tpcc.adapter.StockRow;
import dev.lockstep.tpcc.adapter.TpccLoader;
import dev.lockstep.tpcc.adapter.WarehouseRow;
import dev.lockstep.tpcc.ordered.OrderedDatabase.Key2;
import dev.lockstep.tpcc.ordered.OrderedDatabase.Key3;
import dev.lockstep.tpcc.ordered.OrderedDatabase.Key4;
import dev.lockstep.tpcc.ordered.OrderedDatabase.NameKey;

/** Loads {@link OrderedDatabase}. */
final class OrderedLoader implements TpccLoader {
    private final OrderedDatabase db;

    OrderedLoader(OrderedDatabase db) {
        this.db = db;
    }

    @Override
    public void insert(WarehouseRow row) {
        db.warehouses.put(row.id, new Rows.Warehouse(row));
    }

    @Override
    public void insert(DistrictRow row) {
        db.districts.put(new Key2(row.warehouseId, row.id), new Rows.District(row));
    }

    @Override
    public void insert(CustomerRow row) {
        Rows.Customer customer = new Rows.Customer(row);
        db.customers.put(new Key3(row.warehouseId, row.districtId, row.id), customer);
        db.customersByName.put(
                new NameKey(row.warehouseId, row.districtId, row.last.toString(), row.first.toString(), row.id),
                customer);
    }

    @Override
    public void insert(HistoryRow row) {
        db.histories.put(row.id, new Rows.History(row));
    }

    @Override
    public void insert(NewOrderRow row) {
        db.newOrders.put(new Key3(row.warehouseId, row.districtId, row.orderId), Boolean.TRUE);
    }

    @Override
    public void insert(OrderRow row) {
        Rows.Order order = new Rows.Order(row);
        db.orders.put(new Key3(row.warehouseId, row.districtId, row.id), order);
        db.ordersByCustomer.put(new Key4(row.warehouseId, row.districtId, row.customerId, row.id), order);
    }

    @Override
    public void insert(OrderLineRow row) {
        db.orderLines.put(new Key4(row.warehouseId, row.districtId, row.orderId, row.number), new Rows.OrderLine(row));
    }

    @Override
    public void insert(ItemRow row) {
        db.items.put(row.id, new Rows.Item(row));
    }

    @Override
    public void insert(StockRow row) {
        db.stocks.put(new Key2(row.warehouseId, row.itemId), new Rows.Stock(row));
    }

    @Override
    public void commit() {
        // Nothing is ever lost.
    }

    @Override
    public void close() {
        // Holds nothing.
    }
}
