package dev.lockstep.tpcc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.tpcc.adapter.TpccAdapter;
import dev.lockstep.tpcc.adapter.TpccSession;
import dev.lockstep.tpcc.adapter.TransactionType;
import dev.lockstep.tpcc.jdbc.JdbcAdapter;
import dev.lockstep.tpcc.jdbc.JdbcPeer;
import dev.lockstep.tpcc.lockstep.LockstepAdapter;
import dev.lockstep.tpcc.ordered.OrderedAdapter;
import dev.lockstep.tpcc.plain.PlainAdapter;
import dev.lockstep.tpcc.workload.InputGenerator;
import dev.lockstep.tpcc.workload.NonUniformConstants;
import dev.lockstep.tpcc.workload.TpccTransactions;
import dev.lockstep.tpcc.workload.TransactionInput;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A New-Order that names an unused item leaves no trace. */
class RollbackTest {
    private static final long SEED = 7;

    static Stream<Named<Supplier<TpccAdapter>>> engines() {
        return Stream.of(
                Named.of(PlainAdapter.NAME, () -> new PlainAdapter(SmallDatabase.SCALE)),
                Named.of(OrderedAdapter.NAME, OrderedAdapter::new),
                Named.of(LockstepAdapter.NAME, SmallDatabase::lockstep),
                Named.of(JdbcPeer.H2.title(), () -> JdbcAdapter.inMemory(JdbcPeer.H2, null)));
    }

    @ParameterizedTest
    @MethodSource("engines")
    void unusedItemLeavesNoTrace(Supplier<TpccAdapter> engine) {
        try (TpccAdapter adapter = engine.get();
                TpccSession session = opened(adapter)) {
            TpccTransactions transactions = new TpccTransactions(session);
            TransactionInput input = new TransactionInput();
            InputGenerator terminal = new InputGenerator(
                    SmallDatabase.SCALE, NonUniformConstants.ofRun(SEED), SEED, 1, 1, 1_000_000_000L);
            terminal.next(TransactionType.NEW_ORDER, SmallDatabase.LOAD_MILLIS, input);
            assertTrue(transactions.execute(input), "the first order commits");
            Map<String, List<String>> before = TableContents.of(adapter);

            terminal.next(TransactionType.NEW_ORDER, SmallDatabase.LOAD_MILLIS, input);
            int last = input.lineCount - 1;
            input.supplyWarehouseIds[last] = SmallDatabase.SCALE.warehouses();
            input.itemIds[last] = SmallDatabase.SCALE.items() + 1;
            assertFalse(transactions.execute(input), "an unused item rolls back");
            assertEquals(last, transactions.orderLineCount(), "the other lines were processed before");
            assertEquals(before, TableContents.of(adapter));

            input.itemIds[last] = SmallDatabase.SCALE.items();
            assertTrue(transactions.execute(input), "the same order without the unused item commits");
            assertNotEquals(before, TableContents.of(adapter));
        }
    }

    private static TpccSession opened(TpccAdapter adapter) {
        SmallDatabase.load(adapter, SEED);
        return adapter.openSession();
    }
}
