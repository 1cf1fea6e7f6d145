package dev.lockstep.tpcc.jdbc;

import dev.lockstep.tpcc.adapter.Text;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.sql.Types;

/** Converts between the rows' primitives and what JDBC wants. */
final class JdbcValues {
    private static final int CENT_DIGITS = 2;
    private static final int RATE_DIGITS = 4;

    private final boolean exactDecimals;

    JdbcValues(boolean exactDecimals) {
        this.exactDecimals = exactDecimals;
    }

    long cents(ResultSet rows, int column) throws SQLException {
        return unscaled(rows, column, CENT_DIGITS);
    }

    int rate(ResultSet rows, int column) throws SQLException {
        return (int) unscaled(rows, column, RATE_DIGITS);
    }

    private long unscaled(ResultSet rows, int column, int digits) throws SQLException {
        if (!exactDecimals) {
            return BigDecimal.valueOf(rows.getDouble(column))
                    .setScale(digits, RoundingMode.HALF_EVEN)
                    .unscaledValue()
                    .longValue();
        }
        BigDecimal value = rows.getBigDecimal(column);
        return value == null ? 0 : value.setScale(digits).unscaledValue().longValue();
    }

    static void cents(PreparedStatement statement, int parameter, long cents) throws SQLException {
        statement.setBigDecimal(parameter, BigDecimal.valueOf(cents, CENT_DIGITS));
    }

    static void rate(PreparedStatement statement, int parameter, int tenThousandths) throws SQLException {
        statement.setBigDecimal(parameter, BigDecimal.valueOf(tenThousandths, RATE_DIGITS));
    }

    static long millis(ResultSet rows, int column, long ifNull) throws SQLException {
        Timestamp value = rows.getTimestamp(column);
        return value == null ? ifNull : value.getTime();
    }

    static void millis(PreparedStatement statement, int parameter, long millis, long nullValue) throws SQLException {
        if (millis == nullValue) {
            statement.setNull(parameter, Types.TIMESTAMP);
        } else {
            statement.setTimestamp(parameter, new Timestamp(millis));
        }
    }

    static void intOrNull(PreparedStatement statement, int parameter, int value, int nullValue) throws SQLException {
        if (value == nullValue) {
            statement.setNull(parameter, Types.INTEGER);
        } else {
            statement.setInt(parameter, value);
        }
    }

    static void text(ResultSet rows, int column, Text text) throws SQLException {
        text.copyFrom(rows.getString(column));
    }

    static void text(PreparedStatement statement, int parameter, Text text) throws SQLException {
        statement.setString(parameter, text.toString());
    }
}
