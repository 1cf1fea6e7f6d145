package dev.lockstep.tpcc.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.tpcc.SmallDatabase;
import dev.lockstep.tpcc.TpccConfiguration;
import dev.lockstep.tpcc.TpccProgress;
import dev.lockstep.tpcc.TpccResult;
import dev.lockstep.tpcc.TpccRun;
import dev.lockstep.tpcc.adapter.AbortReason;
import dev.lockstep.tpcc.adapter.IsolationLevel;
import dev.lockstep.tpcc.adapter.TransactionType;
import dev.lockstep.tpcc.workload.TerminalThreads;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Whichever level is asked for, no transaction overwrites what another one has changed since it read it. */
class IsolationLevelsTest {
    private static final int TRANSACTIONS = 300;

    static List<Arguments> peersInMemory() {
        List<Arguments> all = new ArrayList<>();
        for (JdbcPeer peer : List.of(JdbcPeer.H2, JdbcPeer.HSQLDB, JdbcPeer.DERBY, JdbcPeer.SQLITE)) {
            for (IsolationLevel level : IsolationLevel.values()) {
                all.add(Arguments.of(peer, level));
            }
        }
        return all;
    }

    @ParameterizedTest
    @MethodSource("peersInMemory")
    void connectionsKeepConditionsAndTally(JdbcPeer peer, IsolationLevel level) throws InterruptedException {
        TpccConfiguration configuration = TpccConfiguration.builder(SmallDatabase.SCALE)
                .threads(4)
                .transactions(50, TRANSACTIONS)
                .build();
        try (JdbcAdapter adapter = JdbcAdapter.inMemory(peer, level)) {
            TpccResult result = TpccRun.execute(configuration, adapter, TerminalThreads.platform(), TpccProgress.NONE);
            assertTrue(result.ok(), result::toString);
            assertEquals(
                    peer.level(TransactionType.NEW_ORDER, level).title(),
                    result.isolation().get(TransactionType.NEW_ORDER));
            assertEquals(TRANSACTIONS, result.committed() + result.aborts().get(AbortReason.UNUSED_ITEM));
        }
    }

    @Test
    void whatChangesRowsRunsAtTheWeakestLevelThatWillDo() {
        IsolationLevel asked = IsolationLevel.READ_UNCOMMITTED;
        for (TransactionType type :
                List.of(TransactionType.NEW_ORDER, TransactionType.PAYMENT, TransactionType.DELIVERY)) {
            assertEquals(IsolationLevel.READ_COMMITTED, JdbcPeer.H2.level(type, asked));
            assertEquals(IsolationLevel.REPEATABLE_READ, JdbcPeer.HSQLDB.level(type, asked));
            assertEquals(IsolationLevel.REPEATABLE_READ, JdbcPeer.DERBY.level(type, asked));
            assertEquals(IsolationLevel.SERIALIZABLE, JdbcPeer.DERBY.level(type, IsolationLevel.SERIALIZABLE));
        }
        assertEquals(asked, JdbcPeer.DERBY.level(TransactionType.STOCK_LEVEL, asked));
        assertEquals(IsolationLevel.SERIALIZABLE, JdbcPeer.SQLITE.level(TransactionType.STOCK_LEVEL, asked));
    }

    /** A server says READ UNCOMMITTED if that was asked for, and does the other. */
    @Test
    void postgresqlHasNothingWeakerThanReadCommitted() {
        for (TransactionType type : TransactionType.values()) {
            assertEquals(
                    IsolationLevel.READ_COMMITTED, JdbcPeer.POSTGRESQL.level(type, IsolationLevel.READ_UNCOMMITTED));
            assertEquals(
                    IsolationLevel.REPEATABLE_READ, JdbcPeer.POSTGRESQL.level(type, IsolationLevel.REPEATABLE_READ));
        }
    }
}
