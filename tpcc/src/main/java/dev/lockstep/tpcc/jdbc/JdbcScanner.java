package dev.lockstep.tpcc.jdbc;

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
import dev.lockstep.tpcc.schema.Tables;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jooq.Table;

/** Streams tables over one connection. */
final class JdbcScanner implements TpccScanner {
    /** Rows fetched at a time where the driver would otherwise fetch all: a few hundred kilobytes. */
    private static final int FETCH_ROWS = 1_000;

    private interface Reader<R> {
        void read(ResultSet rows, JdbcValues values, R row) throws SQLException;
    }

    private final JdbcAdapter adapter;
    private final Connection connection;
    private final TpccStatements sql;

    JdbcScanner(JdbcAdapter adapter, Connection connection, TpccStatements sql) {
        this.adapter = adapter;
        this.connection = connection;
        this.sql = sql;
    }

    private <R> void scan(Table<?> table, R row, Reader<R> reader, Visitor<R> visitor) {
        try (PreparedStatement statement = connection.prepareStatement(sql.scan(table))) {
            statement.setFetchSize(FETCH_ROWS);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    reader.read(rows, adapter.values(), row);
                    visitor.visit(row);
                }
            }
            connection.commit();
        } catch (SQLException e) {
            throw new IllegalStateException("scan failed engine=" + adapter.name() + " table=" + table.getName(), e);
        }
    }

    @Override
    public void warehouses(Visitor<WarehouseRow> visitor) {
        scan(Tables.WAREHOUSE, new WarehouseRow(), JdbcRows::read, visitor);
    }

    @Override
    public void districts(Visitor<DistrictRow> visitor) {
        scan(Tables.DISTRICT, new DistrictRow(), JdbcRows::read, visitor);
    }

    @Override
    public void customers(Visitor<CustomerRow> visitor) {
        scan(Tables.CUSTOMER, new CustomerRow(), JdbcRows::read, visitor);
    }

    @Override
    public void histories(Visitor<HistoryRow> visitor) {
        scan(Tables.HISTORY, new HistoryRow(), JdbcRows::read, visitor);
    }

    @Override
    public void newOrders(Visitor<NewOrderRow> visitor) {
        scan(Tables.NEW_ORDER, new NewOrderRow(), JdbcRows::read, visitor);
    }

    @Override
    public void orders(Visitor<OrderRow> visitor) {
        scan(Tables.ORDERS, new OrderRow(), JdbcRows::read, visitor);
    }

    @Override
    public void orderLines(Visitor<OrderLineRow> visitor) {
        scan(Tables.ORDER_LINE, new OrderLineRow(), JdbcRows::read, visitor);
    }

    @Override
    public void items(Visitor<ItemRow> visitor) {
        scan(Tables.ITEM, new ItemRow(), JdbcRows::read, visitor);
    }

    @Override
    public void stocks(Visitor<StockRow> visitor) {
        scan(Tables.STOCK, new StockRow(), JdbcRows::read, visitor);
    }

    @Override
    public void close() {
        adapter.close(connection);
    }
}
