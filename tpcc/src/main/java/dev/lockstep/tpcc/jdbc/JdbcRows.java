package dev.lockstep.tpcc.jdbc;

import static dev.lockstep.tpcc.jdbc.JdbcValues.cents;
import static dev.lockstep.tpcc.jdbc.JdbcValues.intOrNull;
import static dev.lockstep.tpcc.jdbc.JdbcValues.millis;
import static dev.lockstep.tpcc.jdbc.JdbcValues.rate;
import static dev.lockstep.tpcc.jdbc.JdbcValues.text;

import dev.lockstep.tpcc.adapter.CustomerRow;
import dev.lockstep.tpcc.adapter.DistrictRow;
import dev.lockstep.tpcc.adapter.HistoryRow;
import dev.lockstep.tpcc.adapter.ItemRow;
import dev.lockstep.tpcc.adapter.NewOrderRow;
import dev.lockstep.tpcc.adapter.OrderLineRow;
import dev.lockstep.tpcc.adapter.OrderRow;
import dev.lockstep.tpcc.adapter.StockRow;
import dev.lockstep.tpcc.adapter.Text;
import dev.lockstep.tpcc.adapter.WarehouseRow;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Binds whole rows to the parameters of an INSERT, and reads them from a scan: columns in the order of the schema. */
final class JdbcRows {
    /** No column that is NOT NULL has this value. */
    private static final long NEVER = Long.MIN_VALUE;

    private JdbcRows() {}

    static void bind(PreparedStatement s, WarehouseRow row) throws SQLException {
        int p = 0;
        s.setInt(++p, row.id);
        text(s, ++p, row.name);
        text(s, ++p, row.street1);
        text(s, ++p, row.street2);
        text(s, ++p, row.city);
        text(s, ++p, row.state);
        text(s, ++p, row.zip);
        rate(s, ++p, row.taxTenThousandths);
        cents(s, ++p, row.ytdCents);
    }

    static void read(ResultSet r, JdbcValues values, WarehouseRow row) throws SQLException {
        int c = 0;
        row.id = r.getInt(++c);
        text(r, ++c, row.name);
        text(r, ++c, row.street1);
        text(r, ++c, row.street2);
        text(r, ++c, row.city);
        text(r, ++c, row.state);
        text(r, ++c, row.zip);
        row.taxTenThousandths = values.rate(r, ++c);
        row.ytdCents = values.cents(r, ++c);
    }

    static void bind(PreparedStatement s, DistrictRow row) throws SQLException {
        int p = 0;
        s.setInt(++p, row.warehouseId);
        s.setInt(++p, row.id);
        text(s, ++p, row.name);
        text(s, ++p, row.street1);
        text(s, ++p, row.street2);
        text(s, ++p, row.city);
        text(s, ++p, row.state);
        text(s, ++p, row.zip);
        rate(s, ++p, row.taxTenThousandths);
        cents(s, ++p, row.ytdCents);
        s.setInt(++p, row.nextOrderId);
    }

    static void read(ResultSet r, JdbcValues values, DistrictRow row) throws SQLException {
        int c = 0;
        row.warehouseId = r.getInt(++c);
        row.id = r.getInt(++c);
        text(r, ++c, row.name);
        text(r, ++c, row.street1);
        text(r, ++c, row.street2);
        text(r, ++c, row.city);
        text(r, ++c, row.state);
        text(r, ++c, row.zip);
        row.taxTenThousandths = values.rate(r, ++c);
        row.ytdCents = values.cents(r, ++c);
        row.nextOrderId = r.getInt(++c);
    }

    static void bind(PreparedStatement s, CustomerRow row) throws SQLException {
        int p = 0;
        s.setInt(++p, row.warehouseId);
        s.setInt(++p, row.districtId);
        s.setInt(++p, row.id);
        text(s, ++p, row.first);
        text(s, ++p, row.middle);
        text(s, ++p, row.last);
        text(s, ++p, row.street1);
        text(s, ++p, row.street2);
        text(s, ++p, row.city);
        text(s, ++p, row.state);
        text(s, ++p, row.zip);
        text(s, ++p, row.phone);
        millis(s, ++p, row.sinceMillis, NEVER);
        text(s, ++p, row.credit);
        cents(s, ++p, row.creditLimitCents);
        rate(s, ++p, row.discountTenThousandths);
        cents(s, ++p, row.balanceCents);
        cents(s, ++p, row.ytdPaymentCents);
        s.setInt(++p, row.paymentCount);
        s.setInt(++p, row.deliveryCount);
        text(s, ++p, row.data);
    }

    static void read(ResultSet r, JdbcValues values, CustomerRow row) throws SQLException {
        int c = 0;
        row.warehouseId = r.getInt(++c);
        row.districtId = r.getInt(++c);
        row.id = r.getInt(++c);
        text(r, ++c, row.first);
        text(r, ++c, row.middle);
        text(r, ++c, row.last);
        text(r, ++c, row.street1);
        text(r, ++c, row.street2);
        text(r, ++c, row.city);
        text(r, ++c, row.state);
        text(r, ++c, row.zip);
        text(r, ++c, row.phone);
        row.sinceMillis = millis(r, ++c, NEVER);
        text(r, ++c, row.credit);
        row.creditLimitCents = values.cents(r, ++c);
        row.discountTenThousandths = values.rate(r, ++c);
        row.balanceCents = values.cents(r, ++c);
        row.ytdPaymentCents = values.cents(r, ++c);
        row.paymentCount = r.getInt(++c);
        row.deliveryCount = r.getInt(++c);
        text(r, ++c, row.data);
    }

