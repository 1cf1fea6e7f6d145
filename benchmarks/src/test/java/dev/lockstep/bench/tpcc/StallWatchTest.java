package dev.lockstep.bench.tpcc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StallWatchTest {
    private static final long LIMIT_MILLIS = 20;
    private static final long SECONDS_MAX = 900;

    @Test
    void tellsOfAStall() throws Exception {
        CompletableFuture<Long> told = new CompletableFuture<>();
        try (StallWatch watch = new StallWatch(LIMIT_MILLIS, told::complete)) {
            watch.alive();
            assertTrue(told.get(SECONDS_MAX, TimeUnit.SECONDS) >= LIMIT_MILLIS);
        }
    }

    @Test
    void rowsThatStandStillAreAStall() {
        CompletableFuture<Long> told = new CompletableFuture<>();
        RunSpec spec = TpccPlanTest.plan().configurations().getFirst();
        RunRequest request = new RunRequest(spec, "", null, "", 1, false, "");
        long giveUpNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
        try (StallWatch watch = new StallWatch(LIMIT_MILLIS, told::complete)) {
            TpccChildRun run = new TpccChildRun(request, watch, line -> {});
            while (!told.isDone() && System.nanoTime() - giveUpNanos < 0) {
                run.loaded(7, 10);
            }
        }
        assertTrue(told.isDone());
    }

    /** In a JVM that several runs share too. */
    @Test
    void aStallNamesAThreadDump(@TempDir Path directory) throws IOException {
        String sentence = TpccChildCommand.stall(directory.resolve("spec.json"), 7);
        try (Stream<Path> files = Files.list(directory)) {
            Path dump = files.findFirst().orElseThrow();
            assertEquals("nothing was done for stillMillis=7 threadDump=" + dump, sentence);
            assertTrue(Files.readString(dump).contains("aStallNamesAThreadDump"));
        }
    }

    @Test
    void aCountThatStandsStillIsAStall() {
        CompletableFuture<Long> told = new CompletableFuture<>();
        long giveUpNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
        try (StallWatch watch = new StallWatch(LIMIT_MILLIS, told::complete)) {
            while (!told.isDone() && System.nanoTime() - giveUpNanos < 0) {
                watch.aliveAt(7);
            }
        }
        assertTrue(told.isDone());
    }

    @Test
    void tellsNothingOnceClosed() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        StallWatch closed = new StallWatch(TimeUnit.HOURS.toMillis(1), still -> calls.incrementAndGet());
        closed.close();
        // Another watch with a short limit shows that time has passed.
        CompletableFuture<Long> told = new CompletableFuture<>();
        try (StallWatch watch = new StallWatch(LIMIT_MILLIS, told::complete)) {
            watch.alive();
            told.get(SECONDS_MAX, TimeUnit.SECONDS);
        }
        assertEquals(0, calls.get());
    }
}
