package dev.lockstep.scheduler;

/**
 * Does works of other carriers' S-threads while its own carrier has nothing to do. It is an S-thread of its carrier,
 * since works may have to wait for a latch, and its holder for this very carrier.
 *
 * <p>Invariants: {@code taken} is what the helper is at work on.
 *
 * <p>Thread-safety: {@link #slot} and {@link #signal} by any thread, everything else by its carrier's.
 */
final class IdleHelper {
    private final Scheduler scheduler;
    private final Waiter waiter = new Waiter();
    private final LendingSlot slot = new LendingSlot();
    private final SThread sThread;

    private LentList taken;
    private boolean stops;

    IdleHelper(Scheduler scheduler, CarrierThread carrier) {
        this.scheduler = scheduler;
        this.sThread = scheduler.newSThread(carrier, carrier.getName() + "-helper", this::look);
    }

    /** Once, before its carrier looks for arrivals. */
    void begin() {
        sThread.begin();
    }

    /** Where it is offered lists. Who has offered one calls {@link #signal} next. */
    LendingSlot slot() {
        return slot;
    }

    void signal() {
        waiter.signal();
    }

    /** Has the S-thread end, when it is through with what it is at. */
    void stop() {
        stops = true;
        signal();
    }

    /** Its carrier runs nobody any more. */
    void abandon(Throwable failure) {
        close();
        if (taken != null) {
            taken.failure = failure;
            taken.giveBack();
            taken = null;
        }
    }

    /** Does what is offered, or waits for it; returns whether to look again. */
    private boolean look() {
        boolean goesOn = false;
        try {
            waiter.prepare();
            LentList lent = slot.takeOrNull();
            if (lent != null) {
                doWorks(lent);
            } else if (!stops) {
                waiter.awaitUninterruptibly(Waiter.NO_DEADLINE, WaitReason.OTHER);
            }
            goesOn = !stops;
        } finally {
            if (!goesOn) {
                close();
            }
        }
        return goesOn;
    }

    private void doWorks(LentList lent) {
        taken = lent;
        sThread.leading = true;
        lent.done = true;
        if (InstalledProbe.isPresent()) {
            InstalledProbe.begin(sThread, scheduler.probeNumber(lent.list.operation));
        }
        try {
            lent.works[0].runTogether(lent.works, lent.count);
        } catch (Throwable failure) {
            lent.failure = failure;
        }
        InstalledProbe.end(sThread);
        sThread.leading = false;
        taken = null;
        lent.giveBack();
    }

    private void close() {
        LentList left = slot.closeOrNull();
        if (left != null) {
            left.giveBack();
        }
    }
}
