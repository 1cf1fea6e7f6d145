package dev.lockstep.tpcc.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.lockstep.scheduler.SThread;
import dev.lockstep.scheduler.SThreadKind;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.SchedulerOptions;
import dev.lockstep.tpcc.SmallDatabase;
import dev.lockstep.tpcc.adapter.CommitAnswer;
import dev.lockstep.tpcc.adapter.DelegatingAdapter;
import dev.lockstep.tpcc.adapter.TpccAdapter;
import dev.lockstep.tpcc.adapter.TpccSession;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class TerminalWorkPoolTest {
    private static final long SEED = 4711;
    private static final int TURN = 8;

    /** About twice what a terminal takes: its loop, deck, generator and tally. */
    private static final long IDLE_TERMINAL_BYTES_MAX = 2_048;

    private static final LatencyRecorder RECORDER = new LatencyRecorder(true);

    /** Counts the sessions of an engine. */
    private static final class CountingAdapter extends DelegatingAdapter {
        private CommitAnswer answer = CommitAnswer.AT_ONCE;
        private int answered;
        private int opened;
        private int closed;

        CountingAdapter() {
            super(SmallDatabase.lockstep());
        }

        @Override
        public CommitAnswer newAnswer() {
            return answer;
        }

        @Override
        public TpccSession openSession() {
            opened++;
            TpccSession session = super.openSession();
            return (TpccSession) Proxy.newProxyInstance(
                    TpccSession.class.getClassLoader(),
                    new Class<?>[] {TpccSession.class},
                    (proxy, method, arguments) -> {
                        if (method.getName().equals("close")) {
                            closed++;
                        }
                        try {
                            return method.invoke(session, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }
    }

    private static TerminalLoop loop(TpccAdapter adapter, TerminalWorkPool pool, RunControl control, int number) {
        Terminal terminal = new Terminal(
                number,
                SmallDatabase.SCALE,
                NonUniformConstants.ofRun(SEED),
                TransactionMix.STANDARD,
                SEED,
                SmallDatabase.LOAD_MILLIS);
        return new TerminalLoop(
                adapter,
                pool,
                new Terminal[] {terminal},
                TURN,
                control,
                TerminalThreads.platform(),
                RECORDER,
                null,
                SmallDatabase.LOAD_MILLIS,
                ended -> {});
    }

    @Test
    void lendsWhatWasUsedLastAndMakesNoMoreThanAreLent() {
        try (CountingAdapter adapter = new CountingAdapter();
                TerminalWorkPool pool = new TerminalWorkPool(adapter)) {
            TerminalWork first = pool.borrow();
            TerminalWork second = pool.borrow();
            assertNotSame(first, second);
            pool.giveBack(first);
            pool.giveBack(second);
            assertSame(second, pool.borrow());
            assertSame(first, pool.borrow());
            pool.giveBack(first);
            pool.giveBack(second);
            assertEquals(2, adapter.opened);
        }
    }

    private static Thread borrower(TerminalWorkPool pool, List<TerminalWork> borrowed) {
        Thread thread = Thread.ofPlatform().start(() -> borrowed.add(pool.borrow()));
        while (thread.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        return thread;
    }

    @Test
    void whoComesWhenAllAreLentWaitsForOne() throws InterruptedException {
        try (CountingAdapter adapter = new CountingAdapter();
                TerminalWorkPool pool = new TerminalWorkPool(adapter, 2)) {
            TerminalWork first = pool.borrow();
            TerminalWork second = pool.borrow();
            List<TerminalWork> borrowed = new CopyOnWriteArrayList<>();
            Thread waits = borrower(pool, borrowed);
            Thread waitsBehind = borrower(pool, borrowed);
            pool.giveBack(second);
            waits.join();
            assertEquals(List.of(second), borrowed);
            // Of what has failed another takes the place.
            pool.discard(first);
            waitsBehind.join();
            assertEquals(3, adapter.opened);
            assertEquals(1, adapter.closed);
            borrowed.forEach(pool::giveBack);
        }
    }

    @Test
    void anSThreadThatWaitsForOneLetsOthersRun() throws InterruptedException {
        try (CountingAdapter adapter = new CountingAdapter();
                TerminalWorkPool pool = new TerminalWorkPool(adapter, 1);
                Scheduler scheduler = new Scheduler(SchedulerOptions.defaults()
                        .withKind(SThreadKind.CONTINUATION)
                        .withCarriers(1))) {
            List<String> events = new CopyOnWriteArrayList<>();
            List<SThread> started = new CopyOnWriteArrayList<>();
            started.add(scheduler.start("starter", 0, () -> {
                TerminalWork work = pool.borrow();
                started.add(scheduler.start("second", 0, () -> {
                    events.add("asks");
                    TerminalWork second = pool.borrow();
                    events.add("has");
                    pool.giveBack(second);
                }));
                SThread.current().yieldTurn();
                events.add("gives back");
                pool.giveBack(work);
            }));
            scheduler.awaitTermination();
            started.forEach(each -> assertNull(each.failure()));
            assertEquals(List.of("asks", "gives back", "has"), events);
            assertEquals(1, adapter.opened);
        }
    }

    @Test
    void closeClosesWhatIsIdleAtOnceAndTheRestWhenItComesBack() {
        try (CountingAdapter adapter = new CountingAdapter()) {
            TerminalWorkPool pool = new TerminalWorkPool(adapter);
            TerminalWork lent = pool.borrow();
            pool.giveBack(pool.borrow());
            pool.close();
            assertEquals(1, adapter.closed);
            pool.giveBack(lent);
            assertEquals(2, adapter.closed);
        }
    }

    @Test
    void terminalsThatTakeTurnsShareASession() {
        try (CountingAdapter adapter = new CountingAdapter()) {
            SmallDatabase.load(adapter, SEED);
            int terminals = 20;
            try (TerminalWorkPool pool = new TerminalWorkPool(adapter)) {
                for (int number = 0; number < terminals; number++) {
                    RunControl control = RunControl.byCount(3, TURN, () -> {}, () -> {});
                    TerminalLoop loop = loop(adapter, pool, control, number);
                    loop.allTurns();
                    assertNull(control.failure(), () -> "seed=" + SEED + " " + control.failure());
                    assertEquals(3 + TURN, loop.completedOpaque());
                }
            }
            assertEquals(1, adapter.opened);
            assertEquals(1, adapter.closed);
        }
    }

    @Test
    void terminalThatWaitsForTheDiskHoldsNoSession() {
        int transactions = 2 * TURN + 1;
        try (CountingAdapter adapter = new CountingAdapter();
                TerminalWorkPool pool = new TerminalWorkPool(adapter)) {
            SmallDatabase.load(adapter, SEED);
            adapter.answer = new CommitAnswer() {
                @Override
                public boolean isPending() {
                    return true;
                }

                @Override
                public void await() {
                    adapter.answered++;
                    pool.giveBack(pool.borrow());
                }
            };
            RunControl control = RunControl.byCount(0, transactions, () -> {}, () -> {});
            loop(adapter, pool, control, 0).allTurns();
            assertNull(control.failure(), () -> "seed=" + SEED + " " + control.failure());
            assertEquals(transactions, adapter.answered);
            assertEquals(1, adapter.opened);
        }
    }

    @Test
    void sessionOfAFailedTransactionIsClosedAndNotLentAgain() {
        // Nothing was loaded, so the first transaction finds no warehouse.
        try (CountingAdapter adapter = new CountingAdapter();
                TerminalWorkPool pool = new TerminalWorkPool(adapter)) {
            RunControl control = RunControl.byCount(0, 1, () -> {}, () -> {});
            loop(adapter, pool, control, 0).allTurns();
            assertInstanceOf(IllegalStateException.class, control.failure());
            assertEquals(1, adapter.closed);
            pool.giveBack(pool.borrow());
            assertEquals(2, adapter.opened);
        }
    }

    @Test
    void idleTerminalTakesLittleMemory() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        int count = 1_000;
        try (CountingAdapter adapter = new CountingAdapter();
                TerminalWorkPool pool = new TerminalWorkPool(adapter)) {
            List<TerminalLoop> loops = new ArrayList<>(count);
            RunControl control = RunControl.byTime();
            loop(adapter, pool, control, 0);
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int number = 0; number < count; number++) {
                loops.add(loop(adapter, pool, control, number));
            }
            long bytes = (threads.getCurrentThreadAllocatedBytes() - before) / loops.size();
            assertTrue(bytes > 0 && bytes <= IDLE_TERMINAL_BYTES_MAX, () -> "bytesPerTerminal=" + bytes);
        }
    }
}
