package dev.lockstep.tpcc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.tpcc.adapter.AbortReason;
import dev.lockstep.tpcc.adapter.IsolationLevel;
import dev.lockstep.tpcc.adapter.RetryableTransactionException;
import dev.lockstep.tpcc.adapter.TpccAdapter;
import dev.lockstep.tpcc.adapter.TpccScale;
import dev.lockstep.tpcc.adapter.TpccScanner;
import dev.lockstep.tpcc.adapter.TransactionType;
import dev.lockstep.tpcc.check.ConsistencyCheck;
import dev.lockstep.tpcc.jdbc.JdbcAdapter;
import dev.lockstep.tpcc.jdbc.JdbcPeer;
import dev.lockstep.tpcc.ordered.OrderedAdapter;
import dev.lockstep.tpcc.plain.PlainAdapter;
import dev.lockstep.tpcc.workload.Tally;
import dev.lockstep.tpcc.workload.TerminalBody;
import dev.lockstep.tpcc.workload.TerminalThreads;
import dev.lockstep.tpcc.workload.TransactionMix;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TpccRunTest {
    private static final TpccScale SCALE = SmallDatabase.SCALE;

    private static TpccConfiguration.Builder counted(long transactions) {
        return TpccConfiguration.builder(SCALE).transactions(50, transactions);
    }

    @Test
    void countedRunMeasuresExactlyThatMany() throws InterruptedException {
        try (TpccAdapter adapter = new PlainAdapter(SCALE)) {
            TpccResult result =
                    TpccRun.execute(counted(2_300).build(), adapter, TerminalThreads.platform(), TpccProgress.NONE);
            assertTrue(result.ok(), result::toString);
            assertEquals(1, result.threads(), "plain serves all terminals by one thread");
            assertEquals("none", result.isolation().get(TransactionType.PAYMENT));
            assertEquals(2_300, result.committed() + result.aborts().get(AbortReason.UNUSED_ITEM));
            assertEquals(1_000, result.commits().get(TransactionType.PAYMENT), 60);
            assertEquals(
                    result.commits().get(TransactionType.NEW_ORDER),
                    result.latencies().summary(TransactionType.NEW_ORDER).count());
            assertEquals(result.committed(), result.latencies().summaryOfAll().count());
            assertEquals(12, result.consistencyAfterLoad().size());
            assertEquals(12, result.consistency().size());
            assertTrue(result.transactionsPerSecond() > 0 && result.newOrdersPerMinute() > 0);

            TpccResult again = TpccRun.execute(
                    counted(500).load(false).seed(2).build(), adapter, TerminalThreads.virtual(), TpccProgress.NONE);
            assertTrue(again.ok(), again::toString);
            assertEquals(0, again.consistencyAfterLoad().size());
        }
    }

    /** Else a run of many parts would do the same few transactions again and again. */
    @Test
    void eachRoundOnADatabaseDrawsOtherTransactions() throws InterruptedException {
        assertEquals(numbersOfRound(0), numbersOfRound(0));
        assertNotEquals(numbersOfRound(0), numbersOfRound(1));
        assertNotEquals(numbersOfRound(1), numbersOfRound(2));
    }

    private static List<Long> numbersOfRound(int round) throws InterruptedException {
        try (TpccAdapter adapter = new PlainAdapter(SCALE)) {
            TpccResult result = TpccRun.execute(
                    counted(200).round(round).build(), adapter, TerminalThreads.platform(), TpccProgress.NONE);
            assertTrue(result.ok(), result::toString);
            return result.tally().numbers();
        }
    }

    /** Ten looks of the driver lie between the first and the last transaction; few could have been run in none. */
    @Test
    void aCountedRunMayGoOnForATime() throws InterruptedException {
        Duration atLeast = Duration.ofMillis(300);
        try (TpccAdapter adapter = new PlainAdapter(SCALE)) {
            TpccResult result = TpccRun.execute(
                    counted(1).atLeast(atLeast).build(), adapter, TerminalThreads.platform(), TpccProgress.NONE);
            assertTrue(result.ok(), result::toString);
            assertTrue(result.committed() > 1, result::toString);
            assertTrue(result.measuredNanos() >= atLeast.toNanos(), result::toString);
        }
    }

    @Test
    void aRunIsJudgedLaterByItsTally() throws InterruptedException {
        TpccConfiguration configuration = counted(300).check(false).build();
        try (TpccAdapter loaded = new PlainAdapter(SCALE);
                TpccAdapter worked = new PlainAdapter(SCALE)) {
            TpccRun.load(configuration, loaded, TpccProgress.NONE);
            TpccResult result = TpccRun.execute(configuration, worked, TerminalThreads.platform(), TpccProgress.NONE);
            assertEquals(0, result.consistency().size());
            List<Long> numbers = result.tally().numbers();
            TpccRun.Judgement judgement = judge(loaded, worked, Tally.of(SCALE.warehouses(), numbers));
            assertEquals(12, judgement.consistencyBefore().size());
            assertEquals(12, judgement.consistency().size());
            assertEquals(List.of(), judgement.tallyDifferences());
            assertTrue(judgement.consistency().values().stream().allMatch(ConsistencyCheck.OK::equals));

            List<Long> wrong = new ArrayList<>(numbers);
            wrong.set(0, wrong.getFirst() + 1);
            assertFalse(judge(loaded, worked, Tally.of(SCALE.warehouses(), wrong))
                    .tallyDifferences()
                    .isEmpty());
            assertThrows(
                    IllegalArgumentException.class,
                    () -> Tally.of(SCALE.warehouses(), numbers.subList(1, numbers.size())));
        }
    }

    private static TpccRun.Judgement judge(TpccAdapter loaded, TpccAdapter worked, Tally tally) {
        try (TpccScanner before = loaded.openScanner();
                TpccScanner after = worked.openScanner()) {
            return TpccRun.judge(SCALE, before, after, tally);
        }
    }

    /** What the machine's clock shows is then in no row. */
    @Test
    void aDateMakesRowsTheSame() throws InterruptedException {
        Instant date = Instant.parse("2020-02-03T04:05:06Z");
        try (TpccAdapter adapter = new PlainAdapter(SCALE)) {
            TpccRun.load(TpccConfiguration.builder(SCALE).date(date).build(), adapter, TpccProgress.NONE);
            Set<Long> dates = new HashSet<>();
            try (TpccScanner scanner = adapter.openScanner()) {
                scanner.histories(row -> dates.add(row.dateMillis));
            }
            assertEquals(Set.of(date.toEpochMilli()), dates);
        }
    }

    @Test
    void timedRunGoesThroughItsPhases() throws InterruptedException {
        // In a second, a transaction is committed on the busiest machine.
        Duration measured = Duration.ofSeconds(1);
        List<TpccProgress.Phase> phases = new ArrayList<>();
        AtomicInteger loaded = new AtomicInteger();
        TpccProgress progress = new TpccProgress() {
            @Override
            public void phase(Phase phase) {
                phases.add(phase);
            }

            @Override
            public void loaded(long rows, long rowsEstimated) {
                loaded.set((int) rows);
            }
        };
        try (TpccAdapter adapter = new OrderedAdapter()) {
            TpccResult result = TpccRun.execute(
                    TpccConfiguration.builder(SCALE)
                            .mix(TransactionMix.INTERACTIVE)
                            .warmUp(Duration.ofMillis(50))
                            .duration(measured)
                            .build(),
                    adapter,
                    TerminalThreads.virtual(),
                    progress);
            assertTrue(result.ok(), result::toString);
            assertEquals(0, result.commits().get(TransactionType.DELIVERY));
            assertTrue(result.committed() > 0);
            assertTrue(result.measuredNanos() >= measured.toNanos(), result::toString);
        }
        assertEquals(List.of(TpccProgress.Phase.values()), phases);
        assertTrue(loaded.get() > 5_000, loaded::toString);
    }

    /** What reads the figures of the phase takes its time, in which terminals would have committed for nothing. */
    @Test
    void nothingIsMeasuredOnceTheTimeIsTaken() throws InterruptedException {
        AtomicInteger begins = new AtomicInteger();
        InterceptedAdapter adapter = new InterceptedAdapter(new PlainAdapter(SCALE), method -> {
            if (method.equals("begin")) {
                begins.incrementAndGet();
            }
        });
        CountDownLatch ended = new CountDownLatch(1);
        TerminalThreads threads = new TerminalThreads() {
            @Override
            public String name() {
                return "platform";
            }

            @Override
            public void start(List<? extends TerminalBody> bodies) {
                assertEquals(1, bodies.size(), "plain serves all terminals by one thread");
                TerminalThreads.platform().start(List.of(() -> {
                    bodies.getFirst().allTurns();
                    ended.countDown();
                    return false;
                }));
            }

            @Override
            public void pause(long nanos) {
                TerminalThreads.platform().pause(nanos);
            }
        };
        List<Boolean> terminalsEnded = new ArrayList<>();
        TpccProgress progress = new TpccProgress() {
            @Override
            public void measured() {
                int many = begins.get() + 200;
                while (ended.getCount() > 0 && begins.get() < many) {
                    Thread.onSpinWait();
                }
                terminalsEnded.add(ended.getCount() == 0);
            }
        };
        TpccResult result = TpccRun.execute(
                TpccConfiguration.builder(SCALE)
                        .warmUp(Duration.ZERO)
                        .duration(Duration.ofMillis(200))
                        .build(),
                adapter.proxy(),
                threads,
                progress);
        assertTrue(result.ok(), result::toString);
        assertEquals(List.of(true), terminalsEnded);
    }

    /** The JVM forgets what a thread has taken when it ends. */
    @Test
    void terminalsOfACountedRunStayUntilTheirTimeIsRead() throws InterruptedException {
        Set<Thread> terminals = ConcurrentHashMap.newKeySet();
        InterceptedAdapter adapter = new InterceptedAdapter(new PlainAdapter(SCALE), method -> {
            if (method.equals("begin")) {
                terminals.add(Thread.currentThread());
            }
        });
        List<Thread.State> states = new ArrayList<>();
        TpccProgress progress = new TpccProgress() {
            @Override
            public void measureEnds() {
                for (Thread terminal : terminals) {
                    Thread.State state = terminal.getState();
                    while (state != Thread.State.WAITING && state != Thread.State.TERMINATED) {
                        Thread.onSpinWait();
                        state = terminal.getState();
                    }
                    states.add(state);
                }
            }
        };
        TpccResult result =
                TpccRun.execute(counted(100).build(), adapter.proxy(), TerminalThreads.platform(), progress);
        assertTrue(result.ok(), result::toString);
        assertEquals(List.of(Thread.State.WAITING), states);
        for (Thread terminal : terminals) {
            terminal.join();
        }
    }

    static Stream<Named<JdbcPeer>> concurrentPeers() {
        return Stream.of(JdbcPeer.H2, JdbcPeer.HSQLDB, JdbcPeer.DERBY).map(peer -> Named.of(peer.title(), peer));
    }

    @ParameterizedTest
    @MethodSource("concurrentPeers")
    void concurrentSessionsKeepConditionsAndTally(JdbcPeer peer) throws InterruptedException {
        try (TpccAdapter adapter = JdbcAdapter.inMemory(peer, null)) {
            TpccResult result = TpccRun.execute(
                    counted(800).threads(4).loadThreads(2).build(),
                    adapter,
                    TerminalThreads.platform(),
                    TpccProgress.NONE);
            assertTrue(result.ok(), result::toString);
            assertEquals(4, result.threads());
            assertEquals("SERIALIZABLE", result.isolation().get(TransactionType.NEW_ORDER));
            assertEquals("READ COMMITTED", result.isolation().get(TransactionType.STOCK_LEVEL));
            assertEquals(800, result.committed() + result.aborts().get(AbortReason.UNUSED_ITEM));
        }
    }

    @Test
    void isolationIsWhatWasAskedFor() {
        try (TpccAdapter adapter = JdbcAdapter.inMemory(JdbcPeer.DERBY, IsolationLevel.REPEATABLE_READ)) {
            for (TransactionType type : TransactionType.values()) {
                assertEquals("REPEATABLE READ", adapter.isolation(type));
            }
        }
    }

    @Test
    void victimsAreTriedAgainWithTheSameInput() throws InterruptedException {
        AtomicInteger begins = new AtomicInteger();
        InterceptedAdapter adapter = new InterceptedAdapter(new PlainAdapter(SCALE), method -> {
            if (method.equals("begin") && begins.incrementAndGet() % 10 == 5) {
                throw new RetryableTransactionException(AbortReason.DEADLOCK, new IllegalStateException("made up"));
            }
        });
        TpccResult result = TpccRun.execute(
                TpccConfiguration.builder(SCALE).transactions(450, 900).build(),
                adapter.proxy(),
                TerminalThreads.platform(),
                TpccProgress.NONE);
        assertTrue(result.ok(), result::toString);
        assertEquals(900, result.committed() + result.aborts().get(AbortReason.UNUSED_ITEM));
        assertEquals(100, result.aborts().get(AbortReason.DEADLOCK), "none of those before the measured phase");
        assertEquals(100, result.retries());
    }

    @Test
    void failureOfATerminalIsTheRunsFailure() throws InterruptedException {
        InterceptedAdapter adapter = new InterceptedAdapter(new PlainAdapter(SCALE), method -> {
            if (method.equals("insertHistory")) {
                throw new UnsupportedOperationException("no history");
            }
        });
        TpccResult result =
                TpccRun.execute(counted(1_000).build(), adapter.proxy(), TerminalThreads.virtual(), TpccProgress.NONE);
        assertFalse(result.ok());
        assertTrue(result.failure().contains("no history"), result::failure);
        assertTrue(result.consistency().isEmpty(), "a database that failed is not judged");
    }

    @Test
    void stallEndsWithAThreadDump(@TempDir Path directory) throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        InterceptedAdapter adapter = new InterceptedAdapter(new PlainAdapter(SCALE), method -> {
            if (method.equals("insertHistory")) {
                awaitUninterruptibly(released);
            }
        });
        try {
            TpccResult result = TpccRun.execute(
                    counted(1_000)
                            .stallLimit(Duration.ofMillis(1_500))
                            .dumpDirectory(directory)
                            .build(),
                    adapter.proxy(),
                    TerminalThreads.virtual(),
                    TpccProgress.NONE);
            assertFalse(result.ok());
            assertTrue(result.failure().contains("stallLimitMillis=1500"), result::failure);
            assertTrue(result.commits().isEmpty(), "counters of running terminals are not read");
            try (Stream<Path> files = Files.list(directory)) {
                String dump = Files.readString(files.findFirst().orElseThrow());
                assertTrue(dump.contains("TpccTransactions.payment"), dump);
            }
        } finally {
            released.countDown();
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void contradictionsAreRefused() {
        TpccConfiguration.Builder builder = TpccConfiguration.builder(SCALE).terminals(4);
        assertThrows(IllegalArgumentException.class, () -> builder.threads(5).build());
        assertThrows(
                IllegalArgumentException.class,
                () -> builder.threads(2).think(true).build());
        assertThrows(
                IllegalArgumentException.class,
                () -> TpccConfiguration.builder(SCALE).transactions(0, -1).build());
        assertThrows(IllegalArgumentException.class, () -> TpccConfiguration.builder(SCALE)
                .atLeast(Duration.ofSeconds(1))
                .build());
        assertThrows(IllegalArgumentException.class, () -> new TpccScale(0, 100, 30, 9));
        assertThrows(IllegalArgumentException.class, () -> new TpccScale(1, 100, 30, 31));
        assertThrows(IllegalArgumentException.class, () -> new PlainAdapter(TpccScale.standard(100)));
    }
}
