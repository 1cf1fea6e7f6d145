package dev.lockstep.counters;

import static dev.lockstep.counters.CounterEvent.BRANCH_MISPREDICTIONS;
import static dev.lockstep.counters.CounterEvent.CYCLES;
import static dev.lockstep.counters.CounterEvent.INSTRUCTIONS;
import static dev.lockstep.counters.CounterEvent.L1_INSTRUCTION_MISSES;
import static dev.lockstep.counters.CounterEvent.L2_MISSES;
import static dev.lockstep.counters.CounterEvent.LAST_LEVEL_MISSES;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.jna.Function;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Counters of a library that is like PAPI, with known counts: {@code fake_papi.c}. */
class HardwareCountersTest {
    private static final Set<CounterEvent> ALL = EnumSet.allOf(CounterEvent.class);

    /** A kernel with counters, so that what is found comes from the library. */
    private static final Kernel WILLING = new Kernel(Kernel.Answer.COUNTS, 0, OptionalInt.of(2), false);

    private static int libraries;

    @TempDir
    private Path directory;

    private Path library;

    @BeforeEach
    void requireNativePart() {
        if (NativeLibrary.load() instanceof NativeLibrary.Result.Missing(String reason)) {
            throw CPrograms.notRun(reason);
        }
    }

    /** A fake of its own for each test: what a library holds would outlive the test. */
    private HardwareCounters.Result open(String... macros) throws Exception {
        libraries++;
        library = directory.resolve("libfake" + libraries + ".so");
        List<String> options = new ArrayList<>(List.of("-shared", "-fPIC"));
        Stream.of(macros).map(macro -> "-D" + macro).forEach(options::add);
        CPrograms.compile(library, options, CPrograms.testSource("fake_papi.c"));
        return HardwareCounters.open(library.toString(), functions -> WILLING);
    }

    private HardwareCounters counters(String... macros) throws Exception {
        return assertInstanceOf(HardwareCounters.Result.Available.class, open(macros))
                .counters();
    }

    private CounterObstacle obstacle(String... macros) throws Exception {
        List<CounterObstacle> obstacles = assertInstanceOf(HardwareCounters.Result.Missing.class, open(macros))
                .obstacles();
        assertEquals(1, obstacles.size(), obstacles.toString());
        return obstacles.getFirst();
    }

    private int ask(String function) {
        return Function.getFunction(library.toString(), function).invokeInt(new Object[0]);
    }

    private void assertNothingIsLeft() {
        assertEquals(0, ask("fake_sets"), "event sets");
        assertEquals(0, ask("fake_threads"), "threads");
    }

    private static long expected(CounterEvent event, int reading) {
        return reading * (1000L + 100L * event.number());
    }

    private static void assertReading(int reading, CounterValues values, Set<CounterEvent> events) {
        for (CounterEvent event : CounterEvent.values()) {
            assertEquals(
                    events.contains(event) ? OptionalLong.of(expected(event, reading)) : OptionalLong.empty(),
                    values.count(event),
                    event + " reading=" + reading);
        }
    }

    @Test
    void readsEveryEvent() throws Exception {
        HardwareCounters counters = counters();
        assertEquals(ALL, counters.countable().keySet());
        assertEquals("PAPI_L1_ICM", counters.countable().get(L1_INSTRUCTION_MISSES));
        assertTrue(counters.uncountable().isEmpty());
        assertEquals(16, counters.countersOfProcessor());
        assertEquals("7.0.0", counters.papiVersion());
        Counting counting = counters.start(ALL);
        assertFalse(counting.multiplexed());
        CounterValues first = counting.read();
        assertReading(1, first, ALL);
        CounterValues second = counting.read();
        assertReading(2, second, ALL);
        assertReading(1, second.minus(first), ALL);
        CounterValues last = counting.stop();
        assertReading(3, last, ALL);
        assertFalse(last.multiplexed());
        assertNothingIsLeft();
    }

