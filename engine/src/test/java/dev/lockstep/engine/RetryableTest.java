package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/**
 * Whether a handler that is compiled before the first deadlock of a JVM tells that it may try again. It did not where
 * the victim was a virtual thread that had waited: the compiled code took the only {@code isRetryable} that it knew.
 */
class RetryableTest {
    private static final int WARM_UP_CALLS = 10_000;

    /** More frames than a virtual thread gets back at once when it goes on. */
    private static final int DEPTH = 40;

    /** What an application does: tries again where that helps. Loaded by a loader of its own, as in a fresh JVM. */
    public static final class Caller implements BooleanSupplier {
        private final CountDownLatch waiting;
        private final CountDownLatch deadlock;

        public Caller(CountDownLatch waiting, CountDownLatch deadlock) {
            this.waiting = waiting;
            this.deadlock = deadlock;
        }

        @Override
        public boolean getAsBoolean() {
            for (int i = 0; i < WARM_UP_CALLS; i++) {
                if (triesAgain(false)) {
                    throw new AssertionError("there is no use in trying again");
                }
            }
            return triesAgain(true);
        }

        private boolean triesAgain(boolean waits) {
            try {
                fail(DEPTH, waits);
                return false;
            } catch (LockstepException failure) {
                return failure.isRetryable();
            }
        }

        private void fail(int depth, boolean waits) {
            if (depth > 0) {
                fail(depth - 1, waits);
            } else if (waits) {
                waitForDeadlock();
            } else {
                throw new SchemaException("no such table");
            }
        }

        private void waitForDeadlock() {
            waiting.countDown();
            try {
                deadlock.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            throw new DeadlockException("it is this one");
        }
    }

    /** Loads the exceptions anew, so that each is first met when it is first thrown. */
    private static final class FreshLoader extends ClassLoader {
        FreshLoader() {
            super(RetryableTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            boolean fresh = name.startsWith("dev.lockstep.engine.") && !name.equals(RetryableTest.class.getName());
            Class<?> loaded = fresh ? findLoadedClass(name) : null;
            return !fresh ? super.loadClass(name, resolve) : loaded != null ? loaded : findClass(name);
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    @Test
    void theFirstDeadlockOfAJvmIsRetryableForAThreadThatWaited() throws Exception {
        CountDownLatch waiting = new CountDownLatch(1);
        CountDownLatch deadlock = new CountDownLatch(1);
        BooleanSupplier caller = (BooleanSupplier) new FreshLoader()
                .loadClass(Caller.class.getName())
                .getConstructor(CountDownLatch.class, CountDownLatch.class)
                .newInstance(waiting, deadlock);
        assertFalse(caller.getClass() == Caller.class);
        AtomicBoolean again = new AtomicBoolean();
        Thread thread = Thread.ofVirtual().start(() -> {
            try {
                again.set(caller.getAsBoolean());
            } finally {
                waiting.countDown();
            }
        });
        waiting.await();
        // Ends: the thread comes to the wait, or to its end by a failure.
        while (thread.getState() != Thread.State.WAITING && thread.isAlive()) {
            Thread.onSpinWait();
        }
        deadlock.countDown();
        thread.join();
        assertTrue(again.get());
    }
}
