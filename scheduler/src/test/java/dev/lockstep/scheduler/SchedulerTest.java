package dev.lockstep.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class SchedulerTest {
    @ParameterizedTest
    @EnumSource
    void currentIsTheSThreadThatRuns(SThreadKind kind) throws InterruptedException {
        assertNull(SThread.current());
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind).withCarriers(2))) {
            AtomicReference<SThread> seen = new AtomicReference<>();
            SThread sThread = scheduler.start("one", -1, () -> seen.set(SThread.current()));
            sThread.join();
            assertSame(kind == SThreadKind.PLAIN ? null : sThread, seen.get());
            assertEquals(kind, sThread.kind());
            assertEquals("one", sThread.name());
            assertTrue(sThread.hasEnded());
        }
    }

    /** A virtual thread that a virtual S-thread starts runs on the same carrier, but is not that S-thread. */
    @Test
    void childrenOfVirtualSThreadsAreNoSThreads() throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(SThreadKind.VIRTUAL))) {
            AtomicReference<SThread> seen = new AtomicReference<>(new PlainSThread(scheduler, "none", () -> false));
            SThread parent = scheduler.start("parent", 0, () -> {
                Thread child = Thread.ofVirtual().start(() -> {
                    seen.set(SThread.current());
                    Thread.yield();
                });
                try {
                    child.join();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            parent.join();
            Fixtures.rethrow(List.of(parent));
            assertNull(seen.get());
        }
    }

    /** It may outlive all S-threads; their carrier has then ended, and it goes on elsewhere. */
    @Test
    @Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void childrenOfVirtualSThreadsOutliveTheirCarrier() throws InterruptedException {
        CountDownLatch go = new CountDownLatch(1);
        AtomicReference<Thread> child = new AtomicReference<>();
        AtomicReference<Thread> grandchild = new AtomicReference<>();
        AtomicReference<SThread> seen = new AtomicReference<>();
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(SThreadKind.VIRTUAL))) {
            seen.set(new PlainSThread(scheduler, "none", () -> false));
            scheduler.start(
                    "parent",
                    0,
                    () -> child.set(Thread.ofVirtual().start(() -> {
                        await(go);
                        grandchild.set(Thread.ofVirtual().start(() -> seen.set(SThread.current())));
                        Thread.yield();
                    })));
        }
        go.countDown();
        child.get().join();
        grandchild.get().join();
        assertNull(seen.get());
    }

    /** One that yields, and so is always about to run, keeps no carrier from its end. */
    @Test
    @Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void childrenThatYieldOutliveTheirCarrier() throws InterruptedException {
        AtomicBoolean mayEnd = new AtomicBoolean();
        AtomicReference<Thread> child = new AtomicReference<>();
        try {
            try (Scheduler scheduler = new Scheduler(Fixtures.exact(SThreadKind.VIRTUAL))) {
                scheduler.start(
                        "parent",
                        0,
                        () -> child.set(Thread.ofVirtual().start(() -> {
                            // Ends when the scheduler has.
                            while (!mayEnd.get()) {
                                Thread.yield();
                            }
                        })));
            }
            assertTrue(child.get().isAlive());
        } finally {
            mayEnd.set(true);
        }
        child.get().join();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void carriersTakeTurnsWhereNoneIsAskedFor(SThreadKind kind) {
        int carriers = 3;
        Map<Thread, Integer> started = new HashMap<>();
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind).withCarriers(carriers))) {
            for (int i = 0; i < 2 * carriers; i++) {
                started.merge(scheduler.start("s" + i, -1, () -> {}).carrierThread(), 1, Integer::sum);
            }
        }
        assertEquals(carriers, started.size(), started::toString);
        assertEquals(Set.of(2), Set.copyOf(started.values()), started::toString);
    }

    /** Its carrier would block, and with it whoever is to end. It is refused even where that one has ended already. */
    @Test
    void aContinuationMustNotJoin() throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(SThreadKind.CONTINUATION))) {
            SThread ended = scheduler.start("ended", 0, () -> {});
            ended.join();
            SThread joining = scheduler.start("joining", 0, () -> {
                IllegalStateException refusal = assertThrows(IllegalStateException.class, ended::join);
                assertTrue(refusal.getMessage().contains("sThread=joining"), refusal.getMessage());
            });
            joining.join();
            Fixtures.rethrow(List.of(joining));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void aLatchIsNotReleasedMoreOftenThanAcquired(SThreadKind kind) throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind))) {
            SThread releasing = scheduler.start("releasing", 0, () -> {
                SThread self = SThread.current();
                self.latchAcquired();
                self.latchReleased();
                IllegalStateException refusal = assertThrows(IllegalStateException.class, self::latchReleased);
                assertTrue(refusal.getMessage().contains("sThread=releasing"), refusal.getMessage());
                assertEquals(0, self.latchesHeld());
            });
            releasing.join();
            Fixtures.rethrow(List.of(releasing));
        }
    }

    @ParameterizedTest
    @EnumSource
    void closeDrainsAndThenRefuses(SThreadKind kind) throws InterruptedException {
        AtomicInteger ended = new AtomicInteger();
        CountDownLatch go = new CountDownLatch(1);
        List<SThread> sThreads = new ArrayList<>();
        Scheduler scheduler = new Scheduler(Fixtures.exact(kind).withCarriers(2));
        int fetch = scheduler.registerOperation("fetch");
        for (int i = 0; i < 50; i++) {
            Waiter waiter = new Waiter();
            sThreads.add(scheduler.start("s" + i, -1, () -> {
                SThread self = SThread.current();
                waiter.prepare();
                go.countDown();
                waiter.awaitUninterruptibly(System.nanoTime() + 20_000_000, WaitReason.IO);
                if (self != null) {
                    self.beginOperation(fetch);
                    self.switchPoint();
                }
                ended.incrementAndGet();
            }));
        }
        go.await();
        scheduler.close();
        assertEquals(50, ended.get());
        Fixtures.rethrow(sThreads);
        assertThrows(IllegalStateException.class, () -> scheduler.start("late", -1, () -> {}));
        scheduler.close();
    }

    /** Who is interrupted while it closes passes the interrupt on to the S-threads, and still waits for them. */
    @ParameterizedTest
    @EnumSource
    void anImpatientCloseInterruptsTheSThreads(SThreadKind kind) throws InterruptedException {
        Scheduler scheduler = new Scheduler(Fixtures.exact(kind));
        AtomicReference<Waiter.Outcome> outcome = new AtomicReference<>();
        scheduler.start("waiting", -1, () -> {
            Waiter waiter = new Waiter();
            waiter.prepare();
            outcome.set(waiter.await(Waiter.NO_DEADLINE, WaitReason.LOCK));
        });
        AtomicBoolean flagKept = new AtomicBoolean();
        Thread closer = Thread.ofPlatform().start(() -> {
            Thread.currentThread().interrupt();
            scheduler.close();
            flagKept.set(Thread.currentThread().isInterrupted());
        });
        closer.join();
        assertEquals(Waiter.Outcome.INTERRUPTED, outcome.get());
        assertTrue(flagKept.get());
    }

    @ParameterizedTest
    @EnumSource
    void whatABodyThrowsIsKeptAndReported(SThreadKind kind) throws InterruptedException {
        List<Throwable> reported = new ArrayList<>();
        SchedulerOptions options = Fixtures.exact(kind).withUncaughtExceptionHandler((thread, e) -> reported.add(e));
        try (Scheduler scheduler = new Scheduler(options)) {
            Error thrown = new StackOverflowError("on purpose");
            int fetch = scheduler.registerOperation("fetch");
            SThread failing = scheduler.start("failing", -1, () -> {
                if (SThread.current() != null) {
                    SThread.current().beginOperation(fetch);
                }
                throw thrown;
            });
            failing.join();
            assertSame(thrown, failing.failure());
            assertEquals(List.of(thrown), reported);
            SThread after = scheduler.start("after", -1, () -> {});
            after.join();
            assertNull(after.failure());
        }
    }

    /** A handler that fails, or throws what it was given, is nobody else's failure. */
    @ParameterizedTest
    @CsvSource({"VIRTUAL, false", "VIRTUAL, true", "CONTINUATION, false", "CONTINUATION, true", "PLAIN, false"})
    void aHandlerThatThrowsFailsNoCarrier(SThreadKind kind, boolean rethrows) throws InterruptedException {
        Error fromHandler = new AssertionError("handler");
        IllegalStateException thrown = new IllegalStateException("on purpose");
        SchedulerOptions options = Fixtures.exact(kind).withUncaughtExceptionHandler((thread, e) -> {
            if (rethrows) {
                throw (IllegalStateException) e;
            }
            throw fromHandler;
        });
        try (Scheduler scheduler = new Scheduler(options)) {
            SThread failing = scheduler.start("failing", -1, () -> {
                throw thrown;
            });
            failing.join();
            assertSame(thrown, failing.failure());
            assertEquals(rethrows ? List.of() : List.of(fromHandler), List.of(thrown.getSuppressed()));
            SThread after = scheduler.start("after", -1, () -> {});
            after.join();
            assertNull(after.failure());
        }
    }

    @Test
    void aLatchThatStaysHeldIsAFailure() throws InterruptedException {
        SchedulerOptions options = Fixtures.exact(SThreadKind.VIRTUAL).withUncaughtExceptionHandler((thread, e) -> {});
        try (Scheduler scheduler = new Scheduler(options)) {
            SThread leaking =
                    scheduler.start("leaking", -1, () -> SThread.current().latchAcquired());
            leaking.join();
            assertTrue(leaking.failure().getMessage().contains("latchesHeld=1"), () -> "" + leaking.failure());
        }
    }

    @Test
    void operationsKeepTheirNumbersAndOverflowIntoASharedList() {
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(SThreadKind.VIRTUAL))) {
            int fetch = scheduler.registerOperation("fetch customer");
            assertEquals(fetch, scheduler.registerOperation("fetch customer"));
            assertEquals("fetch customer", scheduler.operationName(fetch));
            assertNotEquals(fetch, scheduler.registerOperation("fetch district"));
            // One number is the shared list's, two are taken.
            for (int i = 3; i < Scheduler.OPERATIONS_MAX; i++) {
                assertEquals(i, scheduler.registerOperation("operation " + i));
            }
            int shared = scheduler.registerOperation("one too many");
            assertEquals(shared, scheduler.registerOperation("two too many"));
            assertEquals(OperationRegistry.SHARED_NAME, scheduler.operationName(shared));
            assertEquals(fetch, scheduler.registerOperation("fetch customer"));
        }
    }

    /** Long enough for each carrier to try teams, which such short operations do not gain by. */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void governedOperationsTryTeams(SThreadKind kind) throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind).withTeamMode(TeamMode.GOVERNED))) {
            int fetch = scheduler.registerOperation("fetch");
            int members = 5;
            long operationsEach = 2 * Governor.REVIEW_OPERATIONS / members;
            Runnable body = () -> {
                for (long i = 0; i < operationsEach; i++) {
                    SThread.current().beginOperation(fetch);
                    SThread.current().endOperation();
                }
            };
            Fixtures.runTogether(scheduler, Collections.nCopies(members, body));
            OperationStatistics statistics = Fixtures.statistics(scheduler, "fetch");
            assertEquals(members * operationsEach, statistics.operations());
            assertTrue(statistics.teams() >= Governor.TRIAL_TEAMS, statistics.toString());
            assertEquals(statistics.membersIn(), statistics.membersOut());
        }
    }

    /** A policy that fails does so where the operation began; the S-thread goes on as if it had not begun one. */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void aFailingPolicyReachesTheOperation(SThreadKind kind) throws InterruptedException {
        boolean[] fails = {true};
        SchedulerOptions options = Fixtures.exact(kind).withPolicy((lastWanted, waiting) -> {
            if (fails[0]) {
                throw new IllegalArgumentException("on purpose");
            }
            return lastWanted;
        });
        try (Scheduler scheduler = new Scheduler(options)) {
            int fetch = scheduler.registerOperation("fetch");
            Runnable body = () -> {
                SThread self = SThread.current();
                assertThrows(IllegalArgumentException.class, () -> self.beginOperation(fetch));
                fails[0] = false;
                self.beginOperation(fetch);
                self.endOperation();
            };
            Fixtures.runTogether(scheduler, List.of(body));
            assertEquals(1, Fixtures.statistics(scheduler, "fetch").membersOut());
        }
    }

    /** A carrier that fails takes its S-threads with it, and nobody waits for them any longer. */
    @Test
    void aFailedCarrierIsReportedToAll() throws InterruptedException {
        Error thrown = new AssertionError("on purpose");
        Scheduler scheduler = new Scheduler(Fixtures.exact(SThreadKind.CONTINUATION)
                .withPolicy((lastWanted, waiting) -> {
                    throw thrown;
                })
                .withName("failing"));
        int fetch = scheduler.registerOperation("fetch");
        List<SThread> members = new ArrayList<>();
        SThread starter = scheduler.start("starter", 0, () -> {
            Thread.currentThread().setUncaughtExceptionHandler((thread, e) -> {});
            for (int i = 0; i < 2; i++) {
                members.add(scheduler.start("member", 0, () -> SThread.current().beginOperation(fetch)));
            }
            members.add(scheduler.start("busy", 0, () -> {}));
        });
        starter.join();
        IllegalStateException refusal = assertThrows(IllegalStateException.class, scheduler::close);
        assertSame(thrown, refusal.getCause());
        for (SThread member : members) {
            member.join();
        }
        assertSame(thrown, members.getFirst().failure());
        assertThrows(IllegalStateException.class, () -> scheduler.start("late", -1, () -> {}));
    }

    /** A close that reports a failed carrier leaves no other behind, nor an S-thread that waits for a dead one. */
    @Test
    void aCloseAfterAFailureStopsTheOtherCarriers() throws InterruptedException {
        Error thrown = new AssertionError("on purpose");
        Scheduler scheduler = new Scheduler(Fixtures.exact(SThreadKind.CONTINUATION)
                .withCarriers(2)
                .withPolicy((lastWanted, waiting) -> {
                    throw thrown;
                })
                .withName("one-fails"));
        int fetch = scheduler.registerOperation("fetch");
        AtomicReference<Waiter.Outcome> outcome = new AtomicReference<>();
        SThread waiting = scheduler.start("waiting", 1, () -> {
            Waiter waiter = new Waiter();
            waiter.prepare();
            outcome.set(waiter.await(Waiter.NO_DEADLINE, WaitReason.LOCK));
        });
        SThread starter = scheduler.start("starter", 0, () -> {
            Thread.currentThread().setUncaughtExceptionHandler((thread, e) -> {});
            for (int i = 0; i < 2; i++) {
                scheduler.start("member", 0, () -> SThread.current().beginOperation(fetch));
            }
            scheduler.start("busy", 0, () -> {});
        });
        starter.join();
        IllegalStateException refusal = assertThrows(IllegalStateException.class, scheduler::close);
        assertSame(thrown, refusal.getCause());
        assertEquals(
                List.of(),
                Thread.getAllStackTraces().keySet().stream()
                        .filter(thread -> thread.getName().startsWith("one-fails-carrier-"))
                        .toList());
        waiting.join();
        assertEquals(Waiter.Outcome.INTERRUPTED, outcome.get());
    }

    /** A carrier that was told to stop sleeps, like any other, as long as its S-threads wait. */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    @Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aStoppingCarrierSleepsWhileItsSThreadsWait(SThreadKind kind) throws Exception {
        Scheduler scheduler = new Scheduler(Fixtures.exact(kind).withCarriers(2));
        scheduler.carrier(0).setUncaughtExceptionHandler((thread, e) -> {});
        Waiter waiter = new Waiter();
        CountDownLatch prepared = new CountDownLatch(1);
        SThread waiting = scheduler.start("waiting", 1, () -> {
            waiter.prepare();
            prepared.countDown();
            waiter.awaitUninterruptibly(Waiter.NO_DEADLINE, WaitReason.LOCK);
        });
        prepared.await();
        FailingSThread.fail(scheduler.carrier(0), new IllegalStateException("on purpose"));
        assertThrows(IllegalStateException.class, scheduler::awaitTermination);
        FutureTask<IllegalStateException> close =
                new FutureTask<>(() -> assertThrows(IllegalStateException.class, scheduler::close));
        Thread closer = Thread.ofPlatform().start(close);
        // The failed carrier has ended or is about to, so the closing thread comes to wait for the other one.
        scheduler.carrier(0).join();
        spinUntilWaiting(closer);
        CountDownLatch awake = new CountDownLatch(1);
        scheduler.carrier(1).addForeignTask(awake::countDown);
        awake.await();
        spinUntilWaiting(scheduler.carrier(1));
        waiter.signal();
        assertEquals("on purpose", close.get().getCause().getMessage());
        assertTrue(waiting.hasEnded());
    }

    private static void spinUntilWaiting(Thread thread) {
        // Ends because the thread has nothing to do, or with the limit of the test.
        while (thread.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
    }

    @Test
    void statisticsStartAfreshAfterAReset() throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(SThreadKind.VIRTUAL))) {
            int fetch = scheduler.registerOperation("fetch");
            Runnable body = () -> SThread.current().beginOperation(fetch);
            Fixtures.runTogether(scheduler, List.of(body, body));
            assertEquals(2, Fixtures.statistics(scheduler, "fetch").operations());
            assertTrue(Fixtures.statistics(scheduler, "fetch").nanos() > 0);
            scheduler.resetStatistics();
            assertEquals(List.of(), scheduler.statistics());
            Fixtures.runTogether(scheduler, List.of(body, body, body));
            assertEquals(3, Fixtures.statistics(scheduler, "fetch").membersIn());
        }
    }

    @Test
    void optionsOutOfRangeAreRefused() {
        SchedulerOptions options = SchedulerOptions.defaults();
        assertThrows(IllegalArgumentException.class, () -> options.withCarriers(0));
        assertThrows(IllegalArgumentException.class, () -> options.withTeamLimit(0));
        assertThrows(NullPointerException.class, () -> options.withKind(null));
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(SThreadKind.VIRTUAL))) {
            assertThrows(IndexOutOfBoundsException.class, () -> scheduler.start("nowhere", 1, () -> {}));
            assertThrows(IllegalArgumentException.class, () -> scheduler.start("of no part", 0, -2, () -> {}));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void anSThreadCannotWaitForAll(SThreadKind kind) throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind))) {
            SThread sThread = scheduler.start("closing", -1, () -> {
                assertThrows(IllegalStateException.class, scheduler::close);
                assertThrows(IllegalStateException.class, scheduler::awaitTermination);
            });
            sThread.join();
            Fixtures.rethrow(List.of(sThread));
            SThread other = scheduler.start("other", -1, () -> {});
            other.join();
            assertFalse(other.failure() != null, "a refused close changes nothing");
        }
    }

    @Test
    void thisJvmSupportsAllKinds() {
        for (SThreadKind kind : SThreadKind.values()) {
            assertEquals(new Support(kind, true, ""), Scheduler.probe(kind));
        }
    }

    /** Without flags only the plain kind runs, and the refusal names the flags. */
    @Test
    void withoutFlagsThePlainKindRuns() throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        WithoutFlags.class.getName())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        assertEquals(
                """
                VIRTUAL: add --add-opens java.base/java.lang=ALL-UNNAMED
                CONTINUATION: add --add-exports java.base/jdk.internal.vm=ALL-UNNAMED
                PLAIN ran, current=null
                """,
                output.replace("\r\n", "\n"));
    }
}
