package dev.lockstep.engine.log;

import static dev.lockstep.engine.log.LogRecordLayout.LSN_FIRST;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.FailureListener;
import dev.lockstep.scheduler.Waiter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What ends the writer's waiting for more commits. Each test begins with two forces that taught the writer that many
 * commits come, and finds it waiting for the group of the third.
 */
class LogGatherTest {
    private static final long SEED = 5_220_917L;
    private static final long FORCE_NANOS = 200_000;
    private static final int ARRIVALS_DURING_FORCE = 9;

    /** 18 waited at the end of the second force, 9 of them came during it; so 3.25 more are asked for, and 9 left. */
    private static final int GROUP_SIZE = 12;

    private final LogFixture fixture = new LogFixture(SEED);
    private final GatedStorage storage = new GatedStorage(fixture.storage);
    private final ManualClock clock = new ManualClock();
    private final List<Thread> committers = new ArrayList<>();
    private Log log;
    private long gatherUntilNanos;

    @BeforeEach
    void gather() {
        LogOptions options = LogFixture.small(LogOptions.sync()).withClock(clock);
        log = Log.open(
                storage, LogFixture.DIRECTORY, LogFixture.DATABASE_ID, options, LSN_FIRST, FailureListener.IGNORE);
        storage.forces.drainPermits();
        commit(1);
        for (int force = 0; force < 2; force++) {
            until(storage.forces::hasQueuedThreads);
            commit(ARRIVALS_DURING_FORCE);
            clock.advance(FORCE_NANOS);
            storage.forces.release();
            int forced = force + 1;
            until(() -> log.statistics().forceCount() == forced);
        }
        until(() -> !storage.forces.hasQueuedThreads() && clock.awaitParked() != LogClock.UNTIL_SIGNALLED);
        gatherUntilNanos = clock.awaitParked();
        storage.openGates();
        assertTrue(gatherUntilNanos - clock.nanoTime() <= LogGatherPolicy.PATIENCE_NANOS_MAX);
        assertEquals(2, log.statistics().forceCount());
        // Those that were served may not have ended yet.
        until(() -> waiting() == ARRIVALS_DURING_FORCE);
    }

    @AfterEach
    void close() throws InterruptedException {
        log.close();
        for (Thread committer : committers) {
            committer.join();
        }
    }

    private static void until(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            Thread.yield();
        }
    }

    /** Has threads commit, and returns when all of them wait. */
    private void commit(int count) {
        for (int i = 0; i < count; i++) {
            long transactionId = committers.size() + 1L;
            Thread committer = Thread.ofVirtual().start(() -> {
                LogRecordBuffer record = new LogRecordBuffer();
                log.awaitDurable(log.append(record.begin(LogRecordType.COMMIT, 0, transactionId, 0)), new Waiter());
            });
            committers.add(committer);
            until(() -> committer.getState() == Thread.State.WAITING || !committer.isAlive());
        }
    }

    private long waiting() {
        return committers.stream().filter(Thread::isAlive).count();
    }

    @Test
    void enoughCommitsEndIt() {
        commit(GROUP_SIZE - ARRIVALS_DURING_FORCE - 1);
        assertEquals(gatherUntilNanos, clock.awaitParked());
        assertEquals(2, log.statistics().forceCount());
        assertEquals(GROUP_SIZE - 1, waiting());
        commit(1);
        until(() -> waiting() == 0);
        assertEquals(3, log.statistics().forceCount());
    }

    @Test
    void timeEndsIt() {
        clock.advance(gatherUntilNanos - clock.nanoTime() - 1);
        assertEquals(gatherUntilNanos, clock.awaitParked());
        assertEquals(ARRIVALS_DURING_FORCE, waiting());
        clock.advance(1);
        until(() -> waiting() == 0);
        assertEquals(3, log.statistics().forceCount());
    }

    @Test
    void aParkThatEndsForNoReasonDoesNotEndIt() {
        for (int i = 0; i < 3; i++) {
            clock.wakeEarly();
            assertEquals(gatherUntilNanos, clock.awaitParked());
        }
        assertEquals(2, log.statistics().forceCount());
        assertEquals(ARRIVALS_DURING_FORCE, waiting());
        commit(GROUP_SIZE - ARRIVALS_DURING_FORCE);
        until(() -> waiting() == 0);
    }

    @Test
    void closingEndsIt() {
        log.close();
        until(() -> waiting() == 0);
        assertEquals(3, log.statistics().forceCount());
    }

    @Test
    void aFullRingEndsIt() {
        LogRecordBuffer record = new LogRecordBuffer();
        long beginLsn = log.tailLsn();
        while (log.tailLsn() - beginLsn < 2L * LogOptions.BUFFER_BYTES_MIN) {
            log.append(LogFixture.record(record, 1, 1_000));
        }
        until(() -> waiting() == 0);
    }

    @Test
    void whoAsksWithoutWaitingIsServedWithTheGroup() {
        LogRecordBuffer record = new LogRecordBuffer();
        long lsn = log.append(record.begin(LogRecordType.COMMIT, 0, 1_000, 0));
        log.requestFlush(lsn);
        assertEquals(gatherUntilNanos, clock.awaitParked());
        assertEquals(2, log.statistics().forceCount());
        clock.advance(gatherUntilNanos - clock.nanoTime());
        until(() -> lsn < log.durableLsn());
        assertEquals(3, log.statistics().forceCount());
    }
}
