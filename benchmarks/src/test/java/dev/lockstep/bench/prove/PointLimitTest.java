package dev.lockstep.bench.prove;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class PointLimitTest {
    private static final Duration LIMIT = Duration.ofMillis(200);

    @Test
    void whatHangsIsToldWithItsStack() {
        CountDownLatch never = new CountDownLatch(1);
        PointLimit.HangException hang = assertThrows(
                PointLimit.HangException.class,
                () -> PointLimit.run(LIMIT, () -> {
                    never.await();
                    return "";
                }));
        never.countDown();
        assertTrue(hang.getMessage().contains("limitSeconds=0 stacks:"), hang.getMessage());
        assertTrue(hang.getMessage().contains("\"point\" "), hang.getMessage());
    }

    @Test
    void whatEndsIsReturnedOrThrown() throws Exception {
        assertEquals("done", PointLimit.run(() -> "done"));
        IllegalArgumentException wrong = new IllegalArgumentException("wrong");
        AssertionError broken = new AssertionError("broken");
        IOException checked = new IOException("checked");
        assertSame(wrong, assertThrows(IllegalArgumentException.class, () -> throwing(wrong)));
        assertSame(broken, assertThrows(AssertionError.class, () -> throwing(broken)));
        assertSame(
                checked,
                assertThrows(IllegalStateException.class, () -> throwing(checked))
                        .getCause());
    }

    private static void throwing(Throwable thrown) throws Exception {
        PointLimit.<Void>run(() -> {
            if (thrown instanceof Error error) {
                throw error;
            }
            throw (Exception) thrown;
        });
    }
}
