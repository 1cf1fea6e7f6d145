package dev.lockstep.tpcc.plain;

import dev.lockstep.tpcc.adapter.CustomerRow;
import dev.lockstep.tpcc.adapter.DistrictRow;
import dev.lockstep.tpcc.adapter.HistoryRow;
import dev.lockstep.tpcc.adapter.ItemRow;
import dev.lockstep.tpcc.adapter.NewOrderRow;
import dev.lockstep.tpcc.adapter.OrderLineRow;
import dev.lockstep.tpcc.adapter.OrderRow;
import dev.lockstep.tpcc.adapter.StockRow;
import dev.lockstep.tpcc.adapter.TpccScale;
import dev.lockstep.tpcc.adapter.TpccScanner;
import dev.lockstep.tpcc.adapter.WarehouseRow;

/** Streams the tables of {@link PlainDatabase}. */
final class PlainScanner implements TpccScanner {
    private final PlainDatabase db;
    private final TpccScale scale;

    PlainScanner(PlainDatabase db) {
        this.db = db;
        this.scale = db.scale;
    }

    @Override
    public void warehouses(Visitor<WarehouseRow> visitor) {
        WarehouseRow row = new WarehouseRow();
        for (int warehouse = 0; warehouse < scale.warehouses(); warehouse++) {
            PlainTables.getWarehouse(db, warehouse, row);
            visitor.visit(row);
        }
    }

    @Override
    public void districts(Visitor<DistrictRow> visitor) {
        DistrictRow row = new DistrictRow();
        for (int district = 0; district < scale.districts(); district++) {
            PlainTables.getDistrict(db, district, row);
            visitor.visit(row);
        }
    }

    @Override
    public void customers(Visitor<CustomerRow> visitor) {
        CustomerRow row = new CustomerRow();
        for (int district = 0; district < scale.districts(); district++) {
            for (int customerId = 1; customerId <= scale.customersPerDistrict(); customerId++) {
                PlainTables.getCustomer(db, warehouseId(district), districtId(district), customerId, row);
                PlainTables.getCustomerData(db, district * scale.customersPerDistrict() + customerId - 1, row);
                visitor.visit(row);
            }
        }
    }

    @Override
    public void histories(Visitor<HistoryRow> visitor) {
        HistoryRow row = new HistoryRow();
        for (int index = 0; index < db.histories.size(); index++) {
            PlainTables.getHistory(db, index, row);
            visitor.visit(row);
        }
    }

    @Override
    public void newOrders(Visitor<NewOrderRow> visitor) {
        NewOrderRow row = new NewOrderRow();
        for (int district = 0; district < scale.districts(); district++) {
            for (int orderId = db.firstNewOrder[district]; orderId < db.endNewOrder[district]; orderId++) {
                row.warehouseId = warehouseId(district);
                row.districtId = districtId(district);
                row.orderId = orderId;
                visitor.visit(row);
            }
        }
    }

    @Override
    public void orders(Visitor<OrderRow> visitor) {
        OrderRow row = new OrderRow();
        for (int district = 0; district < scale.districts(); district++) {
            for (int orderId = 1; orderId <= db.orders[district].size(); orderId++) {
                PlainTables.getOrder(db, warehouseId(district), districtId(district), orderId, row);
                visitor.visit(row);
            }
        }
    }

    @Override
    public void orderLines(Visitor<OrderLineRow> visitor) {
        OrderRow order = new OrderRow();
        OrderLineRow row = new OrderLineRow();
        for (int district = 0; district < scale.districts(); district++) {
            int index = 0;
            for (int orderId = 1; orderId <= db.orders[district].size(); orderId++) {
                PlainTables.getOrder(db, warehouseId(district), districtId(district), orderId, order);
                for (int number = 1; number <= order.lineCount; number++) {
                    row.warehouseId = order.warehouseId;
                    row.districtId = order.districtId;
                    row.orderId = orderId;
                    row.number = number;
                    PlainTables.getOrderLine(db, district, index, row);
                    PlainTables.getOrderLineInfo(db, district, index, row);
                    index++;
                    visitor.visit(row);
                }
            }
        }
    }

    @Override
    public void items(Visitor<ItemRow> visitor) {
        ItemRow row = new ItemRow();
        for (int item = 0; item < scale.items(); item++) {
            PlainTables.getItem(db, item, row);
            visitor.visit(row);
        }
    }

    @Override
    public void stocks(Visitor<StockRow> visitor) {
        StockRow row = new StockRow();
        for (int warehouseId = 1; warehouseId <= scale.warehouses(); warehouseId++) {
            for (int itemId = 1; itemId <= scale.items(); itemId++) {
                PlainTables.getStock(db, warehouseId, itemId, row);
                visitor.visit(row);
            }
        }
    }

    @Override
    public void close() {
        // Holds nothing.
    }

    private static int warehouseId(int district) {
        return district / TpccScale.DISTRICTS + 1;
    }

    private static int districtId(int district) {
        return district % TpccScale.DISTRICTS + 1;
    }
}
