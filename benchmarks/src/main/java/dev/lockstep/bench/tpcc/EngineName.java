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

    private static final List<Integer> CONNECTION_COUNTS = List.of(1, 2, 4, 10);

    private final JdbcPeer peer;

    EngineName(JdbcPeer peer) {
        this.peer = peer;
    }

    /** The database behind JDBC, or {@code null}. */
    JdbcPeer peer() {
        return peer;
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