    static void bind(PreparedStatement s, HistoryRow row) throws SQLException {
        int p = 0;
        s.setLong(++p, row.id);
        s.setInt(++p, row.customerId);
        s.setInt(++p, row.customerDistrictId);
        s.setInt(++p, row.customerWarehouseId);
        s.setInt(++p, row.districtId);
        s.setInt(++p, row.warehouseId);
        millis(s, ++p, row.dateMillis, NEVER);
        cents(s, ++p, row.amountCents);
        text(s, ++p, row.data);
    }

    static void read(ResultSet r, JdbcValues values, HistoryRow row) throws SQLException {
        int c = 0;
        row.id = r.getLong(++c);
        row.customerId = r.getInt(++c);
        row.customerDistrictId = r.getInt(++c);
        row.customerWarehouseId = r.getInt(++c);
        row.districtId = r.getInt(++c);
        row.warehouseId = r.getInt(++c);
        row.dateMillis = millis(r, ++c, NEVER);
        row.amountCents = values.cents(r, ++c);
        text(r, ++c, row.data);
    }

    static void bind(PreparedStatement s, NewOrderRow row) throws SQLException {
        s.setInt(1, row.warehouseId);
        s.setInt(2, row.districtId);
        s.setInt(3, row.orderId);
    }

    static void read(ResultSet r, JdbcValues values, NewOrderRow row) throws SQLException {
        row.warehouseId = r.getInt(1);
        row.districtId = r.getInt(2);
        row.orderId = r.getInt(3);
    }

    static void bind(PreparedStatement s, OrderRow row) throws SQLException {
        int p = 0;
        s.setInt(++p, row.warehouseId);
        s.setInt(++p, row.districtId);
        s.setInt(++p, row.id);
        s.setInt(++p, row.customerId);
        millis(s, ++p, row.entryMillis, NEVER);
        intOrNull(s, ++p, row.carrierId, OrderRow.NO_CARRIER);
        s.setInt(++p, row.lineCount);
        s.setInt(++p, row.allLocal);
    }

    static void read(ResultSet r, JdbcValues values, OrderRow row) throws SQLException {
        int c = 0;
        row.warehouseId = r.getInt(++c);
        row.districtId = r.getInt(++c);
        row.id = r.getInt(++c);
        row.customerId = r.getInt(++c);
        row.entryMillis = millis(r, ++c, NEVER);
        // A NULL is read as 0, which is NO_CARRIER.
        row.carrierId = r.getInt(++c);
        row.lineCount = r.getInt(++c);
        row.allLocal = r.getInt(++c);
    }

    static void bind(PreparedStatement s, OrderLineRow row) throws SQLException {
        int p = 0;
        s.setInt(++p, row.warehouseId);
        s.setInt(++p, row.districtId);
        s.setInt(++p, row.orderId);
        s.setInt(++p, row.number);
        s.setInt(++p, row.itemId);
        s.setInt(++p, row.supplyWarehouseId);
        millis(s, ++p, row.deliveryMillis, OrderLineRow.NOT_DELIVERED);
        s.setInt(++p, row.quantity);
        cents(s, ++p, row.amountCents);
        text(s, ++p, row.districtInfo);
    }

    static void read(ResultSet r, JdbcValues values, OrderLineRow row) throws SQLException {
        int c = 0;
        row.warehouseId = r.getInt(++c);
        row.districtId = r.getInt(++c);
        row.orderId = r.getInt(++c);
        row.number = r.getInt(++c);
        row.itemId = r.getInt(++c);
        row.supplyWarehouseId = r.getInt(++c);
        row.deliveryMillis = millis(r, ++c, OrderLineRow.NOT_DELIVERED);
        row.quantity = r.getInt(++c);
        row.amountCents = (int) values.cents(r, ++c);
        text(r, ++c, row.districtInfo);
    }

    static void bind(PreparedStatement s, ItemRow row) throws SQLException {
        int p = 0;
        s.setInt(++p, row.id);
        s.setInt(++p, row.imageId);
        text(s, ++p, row.name);
        cents(s, ++p, row.priceCents);
        text(s, ++p, row.data);
    }

    static void read(ResultSet r, JdbcValues values, ItemRow row) throws SQLException {
        int c = 0;
        row.id = r.getInt(++c);
        row.imageId = r.getInt(++c);
        text(r, ++c, row.name);
        row.priceCents = (int) values.cents(r, ++c);
        text(r, ++c, row.data);
    }

    static void bind(PreparedStatement s, StockRow row) throws SQLException {
        int p = 0;
        s.setInt(++p, row.warehouseId);
        s.setInt(++p, row.itemId);
        s.setInt(++p, row.quantity);
        for (Text info : row.districtInfos) {
            text(s, ++p, info);
        }
        s.setInt(++p, row.ytd);
        s.setInt(++p, row.orderCount);
        s.setInt(++p, row.remoteCount);
        text(s, ++p, row.data);
    }

    static void read(ResultSet r, JdbcValues values, StockRow row) throws SQLException {
        int c = 0;
        row.warehouseId = r.getInt(++c);
        row.itemId = r.getInt(++c);
        row.quantity = r.getInt(++c);
        for (Text info : row.districtInfos) {
            text(r, ++c, info);
        }
        row.ytd = r.getInt(++c);
        row.orderCount = r.getInt(++c);
        row.remoteCount = r.getInt(++c);
        text(r, ++c, row.data);
    }
}
