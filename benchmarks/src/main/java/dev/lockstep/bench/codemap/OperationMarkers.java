package dev.lockstep.bench.codemap;

import dev.lockstep.bench.report.Json;
import dev.lockstep.bench.simulate.MarkedOperation;
import dev.lockstep.counters.Markers;
import dev.lockstep.scheduler.InstalledProbe;
import dev.lockstep.scheduler.OperationProbe;
import dev.lockstep.scheduler.SThread;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The probe that marks operations for the simulator, each within what the application says it is at: a transaction of
 * some type, or nothing. The number that is marked stands for the pair. An operator of a plan counts as an operation,
 * without the engine's operations that it calls and the operators that it does. What a carrier does while none of its
 * threads runs is an operation of its own, {@value #SCHEDULER}, and so is what the scheduler does on their stacks.
 *
 * <p>Invariants: a pair keeps its number; number 0 is outside of everything; the last number stands for all pairs that
 * came too late. The state of a thread, or S-thread, is touched by that thread alone, as are the counts of a thread or
 * of a carrier, which are read when the threads are at rest.
 */
public final class OperationMarkers implements OperationProbe {
    /** Inside a context, outside any operation. */
    public static final String OUTSIDE = "outside";

    /** Between the S-threads of a carrier, and where they have called the scheduler. */
    public static final String SCHEDULER = "scheduler";

    /** Outside any context. */
    public static final String NO_CONTEXT = "";

    /** Transaction types and the like; a handful in any workload. */
    private static final int CONTEXTS_MAX = 64;

    /** Pairs of context and operation that have counts at first: more than a usual workload has. */
    private static final int NUMBERS_INITIAL = 64;

    private static final int OPERATION_OUTSIDE = 0;
    private static final int OPERATION_SCHEDULER = 1;
    private static final int NUMBER_OVERFLOW = Markers.OPERATIONS - 1;

    private static final ReentrantLock LOCK = new ReentrantLock();
    private static final List<String> OPERATIONS = new ArrayList<>(List.of(OUTSIDE, SCHEDULER));
    private static final List<String> CONTEXTS = new ArrayList<>(List.of(NO_CONTEXT));
    private static final List<Pair> PAIRS = new ArrayList<>(List.of(new Pair(0, NO_CONTEXT, OUTSIDE)));

    /** By context and operation, 0 where there is none yet; a stale 0 costs a look under the lock. */
    private static final int[][] NUMBERS = new int[CONTEXTS_MAX][Markers.OPERATIONS];

    private static final Queue<Counts> COUNTS = new ConcurrentLinkedQueue<>();
    private static final Map<Thread, Counts> OF_CARRIER = new ConcurrentHashMap<>();
    private static final ThreadLocal<State> OF_THREAD = ThreadLocal.withInitial(() -> new State(new Counts()));

    /**
     * Which of a number's two counts goes up now: 0, or 1 while counting. Not a condition, since a branch that is first
     * taken in the measured phase throws away the code of all operations.
     */
    private static volatile int countedNow;

    /** For the service loader. */
    public OperationMarkers() {
        String names = System.getProperty(MarkedOperation.PROPERTY);
        if (names != null) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> write(Path.of(names)), "names of operations"));
        }
    }

    /** Whether it is the probe of this process, or one of them. */
    public static boolean isInstalled() {
        return List.of(System.getProperty(InstalledProbe.PROPERTY, "").split(",", -1))
                .contains(OperationMarkers.class.getName());
    }

    /** Where the process that reads the marks finds what they stand for. */
    private static void write(Path file) {
        try {
            Json.write(file, marked());
        } catch (IOException e) {
            // It shows numbers then; there is nobody left here to tell.
            throw new UncheckedIOException("the names of operations cannot be written file=" + file, e);
        }
    }

    /**
     * What a marked number stands for.
     *
     * @param number as the plugin sees it
     * @param context {@link #NO_CONTEXT} outside any
     * @param operation {@link #OUTSIDE} or {@link #SCHEDULER}, or the engine's name for it
     */
    public record Pair(int number, String context, String operation) {}

    /**
     * How often each number was begun by one thread: two counts each, of which the second is what was counted. An
     * S-thread counts with all others of its carrier, since there may be one for each transaction.
     */
    private static final class Counts {
        private long[] begun = new long[2 * NUMBERS_INITIAL];

        Counts() {
            COUNTS.add(this);
        }

        void add(int number) {
            int index = 2 * number + countedNow;
            if (index >= begun.length) {
                begun = Arrays.copyOf(begun, 2 * Math.max(number + 1, begun.length));
            }
            begun[index]++;
        }

        long get(int number, int which) {
            long[] all = begun;
            int index = 2 * number + which;
            return index < all.length ? all[index] : 0;
        }
    }

    private static final class State {
        private final Counts counts;
        private int context;
        private int operation;
        /** What is marked outside any operation. */
        private int operator = OPERATION_OUTSIDE;

        private boolean inScheduler;

        /** What is marked while another S-thread's work is done, 0 while none is. */
        private int workOfAnother;

        State(Counts counts) {
            this.counts = counts;
        }
    }

    private static State state(SThread sThread) {
        if (sThread == null) {
            return OF_THREAD.get();
        }
        State known = sThread.attachment(State.class);
        if (known != null) {
            return known;
        }
        State made = new State(OF_CARRIER.computeIfAbsent(sThread.carrierThread(), _ -> new Counts()));
        sThread.attach(made);
        return made;
    }

    /** Gives what the application may be at a number; the same for the same name. */
    public static int context(String name) {
        LOCK.lock();
        try {
            int known = CONTEXTS.indexOf(name);
            if (known >= 0) {
                return known;
            }
            if (CONTEXTS.size() == CONTEXTS_MAX) {
                throw new IllegalStateException("too many contexts: contextsMax=" + CONTEXTS_MAX);
            }
            CONTEXTS.add(name);
            return CONTEXTS.size() - 1;
        } finally {
            LOCK.unlock();
        }
    }

    /** The calling thread is at this from now on; 0 for nothing. */
    public static void enter(int context) {
        State state = state(SThread.current());
        state.context = context;
        int number = mark(state);
        if (context != 0) {
            state.counts.add(number);
        }
    }

    /** Counts from now on how often each operation begins. */
    public static void startCounting() {
        countedNow = 1;
    }

    /** Counts no more. */
    public static void stopCounting() {
        countedNow = 0;
    }

    /** How often a number was begun while it was counted; to be asked when no operation runs. */
    public static long count(int number) {
        return begun(number, 1);
    }

    private static long begun(int number, int which) {
        return COUNTS.stream().mapToLong(counts -> counts.get(number, which)).sum();
    }

    /**
     * What has a number, with how often it was begun while it was counted, or at all where nothing was; to be asked
     * when no operation runs.
     */
    public static List<MarkedOperation> marked() {
        List<Pair> pairs = pairs();
        int which = pairs.stream().anyMatch(pair -> count(pair.number()) > 0) ? 1 : 0;
        return pairs.stream()
                .map(pair -> new MarkedOperation(
                        pair.number(), pair.context(), pair.operation(), begun(pair.number(), which)))
                .toList();
    }

    /** What has a number. */
    public static List<Pair> pairs() {
        LOCK.lock();
        try {
            return List.copyOf(PAIRS);
        } finally {
            LOCK.unlock();
        }
    }

    @Override
    public int number(String name) {
        LOCK.lock();
        try {
            int known = OPERATIONS.indexOf(name);
            if (known >= 0) {
                return known;
            }
            if (OPERATIONS.size() == Markers.OPERATIONS) {
                return OPERATIONS.size() - 1;
            }
            OPERATIONS.add(name);
            return OPERATIONS.size() - 1;
        } finally {
            LOCK.unlock();
        }
    }

    @Override
    public void begin(SThread sThread, int number) {
        State state = state(sThread);
        boolean inside = state.operation == number;
        state.operation = number;
        state.inScheduler = false;
        state.workOfAnother = 0;
        int marked = mark(state);
        if (!inside) {
            state.counts.add(marked);
        }
    }

    @Override
    public void end(SThread sThread) {
        State state = state(sThread);
        if (state.operation != OPERATION_OUTSIDE || state.inScheduler) {
            state.operation = OPERATION_OUTSIDE;
            state.inScheduler = false;
            state.workOfAnother = 0;
            mark(state);
        }
    }

    @Override
    public void left(SThread sThread) {
        markScheduler();
    }

    @Override
    public void resumed(SThread sThread) {
        State state = state(sThread);
        if (!state.inScheduler) {
            mark(state);
        }
    }

    @Override
    public void entered(SThread sThread) {
        State state = state(sThread);
        state.inScheduler = true;
        state.workOfAnother = 0;
        markScheduler();
    }

    @Override
    public void returned(SThread sThread) {
        State state = state(sThread);
        state.inScheduler = false;
        mark(state);
    }

    /** A mark is made where it says something new: members of one type go together, one after another. */
    @Override
    public void doesWorkOf(SThread sThread, SThread owner, int number) {
        doesWork(state(sThread), owner.equals(sThread) ? 0 : pair(state(owner).context, number));
    }

    @Override
    public void doesSharedWork(SThread sThread) {
        doesWork(state(sThread), 0);
    }

    private static void doesWork(State state, int workOfAnother) {
        if (workOfAnother != state.workOfAnother) {
            state.workOfAnother = workOfAnother;
            mark(state);
        }
    }

    @Override
    public void operatorCalled(SThread sThread, int number) {
        State state = state(sThread);
        state.operator = number;
        mark(state);
        state.counts.add(pair(state.context, number));
    }

    @Override
    public void operatorReturned(SThread sThread, int caller) {
        State state = state(sThread);
        state.operator = caller;
        mark(state);
    }

    private static void markScheduler() {
        Markers.operation(pair(0, OPERATION_SCHEDULER));
    }

    private static int mark(State state) {
        int number = state.workOfAnother != 0
                ? state.workOfAnother
                : pair(state.context, state.operation == OPERATION_OUTSIDE ? state.operator : state.operation);
        Markers.operation(number);
        return number;
    }

    private static int pair(int context, int operation) {
        int number = NUMBERS[context][operation];
        return number != 0 || context + operation == 0 ? number : newPair(context, operation);
    }

    private static int newPair(int context, int operation) {
        LOCK.lock();
        try {
            if (NUMBERS[context][operation] == 0) {
                int number = Math.min(PAIRS.size(), NUMBER_OVERFLOW);
                if (number == PAIRS.size()) {
                    boolean last = number == NUMBER_OVERFLOW;
                    PAIRS.add(new Pair(
                            number,
                            last ? NO_CONTEXT : CONTEXTS.get(context),
                            last ? "other operations" : OPERATIONS.get(operation)));
                }
                NUMBERS[context][operation] = number;
            }
            return NUMBERS[context][operation];
        } finally {
            LOCK.unlock();
        }
    }
}
