package dev.lockstep.tpcc;

import dev.lockstep.scheduler.InstalledTime;
import dev.lockstep.tpcc.adapter.TpccAdapter;
import dev.lockstep.tpcc.workload.LatencyRecorder;
import dev.lockstep.tpcc.workload.NonUniformConstants;
import dev.lockstep.tpcc.workload.RunControl;
import dev.lockstep.tpcc.workload.Tally;
import dev.lockstep.tpcc.workload.Terminal;
import dev.lockstep.tpcc.workload.TerminalBody;
import dev.lockstep.tpcc.workload.TerminalLoop;
import dev.lockstep.tpcc.workload.TerminalThreads;
import dev.lockstep.tpcc.workload.TerminalWorkPool;
import dev.lockstep.tpcc.workload.TpccRandom;
import dev.lockstep.tpcc.workload.UserDelays;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** Starts the terminals of one run, switches its phases, and gives up when nothing ends any more. */
final class WorkloadDriver {
    /** How often the driver looks at its terminals; also the resolution of phases that go by time. */
    private static final long POLL_MILLIS = 100;

    /**
     * Threads up to this number have a latency recorder each; more share this many, so that memory stays small with ten
     * thousand terminals.
     */
    private static final int RECORDERS_MAX = 16;

    /** Parts of a seed for rounds, far from those of a population and of terminals. */
    private static final long FIRST_ROUND_PART = 1L << 40;

    private final TpccConfiguration configuration;
    private final TpccAdapter adapter;
    private final TerminalThreads threads;
    private final TpccProgress progress;
    private final int threadCount;
    private final List<Terminal> terminals = new ArrayList<>();
    private final List<TerminalLoop> loops = new ArrayList<>();
    private final List<LatencyRecorder> recorders = new ArrayList<>();
    private final RunControl control;
    private final TerminalWorkPool pool;
    private final CountDownLatch ended;

    /** Opened when the measured time is over and what terminals took of the processor has been read. */
    private final CountDownLatch mayLeave = new CountDownLatch(1);

    private final AtomicReference<ProcessUsage> measureBegan = new AtomicReference<>();
    private ProcessUsage used = new ProcessUsage(0, -1, -1);
    private String failure = "";
    private boolean allEnded;

    /** A loop whose thread stays for a while when it is done: the JVM forgets what a thread has taken when it ends. */
    private record Staying(TerminalLoop loop, CountDownLatch mayLeave) implements TerminalBody {
        @Override
        public boolean turn() {
            return loop.turn();
        }

