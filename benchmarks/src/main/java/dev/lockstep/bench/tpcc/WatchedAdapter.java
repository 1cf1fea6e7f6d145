package dev.lockstep.bench.tpcc;

import dev.lockstep.tpcc.adapter.CustomerRow;
import dev.lockstep.tpcc.adapter.DelegatingAdapter;
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
import java.util.function.LongConsumer;

/** An engine whose scanners tell how many rows they have read, so that a long check is no stall. */
final class WatchedAdapter extends DelegatingAdapter {
    /** Rows between two reports: seldom enough to cost nothing, often enough for the slowest engine. */
    private static final int ROWS_PER_REPORT = 10_000;

    private final LongConsumer scannedRows;

    WatchedAdapter(TpccAdapter engine, LongConsumer scannedRows) {
        super(engine);
        this.scannedRows = scannedRows;
    }

    @Override
    public TpccScanner openScanner() {
        return new CountingScanner(super.openScanner(), scannedRows);
    }

    private static final class CountingScanner implements TpccScanner {
        private final TpccScanner scanner;
        private final LongConsumer scannedRows;
        private long rows;

        CountingScanner(TpccScanner scanner, LongConsumer scannedRows) {
            this.scanner = scanner;
            this.scannedRows = scannedRows;
        }

        private <R> Visitor<R> counted(Visitor<R> visitor) {
            return row -> {
                rows++;
                if (rows % ROWS_PER_REPORT == 0) {
                    scannedRows.accept(rows);
                }
                visitor.visit(row);
            };
        }

        @Override
        public void warehouses(Visitor<WarehouseRow> visitor) {
            scanner.warehouses(counted(visitor));
        }

        @Override
        public void districts(Visitor<DistrictRow> visitor) {
            scanner.districts(counted(visitor));
        }

        @Override
        public void customers(Visitor<CustomerRow> visitor) {
            scanner.customers(counted(visitor));
        }

        @Override
        public void histories(Visitor<HistoryRow> visitor) {
            scanner.histories(counted(visitor));
        }

        @Override
        public void newOrders(Visitor<NewOrderRow> visitor) {
            scanner.newOrders(counted(visitor));
        }

        @Override
        public void orders(Visitor<OrderRow> visitor) {
            scanner.orders(counted(visitor));
        }

        @Override
        public void orderLines(Visitor<OrderLineRow> visitor) {
            scanner.orderLines(counted(visitor));
        }

        @Override
        public void items(Visitor<ItemRow> visitor) {
            scanner.items(counted(visitor));
        }

        @Override
        public void stocks(Visitor<StockRow> visitor) {
            scanner.stocks(counted(visitor));
        }

        @Override
        public void close() {
            scanner.close();
        }
    }
}
