package dev.lockstep.bench.tpcc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.report.Json;
import dev.lockstep.tpcc.TpccProgress;
import dev.lockstep.tpcc.adapter.DelegatingAdapter;
import dev.lockstep.tpcc.adapter.TpccAdapter;
import dev.lockstep.tpcc.adapter.TpccScanner;
import dev.lockstep.tpcc.plain.PlainAdapter;
import dev.lockstep.tpcc.workload.TerminalThreads;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SlicedRunTest {
    /** What is written for a database in another's turn would be paid by that one. */
    @Test
    void aTurnGoesOnWhileACheckpointIsWritten(@TempDir Path directory) throws Exception {
        TpccPlan plan = TpccPlanTest.plan(
                "--shrink=100",
                "--terminals=2",
                "--durability=none",
                "--pool=32m",
                "--slices=1",
                "--warmup=0",
                "--duration=1");
        RunRequest request = new RunRequest(
                plan.configurations().getFirst(), directory.toString(), null, "unpinned", 1, false, "hash");
        AtomicInteger looksLeft = new AtomicInteger(1);
        AtomicInteger slices = new AtomicInteger();
        try (StallWatch watch = new StallWatch(StallWatch.STILL_MILLIS_MAX, still -> {});
                SlicedDatabase database = new SlicedDatabase(
                        request,
                        watch,
                        new Writing(Engines.open(request.configuration(), directory), looksLeft, slices))) {
            SlicedRun run = new SlicedRun(request, database, watch, line -> {});
            run.load();
            run.begin(TpccProgress.Phase.MEASURE, 1);
            run.turn();
        }
        assertEquals(0, looksLeft.get());
        assertEquals(2, slices.get());
    }

    /** A scanner holds a session of the database, which everything that follows would have beside it. */
    @Test
    void nothingOfTheLookAtWhatWasLoadedIsLeft(@TempDir Path directory) throws Exception {
        TpccPlan plan = TpccPlanTest.plan("--shrink=100", "--terminals=2", "--slices=1", "--warmup=0");
        RunRequest request = new RunRequest(
                plan.configurations().getFirst(), directory.toString(), null, "unpinned", 1, false, "hash");
        AtomicInteger open = new AtomicInteger();
        AtomicInteger opened = new AtomicInteger();
        TpccAdapter adapter =
                new DelegatingAdapter(new PlainAdapter(request.configuration().scale())) {
                    @Override
                    public TpccScanner openScanner() {
                        open.incrementAndGet();
                        opened.incrementAndGet();
                        return counted(super.openScanner(), open);
                    }
                };
        try (StallWatch watch = new StallWatch(StallWatch.STILL_MILLIS_MAX, still -> {});
                SlicedDatabase database = new SlicedDatabase(request, watch, new OnThreads(adapter))) {
            new SlicedRun(request, database, watch, line -> {}).load();
            assertEquals(1, opened.get());
            assertEquals(0, open.get());
        }
    }

    /** Whoever has the next turn in it would otherwise report it as whole. */
    @Test
    void aDatabaseThatWasGivenUpStaysSo(@TempDir Path directory) throws Exception {
        TpccPlan plan = TpccPlanTest.plan("--shrink=100", "--terminals=2", "--slices=1", "--warmup=0", "--duration=1");
        RunRequest request = new RunRequest(
                plan.configurations().getFirst(), directory.toString(), null, "unpinned", 1, false, "hash");
        TpccAdapter adapter = new PlainAdapter(request.configuration().scale());
        try (StallWatch watch = new StallWatch(StallWatch.STILL_MILLIS_MAX, still -> {});
                SlicedDatabase database = new SlicedDatabase(request, watch, new OnThreads(adapter))) {
            SlicedRun first = new SlicedRun(request, database, watch, line -> {});
            SlicedRun second = new SlicedRun(request, database, watch, line -> {});
            first.load();
            first.begin(TpccProgress.Phase.MEASURE, 1);
            second.begin(TpccProgress.Phase.MEASURE, 1);
            first.turn();
            assertTrue(second.wantsMore());
            database.fail("the disk is full");
            assertFalse(second.wantsMore());
            first.turn();
            database.fail("something else");
            assertEquals("the disk is full", database.failure());
            assertEquals("the disk is full", first.report(1).failure());
            assertEquals("the disk is full", second.report(1).failure());
            assertEquals(ChildVerdict.NONE, database.judge());
        }
        adapter.close();
    }

    private static TpccScanner counted(TpccScanner scanner, AtomicInteger open) {
        return (TpccScanner) Proxy.newProxyInstance(
                TpccScanner.class.getClassLoader(), new Class<?>[] {TpccScanner.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        open.decrementAndGet();
                    }
                    return method.invoke(scanner, arguments);
                });
    }

    private record OnThreads(TpccAdapter adapter) implements OpenEngine {
        @Override
        public TerminalThreads threads() {
            return TerminalThreads.platform();
        }

        @Override
        public void close() {
            adapter.close();
        }
    }

    /** Whoever compares it with others would believe that its conditions hold. */
    @Test
    void aRepetitionWhoseDatabaseNobodyLookedAtIsNotGood(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("run.json"), "{\"engine\": \"lockstep\", \"ok\": true}");
        RunReport run = Json.read(file, RunReport.class);
        assertTrue(run.with(new ChildVerdict(Map.of(), Map.of(), List.of())).ok());
        assertFalse(run.with(ChildVerdict.NONE).ok());
    }

    /** An engine that writes a checkpoint for as many looks as are left. */
    private record Writing(OpenEngine engine, AtomicInteger looksLeft, AtomicInteger slices) implements OpenEngine {
        @Override
        public TpccAdapter adapter() {
            return engine.adapter();
        }

        @Override
        public TerminalThreads threads() {
            slices.incrementAndGet();
            return engine.threads();
        }

        @Override
        public boolean writesCheckpoint() {
            return looksLeft.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
        }

        @Override
        public void close() {
            engine.close();
        }
    }

    @Test
    void aPhaseEndsWithinHalfATurnOfItsTime() {
        assertTrue(SlicedRun.wantsMore(100, 40, 20));
        assertTrue(SlicedRun.wantsMore(100, 89, 20));
        assertFalse(SlicedRun.wantsMore(100, 90, 20));
        assertFalse(SlicedRun.wantsMore(100, 105, 20));
    }

    @Test
    void aPhaseShorterThanATurnHasOne() {
        assertTrue(SlicedRun.wantsMore(5, 0, 10));
        assertFalse(SlicedRun.wantsMore(5, 10, 10));
        assertFalse(SlicedRun.wantsMore(0, 0, 10));
    }
}