        @Override
        public void allTurns() {
            loop.allTurns();
            try {
                mayLeave.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    WorkloadDriver(
            TpccConfiguration configuration, TpccAdapter adapter, TerminalThreads threads, TpccProgress progress) {
        this.configuration = configuration;
        this.adapter = adapter;
        this.threads = threads;
        this.progress = progress;
        this.threadCount = Math.min(configuration.threads(), adapter.sessionsMax());
        if (configuration.think() && threadCount != configuration.terminals()) {
            throw new IllegalArgumentException("think times need a thread for each terminal threads=" + threadCount
                    + " terminals=" + configuration.terminals() + " engine=" + adapter.name());
        }
        this.control = control();
        this.pool = new TerminalWorkPool(adapter);
        this.ended = new CountDownLatch(threadCount);
        prepare();
    }

    private RunControl control() {
        long warmUp = configuration.warmUpTransactions();
        long transactions = configuration.transactions();
        if (transactions == 0) {
            return RunControl.byTime();
        }
        return configuration.atLeast().isZero()
                ? RunControl.byCount(warmUp, transactions, progress::settling, this::measureBegins)
                : RunControl.byCountHeld(warmUp, transactions, progress::settling, this::measureBegins);
    }

    private void prepare() {
        long nowMillis = configuration.nowMillis();
        long epochMillisAtZero = nowMillis - InstalledTime.nanoTime() / 1_000_000;
        NonUniformConstants constants = NonUniformConstants.ofRun(configuration.seed());
        long terminalSeed = configuration.round() == 0
                ? configuration.seed()
                : TpccRandom.seed(configuration.seed(), FIRST_ROUND_PART + configuration.round());
        for (int number = 0; number < configuration.terminals(); number++) {
            terminals.add(new Terminal(
                    number, configuration.scale(), constants, configuration.mix(), terminalSeed, nowMillis));
        }
        boolean shared = threadCount > RECORDERS_MAX;
        for (int i = 0; i < Math.min(threadCount, RECORDERS_MAX); i++) {
            recorders.add(new LatencyRecorder(shared));
        }
        UserDelays delays = configuration.think() ? new UserDelays() : null;
        for (int thread = 0; thread < threadCount; thread++) {
            List<Terminal> served = new ArrayList<>();
            for (int number = thread; number < terminals.size(); number += threadCount) {
                served.add(terminals.get(number));
            }
            loops.add(new TerminalLoop(
                    adapter,
                    pool,
                    served.toArray(Terminal[]::new),
                    TerminalLoop.transactionsPerTurn(configuration.terminals()),
                    control,
                    threads,
                    recorders.get(thread % recorders.size()),
                    delays,
                    epochMillisAtZero,
                    loop -> ended.countDown()));
        }
    }

    /** Runs to the end. */
    void run() throws InterruptedException {
        progress.phase(TpccProgress.Phase.WARM_UP);
        threads.start(loops.stream().map(loop -> new Staying(loop, mayLeave)).toList());
        try {
            supervise();
        } finally {
            control.phase(RunControl.STOP);
            mayLeave.countDown();
            pool.close();
        }
        if (control.failure() != null && failure.isEmpty()) {
            failure = "a terminal failed: " + describe(control.failure());
        }
    }

    private void supervise() throws InterruptedException {
        boolean byTime = configuration.transactions() == 0;
        long startNanos = System.nanoTime();
        long measureNanos = startNanos + configuration.warmUp().toNanos();
        long stopNanos = measureNanos;
        long lastCompleted = -1;
        long lastProgressNanos = startNanos;
        boolean measuring = false;
        boolean stopping = false;
        long now = startNanos;
        // Ends when all terminals have, or none got on for the stall limit.
        while (!ended.await(
                waitNanos(now, stopping || !byTime, measuring ? stopNanos : measureNanos), TimeUnit.NANOSECONDS)) {
            now = System.nanoTime();
            if (byTime && !measuring && now - measureNanos >= 0) {
                measuring = true;
                measureBegins();
                control.phase(RunControl.MEASURE);
                stopNanos = System.nanoTime() + configuration.duration().toNanos();
            }
            if (byTime && measuring && !stopping && now - stopNanos >= 0) {
                stopping = true;
                measureEnds();
            }
            if (!byTime && measuredFor(configuration.atLeast())) {
                control.release();
            }
            long completed =
                    loops.stream().mapToLong(TerminalLoop::completedOpaque).sum();
            progress.running(completed, Duration.ofNanos(now - startNanos));
            if (completed != lastCompleted) {
                lastCompleted = completed;
                lastProgressNanos = now;
            } else if (now - lastProgressNanos > stallLimitNanos()) {
                stalled(completed);
                return;
            }
        }
        allEnded = true;
        if (!stopping) {
            measureEnds();
        }
    }

    private boolean measuredFor(Duration time) {
        ProcessUsage began = measureBegan.get();
        return began != null && InstalledTime.nanoTime() - began.nanoTime() >= time.toNanos();
    }

    private static long waitNanos(long now, boolean pollOnly, long nextSwitchNanos) {
        long poll = TimeUnit.MILLISECONDS.toNanos(POLL_MILLIS);
        return pollOnly ? poll : Math.max(Math.min(poll, nextSwitchNanos - now), 0);
    }

    /** Emulated users who think end no transaction for longer than those who do not. */
    private long stallLimitNanos() {
        return configuration.stallLimit().toNanos() + (configuration.think() ? UserDelays.NANOS_MAX : 0);
    }

    private void measureBegins() {
        progress.phase(TpccProgress.Phase.MEASURE);
        measureBegan.set(ProcessUsage.now());
    }

    private void measureEnds() {
        ProcessUsage began = measureBegan.get();
        if (began != null) {
            progress.measureEnds();
            used = ProcessUsage.now().since(began);
            // At once: what ends afterwards is in no time that was measured.
            control.phase(RunControl.STOP);
            mayLeave.countDown();
            progress.measured();
        }
    }

    private void stalled(long completed) {
        control.phase(RunControl.STOP);
        measureEnds();
        String dump;
        try {
            List<Thread> terminalThreads = loops.stream()
                    .map(TerminalLoop::thread)
                    .filter(Objects::nonNull)
                    .toList();
            Path file = ThreadDump.write(configuration.dumpDirectory(), terminalThreads);
            dump = "threadDump=" + file;
        } catch (IOException e) {
            dump = "threadDump=failed (" + e.getMessage() + ")";
        }
        failure = "no transaction ended for stallLimitMillis="
                + configuration.stallLimit().toMillis() + " completed=" + completed + " runningThreads="
                + ended.getCount() + " " + dump;
        if (control.failure() != null) {
            failure += ", after a terminal failed: " + describe(control.failure());
        }
    }

    private static String describe(Throwable failure) {
        StringBuilder text = new StringBuilder(failure.toString());
        Throwable cause = failure.getCause();
        // Chains of causes are finite; the cap keeps the sentence readable.
        for (int depth = 0; cause != null && depth < 5; depth++) {
            text.append("; caused by ").append(cause);
            cause = cause.getCause();
        }
        StackTraceElement[] trace = failure.getStackTrace();
        if (trace.length > 0) {
            text.append(" at ").append(trace[0]);
        }
        return text.toString();
    }

    /** Whether all terminals ended, so that the database is at rest. */
    boolean atRest() {
        return allEnded;
    }

    /** Why the run was given up, or empty. */
    String failure() {
        return failure;
    }

    int threadCount() {
        return threadCount;
    }

    ProcessUsage used() {
        return used;
    }

    List<TerminalLoop> loops() {
        return loops;
    }

    /** All latencies; only when at rest. */
    LatencyRecorder latencies() {
        LatencyRecorder sum = new LatencyRecorder(false);
        recorders.forEach(sum::add);
        return sum;
    }

    /** All terminals' tallies; only when at rest. */
    Tally tally() {
        Tally sum = new Tally(1, configuration.scale().warehouses());
        terminals.forEach(terminal -> sum.add(terminal.tally()));
        return sum;
    }
}
