package dev.lockstep.scheduler;

import jdk.internal.vm.Continuation;
import jdk.internal.vm.ContinuationScope;

/**
 * An S-thread that is a raw continuation, mounted only from the clean loop of its carrier. The only class that touches
 * {@code jdk.internal.vm}; it is not loaded unless that package is exported to this module.
 */
final class ContinuationSThread extends SThread {
    private static final ContinuationScope SCOPE = new ContinuationScope("lockstep");

    private final Body continuation;
    private String pinnedReason = "none";

    ContinuationSThread(Scheduler scheduler, CarrierThread carrier, String name, Runnable body) {
        super(scheduler, carrier, name, body);
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
            super(SCOPE, owner::runBody);
            this.owner = owner;
        }

        /** The default throws; we let {@code yield} return {@code false} and decide there. */
        @Override
        protected void onPinned(Continuation.Pinned reason) {
            owner.pinnedReason = reason.name();
        }
    }
}
