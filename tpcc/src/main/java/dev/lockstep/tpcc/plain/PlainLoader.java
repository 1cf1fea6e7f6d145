package dev.lockstep.tpcc.plain;

import dev.lockstep.tpcc.adapter.CustomerRow;
import dev.lockstep.tpcc.adapter.DistrictRow;
import dev.lockstep.tpcc.adapter.HistoryRow;
import dev.lockstep.tpcc.adapter.ItemRow;
import dev.lockstep.tpcc.adapter.NewOrderRow;
import dev.lockstep.tpcc.adapter.OrderLineRow;
import dev.lockstep.tpcc.adapter.OrderRow;
import dev.lockstep.tpcc.adapter.StockRow;
import dev.lockstep.tpcc.adapter.TpccLoader;
import dev.lockstep.tpcc.adapter.TpccScale;
import dev.lockstep.tpcc.adapter.WarehouseRow;

/** Loads {@link PlainDatabase}. */
final class PlainLoader implements TpccLoader {
    private final PlainDatabase db;

    PlainLoader(PlainDatabase db) {
        this.db = db;
    }

    @Override
    public void insert(WarehouseRow row) {
        PlainTables.putWarehouse(db, row);
    }

    @Override
    public void insert(DistrictRow row) {
        PlainTables.putDistrict(db, row);
    }

    @Override
    public void insert(CustomerRow row) {
        PlainTables.putCustomer(db, row);
    }

    @Override
    public void insert(HistoryRow row) {
        PlainTables.putHistory(db, row);
    }

    @Override
    public void insert(NewOrderRow row) {
        PlainTables.putNewOrder(db, TpccScale.districtIndex(row.warehouseId, row.districtId), row.orderId);
    }

    @Override
    public void insert(OrderRow row) {
        PlainTables.putOrder(db, row);
    }

    @Override
    public void insert(OrderLineRow row) {
        PlainTables.putOrderLine(db, row);
    }

    @Override
    public void insert(ItemRow row) {
        PlainTables.putItem(db, row);
    }

    @Override
    public void insert(StockRow row) {
        PlainTables.putStock(db, row);
    }

    @Override
    public void commit() {
        // Nothing is ever lost or taken back.
    }

    @Override
    public void close() {
        // Holds nothing.
    }
}
