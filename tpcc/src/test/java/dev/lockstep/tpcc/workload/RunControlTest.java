package dev.lockstep.tpcc.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A measured transaction runs in the measured phase: in simulated runs two of three once ran before it had begun. */
class RunControlTest {
    /** So many that the store of one phase has fallen between look and store of the other some dozen times. */
    private static final int ENDS = 20_000;

    @Test
    void aStoppedRunStaysStopped() throws Exception {
        CyclicBarrier together = new CyclicBarrier(2);
        AtomicReference<RunControl> control = new AtomicReference<>();
        FutureTask<Void> failing = new FutureTask<>(() -> {
            for (int i = 0; i < ENDS; i++) {
                together.await();
                control.get().fail(new IllegalStateException("a terminal"));
                together.await();
            }
            return null;
        });
        Thread terminal = Thread.ofPlatform().start(failing);
        for (int i = 0; i < ENDS; i++) {
            control.set(RunControl.byTime());
            together.await();
            control.get().phase(RunControl.MEASURE);
            together.await();
            assertEquals(RunControl.STOP, control.get().phase());
        }
        failing.get();
        terminal.join();
    }

    @Test
    void nobodyIsAdmittedToTheMeasuredPhaseBeforeItHasBegun() throws Exception {
        AtomicBoolean begun = new AtomicBoolean();
        AtomicReference<RunControl> control = new AtomicReference<>();
        CompletableFuture<List<Integer>> other = new CompletableFuture<>();
        control.set(RunControl.byCount(1, 2, () -> {}, () -> {
            Thread thread = Thread.ofPlatform().start(() -> {
                int admitted = control.get().admit();
                other.complete(List.of(admitted, begun.get() ? 1 : 0));
            });
            // Until it waits, or has been let in.
            while (thread.getState() != Thread.State.WAITING && thread.getState() != Thread.State.TERMINATED) {
                Thread.onSpinWait();
            }
            begun.set(true);
        }));
        assertEquals(RunControl.WARM_UP, control.get().admit());
        assertEquals(RunControl.MEASURE, control.get().admit());
        assertEquals(List.of(RunControl.MEASURE, 1), other.get());
        assertEquals(RunControl.STOP, control.get().admit());
    }

    /** In simulated runs it once began when the driver looked, up to a thousand transactions later. */
    @ParameterizedTest
    @CsvSource({"30, 3", "20000, 1000", "9, 0", "0, 0"})
    void theEndOfTheWarmUpBeginsWithTheSameTransactionInEachRun(int warmUp, int settled) {
        int[] admitted = new int[1];
        List<Integer> begun = new ArrayList<>();
        RunControl control = RunControl.byCount(warmUp, 2, () -> begun.add(admitted[0]), () -> begun.add(admitted[0]));
        while (control.admit() != RunControl.STOP) {
            admitted[0]++;
        }
        assertEquals(settled == 0 ? List.of(warmUp) : List.of(warmUp - settled, warmUp), begun);
        assertEquals(warmUp + 2, admitted[0]);
    }

    @Test
    void nobodyIsAdmittedToTheEndOfTheWarmUpBeforeItHasBegun() {
        AtomicReference<RunControl> control = new AtomicReference<>();
        CompletableFuture<Integer> other = new CompletableFuture<>();
        List<Boolean> admittedBefore = new ArrayList<>();
        control.set(RunControl.byCount(
                20,
                1,
                () -> {
                    Thread thread = Thread.ofPlatform()
                            .start(() -> other.complete(control.get().admit()));
                    // Until it waits, or has been let in.
                    while (thread.getState() != Thread.State.WAITING && thread.getState() != Thread.State.TERMINATED) {
                        Thread.onSpinWait();
                    }
                    admittedBefore.add(other.isDone());
                },
                () -> {}));
        for (int i = 0; i < 19; i++) {
            assertEquals(RunControl.WARM_UP, control.get().admit());
        }
        assertEquals(RunControl.WARM_UP, other.join());
        assertEquals(List.of(false), admittedBefore);
    }

    @Test
    void waitingEndsWhereThePhaseCannotBegin() throws Exception {
        CompletableFuture<Integer> other = new CompletableFuture<>();
        AtomicReference<RunControl> control = new AtomicReference<>();
        control.set(RunControl.byCount(0, 2, () -> {}, () -> {
            Thread.ofPlatform().start(() -> other.complete(control.get().admit()));
            throw new IllegalStateException("cannot begin");
        }));
        assertThrows(IllegalStateException.class, () -> control.get().admit());
        assertEquals(RunControl.MEASURE, other.get());
    }

    @Test
    void interruptedWaitEndsTheRun() throws Exception {
        CompletableFuture<Integer> other = new CompletableFuture<>();
        AtomicReference<RunControl> control = new AtomicReference<>();
        control.set(RunControl.byCount(0, 2, () -> {}, () -> {
            Thread thread =
                    Thread.ofPlatform().start(() -> other.complete(control.get().admit()));
            thread.interrupt();
            assertEquals(RunControl.STOP, other.join());
        }));
        control.get().admit();
        assertTrue(control.get().failure() instanceof InterruptedException);
        assertEquals(RunControl.STOP, control.get().phase());
    }
}
