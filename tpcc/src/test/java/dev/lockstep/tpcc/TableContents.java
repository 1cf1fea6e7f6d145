package dev.lockstep.tpcc;

import dev.lockstep.tpcc.adapter.CustomerRow;
import dev.lockstep.tpcc.adapter.DistrictRow;
import dev.lockstep.tpcc.adapter.HistoryRow;
import dev.lockstep.tpcc.adapter.ItemRow;
import dev.lockstep.tpcc.adapter.NewOrderRow;
import dev.lockstep.tpcc.adapter.OrderLineRow;
import dev.lockstep.tpcc.adapter.OrderRow;
import dev.lockstep.tpcc.adapter.StockRow;
import dev.lockstep.tpcc.adapter.TpccAdapter;
import dev.lockstep.tpcc.adapter.TpccScanner;
import dev.lockstep.tpcc.adapter.WarehouseRow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Every column of every row of a small database, as lines that tests compare. */
public final class TableContents {
    private TableContents() {}

    /** Reads all nine tables, by name. */
    public static Map<String, List<String>> of(TpccAdapter adapter) {
        Map<String, List<String>> tables = new LinkedHashMap<>();
        try (TpccScanner scanner = adapter.openScanner()) {
            scanner.warehouses(row -> add(tables, "warehouse", warehouse(row)));
            scanner.districts(row -> add(tables, "district", district(row)));
            scanner.customers(row -> add(tables, "customer", customer(row)));
            scanner.histories(row -> add(tables, "history", history(row)));
            scanner.newOrders(row -> add(tables, "new_order", newOrder(row)));
            scanner.orders(row -> add(tables, "orders", order(row)));
            scanner.orderLines(row -> add(tables, "order_line", orderLine(row)));
            scanner.items(row -> add(tables, "item", item(row)));
            scanner.stocks(row -> add(tables, "stock", stock(row)));
        }
        // The one table without a key by the specification, whose order is left to the engine.
        Collections.sort(tables.get("history"));
        return tables;
    }

    private static void add(Map<String, List<String>> tables, String table, Object... columns) {
        tables.computeIfAbsent(table, name -> new ArrayList<>())
                .add(Arrays.stream(columns).map(String::valueOf).collect(Collectors.joining("|")));
    }

    private static Object[] warehouse(WarehouseRow r) {
        return new Object[] {r.id, r.name, r.street1, r.street2, r.city, r.state, r.zip, r.taxTenThousandths, r.ytdCents
        };
    }

    private static Object[] district(DistrictRow r) {
        return new Object[] {
            r.warehouseId,
            r.id,
            r.name,
            r.street1,
            r.street2,
            r.city,
            r.state,
            r.zip,
            r.taxTenThousandths,
            r.ytdCents,
            r.nextOrderId
        };
    }

    private static Object[] customer(CustomerRow r) {
        return new Object[] {
            r.warehouseId,
            r.districtId,
            r.id,
            r.first,
            r.middle,
            r.last,
            r.street1,
            r.street2,
            r.city,
            r.state,
            r.zip,
            r.phone,
            r.sinceMillis,
            r.credit,
            r.creditLimitCents,
            r.discountTenThousandths,
            r.balanceCents,
            r.ytdPaymentCents,
            r.paymentCount,
            r.deliveryCount,
            r.data
        };
    }

    private static Object[] history(HistoryRow r) {
        return new Object[] {
            r.id,
            r.customerId,
            r.customerDistrictId,
            r.customerWarehouseId,
            r.districtId,
            r.warehouseId,
            r.dateMillis,
            r.amountCents,
            r.data
        };
    }

    private static Object[] newOrder(NewOrderRow r) {
        return new Object[] {r.warehouseId, r.districtId, r.orderId};
    }

    private static Object[] order(OrderRow r) {
        return new Object[] {
            r.warehouseId, r.districtId, r.id, r.customerId, r.entryMillis, r.carrierId, r.lineCount, r.allLocal
        };
    }

    private static Object[] orderLine(OrderLineRow r) {
        return new Object[] {
            r.warehouseId,
            r.districtId,
            r.orderId,
            r.number,
            r.itemId,
            r.supplyWarehouseId,
            r.deliveryMillis,
            r.quantity,
            r.amountCents,
            r.districtInfo
        };
    }

    private static Object[] item(ItemRow r) {
        return new Object[] {r.id, r.imageId, r.name, r.priceCents, r.data};
    }

    private static Object[] stock(StockRow r) {
        return new Object[] {
            r.warehouseId,
            r.itemId,
            r.quantity,
            Arrays.toString(r.districtInfos),
            r.ytd,
            r.orderCount,
            r.remoteCount,
            r.data
        };
    }
}
