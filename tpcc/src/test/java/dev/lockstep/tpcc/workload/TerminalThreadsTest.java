package dev.lockstep.tpcc.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.scheduler.SThread;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.SchedulerOptions;
import dev.lockstep.tpcc.SmallDatabase;
import dev.lockstep.tpcc.TpccConfiguration;
import dev.lockstep.tpcc.TpccProgress;
import dev.lockstep.tpcc.TpccResult;
import dev.lockstep.tpcc.TpccRun;
import dev.lockstep.tpcc.adapter.TpccAdapter;
import dev.lockstep.tpcc.adapter.TransactionType;
import dev.lockstep.tpcc.plain.PlainAdapter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TerminalThreadsTest {
    /** Until a test that would never end is given up. */
    private static final long HANG_SECONDS = 900;

    @Test
    void virtualThreadsGiveWayToMoreThanThereAreProcessors() throws InterruptedException {
        TerminalThreads threads = TerminalThreads.virtual();
        int count = 4 * Runtime.getRuntime().availableProcessors();
        AtomicInteger arrived = new AtomicInteger();
        CountDownLatch ended = new CountDownLatch(count);
        threads.start(Collections.nCopies(count, () -> {
            arrived.incrementAndGet();
            // Ends when all have arrived, or the test has given up.
            while (arrived.get() < count) {
                threads.giveWay();
            }
            ended.countDown();
            return false;
        }));
        boolean allEnded = ended.await(HANG_SECONDS, TimeUnit.SECONDS);
        int arrivedInTime = arrived.getAndSet(count);
        assertTrue(allEnded, () -> "threads that ran: " + arrivedInTime + " of " + count);
    }

    /** As the log's thread wakes who waits for the disk. */
    @Test
    void aVirtualThreadThatAPlatformThreadWakesGetsItsTurn() throws InterruptedException {
        TerminalThreads threads = TerminalThreads.virtual();
        int count = 4 * Runtime.getRuntime().availableProcessors();
        CountDownLatch woken = new CountDownLatch(1);
        CountDownLatch ran = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(count);
        AtomicInteger turns = new AtomicInteger();
        AtomicBoolean isGivenUp = new AtomicBoolean();
        List<TerminalBody> bodies = new ArrayList<>(Collections.nCopies(count, () -> {
            while (ran.getCount() > 0 && !isGivenUp.get()) {
                turns.incrementAndGet();
                threads.giveWay();
            }
            ended.countDown();
            return false;
        }));
        bodies.addFirst(() -> {
            try {
                woken.await();
            } catch (InterruptedException e) {
                return false;
            }
            ran.countDown();
            return false;
        });
        threads.start(bodies);
        while (turns.get() < 100 * count) {
            Thread.onSpinWait();
        }
        woken.countDown();
        boolean hasRun = ran.await(HANG_SECONDS, TimeUnit.SECONDS);
        isGivenUp.set(true);
        ended.await();
        assertTrue(hasRun);
    }

    @Test
    void loopsGiveWayAfterEachTurn() throws InterruptedException {
        AtomicLong given = new AtomicLong();
        TerminalThreads counting = new TerminalThreads() {
            private final TerminalThreads platform = TerminalThreads.platform();

            @Override
            public String name() {
                return platform.name();
            }

            @Override
            public void start(List<? extends TerminalBody> bodies) {
                platform.start(bodies);
            }

            @Override
            public void giveWay() {
                given.incrementAndGet();
            }

            @Override
            public void pause(long nanos) {
                platform.pause(nanos);
            }
        };
        try (TpccAdapter adapter = new PlainAdapter(SmallDatabase.SCALE)) {
            TpccConfiguration configuration = TpccConfiguration.builder(SmallDatabase.SCALE)
                    .transactions(20, 300)
                    .build();
            TpccResult result = TpccRun.execute(configuration, adapter, counting, TpccProgress.NONE);
            assertTrue(result.ok(), result::toString);
        }
        assertEquals(320 / TerminalLoop.TRANSACTIONS_PER_TURN_MAX, given.get());
    }

    @Test
    void turnsGetShorterWhereManyTakeThem() {
        assertEquals(TerminalLoop.TRANSACTIONS_PER_TURN_MAX, TerminalLoop.transactionsPerTurn(1));
        assertEquals(TerminalLoop.TRANSACTIONS_PER_TURN_MAX, TerminalLoop.transactionsPerTurn(100));
        assertEquals(20, TerminalLoop.transactionsPerTurn(TerminalLoop.TRANSACTIONS_PER_ROUND / 20));
        assertEquals(TerminalLoop.TRANSACTIONS_PER_TURN_MIN, TerminalLoop.transactionsPerTurn(10_000));
    }

    /** Carriers of the terminals 0, 1, 2 and so on. */
    @ParameterizedTest
    @CsvSource({
        "10, 1, 0000000000000000",
        "10, 2, 0101010101010101",
        "3, 2, 0100100100100100",
        "5, 3, 0120101201012010",
        "1, 2, 0101010101010101",
        "2, 4, 0123012301230123",
        "4, 0, 0000000000000000"
    })
    void terminalsOfAWarehouseShareACarrier(int warehouses, int carriers, String expected) {
        String dealt = IntStream.range(0, expected.length())
                .mapToObj(terminal -> Integer.toString(SThreadTerminals.carrier(terminal, warehouses, carriers)))
                .collect(Collectors.joining());
        assertEquals(expected, dealt);
    }

    /** Parts of the terminals 0, 1, 2 and so on, of which a carrier tells 256 in a row apart. */
    @ParameterizedTest
    @CsvSource({"10, 1, 01234567890123", "10, 2, 00112233440011", "2, 4, 01010101010101", "4, 0, 01230123012301"})
    void terminalsOfAWarehouseShareAPart(int warehouses, int carriers, String expected) {
        String parts = IntStream.range(0, expected.length())
                .mapToObj(terminal -> Integer.toString(SThreadTerminals.part(terminal, warehouses, carriers)))
                .collect(Collectors.joining());
        assertEquals(expected, parts);
    }

    /** So each finds in the caches what the one before has read of the warehouse. */
    @Test
    void terminalsOfAWarehouseHaveTheirTurnsInARow() throws InterruptedException {
        StringBuilder order = new StringBuilder();
        try (Scheduler scheduler = new Scheduler(SchedulerOptions.defaults().withCarriers(1))) {
            SThreadTerminals terminals = new SThreadTerminals(scheduler, 2);
            List<TerminalBody> bodies = IntStream.range(0, 6)
                    .<TerminalBody>mapToObj(terminal -> () -> {
                        order.append(terminal);
                        SThread.current().yieldTurn();
                        order.append(terminal);
                        return false;
                    })
                    .toList();
            scheduler.start("starter", 0, () -> terminals.start(bodies));
            scheduler.awaitTermination();
        }
        assertEquals("024135024135", order.toString());
    }

    /** By the rows that each type changes, clauses 2.4 to 2.8. */
    @Test
    void transactionsAreInTheWayOfThoseThatChangeTheSameRows() {
        TransactionInput input = new TransactionInput();
        input.warehouseId = 3;
        input.districtId = 10;
        input.type = TransactionType.NEW_ORDER;
        assertEquals(29, SThreadTerminals.conflictPart(input));
        input.warehouseId = 4;
        input.districtId = 1;
        assertEquals(30, SThreadTerminals.conflictPart(input), "its neighbour's");
        input.type = TransactionType.PAYMENT;
        assertEquals(3, SThreadTerminals.conflictPart(input));
        input.type = TransactionType.DELIVERY;
        assertEquals(3, SThreadTerminals.conflictPart(input));
        input.type = TransactionType.ORDER_STATUS;
        assertEquals(Scheduler.NO_PART, SThreadTerminals.conflictPart(input));
        input.type = TransactionType.STOCK_LEVEL;
        assertEquals(Scheduler.NO_PART, SThreadTerminals.conflictPart(input));
    }
}
