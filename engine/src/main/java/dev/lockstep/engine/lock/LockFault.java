package dev.lockstep.engine.lock;

import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A lock table that is broken on purpose, to show that the proofs of isolation can fail. Only the module of the
 * benchmarks sees this package, and only a database that is opened inside {@link #opening} is broken: no option, no
 * property and no other thread leads here.
 */
public enum LockFault {
    /** A lock on a key in mode S is said to be granted and is not: readers neither wait nor make others wait. */
    READS_UNLOCKED,
    /** A lock on a gap in mode GAP_S is said to be granted and is not: nothing keeps new keys out of a range. */
    GAPS_UNLOCKED,
    /** A lock on a key in mode X is granted as U: writers keep each other out, but not readers. */
    WRITES_SHARED;

    private static final ScopedValue<Function<LockManager, LockStripe>> MAKER = ScopedValue.newInstance();

    /**
     * Opens a database.
     *
     * @param fault what is broken in its lock table, if anything
     * @param open opens it, on this thread
     * @return what {@code open} returns
     */
    public static <T> T opening(Optional<LockFault> fault, Supplier<T> open) {
        return fault.isEmpty() ? open.get() : opening(manager -> new FaultyLockStripe(manager, fault.get()), open);
    }

    /** Opens a database whose lock table has other stripes. */
    static <T> T opening(Function<LockManager, LockStripe> maker, Supplier<T> open) {
        return ScopedValue.where(MAKER, maker).call(open::get);
    }

    /** What makes the stripes of a lock table that is created now. */
    static Function<LockManager, LockStripe> stripeMaker() {
        return MAKER.isBound() ? MAKER.get() : LockStripe::new;
    }

    /** What is taken in place of a mode, {@link LockMode#NONE} if nothing is. */
    int weaken(long name, int mode) {
        if (LockName.isTable(name)) {
            return mode;
        }
        int key = LockMode.keyPart(mode);
        int gap = LockMode.gapPart(mode);
        return switch (this) {
            case READS_UNLOCKED -> (key == LockMode.S ? LockMode.NONE : key) | gap;
            case GAPS_UNLOCKED -> key | (gap == LockMode.GAP_S ? LockMode.NONE : gap);
            case WRITES_SHARED -> (key == LockMode.X ? LockMode.U : key) | gap;
        };
    }
}
