package dev.lockstep.bench.tpcc;

import dev.lockstep.tpcc.jdbc.JdbcPeer;
import java.util.List;

/** The engines that the workload runs on. */
enum EngineName {
    /** Lockstep itself. */
    LOCKSTEP(null),
    /** Dense arrays, one thread, no locks, no log: the ceiling. */
    PLAIN(null),
    /** Ordered and hashed maps of the JDK, one thread, no locks, no log. */
    ORDERED(null),
    H2(JdbcPeer.H2),
    HSQLDB(JdbcPeer.HSQLDB),
    DERBY(JdbcPeer.DERBY),
    SQLITE(JdbcPeer.SQLITE),
    POSTGRESQL(JdbcPeer.POSTGRESQL);

    /** On the command line: every engine, PostgreSQL where its URL is given. */
    static final String ALL = "all";

    /**
     * A billion instructions, which is minutes with the whole hierarchy; a run of a quarter as many, beside two others,
     * did not count (RESULTS.md). After the warm-up, C2 has compiled what one warehouse needs; see ARCHITECTURE.md.
     */
    private static final long SIMULATED_TRANSACTIONS = 8_000;

    private static final long SIMULATED_TRANSACTIONS_SHORT = 2_000;

    /** H2 runs ten times as many instructions. */
    private static final long SIMULATED_TRANSACTIONS_JDBC = 2_000;

    private static final long SIMULATED_WARM_UP_TRANSACTIONS = 120_000;

    private static final long SIMULATED_WARM_UP_TRANSACTIONS_SHORT = 30_000;

    /** H2 runs ten times as many instructions; after so many it is as steady, within four minutes. */
    private static final long SIMULATED_WARM_UP_TRANSACTIONS_JDBC = 6_000;

    private static final List<Integer> CONNECTION_COUNTS = List.of(1, 2, 4, 10);

    private final JdbcPeer peer;

    EngineName(JdbcPeer peer) {
        this.peer = peer;
    }

    /** Transactions that a simulated run measures, unless said otherwise. */
    long simulatedTransactions() {
        return switch (this) {
            case LOCKSTEP -> SIMULATED_TRANSACTIONS;
            case PLAIN, ORDERED -> SIMULATED_TRANSACTIONS_SHORT * shortness();
            case H2, HSQLDB, DERBY, SQLITE, POSTGRESQL -> SIMULATED_TRANSACTIONS_JDBC;
        };
    }

    /** Transactions before them, likewise. */
    long simulatedWarmUpTransactions() {
        return switch (this) {
            case LOCKSTEP -> SIMULATED_WARM_UP_TRANSACTIONS;
            case PLAIN, ORDERED -> SIMULATED_WARM_UP_TRANSACTIONS_SHORT * shortness();
            case H2, HSQLDB, DERBY, SQLITE, POSTGRESQL -> SIMULATED_WARM_UP_TRANSACTIONS_JDBC;
        };
    }

    /** How many of its transactions have as many instructions as one of Lockstep, roughly. */
    private long shortness() {
        return switch (this) {
            case PLAIN -> 100;
            case ORDERED -> 10;
            case LOCKSTEP, H2, HSQLDB, DERBY, SQLITE, POSTGRESQL -> 1;
        };
    }

    /** The database behind JDBC, or {@code null}. */
    JdbcPeer peer() {
        return peer;
    }

    /** What is known of its durability where runs do not choose it: a server forces its log as it was started. */
    String durability() {
        return this == POSTGRESQL ? "server" : "none";
    }

    /** Whether it has no concurrency control, or lets one connection in, so that one thread serves all terminals. */
    boolean oneThread() {
        return this == PLAIN || this == ORDERED || this == SQLITE;
    }

    /** The numbers of connections that are tried, of which the best counts. */
    List<Integer> connectionCounts(int terminals) {
        if (oneThread()) {
            return List.of(1);
        }
        return CONNECTION_COUNTS.stream().filter(count -> count <= terminals).toList();
    }
}
