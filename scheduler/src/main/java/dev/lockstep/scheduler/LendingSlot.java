package dev.lockstep.scheduler;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Where a list is offered to a carrier that has nothing to do. An offer has one taker: the helper of that carrier, or
 * who has offered the list and takes it back.
 *
 * <p>Invariants: {@code offer} is a list that was offered and not yet taken; or {@code null}; or {@code closed} from
 * the end on.
 *
 * <p>Thread-safety: {@link #isFree}, {@link #offer} and {@link #takeBack} by any thread, the others by the helper's.
 */
final class LendingSlot {
    private static final VarHandle OFFER;

    static {
        try {
            OFFER = MethodHandles.lookup().findVarHandle(LendingSlot.class, "offer", LentList.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final LentList closed = new LentList(null, 0);

    @SuppressWarnings("unused")
    private LentList offer;

    LendingSlot() {}

    /** Whether something could be offered; perhaps no longer when this is read. */
    boolean isFree() {
        return offerVolatile() == null;
    }

    /** Offers a list, unless there is another one or the slot is closed; returns whether it did. */
    boolean offer(LentList list) {
        return casOffer(null, list);
    }

    /** Takes back a list that the caller has offered; returns {@code false} if it was taken. */
    boolean takeBack(LentList list) {
        return casOffer(list, null);
    }

    /** Takes what is offered; {@code null} if there is nothing. Not after {@link #closeOrNull}. */
    LentList takeOrNull() {
        return exchangeOffer(null);
    }

    /** Takes no more offers; returns what was offered and not taken, or {@code null}. */
    LentList closeOrNull() {
        LentList left = exchangeOffer(closed);
        return left == closed ? null : left;
    }

    private LentList offerVolatile() {
        return (LentList) OFFER.getVolatile(this);
    }

    private boolean casOffer(LentList expected, LentList replacement) {
        return OFFER.compareAndSet(this, expected, replacement);
    }

    private LentList exchangeOffer(LentList replacement) {
        return (LentList) OFFER.getAndSet(this, replacement);
    }
}
