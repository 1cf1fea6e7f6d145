package dev.lockstep.tpcc.jdbc;

import dev.lockstep.tpcc.adapter.AbortReason;
import dev.lockstep.tpcc.adapter.IsolationLevel;
import dev.lockstep.tpcc.adapter.TransactionType;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jooq.SQLDialect;

/** A database that Lockstep is compared with, and the settings that serve it best. */
public enum JdbcPeer {
    /** H2 in memory; MVStore, rows are locked by writers, SERIALIZABLE is a snapshot. */
    H2("h2", SQLDialect.H2, true, Integer.MAX_VALUE) {
        @Override
        String url(String database) {
            return "jdbc:h2:mem:" + database + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=10000";
        }

        @Override
        List<String> closeStatements() {
            return List.of("SHUTDOWN");
        }

        @Override
        List<String> statisticsStatements() {
            return List.of("ANALYZE SAMPLE_SIZE 0");
        }
    },

    /** HSQLDB in memory, in its multi-version mode, which locks rows where the default locks tables. */
    HSQLDB("hsqldb", SQLDialect.HSQLDB, false, Integer.MAX_VALUE) {
        @Override
        String url(String database) {
            return "jdbc:hsqldb:mem:" + database
                    + ";hsqldb.tx=mvcc;hsqldb.tx_level=serializable;sql.enforce_size=false";
        }

        @Override
        List<String> closeStatements() {
            return List.of("SHUTDOWN IMMEDIATELY");
        }

        @Override
        IsolationLevel weakest(TransactionType type) {
            // It locks no row that is only read, and tells of a conflict where transactions have a snapshot.
            return type.readOnly() ? super.weakest(type) : IsolationLevel.REPEATABLE_READ;
        }
    },

    /** Derby in memory: two-phase locks on rows and ranges. */
    DERBY("derby", SQLDialect.DERBY, true, Integer.MAX_VALUE) {
        @Override
        String url(String database) {
            return "jdbc:derby:memory:" + database + ";create=true";
        }

        @Override
        String closeUrl(String database) {
            return "jdbc:derby:memory:" + database + ";drop=true";
        }

        @Override
        Map<String, String> systemProperties() {
            return Map.of(
                    // Pages of 4 KiB, on demand: room for ten warehouses, where the default of 1,000 holds 4 MB.
                    "derby.storage.pageCacheSize",
                    "300000",
                    // The database dies with the process, so nothing has to be forced anywhere.
                    "derby.system.durability",
                    "test",
                    "derby.stream.error.method",
                    DerbyLog.METHOD);
        }

        @Override
        List<String> openStatements() {
            return List.of(
                    property("derby.locks.deadlockTimeout", "1"),
                    property("derby.locks.waitTimeout", "10"),
                    // A load commits every thousand rows and must not end up with table locks.
                    property("derby.locks.escalationThreshold", "100000"));
        }

        @Override
        List<String> statisticsStatements() {
            return TpccStatements.TABLES.stream()
                    .map(table -> "CALL SYSCS_UTIL.SYSCS_UPDATE_STATISTICS(CURRENT SCHEMA, '"
                            + table.getName().toUpperCase(Locale.ROOT) + "', NULL)")
                    .toList();
        }

        @Override
        IsolationLevel weakest(TransactionType type) {
            // Below it the lock of a FOR UPDATE goes with the cursor, in front of the change.
            return type.readOnly() ? super.weakest(type) : IsolationLevel.REPEATABLE_READ;
        }
    },

    /** SQLite in memory: one connection, since it lets one writer in at a time and in memory others fail, not wait. */
    SQLITE("sqlite", SQLDialect.SQLITE, false, 1) {
        @Override
        String url(String database) {
            return "jdbc:sqlite:file:" + database + "?mode=memory&cache=shared";
        }

        @Override
        List<String> openStatements() {
            return List.of("PRAGMA journal_mode=MEMORY", "PRAGMA synchronous=OFF", "PRAGMA temp_store=MEMORY");
        }

        @Override
        List<String> statisticsStatements() {
            return List.of("ANALYZE");
        }

        @Override
        String createTable(String statement) {
            // Clusters the table by its key, as the other engines do.
            return statement.startsWith("create table") ? statement + " without rowid" : statement;
        }

        @Override
        boolean exactDecimals() {
            return false;
        }

        @Override
        IsolationLevel weakest(TransactionType type) {
            // Its transactions are that anyway.
            return IsolationLevel.SERIALIZABLE;
        }
    },

