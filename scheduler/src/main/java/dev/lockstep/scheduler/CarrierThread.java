package dev.lockstep.scheduler;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * A platform thread that runs S-threads, and their schedule: the ready queue of strays and newcomers, and the team that
 * runs, which comes from the operation lists of {@link CarrierTeams} (STEPS, 4.1.1).
 *
 * <p>The loop: while there is a team, the member whose turn it is. When it is empty, in the paper's order: arrivals
 * and expired waits; every stray that is ready now, each until it joins a list or gives up the carrier again; tasks
 * that are no S-threads; then the next team, chosen by the policy.
 *
 * <p>Invariants:
 * <ul>
 *   <li>All fields but {@code inbox}, {@code foreignTasks}, {@code idle} and {@code stopping}, and what is in them, are
 *       touched only by code that runs on this thread: its loop and the S-threads mounted on it.
 *   <li>{@code running} is the mounted S-thread, {@code null} in the loop and while a foreign task runs.
 *   <li>A continuation is mounted only from {@link #run()}, which holds no monitor.
 * </ul>
 *
 * <p>Thread-safety: {@link #submit}, {@link #addForeignTask}, {@link #isCurrent}, {@link #stopWhenDrained} and
 * {@link #publishedListOrNull} by any thread.
 */
final class CarrierThread extends Thread {
    /**
     * Mean number of operations that run straight between two that are timed. A sample reads the clock twice, 40 to 50
     * ns together, so it adds half a nanosecond to each operation. Arrivals and the length of a turn are looked at as
     * seldom, which 128 operations of 250 ns allow.
     */
    static final int SAMPLE_INTERVAL = 128;

    /**
     * Teams formed without going through the loop before it is entered again, for the sake of expired waits: with
     * operations of 250 ns and ten members, a limit is noticed within 160 µs.
     */
    static final int TEAMS_IN_PLACE_MAX = 64;

    /** Mounts between two looks at the clock for expired waits while there is work: bounds the delay the same way. */
    static final int MOUNTS_PER_TIMER_CHECK = 32;

    private static final VarHandle IDLE;
    private static final VarHandle STOPPING;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            IDLE = lookup.findVarHandle(CarrierThread.class, "idle", boolean.class);
            STOPPING = lookup.findVarHandle(CarrierThread.class, "stopping", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Scheduler scheduler;
    private final int index;
    private final TeamMode teamMode;
    private final int teamLimit;

    private final Inbox inbox = new Inbox();
    private final Queue<Runnable> foreignTasks = new ConcurrentLinkedQueue<>();

    /** Who goes on in the middle of what others may wait for, and comes before the ready queue. */
    private final SThreadQueue resumed = new SThreadQueue();

    private final SThreadQueue ready = new SThreadQueue();
    private final TimerHeap timers = new TimerHeap();
    private final SchedulerEvents events = new SchedulerEvents();
    private final CarrierTeams teams;
    private final StagedTeams stagedTeams;
    private final boolean stagesTeams;
    private final boolean putsOffTurns;

    /** Both {@code null} where carriers do not help each other. */
    private final IdleHelper helper;

    private final Lending lending;

    /** In place of switches, {@code null} where members take turns. */
    private final PairBarrier barrier;

    private final int side;

    /** The lists and the team of {@link #teams}, kept here as well because every operation asks for them. */
    private final OperationList[] lists;

    private final Team team;
    private final WaitingLists waiting;

    private SThread running;
    private int liveCount;
    private int teamsInPlace;
    private int mountsSinceTimerCheck;

    /** Whether somebody has yielded, who would otherwise be a stray and go on before any team. */
    private boolean listsFirst;

    private int sampleSeed;

    /** That it is bound to, or -1. */
    private final int processor;

    @SuppressWarnings("unused")
    private long stackProbe;

    @SuppressWarnings("unused")
    private boolean idle;

    @SuppressWarnings("unused")
    private boolean stopping;

    CarrierThread(Scheduler scheduler, int index, SchedulerOptions options) {
        super(options.name() + "-carrier-" + index);
        this.scheduler = scheduler;
        this.index = index;
        this.teamMode = options.teamMode();
        this.teamLimit = options.teamLimit();
        this.teams = new CarrierTeams(scheduler, index, options, events);
        this.lists = teams.lists();
        this.team = teams.team();
        this.waiting = teams.waiting();
        this.stagedTeams = new StagedTeams(teams);
        this.stagesTeams = options.teamExecution() == TeamExecution.STAGED;
        this.putsOffTurns = options.teamExecution() == TeamExecution.SERIAL;
        this.barrier = scheduler.barrierOrNull(index);
        this.side = index % 2;
        boolean lends =
                options.lendingOn() && stagesTeams && options.teamMode() == TeamMode.ON && options.carriers() > 1;
        this.helper = lends ? new IdleHelper(scheduler, this) : null;
        this.lending = lends ? new Lending(scheduler, this, index, teams) : null;
        this.sampleSeed = index + 1;
        this.processor = options.nodes().processorOfCarrier(index);
        setDaemon(true);
    }

    // ---- what any thread may call

    boolean isCurrent() {
        return CurrentCarrier.get() == this;
    }

    /** Makes a new or waiting S-thread ready; has no effect on one that is neither. */
    void submit(SThread sThread) {
        if (isCurrent()) {
            arrive(sThread);
        } else if (sThread.casQueued() && inbox.push(sThread)) {
            wakeIfIdle();
        }
    }

    /** A list of this carrier comes back. */
    void takeBack(LentList lent) {
        if (lent.casQueued() && inbox.push(lent)) {
            wakeIfIdle();
        }
    }

    /** Whether it has nothing to do; perhaps no longer when this is read. */
    boolean isIdle() {
        return idleVolatile();
    }

    IdleHelper helper() {
        return helper;
    }

    /** A task that is no S-thread, such as a virtual thread started by an S-thread: runs between teams. */
    void addForeignTask(Runnable task) {
        foreignTasks.add(task);
        wakeIfIdle();
    }

    void stopWhenDrained() {
        setStoppingVolatile(true);
        LockSupport.unpark(this);
    }

    OperationList publishedListOrNull(int operation) {
        return teams.publishedListOrNull(operation);
    }

    private void wakeIfIdle() {
        if (idleVolatile()) {
            LockSupport.unpark(this);
        }
    }

    // ---- what S-threads mounted here call

    SThread running() {
        return running;
    }

    OperationList list(int operation) {
        return lists[operation];
    }

    int teamMembers() {
        return team.size();
    }

    long teamsFormed() {
        return teams.teamsFormed();
    }

    boolean stagesTeams() {
        return stagesTeams;
    }

    boolean isStaged(int operation) {
        OperationList list = lists[operation];
        return stagesTeams && list != null && !list.straight;
    }

    /** The mounted member's turn has come, nobody has done its work, and others may have works that it can do. */
    void leadTeam(SThread sThread) {
        if (team.size() > 1) {
            reserveStack();
            stagedTeams.lead(sThread, resumed);
        }
    }

    /** The wrapper, beyond the fast path of {@link SThread#beginOperation}. */
    void beginOperation(SThread sThread, int operation) {
        boolean sampled = endSample(sThread);
        endOperation(sThread);
        OperationList list = lists[operation];
        if (list == null) {
            reserveStack();
            list = teams.newList(operation);
        }
        sThread.operation = operation;
        if (sThread.latchesHeld() != 0) {
            reserveStack();
            teams.leave(sThread, null);
            countSkipped(sThread);
            runStraight(sThread, list);
        } else if (list.straight) {
            beginStraight(sThread, list, sampled);
        } else {
            beginInTeam(sThread, list);
            if (barrier != null && sThread.turns) {
                sThread.pointsPassed = 0;
                barrier.pass(side, operation, 0);
            }
        }
    }

    /** Ends the operation for the statistics; the S-thread keeps its place in the team, if it has one. */
    void finishOperation(SThread sThread) {
        if (sThread.operating) {
            if (sThread.member) {
                lists[sThread.operation].counters.add(OperationCounters.MEMBERS_OUT, 1);
            }
            sThread.operating = false;
            sThread.turns = false;
            if (barrier != null) {
                barrier.leave(side);
            }
        }
    }

    /** The body of the mounted S-thread has returned; the S-thread is about to leave the carrier for good. */
    void endBody(SThread sThread) {
        endSample(sThread);
        finishOperation(sThread);
        sThread.request = SThread.Request.END;
    }

    void switchPoint(SThread sThread) {
        if (putsOffTurns && sThread.latchesHeld() == 0) {
            sThread.turnsPutOff++;
        } else {
            passTurn(sThread);
        }
    }

    private void passTurn(SThread sThread) {
        if (sThread.latchesHeld() != 0) {
            countSkipped(sThread);
        } else if (barrier != null) {
            meet(sThread);
        } else if (team.size() > 1 && !sThread.suspend(SThread.Request.SWITCH)) {
            countSkipped(sThread);
        }
    }

    private void meet(SThread sThread) {
        if (barrier.pass(side, sThread.operation, ++sThread.pointsPassed)) {
            lists[sThread.operation].counters.add(OperationCounters.SWITCHES, 1);
        } else {
            countSkipped(sThread);
        }
    }

    /** Takes the turns that were put off; like {@link #finishOperation} where none were. */
    void endOperation(SThread sThread) {
        while (sThread.turnsPutOff > 0) {
            sThread.turnsPutOff--;
            passTurn(sThread);
        }
        finishOperation(sThread);
    }

    void yieldTurn(SThread sThread) {
        if (sThread.latchesHeld() != 0) {
            return;
        }
        if (!inbox.isEmpty() || !timers.isEmpty()) {
            reserveStack();
            pollArrivals();
        }
        if (othersWait() && !sThread.suspend(SThread.Request.YIELD)) {
            countSkipped(sThread);
        }
    }

    void transactionBoundary(SThread sThread) {
        if (sThread.latchesHeld() != 0 || team.size() > 1) {
            return;
        }
        if (sThread.operationsThisTurn >= operationsPerTurn()) {
            sThread.operationsThisTurn = 0;
            if (othersWait()) {
                giveUpAtBoundary(sThread, SThread.Request.TURN_OVER);
            }
        } else if (!resumed.isEmpty()) {
            giveUpAtBoundary(sThread, SThread.Request.GIVE_WAY);
        }
    }

    private void giveUpAtBoundary(SThread sThread, SThread.Request why) {
        endSample(sThread);
        finishOperation(sThread);
        sThread.suspend(why);
    }

    private int operationsPerTurn() {
        int share = Scheduler.OPERATIONS_PER_ROUND / (ready.size() + 1);
        return Math.clamp(share, Scheduler.OPERATIONS_PER_TURN_MIN, Scheduler.OPERATIONS_PER_TURN);
    }

    private void beginStraight(SThread sThread, OperationList list, boolean sampled) {
        if (sThread.member) {
            if (team.size() > 1) {
                // The others of the team go on first.
                sThread.suspend(SThread.Request.LEAVE);
            }
            reserveStack();
            teams.leave(sThread, null);
        }
        if (!sampled) {
            runStraight(sThread, list);
            sThread.untilSlow = 1;
            sThread.sampledList = list;
            sThread.sampleStartNanos = InstalledTime.nanoTime();
            return;
        }
        if (!inbox.isEmpty() || !timers.isEmpty()) {
            reserveStack();
            pollArrivals();
        }
        boolean othersWait = othersWait();
        if (othersWait && sThread.operationsThisTurn >= Scheduler.OPERATIONS_PER_TURN_MAX) {
            sThread.suspend(SThread.Request.TURN_OVER);
        }
        list.governor.considerTrial(othersWait);
        runStraight(sThread, list);
        int interval = sampleInterval();
        sThread.untilSlow = interval;
        sThread.operationsThisTurn += interval;
    }

    /** To be called by code on an S-thread's stack, of unknown depth, before it changes what S-threads share. */
    private void reserveStack() {
        stackProbe = StackProbe.check();
    }

    private void runStraight(SThread sThread, OperationList list) {
        list.countStraight();
        sThread.operating = true;
    }

    private void beginInTeam(SThread sThread, OperationList list) {
        if (sThread.member && team.size() > 1) {
            joinByLoop(sThread, list);
            return;
        }
        reserveStack();
        teams.leave(sThread, null);
        // A stray that rejoins in the middle of a team cannot be: strays run only while there is no team.
        if (isAnyReady()
                || !inbox.isEmpty()
                || !foreignTasks.isEmpty()
                || ++teamsInPlace > TEAMS_IN_PLACE_MAX
                || (lending != null && lending.isDue())) {
            joinByLoop(sThread, list);
            return;
        }
        // The last member or stray does the wrapper's work where it is, and leads the next team if that is its own:
        // one switch fewer per team.
        teams.join(sThread, list);
        teams.form(teams.chooseListOrWithdraw(sThread, list), 0);
        if (sThread.member) {
            sThread.state = SThread.State.RUNNING;
            team.lead(sThread);
            // Otherwise when it is suspended: it could be in a list that is lent, and be pinned.
            considerLending();
        } else if (!suspendListed(sThread, list)) {
            runPinned(sThread, list);
        }
    }

    private void considerLending() {
        if (lending != null) {
            lending.consider();
        }
    }

    private boolean suspendListed(SThread sThread, OperationList list) {
        boolean left = false;
        try {
            left = sThread.suspend(SThread.Request.JOINED);
            return left;
        } finally {
            if (!left) {
                teams.withdraw(sThread, list);
            }
        }
    }

    private void joinByLoop(SThread sThread, OperationList list) {
        if (!sThread.suspend(SThread.Request.JOIN)) {
            reserveStack();
            teams.leave(sThread, null);
            runPinned(sThread, list);
        }
    }

    private void runPinned(SThread sThread, OperationList list) {
        countSkipped(sThread);
        runStraight(sThread, list);
    }

    private boolean endSample(SThread sThread) {
        OperationList list = sThread.sampledList;
        if (list == null) {
            return false;
        }
        long nanos = InstalledTime.nanoTime() - sThread.sampleStartNanos;
        sThread.sampledList = null;
        list.counters.add(OperationCounters.STRAIGHT_SAMPLES, 1);
        list.counters.add(OperationCounters.STRAIGHT_SAMPLE_NANOS, nanos);
        list.governor.sampleStraight(nanos);
        return true;
    }

    /** Varies, so that sampling does not keep step with transactions of a fixed number of operations (xorshift). */
    private int sampleInterval() {
        sampleSeed ^= sampleSeed << 13;
        sampleSeed ^= sampleSeed >>> 17;
        sampleSeed ^= sampleSeed << 5;
        return SAMPLE_INTERVAL / 2 + (sampleSeed & (SAMPLE_INTERVAL - 1));
    }

    private boolean othersWait() {
        return team.size() > 1
                || isAnyReady()
                || !waiting.isEmpty()
                || !inbox.isEmpty()
                || !foreignTasks.isEmpty()
                || (lending != null && lending.isReturned());
    }

    private boolean isAnyReady() {
        return !ready.isEmpty() || !resumed.isEmpty();
    }

    private void countSkipped(SThread sThread) {
        if (sThread.operation >= 0) {
            OperationList list = lists[sThread.operation];
            list.counters.add(OperationCounters.SWITCHES_SKIPPED, 1);
            events.switchSkipped(scheduler, index, list.operation, sThread.name(), sThread.latchesHeld());
        }
    }

    // ---- the loop

    @Override
    public void run() {
        try {
            if (processor >= 0) {
                InstalledBinding.bindCurrentThread(processor);
            }
            if (helper != null) {
                helper.begin();
            }
            // Ends when told to, after the last S-thread of this carrier has ended.
            while (!(stoppingVolatile() && liveCount == 0 && inbox.isEmpty() && foreignTasks.isEmpty())) {
                runTeam();
                pollArrivals();
                if (!listsFirst || waiting.isEmpty()) {
                    runStrays();
                }
                listsFirst = false;
                if (team.size() == 0) {
                    runForeignTasks();
                    chooseNext();
                }
                if (helper != null && liveCount == 1 && stoppingVolatile()) {
                    // Nobody is left but the helper.
                    helper.stop();
                }
            }
        } catch (Throwable e) {
            if (helper != null) {
                helper.abandon(e);
            }
            scheduler.carrierFailed(this, e);
            throw e;
        }
    }

    private void runTeam() {
        while (team.size() > 0) {
            mount(team.turn());
        }
    }

    /**
     * Everybody who is ready now gets one turn; who becomes ready meanwhile waits for the next time, unless it is in
     * the middle of what others may wait for.
     *
     * <p>Where the governor decides, a list waits for no more turns than its team has members. Who waits in a list is
     * in the middle of a transaction, and of ten thousand who are ready all would follow, into that list or into queues
     * for the locks of those in it, with memory of their own, for the trial of a hundred members.
     */
    private void runStrays() {
        int left = ready.size();
        int resumedInARow = 0;
        int turnsBesideLists = 0;
        // Ends because one of the first two counts changes towards its limit, and the other starts anew only with left.
        while (team.size() == 0) {
            boolean readyIsNext = resumed.isEmpty() || resumedInARow >= Scheduler.RESUMED_IN_A_ROW_MAX;
            if (readyIsNext && (left == 0 || ready.isEmpty())) {
                return;
            }
            if (readyIsNext && teamMode == TeamMode.GOVERNED && !waiting.isEmpty() && ++turnsBesideLists > teamLimit) {
                return;
            }
            left -= readyIsNext ? 1 : 0;
            resumedInARow = readyIsNext ? 0 : resumedInARow + 1;
            mount(readyIsNext ? ready.poll() : resumed.poll());
        }
    }

    private void runForeignTasks() {
        for (int left = foreignTasks.size(); left > 0; left--) {
            Runnable task = foreignTasks.poll();
            if (task == null) {
                return;
            }
            task.run();
        }
    }

    private void chooseNext() {
        teamsInPlace = 0;
        int readyBeside = ready.size() + resumed.size();
        if (lending != null && lending.isDue() && lending.reclaim() && !teams.isOverdue()) {
            lending.form(readyBeside);
        } else if (!waiting.isEmpty()) {
            teams.form(teams.chooseList(), readyBeside);
            considerLending();
        } else if (!isAnyReady() && foreignTasks.isEmpty() && (lending == null || !lending.reclaim())) {
            sleep();
        }
    }

    private void sleep() {
        setIdleVolatile(true);
        if (inbox.isEmpty() && foreignTasks.isEmpty() && !stoppingVolatile()) {
            SThread first = timers.first();
            if (first == null) {
                LockSupport.park(this);
            } else {
                InstalledTime.parkNanos(this, Math.max(1, first.deadlineNanos - InstalledTime.nanoTime()));
            }
            // A carrier is nobody's to interrupt; a flag left set would turn this loop into a spin.
            Thread.interrupted();
        }
        setIdleVolatile(false);
        mountsSinceTimerCheck = MOUNTS_PER_TIMER_CHECK;
    }

    private void mount(SThread sThread) {
        running = sThread;
        sThread.state = SThread.State.RUNNING;
        mountsSinceTimerCheck++;
        if (InstalledProbe.isPresent()) {
            mountTold(sThread);
        } else {
            sThread.mount();
        }
        running = null;
        settle(sThread);
    }

    /** Who asks to be suspended tells the probe itself, nearer to its operation; here those who are new or parked. */
    private void mountTold(SThread sThread) {
        if (sThread.mountUntold) {
            InstalledProbe.resumed(sThread);
        }
        sThread.mount();
        InstalledProbe.left(sThread);
        sThread.mountUntold = sThread.request == SThread.Request.NONE;
    }

    /** Puts an S-thread that gave up the carrier where it asked to be. */
    private void settle(SThread sThread) {
        SThread.Request request = sThread.request;
        sThread.request = SThread.Request.NONE;
        sThread.sampledList = null;
        if (barrier != null) {
            barrier.leave(side);
        }
        if (sThread.leading && sThread.member) {
            stagedTeams.holdFollowers(sThread);
        }
        switch (request) {
            case SWITCH -> {
                sThread.state = SThread.State.TEAMED;
                OperationList list = lists[sThread.operation];
                list.counters.add(OperationCounters.SWITCHES, 1);
                events.switched(scheduler, index, list.operation, sThread.name(), team.size());
                team.pass();
            }
            case JOIN -> {
                teams.leave(sThread, null);
                teams.join(sThread, lists[sThread.operation]);
            }
            case JOINED -> {
                // It is in its list already, or even in the team that was formed from it.
                considerLending();
            }
            case TURN_OVER -> {
                teams.leave(sThread, null);
                makeReady(sThread);
            }
            case LEAVE -> {
                teams.leave(sThread, null);
                sThread.state = SThread.State.READY;
                resumed.append(sThread);
            }
            case GIVE_WAY -> {
                teams.leave(sThread, null);
                sThread.state = SThread.State.READY;
                ready.prepend(sThread);
            }
            case YIELD -> {
                teams.leave(sThread, WaitReason.YIELD);
                makeReady(sThread);
                listsFirst = true;
            }
            case WAIT -> settleWaiting(sThread, sThread.waitReason, sThread.deadlineNanos);
            case NONE -> settleWaiting(sThread, WaitReason.OTHER, Waiter.NO_DEADLINE);
            case END -> {
                teams.leave(sThread, null);
                sThread.state = SThread.State.ENDED;
                liveCount--;
                scheduler.ended(sThread);
            }
        }
    }

    private void settleWaiting(SThread sThread, WaitReason reason, long deadlineNanos) {
        teams.leave(sThread, reason);
        sThread.waitReason = reason;
        if (sThread instanceof VirtualSThread virtual && virtual.isResubmitted()) {
            makeReadyAfterWait(sThread);
            return;
        }
        sThread.state = SThread.State.WAITING;
        if (deadlineNanos != Waiter.NO_DEADLINE) {
            timers.add(sThread);
        }
    }

    private void makeReady(SThread sThread) {
        sThread.state = SThread.State.READY;
        sThread.operationsThisTurn = 0;
        ready.append(sThread);
    }

    /**
     * Who holds up others goes on before them, but only to the end of its transaction: its turn has passed, and the one
     * that it interrupts goes on afterwards.
     */
    private void makeReadyAfterWait(SThread sThread) {
        if (sThread.timerIndex != TimerHeap.ABSENT) {
            timers.remove(sThread);
        }
        if (sThread.waitReason.holdsUpOthers()) {
            sThread.state = SThread.State.READY;
            sThread.operationsThisTurn = Scheduler.OPERATIONS_PER_TURN;
            resumed.append(sThread);
        } else {
            makeReady(sThread);
        }
    }

    private void arrive(SThread sThread) {
        if (sThread.state == SThread.State.NEW) {
            liveCount++;
            makeReady(sThread);
        } else if (sThread.state == SThread.State.WAITING) {
            makeReadyAfterWait(sThread);
        }
    }

    private void pollArrivals() {
        InboxNode node = inbox.drain();
        while (node != null) {
            InboxNode next = node.nextInInbox;
            node.nextInInbox = null;
            node.clearQueued();
            if (node instanceof SThread sThread) {
                arrive(sThread);
            } else {
                lending.takeBack();
            }
            node = next;
        }
        if (!timers.isEmpty() && ++mountsSinceTimerCheck >= MOUNTS_PER_TIMER_CHECK) {
            mountsSinceTimerCheck = 0;
            expireTimers(InstalledTime.nanoTime());
        }
    }

    private void expireTimers(long now) {
        // Ends because every round removes an element.
        for (SThread first = timers.first(); first != null && first.deadlineNanos - now <= 0; first = timers.first()) {
            timers.remove(first);
            first.wake();
        }
    }

    // ---- memory ordering

    /** With {@link #setIdleVolatile}: who adds work looks here afterwards, who sleeps looks for work afterwards. */
    private boolean idleVolatile() {
        return (boolean) IDLE.getVolatile(this);
    }

    private void setIdleVolatile(boolean value) {
        IDLE.setVolatile(this, value);
    }

    private boolean stoppingVolatile() {
        return (boolean) STOPPING.getVolatile(this);
    }

    private void setStoppingVolatile(boolean value) {
        STOPPING.setVolatile(this, value);
    }
}
