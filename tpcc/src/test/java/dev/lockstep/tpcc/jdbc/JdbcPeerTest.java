package dev.lockstep.tpcc.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.tpcc.adapter.AbortReason;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What can be said of each peer without a server; the others' tests run them. */
class JdbcPeerTest {
    @ParameterizedTest
    @EnumSource(JdbcPeer.class)
    void everyPeerGetsTheSameTablesKeysAndIndexes(JdbcPeer peer) {
        List<String> schema =
                peer.statements().schema().stream().map(peer::createTable).toList();
        assertEquals(
                9, schema.stream().filter(s -> s.startsWith("create table")).count(), schema::toString);
        assertEquals(9, schema.stream().filter(s -> s.contains("primary key")).count(), schema::toString);
        assertEquals(
                2, schema.stream().filter(s -> s.startsWith("create index")).count(), schema::toString);
        assertEquals(
                peer == JdbcPeer.SQLITE ? 9 : 0,
                schema.stream().filter(s -> s.endsWith("without rowid")).count());
    }

    @ParameterizedTest
    @EnumSource(JdbcPeer.class)
    void statementsHaveBareParameters(JdbcPeer peer) {
        TpccStatements sql = peer.statements();
        assertEquals(3, parameters(sql.updateNextOrderId));
        assertEquals(6, parameters(sql.updateStock));
        assertEquals(7, parameters(sql.updateCustomerAndData));
        assertEquals(4, parameters(sql.creditCustomer));
        assertEquals(3, parameters(sql.lastOrder), sql.lastOrder);
        assertEquals(2, parameters(sql.oldestNewOrder), sql.oldestNewOrder);
        assertEquals(5, parameters(sql.lowStock));
        assertEquals(21, parameters(sql.insert(TpccStatements.TABLES.get(2))));
        assertFalse(sql.creditCustomer.contains("cast"), sql.creditCustomer);
        assertTrue(sql.stock[9].contains("s_dist_10"), sql.stock[9]);
    }

    @Test
    void rowsComeInTheOrderOfAnIndex() throws SQLException {
        TpccStatements sql = JdbcPeer.H2.statements();
        try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:")) {
            JdbcPeer.run(connection, sql.schema());
            for (String select : List.of(sql.oldestNewOrder, sql.lastOrder, sql.customersByName)) {
                try (PreparedStatement explain = connection.prepareStatement("explain " + select)) {
                    for (int parameter = 1; parameter <= parameters(select); parameter++) {
                        explain.setString(parameter, "1");
                    }
                    try (ResultSet plan = explain.executeQuery()) {
                        assertTrue(plan.next());
                        String text = plan.getString(1);
                        assertTrue(text.contains("index sorted"), text);
                    }
                }
            }
        }
    }

    private static long parameters(String sql) {
        return sql.chars().filter(c -> c == '?').count();
    }

    @Test
    void rowsToBeChangedAreLockedWhereThatHelps() {
        assertTrue(JdbcPeer.POSTGRESQL.statements().customerForPayment.endsWith("for update"));
        assertTrue(JdbcPeer.H2.statements().districtForOrder.endsWith("for update"));
        assertFalse(JdbcPeer.SQLITE.statements().districtForOrder.contains("for update"));
    }

    @Test
    void conflictsAreToldFromFailures() {
        assertEquals(AbortReason.SERIALIZATION, reason(JdbcPeer.POSTGRESQL, "40001", 0));
        assertEquals(AbortReason.DEADLOCK, reason(JdbcPeer.POSTGRESQL, "40P01", 0));
        assertEquals(AbortReason.TIMEOUT, reason(JdbcPeer.POSTGRESQL, "55P03", 0));
        assertNull(reason(JdbcPeer.POSTGRESQL, "23505", 0));
        assertEquals(AbortReason.DEADLOCK, reason(JdbcPeer.H2, "40001", 40001));
        assertEquals(AbortReason.TIMEOUT, reason(JdbcPeer.H2, "HYT00", 50200));
        assertEquals(AbortReason.SERIALIZATION, reason(JdbcPeer.H2, "90131", 90131));
        assertNull(reason(JdbcPeer.H2, "23505", 23505));
        assertEquals(AbortReason.SERIALIZATION, reason(JdbcPeer.HSQLDB, "40001", -4861));
        assertNull(reason(JdbcPeer.HSQLDB, null, 0));
        assertEquals(AbortReason.DEADLOCK, reason(JdbcPeer.DERBY, "40001", 30000));
        assertEquals(AbortReason.TIMEOUT, reason(JdbcPeer.DERBY, "40XL1", 30000));
        assertNull(reason(JdbcPeer.DERBY, "XCL16", 20000));
        assertEquals(AbortReason.TIMEOUT, reason(JdbcPeer.SQLITE, null, 262));
        assertNull(reason(JdbcPeer.SQLITE, null, 19));
    }

    private static AbortReason reason(JdbcPeer peer, String state, int code) {
        return peer.reason(new SQLException("made up", state, code));
    }

    @Test
    void unreachableServerIsNamed() {
        IllegalStateException e = assertThrows(
                IllegalStateException.class,
                () -> JdbcAdapter.postgresql("jdbc:postgresql://localhost:1/none?connectTimeout=1", null));
        assertTrue(e.getMessage().contains("engine=postgresql"), e::getMessage);
    }
}
