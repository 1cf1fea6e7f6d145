package dev.lockstep.scheduler;

/**
 * A platform thread that runs S-threads, and the loop in which it does. While there is a team, the member whose turn it
 * is; behind a stray first tasks that are no S-threads. When the team is empty, in the paper's order: arrivals and
 * expired waits; every stray that is ready now, each until it joins a list or gives up the carrier again; tasks that
 * are no S-threads; then the next team, chosen by the policy (STEPS, 4.1).
 *
 * <p>Its parts, each for one thing: {@link Arrivals} for what comes from other threads, {@link Wakeups} for those that
 * wait, {@link ReadyQueue} for those that can run and are in no list, {@link CarrierTeams} for lists and the team,
 * {@link OperationWrapper} for the beginning of an operation, {@link MemberTurns} for switch points,
 * {@link CarrierTurns} for turns without a team, {@link StagedTeams} for works done together, {@link Lending} and
 * {@link IdleHelper} for works done elsewhere, {@link TeamEpochs} for whether teams pay.
 *
 * <p>Invariants:
 * <ul>
 *   <li>All parts but {@code arrivals}, and all fields here but {@code failed}, are touched only by code that runs on
 *       this thread: its loop and the S-threads mounted on it.
 *   <li>{@code running} is the mounted S-thread, {@code null} in the loop and while a foreign task runs.
 *   <li>A continuation is mounted only from {@link #run()}, which holds no monitor.
 * </ul>
 *
 * <p>Thread-safety: {@link #submit}, {@link #takeBack}, {@link #isIdle}, {@link #hasFailed}, {@link #addForeignTask},
 * {@link #isCurrent}, {@link #stopWhenDrained} and {@link #publishedListOrNull} by any thread.
 */
final class CarrierThread extends Thread {
    /** Switches in a team between two looks at the clock, which takes a fifth of the time of a switch. */
    private static final int MOUNTS_PER_LOOK = 64;

    private final Scheduler scheduler;
    private final int index;
    private final TeamMode teamMode;
    private final int teamLimit;
    private final boolean stagesTeams;

    /** That it is bound to, or -1. */
    private final int processor;

    private final SchedulerEvents events = new SchedulerEvents();
    private final StackProbe stack = new StackProbe();
    private final Arrivals arrivals;
    private final ReadyQueue ready = new ReadyQueue();
    private final CarrierTeams teams;
    private final StagedTeams stagedTeams;
    private final MemberTurns memberTurns;
    private final CarrierTurns carrierTurns;
    private final OperationWrapper wrapper;
    private final Wakeups wakeups;
    private final Lending lending;

    /** {@code null} where carriers do not help each other. */
    private final IdleHelper helper;

    /** The lists and the team of {@link #teams}, kept here as well because every operation asks for them. */
    private final OperationList[] lists;

    private final Team team;
    private final WaitingLists waiting;
    private final TeamEpochs epochs;

    private volatile boolean failed;

    private SThread running;

    /** Whether a stray has left the running team to others, whose turn comes next. */
    private boolean strayLeft;

    /** S-threads that have gone on in the middle of what others may wait for since the last one had its turn. */
    private int resumedInARow;

    /** Whether somebody has yielded, who would otherwise be a stray and go on before any team. */
    private boolean listsFirst;

    /** Since the beginning, as long as {@link #epochs} want to know. */
    private int mountsInTeams;

    /** How many waited for a turn when the last team went before them for that reason; 0 if it did not. */
    private int passedOver;

    CarrierThread(Scheduler scheduler, int index, SchedulerOptions options) {
        super(options.name() + "-carrier-" + index);
        this.scheduler = scheduler;
        this.index = index;
        this.teamMode = options.teamMode();
        this.teamLimit = options.teamLimit();
        this.stagesTeams = options.teamExecution() == TeamExecution.STAGED;
        this.processor = options.nodes().processorOfCarrier(index);
        this.arrivals = new Arrivals(this, scheduler::reportUncaught);
        this.teams = new CarrierTeams(scheduler, index, options, events);
        this.lists = teams.lists();
        this.team = teams.team();
        this.waiting = teams.waiting();
        this.epochs = teams.epochs();
        this.stagedTeams = new StagedTeams(teams);
        this.helper = Lending.isOn(options) ? new IdleHelper(scheduler, this) : null;
        this.lending = new Lending(scheduler, this, index, options, teams);
        this.wakeups = new Wakeups(arrivals, ready, lending);
        this.memberTurns = new MemberTurns(scheduler, index, options, teams);
        this.carrierTurns = new CarrierTurns(index, stack, teams, memberTurns, ready, arrivals, wakeups, lending);
        this.wrapper = new OperationWrapper(stack, teams, memberTurns, carrierTurns, ready, arrivals, lending);
        setDaemon(true);
    }