    @Test
    void readsWhatWasAskedForAndNothingElse() throws Exception {
        HardwareCounters counters = counters();
        Set<CounterEvent> some = EnumSet.of(BRANCH_MISPREDICTIONS, CYCLES);
        try (Counting counting = counters.start(some)) {
            CounterValues values = counting.read();
            assertReading(1, values, some);
            assertEquals(OptionalDouble.empty(), values.perThousandInstructions(CYCLES));
        }
        assertNothingIsLeft();
    }

    @Test
    void countsARegionHoweverItEnds() throws Exception {
        HardwareCounters counters = counters();
        List<String> ran = new ArrayList<>();
        assertReading(1, counters.count(ALL, () -> ran.add("region")), ALL);
        assertEquals(List.of("region"), ran);
        assertNothingIsLeft();
        assertThrows(
                UnsupportedOperationException.class,
                () -> counters.count(ALL, () -> {
                    throw new UnsupportedOperationException("region");
                }));
        assertNothingIsLeft();
    }

    @Test
    void dividesByInstructions() throws Exception {
        try (Counting counting = counters().start(EnumSet.of(INSTRUCTIONS, L1_INSTRUCTION_MISSES))) {
            assertEquals(OptionalDouble.of(1200.0), counting.read().perThousandInstructions(L1_INSTRUCTION_MISSES));
        }
        assertNothingIsLeft();
    }

    @Test
    void saysWhenEventsTakeTurns() throws Exception {
        HardwareCounters counters = counters("FAKE_COUNTERS=4");
        assertEquals(4, counters.countersOfProcessor());
        try (Counting few = counters.start(EnumSet.range(INSTRUCTIONS, CounterEvent.L1_DATA_MISSES))) {
            assertFalse(few.multiplexed());
            assertFalse(few.read().multiplexed());
        }
        Set<CounterEvent> five = EnumSet.range(INSTRUCTIONS, L2_MISSES);
        Counting many = counters.start(five);
        assertTrue(many.multiplexed());
        CounterValues values = many.stop();
        assertTrue(values.multiplexed());
        assertReading(1, values, five);
        assertNothingIsLeft();
    }

    @Test
    void anEstimateIsNotBelowZero() throws Exception {
        Counting counting = counters("FAKE_NEGATIVE").start(ALL);
        assertEquals(OptionalLong.of(0), counting.stop().count(L2_MISSES));
    }

