package dev.lockstep.engine.log;

import static dev.lockstep.engine.log.LogRecordLayout.LSN_FIRST;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.FailureListener;
import dev.lockstep.scheduler.Waiter;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** When the log writes and forces, and whom it keeps waiting. */
class LogDurabilityTest {
    private static final long SEED = 7_041_776L;
    private static final long MILLI = 1_000_000;

    private final LogFixture fixture = new LogFixture(SEED);
    private final GatedStorage storage = new GatedStorage(fixture.storage);
    private final ManualClock clock = new ManualClock();
    private final LogRecordBuffer buffer = new LogRecordBuffer();
    private final Waiter waiter = new Waiter();

    private Log open(LogOptions options) {
        return Log.open(
                storage,
                LogFixture.DIRECTORY,
                LogFixture.DATABASE_ID,
                LogFixture.small(options),
                LSN_FIRST,
                FailureListener.IGNORE);
    }

    private static void until(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            Thread.yield();
        }
    }

    private long commit(Log log, LogRecordBuffer record, long transactionId) {
        return log.append(record.begin(LogRecordType.COMMIT, 0, transactionId, 0));
    }

    @Test
    void commitsThatComeDuringAForceShareTheNextOne() throws ExecutionException, InterruptedException {
        int committerCount = 200;
        try (Log log = open(LogOptions.sync());
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            storage.forces.drainPermits();
            Future<?> first = threads.submit(() -> log.awaitDurable(commit(log, buffer, 1), new Waiter()));
            until(storage.forces::hasQueuedThreads);
            List<Future<?>> others = new ArrayList<>();
            for (int i = 0; i < committerCount; i++) {
                long transactionId = i + 2L;
                others.add(threads.submit(() -> {
                    long lsn = commit(log, new LogRecordBuffer(), transactionId);
                    log.awaitDurable(lsn, new Waiter());
                    assertTrue(lsn < log.durableLsn());
                }));
            }
            until(() -> log.statistics().commitCount() == committerCount + 1);
            assertFalse(first.isDone());
            storage.forces.release();
            first.get();
            until(storage.forces::hasQueuedThreads);
            assertEquals(0, others.stream().filter(Future::isDone).count());
            storage.openGates();
            for (Future<?> other : others) {
                other.get();
            }
            assertEquals(2, log.statistics().forceCount());
            assertEquals((committerCount + 1) / 2.0, log.statistics().commitsPerForce());
        }
    }

    @Test
    void nobodyIsAnsweredBeforeHisRecordIsDurable() throws ExecutionException, InterruptedException {
        long committerCount = 100;
        int commitsEach = 40;
        try (Log log = open(LogOptions.sync());
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> committers = new ArrayList<>();
            for (int i = 0; i < committerCount; i++) {
                long transactionId = i + 1L;
                committers.add(threads.submit(() -> {
                    LogRecordBuffer record = new LogRecordBuffer();
                    Waiter own = new Waiter();
                    for (int n = 0; n < commitsEach; n++) {
                        log.throttle(own);
                        log.append(LogFixture.record(record, transactionId, n));
                        long lsn = commit(log, record, transactionId);
                        log.awaitDurable(lsn, own);
                        assertTrue(lsn < log.durableLsn());
                        assertTrue(log.durableLsn() <= log.writtenLsn());
                        assertTrue(log.writtenLsn() <= log.tailLsn());
                    }
                }));
            }
            for (Future<?> committer : committers) {
                committer.get();
            }
            LogStatistics statistics = log.statistics();
            assertEquals(committerCount * commitsEach, statistics.commitCount());
            assertEquals(2L * committerCount * commitsEach, statistics.recordCount());
        }
    }

    @Test
    void anInterruptNeitherEndsAWaitNorIsLost() throws ExecutionException, InterruptedException {
        try (Log log = open(LogOptions.sync());
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            storage.forces.drainPermits();
            AtomicBoolean interrupted = new AtomicBoolean();
            Thread[] thread = new Thread[1];
            Future<?> committer = threads.submit(() -> {
                thread[0] = Thread.currentThread();
                long lsn = commit(log, buffer, 1);
                log.awaitDurable(lsn, waiter);
                assertTrue(lsn < log.durableLsn());
                interrupted.set(Thread.currentThread().isInterrupted());
            });
            until(storage.forces::hasQueuedThreads);
            thread[0].interrupt();
            storage.openGates();
            committer.get();
            assertTrue(interrupted.get());
        }
    }

    /** As on a slower disk: nothing is durable before the time that was asked for has passed. */
    @Test
    void aForceTakesTheDelayThatWasAskedForLonger() throws ExecutionException, InterruptedException {
        int delayMillis = 5;
        LogOptions options = LogOptions.sync().withClock(clock).withExtraForceDelayMillis(delayMillis);
        try (Log log = open(options);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            storage.forces.drainPermits();
            Future<?> committer = threads.submit(() -> log.awaitDurable(commit(log, buffer, 1), waiter));
            until(storage.forces::hasQueuedThreads);
            long endNanos = clock.nanoTime() + delayMillis * MILLI;
            storage.openGates();
            assertEquals(endNanos, clock.awaitParked());
            clock.advance(delayMillis * MILLI - 1);
            clock.wakeEarly();
            assertEquals(endNanos, clock.awaitParked());
            assertFalse(committer.isDone());
            assertEquals(LSN_FIRST, log.durableLsn());
            clock.advance(1);
            committer.get();
            assertEquals(log.tailLsn(), log.durableLsn());
        }
    }

    @Test
    void asyncForcesHalfTheDelayAfterTheFirstAppend() {
        long delay = LogOptions.ASYNC_DELAY_MILLIS_MAX * MILLI;
        try (Log log = open(LogOptions.async().withClock(clock))) {
            for (int round = 0; round < 20; round++) {
                assertEquals(LogClock.UNTIL_SIGNALLED, clock.awaitParked());
                long appendNanos = clock.nanoTime();
                long lsn = commit(log, buffer, round + 1);
                until(() -> clock.awaitParked() == appendNanos + delay / 2);
                clock.advance(delay / 2 - 1);
                assertTrue(lsn >= log.durableLsn());
                long later = commit(log, buffer, round + 100);
                clock.advance(1);
                until(() -> lsn < log.durableLsn());
                until(() -> later < log.durableLsn());
                assertEquals(round + 1, log.statistics().forceCount());
                clock.advance(round * MILLI);
            }
        }
    }

    /** What follows in the next segment was appended before the one that ended was forced, and is as old as it is. */
    @Test
    void theEndOfASegmentPutsNoForceOff() {
        long delay = LogOptions.ASYNC_DELAY_MILLIS_MAX * MILLI;
        LogOptions options = LogFixture.small(LogOptions.async());
        long segmentEnd = LSN_FIRST + options.segmentBytes();
        try (Log log = open(LogOptions.async().withClock(clock))) {
            assertEquals(LogClock.UNTIL_SIGNALLED, clock.awaitParked());
            long appendNanos = clock.nanoTime();
            long number = 1;
            while (log.tailLsn() <= segmentEnd) {
                log.throttle(waiter);
                log.append(LogFixture.record(buffer, number++, 64));
            }
            until(() -> clock.awaitParked() == appendNanos + delay / 2);
            clock.advance(delay / 2 - 1);
            long end = log.tailLsn() + options.bufferBytes();
            while (log.tailLsn() < end) {
                log.throttle(waiter);
                log.append(LogFixture.record(buffer, number++, 64));
            }
            until(() -> log.writtenLsn() > segmentEnd);
            assertTrue(log.durableLsn() < log.tailLsn());
            assertEquals(appendNanos + delay / 2, clock.awaitParked());
            clock.advance(1);
            until(() -> log.durableLsn() >= end);
        }
    }

    @Test
    void aForceThatTakesTooLongHoldsAnswersBack() {
        long delay = LogOptions.ASYNC_DELAY_MILLIS_MAX * MILLI;
        try (Log log = open(LogOptions.async().withClock(clock))) {
            assertEquals(LogClock.UNTIL_SIGNALLED, clock.awaitParked());
            storage.forces.drainPermits();
            long beginNanos = clock.nanoTime();
            commit(log, buffer, 1);
            until(() -> clock.awaitParked() == beginNanos + delay / 2);
            clock.advance(delay / 2);
            until(storage.forces::hasQueuedThreads);
            long duringTheForce = commit(log, buffer, 2);
            clock.advance(delay / 2 - 1);
            assertFalse(log.holdsBackAnswers());
            clock.advance(1);
            assertTrue(log.holdsBackAnswers());
            clock.advance(delay);
            storage.forces.release();
            until(() -> duringTheForce < log.writtenLsn() && storage.forces.hasQueuedThreads());
            assertTrue(log.holdsBackAnswers(), "the second commit is as old as the first was");
            storage.openGates();
            until(() -> !log.holdsBackAnswers());
            // The force has ended by now; who waits for it is told a moment later.
            until(() -> duringTheForce < log.durableLsn());
        }
    }

    /** Fills and forces so many segments that four of them are deleted once they are let go. */
    private void fillSegments(Log log) {
        long number = 1;
        while (log.tailLsn() < LSN_FIRST + 6L * LogOptions.SEGMENT_BYTES_MIN) {
            log.throttle(waiter);
            log.append(LogFixture.record(buffer, number++, 1_000));
        }
        log.awaitDurable(log.tailLsn() - 1, waiter);
        until(() -> clock.awaitParked() == LogClock.UNTIL_SIGNALLED);
    }

    @Test
    void aDeleteThatTakesTooLongHoldsAnswersBack() {
        long delay = LogOptions.ASYNC_DELAY_MILLIS_MAX * MILLI;
        try (Log log = open(LogOptions.async().withRecycledBytes(0).withClock(clock))) {
            fillSegments(log);
            storage.deletes.drainPermits();
            long neededLsn = log.durableLsn();
            long appendNanos = clock.nanoTime();
            long lsn = commit(log, buffer, 1);
            until(() -> clock.awaitParked() == appendNanos + delay / 2);
            clock.advance(delay / 10);
            log.deleteBefore(neededLsn);
            until(storage.deletes::hasQueuedThreads);
            clock.advance(delay - delay / 10 - 1);
            boolean heldBackInTime = log.holdsBackAnswers();
            clock.advance(1);
            boolean heldBackTooLate = log.holdsBackAnswers();
            storage.openGates();
            assertFalse(heldBackInTime);
            assertTrue(heldBackTooLate);
            log.awaitDeleted(neededLsn, waiter);
            assertTrue(lsn < log.durableLsn());
            until(() -> !log.holdsBackAnswers());
        }
    }

    /** A byte appended while nothing was left to force is no older than the delete that it came during. */
    @Test
    void aDeleteHoldsBackNoYoungerAnswers() {
        long delay = LogOptions.ASYNC_DELAY_MILLIS_MAX * MILLI;
        try (Log log = open(LogOptions.async().withRecycledBytes(0).withClock(clock))) {
            fillSegments(log);
            clock.advance(10 * delay);
            storage.deletes.drainPermits();
            log.deleteBefore(log.durableLsn());
            until(storage.deletes::hasQueuedThreads);
            clock.advance(delay - 1);
            boolean heldBackInTime = log.holdsBackAnswers();
            commit(log, buffer, 1);
            clock.advance(1);
            boolean heldBackTooLate = log.holdsBackAnswers();
            storage.openGates();
            assertFalse(heldBackInTime);
            assertTrue(heldBackTooLate);
        }
    }

    @Test
    void whatFallsDueDuringADeleteIsForcedBeforeTheNextOne() {
        long delay = LogOptions.ASYNC_DELAY_MILLIS_MAX * MILLI;
        try (Log log = open(LogOptions.async().withRecycledBytes(0).withClock(clock))) {
            fillSegments(log);
            int fileCount = fixture.storage.list(LogFixture.DIRECTORY).size();
            storage.deletes.drainPermits();
            long neededLsn = log.durableLsn();
            long lsn = commit(log, buffer, 1);
            log.deleteBefore(neededLsn);
            until(storage.deletes::hasQueuedThreads);
            clock.advance(delay / 2);
            storage.deletes.release();
            until(() -> fixture.storage.list(LogFixture.DIRECTORY).size() == fileCount - 1
                    && storage.deletes.hasQueuedThreads());
            long durableLsn = log.durableLsn();
            storage.openGates();
            assertTrue(lsn < durableLsn);
            log.awaitDeleted(neededLsn, waiter);
            assertEquals(
                    fileCount - 4, fixture.storage.list(LogFixture.DIRECTORY).size());
        }
    }

    @Test
    void aForceInTimeHoldsNobodyBack() {
        long delay = LogOptions.ASYNC_DELAY_MILLIS_MAX * MILLI;
        for (LogOptions options : List.of(LogOptions.async(), LogOptions.sync())) {
            try (Log log = open(options.withClock(clock))) {
                for (int round = 0; round < 10; round++) {
                    assertEquals(LogClock.UNTIL_SIGNALLED, clock.awaitParked());
                    clock.advance(10 * delay);
                    storage.forces.drainPermits();
                    log.requestFlush(commit(log, buffer, round + 1));
                    until(storage.forces::hasQueuedThreads);
                    clock.advance(delay - 1);
                    assertFalse(log.holdsBackAnswers(), options.toString());
                    storage.openGates();
                    until(() -> log.durableLsn() == log.tailLsn());
                }
            }
        }
    }

    @Test
    void asyncServesThoseWhoWaitAtOnce() {
        try (Log log = open(LogOptions.async().withClock(clock))) {
            long lsn = commit(log, buffer, 1);
            log.awaitDurable(lsn, waiter);
            assertTrue(lsn < log.durableLsn());
            long requested = commit(log, buffer, 2);
            log.requestFlush(Long.MAX_VALUE);
            until(() -> requested < log.durableLsn());
        }
    }

    @Test
    void anIdleLogSleepsAndSyncIsNotWokenByAppends() {
        try (Log log = open(LogOptions.sync().withClock(clock))) {
            assertEquals(LogClock.UNTIL_SIGNALLED, clock.awaitParked());
            for (int i = 0; i < 50; i++) {
                log.append(LogFixture.record(buffer, i, 100));
            }
            assertEquals(LogClock.UNTIL_SIGNALLED, clock.awaitParked());
            assertEquals(LSN_FIRST, log.writtenLsn());
            LogStatistics statistics = log.statistics();
            assertEquals(0, statistics.batchCount());
            assertEquals(0, statistics.forceCount());
        }
    }

    @Test
    void aChunkIsWrittenWithoutAForce() {
        LogOptions options = LogFixture.small(LogOptions.sync());
        try (Log log = open(options)) {
            while (log.tailLsn() - LSN_FIRST < options.chunkBytes()) {
                log.append(LogFixture.record(buffer, 1, 1_000));
            }
            until(() -> log.writtenLsn() > LSN_FIRST);
            assertEquals(0, log.statistics().forceCount());
            assertEquals(LSN_FIRST, log.durableLsn());
        }
    }

    @Test
    void aFullRingHoldsBackAppendsAndOperations() throws ExecutionException, InterruptedException {
        int recordCount = 3_000;
        try (Log log = open(LogOptions.sync());
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            storage.writes.drainPermits();
            Future<?> appender = threads.submit(() -> {
                for (int i = 0; i < recordCount; i++) {
                    log.append(LogFixture.record(buffer, i, 500));
                }
            });
            int ringBytes = LogOptions.BUFFER_BYTES_MIN;
            until(() -> log.tailLsn() - log.writtenLsn() > ringBytes - LogTail.RESERVED_BYTES - 1_000);
            assertTrue(log.nearlyFull());
            Future<?> throttled = threads.submit(() -> log.throttle(waiter));
            assertFalse(appender.isDone());
            assertFalse(throttled.isDone());
            assertTrue(log.tailLsn() - log.writtenLsn() <= ringBytes);
            storage.openGates();
            appender.get();
            throttled.get();
        }
        LogFixture.Content content = fixture.read(LSN_FIRST, 0);
        assertEquals(recordCount, content.numbers().size());
    }

    /** A model of the writer, whose steps take random times, must force every byte in time. */
    @Test
    void everyByteIsForcedWithinTheDelay() {
        Random random = new Random(SEED);
        long forceDelay = 50 * MILLI;
        long stepMax = 5 * MILLI;
        LogFlushPolicy policy = new LogFlushPolicy(true, forceDelay, 1_000);
        List<Long> unforced = new ArrayList<>();
        int cutOffCount = 0;
        long unwritten = 0;
        long now = 0;
        int forceCount = 0;
        for (int i = 0; i < 200_000; i++) {
            if (unforced.isEmpty()) {
                now += random.nextLong(500 * MILLI);
                policy.firstAppend(now);
                unforced.add(now);
                unwritten += 100;
            } else if (random.nextBoolean()) {
                unforced.add(now);
                unwritten += random.nextInt(300);
            }
            switch (policy.decide(now, unwritten, !unforced.isEmpty(), random.nextInt(500) == 0)) {
                case SLEEP -> now += Math.min(policy.sleepNanos(now, true), random.nextLong(20 * MILLI));
                case WRITE -> {
                    policy.cutOff(now);
                    cutOffCount = unforced.size();
                    unwritten = 0;
                    now += random.nextLong(stepMax);
                }
                case FORCE -> {
                    long age = now - unforced.getFirst();
                    assertTrue(age <= forceDelay + stepMax, "seed=" + SEED + " step=" + i + " ageNanos=" + age);
                    policy.cutOff(now);
                    cutOffCount = unforced.size();
                    unwritten = 0;
                    long end = now + random.nextLong(stepMax);
                    while (random.nextBoolean()) {
                        unforced.add(now + random.nextLong(end - now + 1));
                        unwritten += 100;
                    }
                    now = end;
                    policy.forced();
                    unforced.subList(0, cutOffCount).clear();
                    unforced.sort(null);
                    forceCount++;
                }
            }
        }
        assertTrue(forceCount > 1_000, "forceCount=" + forceCount);
    }
}