    // ---- what any thread may call

    boolean isCurrent() {
        return CurrentCarrier.get() == this;
    }

    /** Makes a new or waiting S-thread ready; has no effect on one that is neither. */
    void submit(SThread sThread) {
        if (isCurrent()) {
            wakeups.arrive(sThread);
        } else {
            arrivals.push(sThread);
        }
    }

    /** A list of this carrier comes back. */
    void takeBack(LentList lent) {
        arrivals.push(lent);
    }

    /** Whether it has nothing to do; perhaps no longer when this is read. */
    boolean isIdle() {
        return arrivals.isIdle();
    }

    /** Whether its S-threads have ended with it, or are about to. */
    boolean hasFailed() {
        return failed;
    }

    void markFailed() {
        failed = true;
    }

    IdleHelper helper() {
        return helper;
    }

    /**
     * A task that is no S-thread, such as a virtual thread started by an S-thread: runs between teams, or where a stray
     * leaves one, and elsewhere once this carrier has ended.
     */
    void addForeignTask(Runnable task) {
        arrivals.addTask(task);
    }

    void stopWhenDrained() {
        arrivals.stop();
    }

    OperationList publishedListOrNull(int operation) {
        return teams.publishedListOrNull(operation);
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
            stack.reserve();
            stagedTeams.lead(sThread, ready);
        }
    }

    void beginOperation(SThread sThread, int operation) {
        wrapper.begin(sThread, operation);
    }

    void endOperation(SThread sThread) {
        memberTurns.endOperation(sThread);
    }

    /** To be called by who is about to wait with a deadline. */
    void reserveTimer() {
        wakeups.reserveTimer();
    }

    void endBody(SThread sThread) {
        wrapper.endBody(sThread);
    }

    void switchPoint(SThread sThread) {
        memberTurns.switchPoint(sThread);
    }

    void yieldTurn(SThread sThread) {
        carrierTurns.yieldTurn(sThread);
    }

    void transactionBoundary(SThread sThread) {
        carrierTurns.transactionBoundary(sThread);
    }

    void transactionEnded(SThread sThread) {
        teams.transactionEnded(sThread);
    }

    void transactionCommitted() {
        epochs.countCommit();
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
            // Ends when told to, after the last S-thread of this carrier has ended. Tasks that are no S-threads, of
            // which there may be one again each time, then run elsewhere.
            while (!(arrivals.isStopping() && wakeups.liveCount() == 0 && !arrivals.hasNodes())) {
                teams.follow(scheduler.teamsAllowed());
                runTeam();
                wakeups.poll();
                runStraysUnlessListsAreFirst();
                if (team.size() == 0) {
                    arrivals.runTasks();
                    chooseNext();
                }
                if (helper != null && wakeups.liveCount() == 1 && arrivals.isStopping()) {
                    // Nobody is left but the helper.
                    helper.stop();
                }
            }
        } catch (Throwable e) {
            try {
                // First, so that who sees works come back undone, or all members end, sees the failure too.
                scheduler.carrierFailed(this, e);
            } finally {
                if (helper != null) {
                    helper.abandon(e);
                }
            }
            throw e;
        } finally {
            arrivals.end();
        }
    }

    /**
     * The successor of a stray is next, unless tasks that are no S-threads wait, or one of higher priority: those go
     * first (STEPS, 4.1.3). It is one for each stray, so that the others of the team have their turns too.
     */
    private void runTeam() {
        while (team.size() > 0) {
            if (strayLeft) {
                strayLeft = false;
                runBeforeSuccessor();
            } else {
                mount(team.turn());
            }
        }
    }

    private void runBeforeSuccessor() {
        if (wakeups.mayFind()) {
            wakeups.poll();
        }
        if (arrivals.hasTasks() || ready.hasUrgent()) {
            long startNanos = InstalledTime.nanoTime();
            arrivals.runTasks();
            if (ready.hasUrgent()) {
                mount(ready.pollUrgent());
            }
            teams.leaveOutSince(startNanos);
        }
    }

    /** Before the next team as many have a turn as one team went before; who has yielded in that one is not counted. */
    private void runStraysUnlessListsAreFirst() {
        if (!listsFirst || waiting.isEmpty()) {
            runStrays(ready.turnCount());
            passedOver = 0;
        } else if (passedOver > 0) {
            runStrays(passedOver);
            passedOver = 0;
        } else {
            passedOver = ready.turnCount();
        }
        listsFirst = false;
    }

    /**
     * As many have a turn as wait for one now; of those who become ready meanwhile, only who is in the middle of what
     * others may wait for comes on top of that. Who they are is the order of {@link TurnQueue}, in which one who comes
     * later may go before one who waits, though never twice.
     *
     * <p>Where the governor decides, a list waits for no more turns than its team has members. Who waits in a list is
     * in the middle of a transaction, and of ten thousand who are ready all would follow, into that list or into queues
     * for the locks of those in it, with memory of their own, for the trial of a hundred members.
     *
     * @param turns how many of those that wait for a turn are to have it
     */
    private void runStrays(int turns) {
        int left = turns;
        int turnsBesideLists = 0;
        if (!ready.hasTurns()) {
            resumedInARow = 0;
        }
        // Ends because one of the first two counts changes towards its limit, and the other starts anew only with left.
        while (team.size() == 0) {
            boolean turnIsNext = !ready.hasResumed() || resumedInARow >= Scheduler.RESUMED_IN_A_ROW_MAX;
            if (turnIsNext && (left == 0 || !ready.hasTurns())) {
                return;
            }
            if (turnIsNext && teamMode == TeamMode.GOVERNED && !waiting.isEmpty() && ++turnsBesideLists > teamLimit) {
                return;
            }
            left -= turnIsNext ? 1 : 0;
            resumedInARow = turnIsNext ? 0 : resumedInARow + 1;
            mount(turnIsNext ? ready.pollTurn() : ready.pollResumed());
        }
    }

    private void chooseNext() {
        wrapper.loopEntered();
        if (lending.isDue() && lending.reclaim() && lending.isNext()) {
            lending.form(ready.size());
        } else if (!waiting.isEmpty()) {
            teams.form(teams.chooseList(), ready.size());
            lending.consider();
        } else if (ready.isEmpty() && !arrivals.hasTasks() && !lending.reclaim()) {
            wakeups.sleep(helper == null ? 0 : 1);
        }
    }

    private void mount(SThread sThread) {
        running = sThread;
        sThread.state = SThread.State.RUNNING;
        wakeups.mounting();
        try {
            if (InstalledProbe.isPresent()) {
                mountTold(sThread);
            } else {
                sThread.mount();
            }
        } catch (Throwable e) {
            lose(sThread, e);
        }
        running = null;
        settle(sThread);
        if (epochs.isActive() && (team.size() == 0 || ++mountsInTeams % MOUNTS_PER_LOOK == 0)) {
            epochs.look(InstalledTime.nanoTime(), !waiting.isEmpty());
        }
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

    /**
     * The JVM could not suspend or end an S-thread, for example because it had no memory left to note when a {@link
     * Thread#sleep} is over. It will not run again, which is no reason to end all others of this carrier: it has ended,
     * with that failure if it had none. One that others count on, being in a list or having a latch or their works in
     * its hands, takes the carrier with it.
     */
    private void lose(SThread sThread, Throwable e) {
        boolean waits = sThread.request == SThread.Request.NONE || sThread.request == SThread.Request.WAIT;
        boolean holdsUpOthers = sThread.leading || sThread.latchesHeld() != 0;
        if (holdsUpOthers || !(waits || sThread.request == SThread.Request.END)) {
            throw asUnchecked(e);
        }
        if (waits) {
            sThread.endLost(e);
        }
        scheduler.reportUncaught(e);
    }

    private static RuntimeException asUnchecked(Throwable e) {
        if (e instanceof Error error) {
            throw error;
        }
        return e instanceof RuntimeException unchecked ? unchecked : new IllegalStateException(e);
    }

    /** Puts an S-thread that gave up the carrier where it asked to be. */
    private void settle(SThread sThread) {
        SThread.Request request = sThread.request;
        sThread.request = SThread.Request.NONE;
        sThread.sampledList = null;
        memberTurns.leaveBarrier();
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
                lending.consider();
            }
            case TURN_OVER -> {
                teams.leave(sThread, null);
                ready.append(sThread);
            }
            case LEAVE -> {
                teams.leave(sThread, null);
                ready.appendResumed(sThread);
            }
            case GIVE_WAY -> {
                teams.leave(sThread, null);
                ready.prepend(sThread);
            }
            case YIELD -> {
                leaveAsStray(sThread, WaitReason.YIELD);
                ready.append(sThread);
                listsFirst = true;
            }
            case WAIT -> {
                leaveAsStray(sThread, sThread.waitReason);
                wakeups.await(sThread, sThread.waitReason, sThread.deadlineNanos);
            }
            case NONE -> {
                leaveAsStray(sThread, WaitReason.OTHER);
                wakeups.await(sThread, WaitReason.OTHER, Waiter.NO_DEADLINE);
            }
            case END -> {
                teams.leave(sThread, null);
                teams.transactionEnded(sThread);
                sThread.state = SThread.State.ENDED;
                wakeups.ended();
                scheduler.ended(sThread);
            }
        }
    }

    private void leaveAsStray(SThread sThread, WaitReason why) {
        strayLeft |= sThread.member && team.size() > 1;
        teams.leave(sThread, why);
    }
}
