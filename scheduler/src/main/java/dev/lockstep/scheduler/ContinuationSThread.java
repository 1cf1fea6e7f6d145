package dev.lockstep.scheduler;

import java.util.function.BooleanSupplier;
import jdk.internal.vm.Continuation;
import jdk.internal.vm.ContinuationScope;

/**
 * An S-thread that is a raw continuation for each of its rounds, mounted only from the clean loop of its carrier. The
 * only class that touches {@code jdk.internal.vm}; it is not loaded unless that package is exported to this module.
 *
 * <p>Invariant: {@code nextRoundOrNull} is set from the end of a round that is not the last until its own begins, all
 * within one {@link #mount()}.
 */
final class ContinuationSThread extends SThread {
    private static final ContinuationScope SCOPE = new ContinuationScope("lockstep");

    private Body continuation;
    private Body nextRoundOrNull;
    private String pinnedReason = "none";

    ContinuationSThread(Scheduler scheduler, CarrierThread carrier, String name, BooleanSupplier round) {
        super(scheduler, carrier, name, round);
        continuation = new Body(this);
    }

    @Override
    public SThreadKind kind() {
        return SThreadKind.CONTINUATION;
    }

    @Override
    void begin() {
        carrier.submit(this);
    }

    @Override
    void mount() {
        continuation.run();
        // Ends when a round gives up the carrier, or is the last one.
        while (nextRoundOrNull != null) {
            continuation = nextRoundOrNull;
            nextRoundOrNull = null;
            continuation.run();
        }
    }

    @Override
    void prepareRound() {
        nextRoundOrNull = new Body(this);
    }

    @Override
    boolean giveUpCarrier() {
        return Continuation.yield(SCOPE);
    }

    @Override
    void giveUpCarrierUntilWoken(Waiter blocker) {
        if (!Continuation.yield(SCOPE)) {
            throw new PinnedSThreadException(this, pinnedReason);
        }
    }

    @Override
    void wake() {
        carrier.submit(this);
    }

    private static final class Body extends Continuation {
        private final ContinuationSThread owner;

        Body(ContinuationSThread owner) {
            super(SCOPE, owner::runRound);
            this.owner = owner;
        }

        /** The default throws; we let {@code yield} return {@code false} and decide there. */
        @Override
        protected void onPinned(Continuation.Pinned reason) {
            owner.pinnedReason = reason.name();
        }
    }
}
