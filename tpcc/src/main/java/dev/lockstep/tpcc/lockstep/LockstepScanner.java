package dev.lockstep.tpcc.lockstep;

import dev.lockstep.engine.Cursor;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.Session;
import dev.lockstep.engine.SessionStatistics;
import dev.lockstep.engine.Table;
import dev.lockstep.engine.Transaction;
import dev.lockstep.engine.TransactionOptions;
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
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** Streams tables by full scans at READ COMMITTED, which keep no locks. */
final class LockstepScanner implements TpccScanner {
    private final LockstepTables tables;
    private final Session session;
    private final TransactionOptions options;
    private final Consumer<SessionStatistics> closed;

    LockstepScanner(
            LockstepTables tables, Session session, TransactionOptions options, Consumer<SessionStatistics> closed) {
        this.tables = tables;
        this.session = session;
        this.options = options;
        this.closed = closed;
    }

    private <R> void scan(Table table, R row, BiConsumer<Record, R> mapping, Visitor<R> visitor) {
        Transaction tx = session.begin(options);
        try {
            Record record = table.newRecord();
            try (Cursor cursor = tx.scan(table)) {
                while (cursor.next(record)) {
                    mapping.accept(record, row);
                    visitor.visit(row);
                }
            }
            tx.commit();
        } finally {
            tx.rollback();
        }
    }

    @Override
    public void warehouses(Visitor<WarehouseRow> visitor) {
        scan(tables.warehouse(), new WarehouseRow(), RowMapping::read, visitor);
    }

    @Override
    public void districts(Visitor<DistrictRow> visitor) {
        scan(tables.district(), new DistrictRow(), RowMapping::read, visitor);
    }

    @Override
    public void customers(Visitor<CustomerRow> visitor) {
        scan(tables.customer(), new CustomerRow(), RowMapping::read, visitor);
    }

    @Override
    public void histories(Visitor<HistoryRow> visitor) {
        scan(tables.history(), new HistoryRow(), RowMapping::read, visitor);
    }

    @Override
    public void newOrders(Visitor<NewOrderRow> visitor) {
        scan(tables.newOrder(), new NewOrderRow(), RowMapping::read, visitor);
    }

    @Override
    public void orders(Visitor<OrderRow> visitor) {
        scan(tables.orders(), new OrderRow(), RowMapping::read, visitor);
    }

    @Override
    public void orderLines(Visitor<OrderLineRow> visitor) {
        scan(tables.orderLine(), new OrderLineRow(), RowMapping::read, visitor);
    }

    @Override
    public void items(Visitor<ItemRow> visitor) {
        scan(tables.item(), new ItemRow(), RowMapping::read, visitor);
    }

    @Override
    public void stocks(Visitor<StockRow> visitor) {
        scan(tables.stock(), new StockRow(), RowMapping::read, visitor);
    }

    @Override
    public void close() {
        session.close();
        closed.accept(session.statistics());
    }
}