    @Test
    void countsTheEventsThatThereAre() throws Exception {
        HardwareCounters counters = counters("FAKE_EVENTS=3");
        assertEquals(
                EnumSet.range(INSTRUCTIONS, L1_INSTRUCTION_MISSES),
                counters.countable().keySet());
        assertEquals(
                EnumSet.range(CounterEvent.L1_DATA_MISSES, BRANCH_MISPREDICTIONS),
                counters.uncountable().keySet());
        assertEquals("fake: event does not exist", counters.uncountable().get(L2_MISSES));
        IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> counters.start(EnumSet.of(INSTRUCTIONS, L2_MISSES)));
        assertTrue(refused.getMessage().contains("event=L2_MISSES"), refused.getMessage());
        assertThrows(IllegalArgumentException.class, () -> counters.start(Set.of()));
        assertNothingIsLeft();
    }

    @Test
    void fallsBackOnTheKernelsGenericEvents() throws Exception {
        HardwareCounters counters = counters("FAKE_GENERIC");
        assertEquals("perf::L1-ICACHE-LOAD-MISSES", counters.countable().get(L1_INSTRUCTION_MISSES));
        assertEquals("perf::CACHE-MISSES", counters.countable().get(LAST_LEVEL_MISSES));
        assertEquals(
                Set.of(L2_MISSES, CounterEvent.DATA_TLB_MISSES),
                counters.uncountable().keySet());
    }

    @Test
    void anotherVersionOfPapiWillDo() throws Exception {
        assertEquals("7.2.0", counters("FAKE_VERSION=0x07020000").papiVersion());
        assertEquals("6.0.0", counters("FAKE_VERSION=0x06000000").papiVersion());
    }

    @Test
    void everyThreadHasItsOwnCounts() throws Exception {
        HardwareCounters counters = counters("FAKE_COUNTERS=2");
        int threads = 6;
        CyclicBarrier together = new CyclicBarrier(threads);
        List<FutureTask<CounterValues>> tasks = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int readings = i;
            FutureTask<CounterValues> task = new FutureTask<>(() -> {
                Counting counting = counters.start(ALL);
                together.await();
                for (int reading = 1; reading <= readings; reading++) {
                    assertReading(reading, counting.read(), ALL);
                }
                together.await();
                return counting.stop();
            });
            tasks.add(task);
            Thread.ofPlatform().start(task);
        }
        for (int i = 0; i < threads; i++) {
            assertReading(i + 1, tasks.get(i).get(), ALL);
        }
        assertNothingIsLeft();
    }

    @Test
    void aCountingBelongsToItsThread() throws Exception {
        Counting counting = counters().start(ALL);
        FutureTask<Boolean> refused = new FutureTask<>(() -> {
            IllegalStateException read = assertThrows(IllegalStateException.class, counting::read);
            assertTrue(read.getMessage().contains("owner="), read.getMessage());
            assertThrows(IllegalStateException.class, counting::stop);
            return true;
        });
        Thread.ofPlatform().start(refused);
        assertTrue(refused.get());
        assertReading(1, counting.stop(), ALL);
        assertThrows(IllegalStateException.class, counting::read);
        assertThrows(IllegalStateException.class, counting::stop);
        counting.close();
        assertNothingIsLeft();
    }

    @Test
    void aVirtualThreadIsRefused() throws Exception {
        HardwareCounters counters = counters();
        FutureTask<Boolean> refused = new FutureTask<>(() -> {
            assertThrows(IllegalStateException.class, () -> counters.start(ALL));
            return true;
        });
        Thread.ofVirtual().start(refused);
        assertTrue(refused.get());
        assertNothingIsLeft();
    }

    @Test
    void aSecondCountingOnAThreadIsRefused() throws Exception {
        HardwareCounters counters = counters();
        try (Counting counting = counters.start(ALL)) {
            CounterException refused = assertThrows(CounterException.class, () -> counters.start(ALL));
            assertEquals(Obstacles.PAPI_EISRUN, refused.code());
            assertTrue(refused.getMessage().contains("stop the counting"), refused.getMessage());
            assertReading(1, counting.read(), ALL);
        }
        assertNothingIsLeft();
    }

    @Test
    void openingTheLibraryAgainLeavesACountingAlone() throws Exception {
        HardwareCounters counters = counters();
        try (Counting counting = counters.start(ALL)) {
            assertInstanceOf(
                    HardwareCounters.Result.Missing.class,
                    HardwareCounters.open(library.toString(), functions -> WILLING));
            assertReading(1, counting.read(), ALL);
        }
        assertNothingIsLeft();
    }

    @Test
    void errorsAreTypedAndLeaveNothingBehind() throws Exception {
        // The trial at opening is the first start.
        for (String call : List.of("START", "READ", "STOP")) {
            HardwareCounters counters = counters("FAKE_" + call + "_ERROR=-3", "FAKE_ERRORS_AFTER=1");
            CounterException failed = assertThrows(CounterException.class, () -> {
                try (Counting counting = counters.start(ALL)) {
                    counting.read();
                }
            });
            assertEquals(-3, failed.code(), call);
            assertTrue(failed.getMessage().contains("papi=\"fake: error\""), failed.getMessage());
            assertNothingIsLeft();
        }
    }

    @Test
    void aLibraryThatIsMissingIsNamed() {
        HardwareCounters.Result.Missing missing = assertInstanceOf(
                HardwareCounters.Result.Missing.class,
                HardwareCounters.open("/no/such/libpapi.so", functions -> WILLING));
        CounterObstacle obstacle = missing.obstacles().getFirst();
        assertEquals(CounterObstacle.Kind.LIBRARY_MISSING, obstacle.kind());
        assertTrue(obstacle.reason().contains("library=/no/such/libpapi.so"), obstacle.reason());
        assertTrue(obstacle.reason().contains("apt-get install papi-tools"), obstacle.reason());
        assertEquals(1, missing.obstacles().size());
    }

    @Test
    void aMissingLibraryIsNotBlamedForAMachineWithoutCounters() {
        Kernel kernel = new Kernel(Kernel.Answer.NO_COUNTERS, 2, OptionalInt.of(2), true);
        HardwareCounters.Result.Missing missing = assertInstanceOf(
                HardwareCounters.Result.Missing.class,
                HardwareCounters.open("/no/such/libpapi.so", functions -> kernel));
        assertEquals(
                List.of(CounterObstacle.Kind.LIBRARY_MISSING, CounterObstacle.Kind.NOT_EXPOSED),
                missing.obstacles().stream().map(CounterObstacle::kind).toList());
    }

    @Test
    void whatIsNotPapiIsUnfit() throws Exception {
        CounterObstacle without = obstacle("FAKE_WITHOUT_READ");
        assertEquals(CounterObstacle.Kind.LIBRARY_UNFIT, without.kind());
        assertTrue(without.reason().contains("missing=\"PAPI_read\""), without.reason());
        assertEquals(
                CounterObstacle.Kind.LIBRARY_UNFIT,
                obstacle("FAKE_VERSION=0x09000000").kind());
    }

    @Test
    void permissionIsNamed() throws Exception {
        for (String call : List.of("INIT", "ADD", "START")) {
            CounterObstacle obstacle = obstacle("FAKE_" + call + "_ERROR=" + Obstacles.PAPI_EPERM);
            assertEquals(CounterObstacle.Kind.PERMISSION, obstacle.kind(), obstacle.reason());
            assertTrue(obstacle.reason().contains("perf_event_paranoid=2"), obstacle.reason());
        }
        assertNothingIsLeft();
    }

    @Test
    void otherRefusalsSayWhatPapiSays() throws Exception {
        CounterObstacle started = obstacle("FAKE_START_ERROR=-3");
        assertEquals(CounterObstacle.Kind.REFUSED, started.kind());
        assertTrue(started.reason().contains("code=-3 papi=\"fake: error\""), started.reason());
        CounterObstacle disabled = obstacle("FAKE_ADD_ERROR=-25");
        assertEquals(CounterObstacle.Kind.REFUSED, disabled.kind());
        assertTrue(disabled.reason().contains("papi_component_avail"), disabled.reason());
        assertEquals(CounterObstacle.Kind.REFUSED, obstacle("FAKE_EVENTS=0").kind());
        assertEquals(
                CounterObstacle.Kind.IN_USE, obstacle("FAKE_START_ERROR=-8").kind());
    }

    @Test
    void countersThatStandStillAreNone() throws Exception {
        CounterObstacle obstacle = obstacle("FAKE_STANDS_STILL");
        assertEquals(CounterObstacle.Kind.NOT_EXPOSED, obstacle.kind());
        assertTrue(obstacle.reason().contains("event=PAPI_TOT_INS count=0"), obstacle.reason());
        assertNothingIsLeft();
    }

    @Test
    void readingsOfDifferentEventsAreNotSubtracted() {
        CounterValues one = new CounterValues(Map.of(CYCLES, 1L), false);
        CounterValues other = new CounterValues(Map.of(INSTRUCTIONS, 1L), false);
        assertThrows(IllegalArgumentException.class, () -> one.minus(other));
    }

    @Test
    void everyEventHasALabelOfItsOwn() {
        assertEquals(
                ALL.size(),
                Arrays.stream(CounterEvent.values())
                        .map(CounterEvent::label)
                        .distinct()
                        .count());
    }
}
