package dev.lockstep.scheduler;

import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * Runs S-threads on carriers, in teams (Harizopoulos and Ailamaki, STEPS: improving instruction cache performance in
 * OLTP, section 4).
 *
 * <p>How long an S-thread waits for its turn is bounded, whatever the policy. Where teams are on, its list is passed
 * over by at most {@link #TEAMS_PASSED_OVER_MAX} teams plus one for every other waiting list, and gives one team of as
 * many members as its operation may have ({@link SchedulerOptions#teamLimit}, {@link TeamLimits}) each time; see {@link
 * #teamsBetweenTurnsMax}. A list that another carrier helps with ({@link SchedulerOptions#lendingOn})
 * waits for that carrier as well, once it is at work on it; until then it is taken back after as many teams. Where
 * teams are off, S-threads take turns of at most {@link #OPERATIONS_PER_TURN_MAX} operations, each row of a batch being
 * one (plus those between two looks at the turn, which are fewer than 200 calls apart), none a second one before all
 * who waited with it have had theirs ({@link #start(String, int, int, Runnable)} says in which order); those that go on
 * after a wait that holds up others ({@link WaitReason#holdsUpOthers()}), or after any and are of high priority ({@link
 * SThread#prioritize}), come first, but at most {@link #RESUMED_IN_A_ROW_MAX} of them between two others; and while the
 * governor tries teams, as many of them have their turn for each team as it may have members. Both bounds count teams
 * and operations, not time: scheduling is cooperative, and one long operation without {@link SThread#yieldTurn()}, or
 * one long computation between two operations, holds its carrier.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code liveCount} is the number of S-threads started and not ended, and of those that {@link #start} is about
 *       to start or to refuse. It refuses all that it counts after {@code closed}.
 *   <li>Carriers are told to stop only when {@code closed} is set, and {@code liveCount} is 0 or a carrier has failed.
 * </ul>
 *
 * <p>Thread-safety: all methods may be called by any thread.
 */
public final class Scheduler implements AutoCloseable {
    static final String BEGIN = "begin";

    /**
     * Largest number of operations with a list of their own: seven operations on 140 tables and indexes. Operations
     * registered beyond it share one list; each costs a carrier one reference, and some 300 bytes once used.
     */
    public static final int OPERATIONS_MAX = 1024;

    /**
     * Teams that may be preferred to a list before it is run regardless of policy. With ten members a team and 250 ns
     * an operation that is 80 µs; a smaller value would often break the policy's choice, under which a list waits about
     * as many teams as a transaction has different operations.
     */
    public static final int TEAMS_PASSED_OVER_MAX = 32;

    /**
     * Teams that can be preferred to those who are about to begin a transaction, where the policy lets transactions
     * begin in waves: a hundred waves of a dozen operations. A list that is seldom the largest grows until it is, so
     * this is for what stays small, and for a transaction that does not end.
     */
    public static final int BEGINS_PASSED_OVER_MAX = 1024;

    /**
     * Operations after which an S-thread in straight mode lets others run at its next {@link
     * SThread#transactionBoundary()}: about 0.3 ms of work. Each row of a batch counts as one. What a turn costs is
     * not its switch of about 120 ns but the next S-thread's data, its stack, session and part of the database, which
     * have left the caches since its last turn. So a smaller value costs throughput, a larger one makes others wait
     * longer.
     */
    public static final int OPERATIONS_PER_TURN = 1024;

    /**
     * Operations of a turn however many wait, so that among ten thousand each has its turn after 0.4 s. At least the
     * interval in which operations are counted.
     */
    public static final int OPERATIONS_PER_TURN_MIN = CarrierTurns.SAMPLE_INTERVAL;

    /**
     * Operations in which everybody who is ready shall have had a turn: about 40 ms of work. Where more wait than could
     * have {@link #OPERATIONS_PER_TURN} each, turns become shorter, down to {@link #OPERATIONS_PER_TURN_MIN}.
     */
    public static final int OPERATIONS_PER_ROUND = 1 << 17;

    /**
     * Operations after which a turn ends inside a transaction too. It ends with locks held, on which others then wait
     * one after the other, so short transactions must never come here: several times what a turn and the longest of
     * them take together, and still only 2.5 ms of work.
     */
    public static final int OPERATIONS_PER_TURN_MAX = 8192;

    /**
     * S-threads that go on in the middle of their transactions, or are of high priority, before one that has waited for
     * its turn, if there are as many. Enough that a hundred who queue up for one lock get through it together, few
     * enough that the others wait for some milliseconds at most.
     */
    public static final int RESUMED_IN_A_ROW_MAX = 128;

    /** The {@code dataPart} of S-threads that work on no part of the data more than on others. */
    public static final int NO_PART = -1;

    private final SchedulerOptions options;
    private final OperationRegistry operations;
    private final CarrierThread[] carriers;

    /** One for each two carriers; none where members take turns. */
    private final PairBarrier[] barriers;

    private final Set<SThread> live = ConcurrentHashMap.newKeySet();
    private final AtomicLong liveCount = new AtomicLong();
    private final AtomicInteger nextCarrier = new AtomicInteger();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition noneLive = lock.newCondition();
    private volatile boolean closed;
    private volatile boolean teamsAllowed = true;
    private volatile Throwable carrierFailure;
    private volatile long[][] statisticsBase = new long[0][];

    /**
     * Starts the carriers.
     *
     * @throws UnsupportedOperationException if this JVM cannot run the kind of S-threads asked for; the message
     *     says which flags to add
     */
    public Scheduler(SchedulerOptions options) {
        this.options = Objects.requireNonNull(options, "options");
        this.operations = new OperationRegistry(options);
        Support support = probe(options.kind());
        if (!support.available()) {
            throw new UnsupportedOperationException(
                    "S-threads are not supported here: kind=" + options.kind() + "; remedy: " + support.remedy());
        }
        barriers = new PairBarrier[options.barriersOn() ? options.carriers() / 2 : 0];
        Arrays.setAll(barriers, pair -> new PairBarrier());
        carriers = new CarrierThread[options.kind() == SThreadKind.PLAIN ? 0 : options.carriers()];
        for (int i = 0; i < carriers.length; i++) {
            carriers[i] = new CarrierThread(this, i, options);
        }
        startCarriers();
    }

    /** All or none: the JVM may have no memory left for another thread, and nobody could close this scheduler then. */
    private void startCarriers() {
        int started = 0;
        try {
            while (started < carriers.length) {
                carriers[started].start();
                started++;
            }
        } finally {
            if (started < carriers.length) {
                for (int i = 0; i < started; i++) {
                    carriers[i].stopWhenDrained();
                }
            }
        }
    }

    /** Returns whether this JVM can run a kind of S-threads and, if not, what to add to its command line. */
    public static Support probe(SThreadKind kind) {
        return Support.probe(kind);
    }

    /** Returns what this scheduler was set up with. */
    public SchedulerOptions options() {
        return options;
    }

    /**
     * Forbids teams from now on, or allows them again: for an application that knows of a time in which they do not
     * pay, and for comparing both ways on the same data. While they are forbidden all operations run as with {@link
     * TeamMode#OFF}. What a governor has found stays as it was, and it counts neither this time nor what runs in it.
     * Has no effect where the mode is {@link TeamMode#OFF}.
     *
     * <p>Each carrier follows when its running team has ended, or when those have had their turns who wait for one. Who
     * waits in a list then is still called by teams, and a transaction that has begun goes on without.
     *
     * <p>Thread-safe.
     */
    public void allowTeams(boolean allowed) {
        teamsAllowed = allowed;
    }

    /** Returns whether teams may form, as {@link #allowTeams} said last; they may at first. */
    public boolean teamsAllowed() {
        return teamsAllowed;
    }

    /** Returns the number of carriers; 0 for kind plain. */
    public int carrierCount() {
        return carriers.length;
    }

    /**
     * Gives an operation its own list; the same name always gets the same number. By convention a name is the
     * operation and its index, such as {@code "fetch customer"}. Operations whose names have the first of several
     * words in common are of one kind, which {@link SchedulerOptions#consolidationOn} goes by.
     *
     * @return the number to pass to {@link SThread#beginOperation}; one shared by all, when
     *     {@link #OPERATIONS_MAX} are taken
     */
    public int registerOperation(String name) {
        return operations.register(name);
    }

    /**
     * Gives the begin of transactions of one kind a list of its own, by the name {@code "begin KIND"}; else as {@link
     * #registerOperation}, and measured as {@code "begin"}.
     *
     * @param kind what transactions are called that execute the same operations in the same order; the empty string for
     *     those that nothing is said of
     */
    public int registerBegin(String kind) {
        return operations.registerBegin(kind);
    }

    /** Whether transactions begin with an operation, and nobody who waits for it is in the middle of one. */
    boolean isBegin(int operation) {
        String name = operations.name(operation);
        return name.equals(BEGIN) || name.startsWith(BEGIN + ' ');
    }

    /** Returns the name under which an operation was registered. */
    public String operationName(int operation) {
        return operations.name(operation);
    }

    /** The number under which the installed probe knows an operation. */
    int probeNumber(int operation) {
        return operations.probeNumber(operation);
    }

    /** How many members a team of an operation may have. */
    int teamLimit(int operation) {
        return operations.teamLimit(operation);
    }

    /** The number that the placed switch points of an operation have. */
    int placedNumber(int operation) {
        return operations.placedNumber(operation);
    }

    /**
     * Returns the largest number of teams that can run between two turns of an S-thread where teams are on.
     *
     * @param sThreads S-threads of one carrier
     * @param operationCount different operations that they run
     */
    public long teamsBetweenTurnsMax(int sThreads, int operationCount) {
        boolean apart = options.policy().beginsApart();
        int membersMin = apart ? 1 : options.teamLimits().smallest(options.teamLimit());
        long teamsOfOneList = (sThreads + membersMin - 1L) / membersMin;
        // In waves the first of a list is passed over so often, and from then on the list itself may be.
        return teamsOfOneList * ((apart ? 2 * BEGINS_PASSED_OVER_MAX : TEAMS_PASSED_OVER_MAX) + operationCount);
    }

    /**
     * Starts an S-thread.
     *
     * <p>A body that goes on for long had better be a {@linkplain #startRounds round} that runs again and again: a
     * method that is entered once stays interpreted for long, and a stack with interpreted frames is suspended and
     * resumed the slow way.
     *
     * @param homeCarrier the carrier it belongs to, 0 to {@link #carrierCount()} - 1, or -1 to have them take turns; of
     *     no effect for kind plain
     * @throws IllegalStateException if the scheduler is closed, or a carrier has failed
     * @throws IndexOutOfBoundsException if there is no such carrier
     */
    public SThread start(String name, int homeCarrier, Runnable body) {
        return start(name, homeCarrier, NO_PART, body);
    }

    /**
     * Starts an S-thread that works mostly on one part of the data, such as the rows of one warehouse. S-threads of one
     * part on one carrier have their turns one after the other, so that each finds in the caches what the one before
     * has read (the same idea as transactions of a warehouse on one processor: STEPS, section 6). It only changes the
     * order of turns: as without parts nobody waits for more than one turn of each other, and nobody is kept from
     * other data.
     *
     * @param homeCarrier as above; S-threads of one part gain by having the same
     * @param dataPart any number from 0, the same for all who work on that part, or {@link #NO_PART}; 256 in a row are
     *     told apart
     * @throws IllegalStateException if the scheduler is closed, or a carrier has failed
     * @throws IndexOutOfBoundsException if there is no such carrier
     * @throws IllegalArgumentException if the part is less than {@link #NO_PART}
     */
    public SThread start(String name, int homeCarrier, int dataPart, Runnable body) {
        Objects.requireNonNull(body, "body");
        return startRounds(name, homeCarrier, dataPart, once(body));
    }

    static void requirePart(int part) {
        if (part < NO_PART) {
            throw new IllegalArgumentException("parts of the data have numbers from 0: part=" + part
                    + "; remedy: give a number from 0, or NO_PART");
        }
    }

    private static BooleanSupplier once(Runnable body) {
        return () -> {
            body.run();
            return false;
        };
    }

    /**
     * Starts an S-thread that runs the same round again and again, until it returns {@code false}. It remains one
     * S-thread, with its place in a team and its turn, which go on from one round to the next. Of kind {@link
     * SThreadKind#CONTINUATION} each round has a new stack, so that what is suspended in a round holds nothing but
     * frames that were entered as often as there were rounds, and so were compiled; the other kinds have a loop below
     * the round, which stays interpreted for long.
     *
     * @param homeCarrier as of {@link #start(String, int, int, Runnable)}
     * @param dataPart as there
     * @param round returns whether it is to run again; what it throws ends the S-thread
     * @throws IllegalStateException if the scheduler is closed, or a carrier has failed
     * @throws IndexOutOfBoundsException if there is no such carrier
     * @throws IllegalArgumentException if the part is less than {@link #NO_PART}
     */
    public SThread startRounds(String name, int homeCarrier, int dataPart, BooleanSupplier round) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(round, "round");
        requirePart(dataPart);
        CarrierThread home = home(homeCarrier);
        liveCount.incrementAndGet();
        boolean begun = false;
        try {
            if (closed || carrierFailure != null) {
                throw takesNoMore(name);
            }
            SThread sThread = newSThread(home, name, round);
            sThread.dataPart = dataPart;
            sThread.conflictPart = dataPart;
            live.add(sThread);
            try {
                // Not earlier: either who ends those of a failed carrier meets it, or the failure is seen here.
                if (home != null && home.hasFailed()) {
                    throw takesNoMore(name);
                }
                sThread.begin();
                begun = true;
            } finally {
                if (!begun) {
                    live.remove(sThread);
                }
            }
            return sThread;
        } finally {
            if (!begun) {
                countDown();
            }
        }
    }

    private IllegalStateException takesNoMore(String sThread) {
        return new IllegalStateException("scheduler takes no more S-threads: sThread=" + sThread + " closed=" + closed
                + " carrierFailure=" + carrierFailure + "; remedy: start it on a new scheduler");
    }

    /** Makes an S-thread that is not counted among those that have to end. */
    SThread newSThread(CarrierThread home, String name, BooleanSupplier round) {
        return switch (options.kind()) {
            case VIRTUAL -> new VirtualSThread(this, home, name, round);
            case CONTINUATION -> new ContinuationSThread(this, home, name, round);
            case PLAIN -> new PlainSThread(this, name, round);
        };
    }

    PairBarrier barrierOrNull(int carrier) {
        return barriers.length == 0 ? null : barriers[carrier / 2];
    }

    CarrierThread carrier(int index) {
        return carriers[index];
    }

    private CarrierThread home(int homeCarrier) {
        if (carriers.length == 0) {
            return null;
        }
        int index = homeCarrier == -1
                ? Math.floorMod(nextCarrier.getAndIncrement(), carriers.length)
                : Objects.checkIndex(homeCarrier, carriers.length);
        return carriers[index];
    }

    /**
     * Waits until no S-thread is left. More may be started meanwhile.
     *
     * @throws InterruptedException if the caller is interrupted first
     * @throws IllegalStateException if called by an S-thread, or if a carrier has failed, which no S-thread of it
     *     survives
     */
    public void awaitTermination() throws InterruptedException {
        checkNotOnCarrier();
        lock.lockInterruptibly();
        try {
            while (liveCount.get() != 0 && carrierFailure == null) {
                noneLive.await();
            }
        } finally {
            lock.unlock();
        }
        throwIfFailed();
    }

    /**
     * Takes no more S-threads, waits until those that run have ended, and stops the carriers. If the caller is
     * interrupted, all S-threads are interrupted, the wait goes on, and the caller's flag is set on return. If a
     * carrier has failed, the S-threads of the others are interrupted too, since they may wait for one that will not go
     * on; all carriers have stopped when the failure is thrown. The second time it does nothing but throw that again.
     *
     * @throws IllegalStateException if called by an S-thread, or if a carrier has failed
     */
    @Override
    public void close() {
        checkNotOnCarrier();
        closed = true;
        boolean interrupted = false;
        try {
            interrupted = awaitEnds();
        } finally {
            interrupted |= stopCarriers();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Waits for the end of all S-threads; returns whether the caller was interrupted, and they with it. */
    private boolean awaitEnds() {
        boolean interrupted = false;
        // Ends when the S-threads do, which were told so if anybody is impatient.
        while (true) {
            try {
                awaitTermination();
                return interrupted;
            } catch (InterruptedException e) {
                interrupted = true;
                live.forEach(SThread::interrupt);
            }
        }
    }

    /**
     * Has every carrier run to the end of its S-threads, and waits for it; returns whether the caller was interrupted.
     */
    private boolean stopCarriers() {
        if (carrierFailure != null) {
            live.forEach(SThread::interrupt);
        }
        for (CarrierThread carrier : carriers) {
            carrier.stopWhenDrained();
        }
        boolean interrupted = false;
        for (CarrierThread carrier : carriers) {
            interrupted |= joinUninterruptibly(carrier);
        }
        return interrupted;
    }

    private boolean joinUninterruptibly(Thread carrier) {
        boolean interrupted = false;
        // Ends because a carrier that was told to stop ends with its S-threads, and those were told so.
        while (true) {
            try {
                carrier.join();
                return interrupted;
            } catch (InterruptedException e) {
                interrupted = true;
                live.forEach(SThread::interrupt);
            }
        }
    }

    /** Returns what was counted since the start or the last reset, for every operation that ran. */
    public List<OperationStatistics> statistics() {
        long[][] base = statisticsBase;
        List<OperationStatistics> result = new ArrayList<>();
        for (int operation = 0; operation < operations.count(); operation++) {
            long[] counts = counts(operation);
            if (operation < base.length) {
                for (int i = 0; i < counts.length; i++) {
                    counts[i] -= base[operation][i];
                }
            }
            if (counts[OperationCounters.STRAIGHT] != 0 || counts[OperationCounters.TEAMS] != 0) {
                result.add(statistics(operations.name(operation), operations.teamLimit(operation), counts));
            }
        }
        return result;
    }

    /** Starts counting afresh. */
    public void resetStatistics() {
        long[][] base = new long[operations.count()][];
        for (int operation = 0; operation < base.length; operation++) {
            base[operation] = counts(operation);
        }
        statisticsBase = base;
    }

    private long[] counts(int operation) {
        long[] sums = new long[OperationCounters.COUNTERS];
        for (CarrierThread carrier : carriers) {
            OperationList list = carrier.publishedListOrNull(operation);
            for (int i = 0; list != null && i < sums.length; i++) {
                sums[i] += list.countOpaque(i);
            }
        }
        return sums;
    }

    private static OperationStatistics statistics(String name, int teamLimit, long[] counts) {
        Map<WaitReason, Long> strays = new EnumMap<>(WaitReason.class);
        for (WaitReason reason : WaitReason.values()) {
            long count = counts[OperationCounters.strays(reason)];
            if (count != 0) {
                strays.put(reason, count);
            }
        }
        long samples = counts[OperationCounters.STRAIGHT_SAMPLES];
        double straightNanos = samples == 0
                ? 0
                : (double) counts[OperationCounters.STRAIGHT_SAMPLE_NANOS]
                        / samples
                        * counts[OperationCounters.STRAIGHT];
        return new OperationStatistics(
                name,
                teamLimit,
                counts[OperationCounters.STRAIGHT],
                counts[OperationCounters.TEAMS],
                counts[OperationCounters.MEMBERS_IN],
                counts[OperationCounters.MEMBERS_OUT],
                counts[OperationCounters.STAGED],
                counts[OperationCounters.LENT],
                counts[OperationCounters.TEAMS_CONSOLIDATED],
                counts[OperationCounters.MEMBERS_BESIDE],
                counts[OperationCounters.READY],
                counts[OperationCounters.SWITCHES],
                counts[OperationCounters.SWITCHES_SKIPPED],
                strays,
                counts[OperationCounters.TEAM_NANOS] + (long) straightNanos);
    }

    /** Called once for every S-thread, by its carrier or, for kind plain, by itself. */
    void ended(SThread sThread) {
        // A helper of a carrier was never counted.
        if (live.remove(sThread)) {
            sThread.publishEnded();
            countDown();
        }
    }

    private void countDown() {
        if (liveCount.decrementAndGet() == 0) {
            signalNoneLive();
        }
    }

    private void signalNoneLive() {
        lock.lock();
        try {
            noneLive.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void reportUncaught(Throwable e) {
        Thread thread = Thread.currentThread();
        Thread.UncaughtExceptionHandler handler = options.uncaughtExceptionHandler() != null
                ? options.uncaughtExceptionHandler()
                : thread.getUncaughtExceptionHandler();
        try {
            handler.uncaughtException(thread, e);
        } catch (Throwable fromHandler) {
            // The S-thread must end in order; what it failed with stays readable, with this beside it.
            keepBeside(e, fromHandler);
        }
    }

    private static void keepBeside(Throwable failure, Throwable fromHandler) {
        if (fromHandler != failure) {
            try {
                failure.addSuppressed(fromHandler);
            } catch (OutOfMemoryError noRoom) {
                // The failure is kept alone then. Thrown on, this would end the carrier, and with it all others there.
            }
        }
    }

    void carrierFailed(CarrierThread carrier, Throwable e) {
        carrierFailure = e;
        carrier.markFailed();
        // Before the look at who lives, in whatever mode the set reads.
        VarHandle.fullFence();
        for (SThread sThread : live) {
            if (sThread.carrier == carrier) {
                sThread.endWithCarrier(e);
            }
        }
        signalNoneLive();
    }

    private void throwIfFailed() {
        Throwable failure = carrierFailure;
        if (failure != null) {
            throw new IllegalStateException(
                    "carrier failed, its S-threads cannot go on: carrierFailure=" + failure
                            + "; remedy: see the cause, and make a new scheduler",
                    failure);
        }
    }

    private static void checkNotOnCarrier() {
        SThread caller = SThread.current();
        if (caller != null) {
            throw new IllegalStateException("an S-thread cannot wait for the end of all S-threads: sThread="
                    + caller.name() + "; remedy: call it on a thread that is none");
        }
    }
}
