package dev.lockstep.tpcc.ordered;

import dev.lockstep.tpcc.adapter.CustomerRow;
import dev.lockstep.tpcc.adapter.DistrictRow;
import dev.lockstep.tpcc.adapter.HistoryRow;
import dev.lockstep.tpcc.adapter.ItemRow;
import dev.lockstep.tpcc.adapter.NewOrderRow;
import dev.lockstep.tpcc.adapter.OrderLineRow;
import dev.lockstep.tpcc.adapter.OrderRow;
import dev.lockstep.tpcc.adapter.StockRow;
import dev.lockstep.tpcc.adapter.TpccScanner;
import dev.lockstep.tpcc.adapter.WarehouseRow;
import java.util.Comparator;
import java.util.Map;
import java.util.function.BiConsumer;

/** Streams the tables of {@link OrderedDatabase}; hashed ones are sorted first. */
final class OrderedScanner implements TpccScanner {
    private final OrderedDatabase db;

    OrderedScanner(OrderedDatabase db) {
        this.db = db;
    }

    private static <K, V, R> void sorted(
            Map<K, V> map, Comparator<V> order, R row, BiConsumer<V, R> fill, Visitor<R> visitor) {
        map.values().stream().sorted(order).forEachOrdered(value -> {
            fill.accept(value, row);
            visitor.visit(row);
        });
    }

    private static <K, V, R> void inOrder(Map<K, V> map, R row, BiConsumer<V, R> fill, Visitor<R> visitor) {
        map.values().forEach(value -> {
            fill.accept(value, row);
            visitor.visit(row);
        });
    }

    @Override
    public void warehouses(Visitor<WarehouseRow> visitor) {
        sorted(db.warehouses, Comparator.comparingInt(w -> w.id), new WarehouseRow(), Rows.Warehouse::to, visitor);
    }

    @Override
    public void districts(Visitor<DistrictRow> visitor) {
        sorted(
                db.districts,
                Comparator.<Rows.District>comparingInt(d -> d.warehouseId).thenComparingInt(d -> d.id),
                new DistrictRow(),
                Rows.District::to,
                visitor);
    }

    @Override
    public void customers(Visitor<CustomerRow> visitor) {
        sorted(
                db.customers,
                Comparator.<Rows.Customer>comparingInt(c -> c.warehouseId)
                        .thenComparingInt(c -> c.districtId)
                        .thenComparingInt(c -> c.id),
                new CustomerRow(),
                Rows.Customer::to,
                visitor);
    }

    @Override
    public void histories(Visitor<HistoryRow> visitor) {
        inOrder(db.histories, new HistoryRow(), Rows.History::to, visitor);
    }

    @Override
    public void newOrders(Visitor<NewOrderRow> visitor) {
        NewOrderRow row = new NewOrderRow();
        db.newOrders.keySet().forEach(key -> {
            row.warehouseId = key.warehouseId();
            row.districtId = key.districtId();
            row.orderId = key.id();
            visitor.visit(row);
        });
    }

    @Override
    public void orders(Visitor<OrderRow> visitor) {
        sorted(
                db.orders,
                Comparator.<Rows.Order>comparingInt(o -> o.warehouseId)
                        .thenComparingInt(o -> o.districtId)
                        .thenComparingInt(o -> o.id),
                new OrderRow(),
                Rows.Order::to,
                visitor);
    }

    @Override
    public void orderLines(Visitor<OrderLineRow> visitor) {
        inOrder(db.orderLines, new OrderLineRow(), Rows.OrderLine::to, visitor);
    }

    @Override
    public void items(Visitor<ItemRow> visitor) {
        sorted(db.items, Comparator.comparingInt(i -> i.id), new ItemRow(), Rows.Item::to, visitor);
    }

    @Override
    public void stocks(Visitor<StockRow> visitor) {
        sorted(
                db.stocks,
                Comparator.<Rows.Stock>comparingInt(s -> s.warehouseId).thenComparingInt(s -> s.itemId),
                new StockRow(),
                Rows.Stock::to,
                visitor);
    }

    @Override
    public void close() {
        // Holds nothing.
    }
}
