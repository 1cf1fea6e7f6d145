package dev.lockstep.tpcc.jdbc;

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
import dev.lockstep.tpcc.schema.Tables;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jooq.Table;

/** Loads over one connection, by batches of inserts. */
final class JdbcLoader implements TpccLoader {
    private interface Binder {
        void bind(PreparedStatement statement) throws SQLException;
    }

    private final JdbcAdapter adapter;
    private final Connection connection;
    private final Map<Table<?>, PreparedStatement> inserts = new HashMap<>();
    private final Set<PreparedStatement> pending = new LinkedHashSet<>();

    JdbcLoader(JdbcAdapter adapter, Connection connection, TpccStatements sql) throws SQLException {
        this.adapter = adapter;
        this.connection = connection;
        for (Table<?> table : TpccStatements.TABLES) {
            inserts.put(table, connection.prepareStatement(sql.insert(table)));
        }
    }

    private void insert(Table<?> table, Binder row) {
        PreparedStatement statement = inserts.get(table);
        try {
            row.bind(statement);
            statement.addBatch();
        } catch (SQLException e) {
            throw failed(e);
        }
        pending.add(statement);
    }

    private IllegalStateException failed(SQLException e) {
        return new IllegalStateException("loading failed engine=" + adapter.name(), e);
    }

    @Override
    public void insert(WarehouseRow row) {
        insert(Tables.WAREHOUSE, s -> JdbcRows.bind(s, row));
    }

    @Override
    public void insert(DistrictRow row) {
        insert(Tables.DISTRICT, s -> JdbcRows.bind(s, row));
    }

    @Override
    public void insert(CustomerRow row) {
        insert(Tables.CUSTOMER, s -> JdbcRows.bind(s, row));
    }

    @Override
    public void insert(HistoryRow row) {
        insert(Tables.HISTORY, s -> JdbcRows.bind(s, row));
    }

    @Override
    public void insert(NewOrderRow row) {
        insert(Tables.NEW_ORDER, s -> JdbcRows.bind(s, row));
    }

    @Override
    public void insert(OrderRow row) {
        insert(Tables.ORDERS, s -> JdbcRows.bind(s, row));
    }

    @Override
    public void insert(OrderLineRow row) {
        insert(Tables.ORDER_LINE, s -> JdbcRows.bind(s, row));
    }

    @Override
    public void insert(ItemRow row) {
        insert(Tables.ITEM, s -> JdbcRows.bind(s, row));
    }

    @Override
    public void insert(StockRow row) {
        insert(Tables.STOCK, s -> JdbcRows.bind(s, row));
    }

    @Override
    public void commit() {
        try {
            for (PreparedStatement statement : pending) {
                statement.executeBatch();
            }
            pending.clear();
            connection.commit();
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    @Override
    public void close() {
        adapter.close(connection);
    }
}
