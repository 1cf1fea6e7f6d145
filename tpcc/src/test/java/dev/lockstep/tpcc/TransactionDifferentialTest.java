package dev.lockstep.tpcc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.tpcc.adapter.TpccAdapter;
import dev.lockstep.tpcc.adapter.TpccScanner;
import dev.lockstep.tpcc.adapter.TpccSession;
import dev.lockstep.tpcc.adapter.TransactionType;
import dev.lockstep.tpcc.check.ConsistencyCheck;
import dev.lockstep.tpcc.jdbc.JdbcAdapter;
import dev.lockstep.tpcc.jdbc.JdbcPeer;
import dev.lockstep.tpcc.lockstep.LockstepAdapter;
import dev.lockstep.tpcc.ordered.OrderedAdapter;
import dev.lockstep.tpcc.plain.PlainAdapter;
import dev.lockstep.tpcc.workload.InputGenerator;
import dev.lockstep.tpcc.workload.NonUniformConstants;
import dev.lockstep.tpcc.workload.TpccRandom;
import dev.lockstep.tpcc.workload.TpccTransactions;
import dev.lockstep.tpcc.workload.TransactionDeck;
import dev.lockstep.tpcc.workload.TransactionInput;
import dev.lockstep.tpcc.workload.TransactionMix;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The same transactions leave the same rows in every engine, and tell their terminals the same. */
class TransactionDifferentialTest {
    private static final long SEED = 20_251_120L;
    private static final int TRANSACTIONS = 1_000;

    /** Rows and answers of one engine. */
    private record Outcome(Map<String, List<String>> tables, List<String> answers) {}

    static Stream<Named<Supplier<TpccAdapter>>> engines() {
        return Stream.concat(
                Stream.of(
                        Named.of(PlainAdapter.NAME, () -> new PlainAdapter(SmallDatabase.SCALE)),
                        Named.of(LockstepAdapter.NAME, SmallDatabase::lockstep),
                        Named.of(LockstepAdapter.NAME + " row by row", () -> SmallDatabase.lockstep(false))),
                Stream.of(JdbcPeer.H2, JdbcPeer.HSQLDB, JdbcPeer.DERBY, JdbcPeer.SQLITE)
                        .map(peer -> Named.of(peer.title(), () -> JdbcAdapter.inMemory(peer, null))));
    }

    @ParameterizedTest
    @MethodSource("engines")
    void sameTransactionsLeaveSameRows(Supplier<TpccAdapter> engine) {
        Outcome expected = run(new OrderedAdapter());
        Outcome actual = run(engine.get());
        assertEquals(expected.answers(), actual.answers(), () -> "answers differ seed=" + SEED);
        expected.tables()
                .forEach((table, rows) -> assertEquals(
                        rows, actual.tables().get(table), () -> "rows differ table=" + table + " seed=" + SEED));
        assertEquals(expected.tables().keySet(), actual.tables().keySet());
    }

    private static Outcome run(TpccAdapter engine) {
        try (TpccAdapter adapter = engine) {
            SmallDatabase.load(adapter, SEED);
            List<String> answers = new ArrayList<>();
            long[] deliveries = new long[SmallDatabase.SCALE.districts()];
            TransactionInput input = new TransactionInput();
            try (TpccSession session = adapter.openSession()) {
                TpccTransactions transactions = new TpccTransactions(session);
                InputGenerator[] terminals = new InputGenerator[4];
                for (int i = 0; i < terminals.length; i++) {
                    terminals[i] = new InputGenerator(
                            SmallDatabase.SCALE,
                            NonUniformConstants.ofRun(SEED),
                            SEED + i,
                            i % 2 + 1,
                            i + 1,
                            1_000_000L * (i + 1));
                }
                TransactionDeck deck = new TransactionDeck(TransactionMix.STANDARD, new TpccRandom(SEED));
                for (int i = 0; i < TRANSACTIONS; i++) {
                    TransactionType type = deck.draw();
                    terminals[i % terminals.length].next(type, SmallDatabase.LOAD_MILLIS + 60_000L * i, input);
                    boolean committed = transactions.execute(input);
                    answers.add(answer(input, transactions, committed));
                    if (type == TransactionType.DELIVERY) {
                        for (int d = 1; d <= 10; d++) {
                            deliveries[(input.warehouseId - 1) * 10 + d - 1] +=
                                    transactions.deliveredOrderId(d) == 0 ? 0 : 1;
                        }
                    }
                }
            }
            try (TpccScanner scanner = adapter.openScanner()) {
                ConsistencyCheck.Report report = ConsistencyCheck.check(
                        SmallDatabase.SCALE,
                        scanner,
                        (w, d) -> SmallDatabase.SCALE.deliveredPerDistrict() + deliveries[(w - 1) * 10 + d - 1]);
                assertTrue(report.ok(), () -> adapter.name() + " " + report.conditions() + " seed=" + SEED);
            }
            return new Outcome(TableContents.of(adapter), answers);
        }
    }

    private static String answer(TransactionInput input, TpccTransactions transactions, boolean committed) {
        StringBuilder answer = new StringBuilder(input.type.title()).append(committed ? " committed" : " rolled back");
        switch (input.type) {
            case NEW_ORDER -> {
                answer.append(" order ").append(transactions.orderId());
                answer.append(" total ").append(transactions.totalCents());
                for (int line = 0; committed && line < input.lineCount; line++) {
                    answer.append(transactions.brand(line) ? " B" : " G");
                }
            }
            case ORDER_STATUS ->
                answer.append(" order ")
                        .append(transactions.orderId())
                        .append(" lines ")
                        .append(transactions.orderLineCount());
            case DELIVERY -> {
                for (int d = 1; d <= 10; d++) {
                    answer.append(' ')
                            .append(transactions.deliveredOrderId(d))
                            .append(':')
                            .append(transactions.deliveredCents(d));
                }
            }
            case STOCK_LEVEL -> answer.append(" low ").append(transactions.lowStockCount());
            case PAYMENT -> {
                // Its answer is in the rows that it changed.
            }
        }
        return answer.toString();
    }
}
