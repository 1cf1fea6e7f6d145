package dev.lockstep.engine.lock;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** A lock table of which each pass through a stripe is counted. */
public final class CountedStripes {
    private final AtomicInteger passes = new AtomicInteger();

    /** A stripe that counts. */
    private final class Counted extends LockStripe {
        Counted(LockManager manager) {
            super(manager);
        }

        @Override
        void latch() {
            super.latch();
            passes.incrementAndGet();
        }
    }

    /** Opens a database with such a lock table. */
    public <T> T opening(Supplier<T> open) {
        return LockFault.opening(Counted::new, open);
    }

    LockManager newManager(int stripeCount) {
        return new LockManager(stripeCount, LockManager.PASSES_MAX, Counted::new);
    }

    /** Passes so far. */
    public int passes() {
        return passes.get();
    }

    /** How many stripes have one of the names. */
    public static int stripesOf(LockManager manager, long... names) {
        Set<LockStripe> stripes = new HashSet<>();
        for (long name : names) {
            stripes.add(manager.stripe(name));
        }
        return stripes.size();
    }
}