    /**
     * PostgreSQL at a URL; uses a schema of its own there, which is dropped when it is opened and when it is closed.
     */
    POSTGRESQL("postgresql", SQLDialect.POSTGRES, true, Integer.MAX_VALUE) {
        @Override
        String url(String database) {
            return database;
        }

        @Override
        List<String> openStatements() {
            return List.of("DROP SCHEMA IF EXISTS " + SCHEMA + " CASCADE", "CREATE SCHEMA " + SCHEMA);
        }

        @Override
        List<String> connectionStatements() {
            return List.of("SET search_path TO " + SCHEMA, "SET lock_timeout TO 10000");
        }

        @Override
        List<String> statisticsStatements() {
            return List.of("VACUUM ANALYZE");
        }

        @Override
        List<String> closeStatements() {
            return List.of("DROP SCHEMA IF EXISTS " + SCHEMA + " CASCADE");
        }

        @Override
        IsolationLevel weakest(TransactionType type) {
            // What it calls READ UNCOMMITTED is the same, and it would be reported by that name.
            return IsolationLevel.READ_COMMITTED;
        }
    };

    private static final String SCHEMA = "lockstep_tpcc";

    private static final int SQLITE_BUSY = 5;
    private static final int SQLITE_LOCKED = 6;
    private static final int SQLITE_PRIMARY_MASK = 0xff;
    private static final int H2_CONCURRENT_UPDATE = 90131;
    private static final int H2_LOCK_TIMEOUT = 50200;

    private final String title;
    private final SQLDialect dialect;
    private final boolean forUpdate;
    private final int connectionsMax;

    JdbcPeer(String title, SQLDialect dialect, boolean forUpdate, int connectionsMax) {
        this.title = title;
        this.dialect = dialect;
        this.forUpdate = forUpdate;
        this.connectionsMax = connectionsMax;
    }

    private static String property(String name, String value) {
        return "CALL SYSCS_UTIL.SYSCS_SET_DATABASE_PROPERTY('" + name + "', '" + value + "')";
    }

    /** The name on the command line. */
    public String title() {
        return title;
    }

    /** The most connections that make sense. */
    int connectionsMax() {
        return connectionsMax;
    }

    TpccStatements statements() {
        return new TpccStatements(dialect, forUpdate);
    }

    /** Where to connect to. */
    abstract String url(String database);

    /** Where to connect to once more in order to drop the database, or {@code null}. */
    String closeUrl(String database) {
        return null;
    }

    /** System properties that the driver reads when it starts, set where the user has not set them. */
    Map<String, String> systemProperties() {
        return Map.of();
    }

    /** Run once, before the tables are created. */
    List<String> openStatements() {
        return List.of();
    }

    /** Run on each connection. */
    List<String> connectionStatements() {
        return List.of();
    }

    /** Run once after loading. */
    List<String> statisticsStatements() {
        return List.of();
    }

    /** Run once at the end. */
    List<String> closeStatements() {
        return List.of();
    }

    /** The last touch to a CREATE statement. */
    String createTable(String statement) {
        return statement;
    }

    /** Whether DECIMAL columns are decimals; otherwise they are doubles and rounded to the cent when read. */
    boolean exactDecimals() {
        return true;
    }

    /**
     * The weakest level for transactions of a type: those that read a row and then write what they made of it would
     * otherwise overwrite what another one wrote in between. Their FOR UPDATE keeps others out from READ COMMITTED on,
     * unless a peer says otherwise.
     */
    IsolationLevel weakest(TransactionType type) {
        return type.readOnly() ? IsolationLevel.READ_UNCOMMITTED : IsolationLevel.READ_COMMITTED;
    }

    /** The level for transactions of a type where one was asked for: that one, or the weakest that will do. */
    IsolationLevel level(TransactionType type, IsolationLevel asked) {
        IsolationLevel weakest = weakest(type);
        return asked.compareTo(weakest) < 0 ? weakest : asked;
    }

    /** Why a statement failed, if another attempt may succeed, otherwise {@code null}. */
    AbortReason reason(SQLException e) {
        String state = e.getSQLState() == null ? "" : e.getSQLState();
        return switch (this) {
            case H2 ->
                switch (e.getErrorCode()) {
                    case H2_CONCURRENT_UPDATE -> AbortReason.SERIALIZATION;
                    case H2_LOCK_TIMEOUT -> AbortReason.TIMEOUT;
                    default -> state.equals("40001") ? AbortReason.DEADLOCK : null;
                };
            case HSQLDB -> state.equals("40001") ? AbortReason.SERIALIZATION : null;
            case DERBY ->
                switch (state) {
                    case "40001" -> AbortReason.DEADLOCK;
                    case "40XL1", "40XL2" -> AbortReason.TIMEOUT;
                    default -> null;
                };
            case SQLITE -> {
                int code = e.getErrorCode() & SQLITE_PRIMARY_MASK;
                yield code == SQLITE_BUSY || code == SQLITE_LOCKED ? AbortReason.TIMEOUT : null;
            }
            case POSTGRESQL ->
                switch (state) {
                    case "40001" -> AbortReason.SERIALIZATION;
                    case "40P01" -> AbortReason.DEADLOCK;
                    case "55P03" -> AbortReason.TIMEOUT;
                    default -> null;
                };
        };
    }

    /** Runs statements without parameters. */
    static void run(Connection connection, List<String> statements) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String text : statements) {
                statement.execute(text);
            }
        }
    }
}
