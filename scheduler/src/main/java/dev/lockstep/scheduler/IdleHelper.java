package dev.lockstep.scheduler;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Does works of other carriers' S-threads while its own carrier has nothing to do. It is an S-thread of its carrier,
 * since works may have to wait for a latch, and its holder for this very carrier.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code offer} is a list that was offered and not yet taken, by this helper or by who has offered it; or
 *       {@code null}; or {@code closed} from the end on.
 *   <li>{@code taken} is what the helper is at work on. Its carrier's thread alone uses it.
 * </ul>
 *
 * <p>Thread-safety: {@link #casOffer}, {@link #isFree} and {@link #signal} by any thread, everything else by its
 * carrier's.
 */
final class IdleHelper {
    private static final VarHandle OFFER;

    static {
        try {
            OFFER = MethodHandles.lookup().findVarHandle(IdleHelper.class, "offer", LentList.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Scheduler scheduler;
    private final Waiter waiter = new Waiter();
    private final LentList closed = new LentList(null);
    private final SThread sThread;

    @SuppressWarnings("unused")
    private LentList offer;

    private LentList taken;
    private boolean stops;

    IdleHelper(Scheduler scheduler, CarrierThread carrier) {
        this.scheduler = scheduler;
        this.sThread = scheduler.newSThread(carrier, carrier.getName() + "-helper", this::run);
    }

    /** Once, before its carrier looks for arrivals. */
    void begin() {
        sThread.begin();
    }

    /** Whether it could be offered something. */
    boolean isFree() {
        return offerVolatile() == null;
    }

    /** Offers a list, or takes it back. Who has offered one calls {@link #signal} next. */
    boolean casOffer(LentList expected, LentList replacement) {
        return OFFER.compareAndSet(this, expected, replacement);
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

    private void run() {
        try {
            while (!stops) {
                waiter.prepare();
                LentList lent = exchangeOffer(null);
                if (lent != null) {
                    doWorks(lent);
                } else if (!stops) {
                    waiter.awaitUninterruptibly(Waiter.NO_DEADLINE, WaitReason.OTHER);
                }
            }
        } finally {
            close();
        }
    }

    private void doWorks(LentList lent) {
        taken = lent;
        lent.done = true;
        if (InstalledProbe.isPresent()) {
            InstalledProbe.begin(sThread, scheduler.probeNumber(lent.list.operation));
        }
        try {
            lent.works[0].runTogether(lent.works, lent.count);
        } catch (RuntimeException | Error failure) {
            lent.failure = failure;
        }
        InstalledProbe.end(sThread);
        taken = null;
        lent.giveBack();
    }

    private void close() {
        LentList left = exchangeOffer(closed);
        if (left != null && left.home != null) {
            left.giveBack();
        }
    }

    private LentList offerVolatile() {
        return (LentList) OFFER.getVolatile(this);
    }

    private LentList exchangeOffer(LentList replacement) {
        return (LentList) OFFER.getAndSet(this, replacement);
    }
}
