package dev.lockstep.bench.codemap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.lockstep.bench.simulate.MarkedOperation;
import dev.lockstep.scheduler.OperationProbe;
import dev.lockstep.scheduler.SThread;
import dev.lockstep.scheduler.SThreadKind;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.SchedulerOptions;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

/** Numbers of operations within contexts, and how often they are counted. */
class OperationMarkersTest {
    private static final int S_THREADS = 20;

    /** Room for what an S-thread is at, and not for a count of each operation. */
    private static final long STATE_BYTES_MAX = 512;

    private static OperationMarkers.Pair pair(String context, String operation) {
        return OperationMarkers.pairs().stream()
                .filter(each ->
                        each.context().equals(context) && each.operation().equals(operation))
                .findFirst()
                .orElseThrow(() -> new AssertionError(OperationMarkers.pairs().toString()));
    }

    private static long count(String context, String operation) {
        return OperationMarkers.count(pair(context, operation).number());
    }

    @Test
    void isOfferedAsAService() {
        assertTrue(ServiceLoader.load(OperationProbe.class).stream()
                .anyMatch(offered -> offered.type() == OperationMarkers.class));
    }

    @Test
    void countsAnOperationWithinItsContextOnceEachTimeItBegins() {
        OperationMarkers markers = new OperationMarkers();
        int fetch = markers.number("fetch markers-test");
        int scan = markers.number("scan markers-test");
        assertEquals(fetch, markers.number("fetch markers-test"));
        assertNotEquals(fetch, scan);
        int payment = OperationMarkers.context("payment markers-test");
        assertEquals(payment, OperationMarkers.context("payment markers-test"));

        markers.begin(null, fetch);
        markers.end(null);
        OperationMarkers.startCounting();
        OperationMarkers.enter(payment);
        markers.begin(null, fetch);
        // Told again by the scheduler's wrapper, inside.
        markers.begin(null, fetch);
        markers.left(null);
        markers.resumed(null);
        markers.entered(null);
        markers.returned(null);
        markers.entered(null);
        markers.end(null);
        markers.end(null);
        markers.begin(null, fetch);
        // Without an end between: the next one ends it.
        markers.begin(null, scan);
        markers.end(null);
        OperationMarkers.enter(0);
        markers.begin(null, scan);
        markers.end(null);
        OperationMarkers.stopCounting();
        markers.begin(null, scan);
        markers.end(null);

        assertEquals(1, count("payment markers-test", OperationMarkers.OUTSIDE));
        assertTrue(
                OperationMarkers.marked()
                        .contains(new MarkedOperation(
                                pair("payment markers-test", "fetch markers-test")
                                        .number(),
                                "payment markers-test",
                                "fetch markers-test",
                                2)),
                () -> OperationMarkers.marked().toString());
        assertEquals(2, count("payment markers-test", "fetch markers-test"));
        assertEquals(1, count("payment markers-test", "scan markers-test"));
        assertEquals(1, count(OperationMarkers.NO_CONTEXT, "scan markers-test"));
        assertEquals(0, count(OperationMarkers.NO_CONTEXT, "fetch markers-test"));
        assertEquals(
                0, pair(OperationMarkers.NO_CONTEXT, OperationMarkers.OUTSIDE).number());
    }

    @Test
    void anOperatorIsCountedWhenItIsCalledAndNotWhenAnotherReturnsToIt() {
        OperationMarkers markers = new OperationMarkers();
        int join = markers.number("join markers-test");
        int input = markers.number("input markers-test");
        int scan = markers.number("read markers-test");
        int query = OperationMarkers.context("query markers-test");
        OperationMarkers.startCounting();
        OperationMarkers.enter(query);
        markers.operatorCalled(null, join);
        for (int row = 0; row < 3; row++) {
            markers.operatorCalled(null, input);
            markers.begin(null, scan);
            markers.end(null);
            markers.operatorReturned(null, join);
        }
        markers.operatorReturned(null, 0);
        OperationMarkers.enter(0);
        OperationMarkers.stopCounting();

        assertEquals(1, count("query markers-test", "join markers-test"));
        assertEquals(3, count("query markers-test", "input markers-test"));
        assertEquals(3, count("query markers-test", "read markers-test"));
    }

    /** There may be one for each transaction, of which none is forgotten: counts of their own filled the heap. */
    @Test
    void sThreadsOfACarrierCountTogether() throws InterruptedException {
        OperationMarkers markers = new OperationMarkers();
        int fetch = markers.number("fetch for all markers-test");
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long[] allocatedBytes = new long[S_THREADS];
        OperationMarkers.startCounting();
        try (Scheduler scheduler =
                new Scheduler(SchedulerOptions.defaults().withCarriers(1).withKind(SThreadKind.CONTINUATION))) {
            for (int i = 0; i < S_THREADS; i++) {
                int number = i;
                scheduler
                        .start("s-thread-" + i, -1, () -> {
                            long before = threads.getCurrentThreadAllocatedBytes();
                            markers.begin(SThread.current(), fetch);
                            markers.end(SThread.current());
                            allocatedBytes[number] = threads.getCurrentThreadAllocatedBytes() - before;
                        })
                        .join();
            }
        }
        OperationMarkers.stopCounting();
        assertEquals(S_THREADS, count(OperationMarkers.NO_CONTEXT, "fetch for all markers-test"));
        long least = Arrays.stream(allocatedBytes).min().orElseThrow();
        assertTrue(least < STATE_BYTES_MAX, "allocatedBytes=" + least);
    }
}
