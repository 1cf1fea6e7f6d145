package dev.lockstep.tpcc.jdbc;

import dev.lockstep.tpcc.adapter.IsolationLevel;
import dev.lockstep.tpcc.adapter.TpccAdapter;
import dev.lockstep.tpcc.adapter.TpccLoader;
import dev.lockstep.tpcc.adapter.TpccScanner;
import dev.lockstep.tpcc.adapter.TpccSession;
import dev.lockstep.tpcc.adapter.TransactionType;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** A database over JDBC, with tables of its own. Thread-safe. */
public final class JdbcAdapter implements TpccAdapter {
    private static final AtomicLong DATABASES = new AtomicLong();

    private final JdbcPeer peer;
    private final String database;
    private final TpccStatements statements;
    private final JdbcValues values;
    private final Map<TransactionType, IsolationLevel> levels = new EnumMap<>(TransactionType.class);
    private final Map<TransactionType, String> actualLevels = new EnumMap<>(TransactionType.class);

    /** Keeps a database that lives in memory alive. */
    private final Connection anchor;

    private JdbcAdapter(JdbcPeer peer, String database, IsolationLevel isolation) throws SQLException {
        this.peer = peer;
        this.database = database;
        this.statements = peer.statements();
        this.values = new JdbcValues(peer.exactDecimals());
        for (TransactionType type : TransactionType.values()) {
            levels.put(type, peer.level(type, isolation == null ? IsolationLevel.required(type) : isolation));
        }
        peer.systemProperties().forEach((name, value) -> {
            if (System.getProperty(name) == null) {
                System.setProperty(name, value);
            }
        });
        this.anchor = DriverManager.getConnection(peer.url(database));
        try {
            JdbcPeer.run(anchor, peer.openStatements());
            JdbcPeer.run(anchor, peer.connectionStatements());
            JdbcPeer.run(
                    anchor, statements.schema().stream().map(peer::createTable).toList());
            readActualLevels();
        } catch (SQLException e) {
            anchor.close();
            throw e;
        }
    }

    /** Asks the database what it makes of each level, since a driver may choose a stronger one. */
    private void readActualLevels() throws SQLException {
        int before = anchor.getTransactionIsolation();
        for (Map.Entry<TransactionType, IsolationLevel> entry : levels.entrySet()) {
            anchor.setTransactionIsolation(jdbcLevel(entry.getValue()));
            actualLevels.put(entry.getKey(), title(anchor.getTransactionIsolation()));
        }
        anchor.setTransactionIsolation(before);
    }

    /**
     * Opens a new database in memory, with empty tables.
     *
     * @param isolation the level of all transactions, or {@code null} for those that TPC-C requires; where it is too
     *     weak for a type, that one gets the weakest that will do
     * @throws IllegalStateException if the driver is missing or refuses
     */
    public static JdbcAdapter inMemory(JdbcPeer peer, IsolationLevel isolation) {
        return open(peer, "tpcc" + DATABASES.incrementAndGet(), isolation);
    }

    /**
     * Connects to a PostgreSQL server and creates empty tables in the schema {@code lockstep_tpcc}, which is dropped
     * first.
     *
     * @param url of the database, with user and password
     * @param isolation the level of all transactions, or {@code null} for those that TPC-C requires; where it is too
     *     weak for a type, that one gets the weakest that will do
     * @throws IllegalStateException if the driver is missing or the server refuses
     */
    public static JdbcAdapter postgresql(String url, IsolationLevel isolation) {
        return open(JdbcPeer.POSTGRESQL, url, isolation);
    }

    private static JdbcAdapter open(JdbcPeer peer, String database, IsolationLevel isolation) {
        try {
            return new JdbcAdapter(peer, database, isolation);
        } catch (SQLException e) {
            throw new IllegalStateException(
                    "cannot open engine=" + peer.title() + ": is its driver on the class path, and its server up?", e);
        }
    }

    static int jdbcLevel(IsolationLevel level) {
        return switch (level) {
            case READ_UNCOMMITTED -> Connection.TRANSACTION_READ_UNCOMMITTED;
            case READ_COMMITTED -> Connection.TRANSACTION_READ_COMMITTED;
            case REPEATABLE_READ -> Connection.TRANSACTION_REPEATABLE_READ;
            case SERIALIZABLE -> Connection.TRANSACTION_SERIALIZABLE;
        };
    }

    private static String title(int jdbcLevel) {
        for (IsolationLevel level : IsolationLevel.values()) {
            if (jdbcLevel(level) == jdbcLevel) {
                return level.title();
            }
        }
        return "level " + jdbcLevel;
    }

    JdbcPeer peer() {
        return peer;
    }

    JdbcValues values() {
        return values;
    }

    IsolationLevel level(TransactionType type) {
        return levels.get(type);
    }

    private Connection connect() throws SQLException {
        Connection connection = DriverManager.getConnection(peer.url(database));
        try {
            JdbcPeer.run(connection, peer.connectionStatements());
            connection.setAutoCommit(false);
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
        return connection;
    }

    /** Closes a connection of this adapter; an open transaction is rolled back. */
    void close(Connection connection) {
        try (connection) {
            connection.rollback();
        } catch (SQLException e) {
            throw new IllegalStateException("cannot close a connection engine=" + name(), e);
        }
    }

    private interface Opener<T> {
        T open(Connection connection) throws SQLException;
    }

    private <T> T open(Opener<T> opener) {
        try {
            Connection connection = connect();
            try {
                return opener.open(connection);
            } catch (SQLException e) {
                connection.close();
                throw e;
            }
        } catch (SQLException e) {
            throw new IllegalStateException("cannot open a connection engine=" + name(), e);
        }
    }

    @Override
    public String name() {
        return peer.title();
    }

    @Override
    public int sessionsMax() {
        return peer.connectionsMax();
    }

    @Override
    public String isolation(TransactionType type) {
        return actualLevels.get(type);
    }

    @Override
    public TpccSession openSession() {
        return open(connection -> new JdbcSession(this, connection, statements));
    }

    @Override
    public TpccLoader openLoader() {
        return open(connection -> new JdbcLoader(this, connection, statements));
    }

    @Override
    public void loaded() {
        try {
            JdbcPeer.run(anchor, peer.statisticsStatements());
        } catch (SQLException e) {
            throw new IllegalStateException("cannot gather statistics engine=" + name(), e);
        }
    }

    @Override
    public TpccScanner openScanner() {
        return open(connection -> new JdbcScanner(this, connection, statements));
    }

    @Override
    public void close() {
        try (anchor) {
            JdbcPeer.run(anchor, peer.closeStatements());
        } catch (SQLException e) {
            throw new IllegalStateException("cannot close engine=" + name(), e);
        }
        dropInMemory();
    }

    private void dropInMemory() {
        if (peer.closeUrl(database) == null) {
            return;
        }
        try {
            DriverManager.getConnection(peer.closeUrl(database)).close();
        } catch (SQLException e) {
            // Derby reports the success of dropping a database as an exception of this state.
            if (!"08006".equals(e.getSQLState())) {
                throw new IllegalStateException("cannot drop the database engine=" + name(), e);
            }
        }
    }
}
