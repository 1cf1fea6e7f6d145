package dev.lockstep.engine.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.lockstep.engine.StorageException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** File operations of a process at its limit of threads. */
class ForeignCallsTest {
    private static ThreadPoolExecutor withThreadsMax(int threadsMax) {
        AtomicInteger made = new AtomicInteger();
        return ForeignCalls.executor(task -> {
            if (made.getAndIncrement() >= threadsMax) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            return new EngineThread(task, "lockstep-file-test");
        });
    }

    @Test
    void theThreadThatThereIsDoesThem() {
        try (ThreadPoolExecutor executor = withThreadsMax(1)) {
            for (int call = 0; call < 10; call++) {
                int number = call;
                assertEquals(number, ForeignCalls.run(executor, () -> number));
            }
        }
    }

    @Test
    void withoutAThreadTheyAreRefused() {
        try (ThreadPoolExecutor executor = withThreadsMax(0)) {
            StorageException refused =
                    assertThrows(StorageException.class, () -> ForeignCalls.run(executor, () -> "done"));
            assertInstanceOf(OutOfMemoryError.class, refused.getCause());
            assertEquals(0, executor.getQueue().size());
        }
    }
}
