package dev.lockstep.bench.prove;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.Durability;
import dev.lockstep.tpcc.TpccConfiguration;
import dev.lockstep.tpcc.TpccProgress;
import dev.lockstep.tpcc.TpccRun;
import dev.lockstep.tpcc.adapter.LastName;
import dev.lockstep.tpcc.adapter.TpccScale;
import dev.lockstep.tpcc.adapter.TpccScanner;
import dev.lockstep.tpcc.adapter.TpccSession;
import dev.lockstep.tpcc.adapter.TransactionType;
import dev.lockstep.tpcc.check.ConsistencyCheck;
import dev.lockstep.tpcc.check.DatabaseTotals;
import dev.lockstep.tpcc.lockstep.LockstepAdapter;
import dev.lockstep.tpcc.workload.Tally;
import dev.lockstep.tpcc.workload.TpccTransactions;
import dev.lockstep.tpcc.workload.TransactionInput;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The memory of {@link KillProof}: what it must find, what it may find, and that it notices what is missing. */
class AnsweredTransactionsTest {
    private static final int FIRST = 0;
    private static final int SECOND = 1;

    @TempDir
    Path directory;

    private final AnsweredTransactions answered = new AnsweredTransactions(2, 1);
    private DatabaseTotals before;
    private DatabaseTotals afterOne;
    private DatabaseTotals afterTwo;

    @BeforeEach
    void payTwice() throws InterruptedException {
        DatabaseOptions options =
                DatabaseOptions.builder().createIfMissing(true).build();
        try (LockstepAdapter adapter = new LockstepAdapter(
                Database.open(directory.resolve("database"), options), null, Durability.SYNC, Duration.ofMinutes(1))) {
            TpccRun.load(TpccConfiguration.builder(KillProof.SCALE).build(), adapter, TpccProgress.NONE);
            before = totals(adapter);
            try (TpccSession session = adapter.openSession()) {
                TpccTransactions transactions = new TpccTransactions(session);
                transactions.execute(payment(1));
                afterOne = totals(adapter);
                transactions.execute(payment(2));
                afterTwo = totals(adapter);
            }
            adapter.database().validate();
        }
    }

    private static DatabaseTotals totals(LockstepAdapter adapter) {
        try (TpccScanner scanner = adapter.openScanner()) {
            return ConsistencyCheck.afterLoad(KillProof.SCALE, scanner).totals();
        }
    }

    private static TransactionInput payment(int number) {
        TransactionInput input = new TransactionInput();
        input.type = TransactionType.PAYMENT;
        input.warehouseId = 1;
        input.districtId = number;
        input.customerWarehouseId = 1;
        input.customerDistrictId = number;
        input.customerId = 0;
        input.lastName = LastName.of(0);
        input.amountCents = 100L * number;
        input.historyId = 1_000_000L + number;
        return input;
    }

    private void commits(int terminal, int payment) {
        Tally tally = new Tally(1, 1);
        tally.committed(payment(payment), null);
        commits(terminal, tally);
    }

    private void commits(int terminal, Tally tally) {
        List<Long> numbers = tally.numbers();
        ByteBuffer frame = ByteBuffer.allocate(2 * Integer.BYTES + numbers.size() * Long.BYTES)
                .putInt(terminal)
                .putInt(KillChild.COMMITS);
        numbers.forEach(frame::putLong);
        answered.heard(frame.flip());
    }

    private void says(int terminal, int kind) {
        answered.heard(ByteBuffer.allocate(2 * Integer.BYTES)
                .putInt(terminal)
                .putInt(kind)
                .flip());
    }

    /** A transaction that changes nothing is answered, having read the next order's number of a district. */
    private void reads(int terminal, int districtId, int nextOrderId) {
        commits(terminal, new Tally(1, 1));
        answered.heard(ByteBuffer.allocate(5 * Integer.BYTES)
                .putInt(terminal)
                .putInt(KillChild.ANSWERED)
                .putInt(1)
                .putInt(districtId)
                .putInt(nextOrderId)
                .flip());
    }

    @Test
    void anOrderThatAReaderHasSeenMustBeThere() {
        int[] found = new int[TpccScale.DISTRICTS];
        Arrays.fill(found, 31);
        assertEquals("", answered.lostToReaders(found));
        reads(FIRST, 3, 33);
        // Answered later, and read earlier.
        reads(SECOND, 3, 32);
        reads(SECOND, 4, 31);
        assertEquals(3, answered.answersOfReaders());
        assertEquals(3, answered.answers());
        assertTrue(answered.lostToReaders(found).endsWith("district=2 nextOrderId=31 seen=33"));
        found[TpccScale.districtIndex(1, 3)] = 32;
        assertTrue(answered.lostToReaders(found).endsWith("district=2 nextOrderId=32 seen=33"));
        found[TpccScale.districtIndex(1, 3)] = 33;
        assertEquals("", answered.lostToReaders(found));
        assertEquals("", answered.differences(before, before));
    }

    @Test
    void whatWasAnsweredMustBeThere() {
        commits(FIRST, 1);
        says(FIRST, KillChild.ANSWERED);
        commits(FIRST, 2);
        says(FIRST, KillChild.ANSWERED);
        assertEquals(2, answered.answers());
        assertEquals("", answered.differences(before, afterTwo));
        String lost = answered.differences(before, afterOne);
        assertTrue(lost.contains("historyRows warehouseId=1 districtId=2 database=0 driver=1"), lost);
        assertTrue(answered.differences(before, before).contains("districtId=1"));
    }

    @Test
    void whatIsInFlightMayBeThereOrNot() {
        commits(FIRST, 1);
        commits(SECOND, 2);
        assertEquals(2, answered.inFlight());
        assertEquals("", answered.differences(before, before));
        assertEquals("", answered.differences(before, afterOne));
        assertEquals("", answered.differences(before, afterTwo));
    }

    @Test
    void whatWasRolledBackMustNotBeThere() {
        commits(FIRST, 1);
        says(FIRST, KillChild.ROLLED_BACK);
        says(KillChild.OPENED, 0);
        assertEquals(0, answered.inFlight());
        assertEquals("", answered.differences(before, before));
        assertTrue(answered.differences(before, afterOne).contains("inFlight=0"));
    }
}
