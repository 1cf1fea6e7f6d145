package dev.lockstep.scheduler;

/**
 * Makes the S-threads of a carrier ready: those that are new, were woken, or have waited long enough.
 *
 * <p>Invariants: {@code timers} holds those S-threads that wait with a deadline; {@code liveCount} is how many have
 * arrived and not ended.
 *
 * <p>Thread-safety: none; it belongs to its carrier's thread.
 */
final class Wakeups {
    /**
     * Mounts between two looks at the clock for expired waits while there is work: with operations of 250 ns and ten
     * members, a limit is noticed within 160 µs.
     */
    static final int MOUNTS_PER_TIMER_CHECK = 32;

    private final Arrivals arrivals;
    private final ReadyQueue ready;
    private final Lending lending;
    private final TimerHeap timers = new TimerHeap();
    private int liveCount;
    private int mountsSinceTimerCheck;

    Wakeups(Arrivals arrivals, ReadyQueue ready, Lending lending) {
        this.arrivals = arrivals;
        this.ready = ready;
        this.lending = lending;
    }

    int liveCount() {
        return liveCount;
    }

    /** An S-thread has ended. */
    void ended() {
        liveCount--;
    }

    /** An S-thread is about to run. */
    void mounting() {
        mountsSinceTimerCheck++;
    }

    /** Makes a new or waiting S-thread ready; has no effect on one that is neither. */
    void arrive(SThread sThread) {
        if (sThread.state == SThread.State.NEW) {
            liveCount++;
            appendReady(sThread);
        } else if (sThread.state == SThread.State.WAITING) {
            makeReady(sThread);
        }
    }

    /**
     * Makes room for one more wait with a deadline. Where memory for it is missing, it is the S-thread that is about to
     * wait which fails, and not the carrier with all the others.
     */
    void reserveTimer() {
        timers.reserve();
    }

    /** Has an S-thread that is in no team wait until it is woken, or until the deadline if there is one. */
    void await(SThread sThread, WaitReason reason, long deadlineNanos) {
        sThread.waitReason = reason;
        if (sThread instanceof VirtualSThread virtual && virtual.isResubmitted()) {
            makeReady(sThread);
            return;
        }
        sThread.state = SThread.State.WAITING;
        if (deadlineNanos != Waiter.NO_DEADLINE) {
            timers.add(sThread);
        }
    }

    /**
     * Who holds up others goes on before them, but only to the end of its transaction: its turn has passed, and the one
     * that it interrupts goes on afterwards. So does who has slept with a latch, or with the works of others, in its
     * hands, whatever it has slept for: its latch may be what those wait for who go before it.
     */
    private void makeReady(SThread sThread) {
        if (sThread.timerIndex != TimerHeap.ABSENT) {
            timers.remove(sThread);
        }
        boolean holdsUpOthers = sThread.waitReason.holdsUpOthers() || sThread.latchesHeld() != 0 || sThread.leading;
        if (holdsUpOthers && sThread.priority != SThreadPriority.HIGH) {
            sThread.operationsThisTurn = Scheduler.OPERATIONS_PER_TURN;
            ready.appendResumed(sThread);
        } else {
            appendReady(sThread);
        }
    }

    /** One of high priority interrupts others as well, and as long. */
    private void appendReady(SThread sThread) {
        if (sThread.priority == SThreadPriority.HIGH) {
            sThread.operationsThisTurn = Scheduler.OPERATIONS_PER_TURN;
            ready.appendUrgent(sThread);
        } else {
            ready.append(sThread);
        }
    }

    /** Whether {@link #poll} may find somebody. */
    boolean mayFind() {
        return arrivals.hasNodes() || !timers.isEmpty();
    }

    /** Takes in who has arrived, and now and then wakes those that have waited long enough. */
    void poll() {
        InboxNode node = arrivals.drain();
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

    /**
     * Sleeps until something has come or somebody has waited long enough; {@link #poll} finds it.
     *
     * @param liveCountAtEnd S-threads that the carrier still has when it looks whether it is to stop
     */
    void sleep(int liveCountAtEnd) {
        SThread first = timers.first();
        arrivals.await(first == null ? Waiter.NO_DEADLINE : first.deadlineNanos, liveCount <= liveCountAtEnd);
        mountsSinceTimerCheck = MOUNTS_PER_TIMER_CHECK;
    }
}
