package dev.lockstep.scheduler;

import java.util.concurrent.atomic.AtomicReference;

/**
 * A slot with the mistakes that {@link LendingSlot} must not make, each selectable: it looks first and writes then. It
 * exists to show that the tests of the real one can fail.
 */
final class WeakenedLendingSlot {
    /** The mistake. */
    enum Mistake {
        OFFERS_IN_TWO_STEPS,
        TAKES_BACK_IN_TWO_STEPS,
        CLOSES_IN_TWO_STEPS
    }

    private final LentList closed = new LentList(null, SchedulerOptions.TEAM_LIMIT_DEFAULT);
    private final AtomicReference<LentList> offer = new AtomicReference<>();
    private final Mistake mistake;

    WeakenedLendingSlot(Mistake mistake) {
        this.mistake = mistake;
    }

    boolean offer(LentList list) {
        return replace(null, list, mistake == Mistake.OFFERS_IN_TWO_STEPS);
    }

    boolean takeBack(LentList list) {
        return replace(list, null, mistake == Mistake.TAKES_BACK_IN_TWO_STEPS);
    }

    LentList takeOrNull() {
        return offer.getAndSet(null);
    }

    LentList closeOrNull() {
        LentList left = offer.get();
        if (mistake != Mistake.CLOSES_IN_TWO_STEPS) {
            left = offer.getAndSet(closed);
        } else {
            offer.set(closed);
        }
        return left;
    }

    private boolean replace(LentList expected, LentList replacement, boolean inTwoSteps) {
        if (!inTwoSteps) {
            return offer.compareAndSet(expected, replacement);
        }
        if (offer.get() != expected) {
            return false;
        }
        offer.set(replacement);
        return true;
    }
}
