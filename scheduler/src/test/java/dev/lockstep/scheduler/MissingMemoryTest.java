package dev.lockstep.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Where the JVM has no memory left, one S-thread fails, and its carrier goes on with the others. */
class MissingMemoryTest {
    /** So little that it is full at once. */
    private static final String HEAP = "-Xmx16m";

    /** That a wait takes no memory of its carrier's is shown where its parts are: see StructuresTest. */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void aFullHeapEndsNoCarrier(SThreadKind kind) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        HEAP,
                        "-XX:+UseSerialGC",
                        "--add-opens",
                        "java.base/java.lang=ALL-UNNAMED",
                        "--add-exports",
                        "java.base/jdk.internal.vm=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Child.class.getName(),
                        kind.name())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
    }

    /** A task that is no S-thread, and throws, is reported; the carrier runs on. */
    @Test
    void aTaskThatThrowsEndsNoCarrier() throws InterruptedException {
        Error thrown = new OutOfMemoryError("on purpose");
        List<Throwable> reported =
                reportedWhere(scheduler -> scheduler.carrier(0).addForeignTask(() -> {
                    throw thrown;
                }));
        assertEquals(List.of(thrown), reported);
    }

    /** As where the JDK has no memory for the timer of a parked thread: it throws what its carrier had to run. */
    @Test
    void anSThreadThatCannotBeSuspendedEndsAlone() throws InterruptedException {
        Error thrown = new OutOfMemoryError("on purpose");
        SThread[] lost = new SThread[1];
        List<Throwable> reported = reportedWhere(scheduler -> {
            VirtualSThread sThread = (VirtualSThread) scheduler.newSThread(scheduler.carrier(0), "lost", () -> false);
            sThread.execute(() -> {
                throw thrown;
            });
            lost[0] = sThread;
        });
        assertEquals(List.of(thrown), reported);
        assertSame(thrown, lost[0].failure());
        assertEquals(SThread.State.ENDED, lost[0].state);
    }

    /** Whoever waits for its latch would wait for ever, and nobody would know. */
    @Test
    void oneWithALatchTakesItsCarrierWithIt() throws InterruptedException {
        Error thrown = new OutOfMemoryError("on purpose");
        Scheduler scheduler = new Scheduler(Fixtures.exact(SThreadKind.VIRTUAL));
        scheduler.carrier(0).setUncaughtExceptionHandler((thread, e) -> {});
        VirtualSThread sThread = (VirtualSThread) scheduler.newSThread(scheduler.carrier(0), "lost", () -> false);
        sThread.execute(() -> {
            sThread.latchAcquired();
            throw thrown;
        });
        scheduler.carrier(0).join();
        assertTrue(scheduler.carrier(0).hasFailed());
        assertSame(
                thrown,
                assertThrows(IllegalStateException.class, scheduler::close).getCause());
    }

    /** What is reported where something happens on a carrier, on which an S-thread runs afterwards. */
    private static List<Throwable> reportedWhere(Consumer<Scheduler> something) throws InterruptedException {
        List<Throwable> reported = new ArrayList<>();
        SchedulerOptions options =
                Fixtures.exact(SThreadKind.VIRTUAL).withUncaughtExceptionHandler((thread, e) -> reported.add(e));
        try (Scheduler scheduler = new Scheduler(options)) {
            something.accept(scheduler);
            SThread after = scheduler.start("after", 0, () -> {});
            after.join();
            Fixtures.rethrow(List.of(after));
        }
        return reported;
    }

    /** Fills its heap at the worst moment. */
    static final class Child {
        /** Room for the first of them is made beforehand. */
        private static final int WAITS = 64;

        private static final long LONG_NANOS = 3_600_000_000_000L;

        private static Object[] filling;

        private Child() {}

        public static void main(String[] arguments) throws InterruptedException {
            SThreadKind kind = SThreadKind.valueOf(arguments[0]);
            List<Throwable> reported = new ArrayList<>(2);
            SchedulerOptions options = Fixtures.exact(kind).withUncaughtExceptionHandler((thread, e) -> {
                filling = null;
                reported.add(e);
            });
            try (Scheduler scheduler = new Scheduler(options)) {
                waitWithDeadlines(scheduler);
            }
            if (reported.size() != 1 || !(reported.getFirst() instanceof OutOfMemoryError)) {
                throw new AssertionError("reported=" + reported);
            }
        }

        private static void waitWithDeadlines(Scheduler scheduler) throws InterruptedException {
            List<SThread> waiting = new ArrayList<>();
            CountDownLatch begun = new CountDownLatch(WAITS);
            for (int i = 0; i < WAITS; i++) {
                waiting.add(scheduler.start("waiting", 0, () -> {
                    begun.countDown();
                    await();
                }));
            }
            begun.await();
            SThread failing = scheduler.start("failing", 0, () -> {
                fill();
                await();
            });
            failing.join();
            requireOutOfMemory(failing);
            for (SThread each : waiting) {
                each.interrupt();
                each.join();
            }
            Fixtures.rethrow(waiting);
            runAfter(scheduler);
        }

        private static void await() {
            Waiter waiter = new Waiter();
            waiter.prepare();
            waiter.await(InstalledTime.nanoTime() + LONG_NANOS, WaitReason.LOCK);
        }

        private static void runAfter(Scheduler scheduler) throws InterruptedException {
            SThread after = scheduler.start("after", 0, () -> {});
            after.join();
            Fixtures.rethrow(List.of(after));
        }

        private static void requireOutOfMemory(SThread failed) {
            if (!(failed.failure() instanceof OutOfMemoryError)) {
                throw new AssertionError("failure=" + failed.failure());
            }
        }

        private static void fill() {
            for (int length = 1 << 18; length > 0; length /= 2) {
                fillWith(length);
            }
        }

        private static void fillWith(int length) {
            try {
                // Ends when there is no room for another one.
                while (true) {
                    Object[] next = new Object[length];
                    next[0] = filling;
                    filling = next;
                }
            } catch (OutOfMemoryError full) {
                // What is asked for.
            }
        }
    }
}
