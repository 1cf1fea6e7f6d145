package dev.lockstep.tpcc.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.tpcc.SmallDatabase;
import dev.lockstep.tpcc.TpccConfiguration;
import dev.lockstep.tpcc.TpccProgress;
import dev.lockstep.tpcc.TpccResult;
import dev.lockstep.tpcc.TpccRun;
import dev.lockstep.tpcc.adapter.AbortReason;
import dev.lockstep.tpcc.workload.TerminalThreads;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

/**
 * TPC-C on a PostgreSQL server, where one is given: the system property {@value #PROPERTY} or the variable
 * {@value #VARIABLE} holds the URL of a database, with user and password. Its schema {@code lockstep_tpcc} is dropped.
 */
class PostgresqlRunTest {
    private static final String PROPERTY = "lockstep.test.postgresql";
    private static final String VARIABLE = "LOCKSTEP_TEST_POSTGRESQL";
    private static final int TRANSACTIONS = 500;

    private static String url() {
        String url = System.getProperty(PROPERTY, System.getenv(VARIABLE));
        if (url == null || url.isBlank()) {
            String message = "NOT RUN: no PostgreSQL server is named; set " + VARIABLE
                    + " to the URL of a database, such as jdbc:postgresql://localhost/test?user=test";
            System.out.println(message);
            throw new TestAbortedException(message);
        }
        return url;
    }

    @Test
    void keepsTheConditionsAndTheTally() throws InterruptedException {
        TpccConfiguration configuration = TpccConfiguration.builder(SmallDatabase.SCALE)
                .terminals(4)
                .transactions(50, TRANSACTIONS)
                .build();
        try (JdbcAdapter adapter = JdbcAdapter.postgresql(url(), null)) {
            TpccResult result = TpccRun.execute(configuration, adapter, TerminalThreads.platform(), TpccProgress.NONE);
            assertTrue(result.ok(), result::toString);
            assertEquals(TRANSACTIONS, result.committed() + result.aborts().get(AbortReason.UNUSED_ITEM));
        }
    }
}
