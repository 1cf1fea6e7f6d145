package dev.lockstep.bench.flame;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.bench.flame.FlameRecording.Entry;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which samples get which names. */
class FlameRecordingTest {
    private static final List<String> OPERATIONS = List.of("begin", "fetch stock");
    private static final int FETCH = 2;

    private final FlameRecording recording = new FlameRecording(Map.of("w/T.newOrder", "New-Order"), OPERATIONS);

    private static Entry sample(long micros, long thread, String... frames) {
        return samples(1, micros, thread, frames);
    }

    private static Entry samples(int count, long micros, long thread, String... frames) {
        return new Entry(at(micros), thread, List.of(frames), Layer.of(List.of(frames), false), count, Work.NONE);
    }

    /** Until then the thread did this. */
    private static Entry workUntil(long micros, long thread, long work) {
        return new Entry(at(micros), thread, List.of(), "", 0, work);
    }

    private static Instant at(long micros) {
        return Instant.EPOCH.plusNanos(1000 * micros);
    }

    private List<String> lines(Entry... entries) {
        return recording.collapsed(Stream.of(entries).toList()).lines().toList();
    }

    @Test
    void namesTransactionOperationAndTeamAboveTheStack() {
        assertEquals(
                List.of("New-Order_[k];operation fetch stock_[k];team of 4_[k];w/T.newOrder_[j];e/Gate.run_[i] 1"),
                lines(
                        sample(1, 7, "a/Thread.run_[0]", "w/T.newOrder_[j]", "e/Gate.run_[i]"),
                        workUntil(2, 7, Work.of(FETCH, 4))));
    }

    @Test
    void anOperationOutsideATeamIsStraightAndOfAnOrdinaryThreadNeither() {
        assertEquals(
                List.of("operation begin_[k];m 1", "operation begin_[k];straight_[k];m 1"),
                lines(
                        sample(1, 7, "m"),
                        workUntil(2, 7, Work.of(1)),
                        sample(3, 7, "m"),
                        workUntil(4, 7, Work.of(1, 0))));
    }

    @Test
    void aSampleBelongsToTheNextChangeOfItsOwnThread() {
        assertEquals(
                List.of("late 1", "m 2", "operation fetch stock_[k];m 2"),
                lines(
                        // The order in which a recording holds its events is none.
                        workUntil(20, 1, Work.of(FETCH)),
                        workUntil(15, 2, Work.NONE),
                        workUntil(10, 1, Work.NONE),
                        sample(5, 1, "m"),
                        sample(12, 1, "m"),
                        sample(19, 1, "m"),
                        sample(12, 2, "m"),
                        sample(21, 1, "late")));
    }

    @Test
    void countsEqualStacksOnce() {
        assertEquals(
                List.of("a;b 3", "a;c 1"),
                lines(sample(1, 1, "a", "b"), sample(2, 2, "a", "b"), sample(3, 1, "a", "c"), sample(4, 1, "a", "b")));
    }

    /** Of wall clock time a thread that waits has one for many. */
    @Test
    void aSampleCountsForAllThatItStandsFor() {
        assertEquals(List.of("a;b 51"), lines(samples(50, 1, 1, "a", "b"), sample(2, 1, "a", "b")));
        assertEquals(
                new FlameShares(50, Map.of("outside", 50L), Map.of("outside", 50L), Map.of("other", 50L)),
                recording.shares(List.of(samples(50, 1, 1, "java/lang/Thread.run_[0]"))));
    }

    @Test
    void addsUpSamplesByTransactionOperationAndLayer() {
        FlameShares shares = recording.shares(List.of(
                sample(1, 7, "w/T.newOrder_[j]", "dev/lockstep/engine/btree/Tree.find_[j]", "java/lang/Math.max_[i]"),
                sample(2, 7, "w/T.newOrder_[j]", "dev/lockstep/engine/lock/Manager.lock_[j]"),
                workUntil(3, 7, Work.of(FETCH, 4)),
                sample(4, 7, "dev/lockstep/scheduler/CarrierThread.run_[j]"),
                workUntil(5, 7, Work.NONE)));
        assertEquals(
                new FlameShares(
                        3,
                        Map.of("New-Order", 2L, "outside", 1L),
                        Map.of("fetch stock", 2L, "outside", 1L),
                        Map.of("btree", 1L, "lock", 1L, "scheduler", 1L)),
                shares);
    }

    @Test
    void theInnermostCodeOfAProgramTellsTheLayer() {
        assertEquals("engine", layer("dev/lockstep/engine/Session.begin_[j]"));
        assertEquals("transaction", layer("dev/lockstep/engine/transaction/Undo.add_[i]", "memcpy"));
        assertEquals("driver", layer("dev/lockstep/tpcc/workload/TpccTransactions.newOrder_[j]"));
        assertEquals("h2", layer("dev/lockstep/tpcc/jdbc/Session.read_[j]", "org/h2/mvstore/Page.get_[j]"));
        assertEquals("derby", layer("org/apache/derby/iapi/A.b_[j]"));
        assertEquals("JIT", layer("start_thread", "CompileBroker::compiler_thread_loop", "PhaseChaitin::Split"));
        assertEquals("GC", layer("start_thread", "WorkerThread::run"));
        assertEquals("other", layer("java/lang/Thread.run_[0]"));
        assertEquals("kernel", Layer.of(List.of("dev/lockstep/engine/log/Log.force_[j]", "do_syscall_64"), true));
    }

    private static String layer(String... frames) {
        return Layer.of(List.of(frames), false);
    }
}
