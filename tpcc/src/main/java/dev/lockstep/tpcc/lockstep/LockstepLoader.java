package dev.lockstep.tpcc.lockstep;

import dev.lockstep.engine.Record;
import dev.lockstep.engine.Session;
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
import dev.lockstep.tpcc.adapter.TpccLoader;
import dev.lockstep.tpcc.adapter.WarehouseRow;

/** Loads rows through ordinary inserts, in one transaction from commit to commit. */
final class LockstepLoader implements TpccLoader {
    private final LockstepTables tables;
    private final Session session;
    private final TransactionOptions options;
    private final Record warehouse;
    private final Record district;
    private final Record customer;
    private final Record history;
    private final Record newOrder;
    private final Record order;
    private final Record orderLine;
    private final Record item;
    private final Record stock;
    private Transaction tx;

    LockstepLoader(LockstepTables tables, Session session, TransactionOptions options) {
        this.tables = tables;
        this.session = session;
        this.options = options;
        warehouse = tables.warehouse().newRecord();
        district = tables.district().newRecord();
        customer = tables.customer().newRecord();
        history = tables.history().newRecord();
        newOrder = tables.newOrder().newRecord();
        order = tables.orders().newRecord();
        orderLine = tables.orderLine().newRecord();
        item = tables.item().newRecord();
        stock = tables.stock().newRecord();
    }

    private void insert(Table table, Record record) {
        if (tx == null) {
            tx = session.begin(options);
        }
        tx.insert(table, record);
    }

    @Override
    public void insert(WarehouseRow row) {
        RowMapping.write(row, warehouse);
        insert(tables.warehouse(), warehouse);
    }

    @Override
    public void insert(DistrictRow row) {
        RowMapping.write(row, district);
        insert(tables.district(), district);
    }

    @Override
    public void insert(CustomerRow row) {
        RowMapping.write(row, customer);
        insert(tables.customer(), customer);
    }

    @Override
    public void insert(HistoryRow row) {
        RowMapping.write(row, history);
        insert(tables.history(), history);
    }

    @Override
    public void insert(NewOrderRow row) {
        RowMapping.write(row, newOrder);
        insert(tables.newOrder(), newOrder);
    }

    @Override
    public void insert(OrderRow row) {
        RowMapping.write(row, order);
        insert(tables.orders(), order);
    }

    @Override
    public void insert(OrderLineRow row) {
        RowMapping.write(row, orderLine);
        insert(tables.orderLine(), orderLine);
    }

    @Override
    public void insert(ItemRow row) {
        RowMapping.write(row, item);
        insert(tables.item(), item);
    }

    @Override
    public void insert(StockRow row) {
        RowMapping.write(row, stock);
        insert(tables.stock(), stock);
    }

    @Override
    public void commit() {
        if (tx != null) {
            tx.commit();
            tx = null;
        }
    }

    @Override
    public void close() {
        if (tx != null) {
            tx.rollback();
        }
        session.close();
    }
}
