package dev.lockstep.scheduler.latch;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A latch with the two mistakes that {@link LatchTable} must not make, each selectable: the version does not change
 * when an exclusive hold ends, or a shared hold ignores an exclusive one. It exists to show that the tests of the real
 * one can fail.
 */
final class WeakenedLatchTable {
    /** The mistake. */
    enum Mistake {
        VERSION_STAYS,
        SHARED_IGNORES_EXCLUSIVE
    }

    private static final long EXCLUSIVE = 1;
    private static final long SHARED_ONE = 2;
    private static final long VERSION_ONE = 1L << 16;

    private final AtomicLong word = new AtomicLong();
    private final Mistake mistake;

    WeakenedLatchTable(Mistake mistake) {
        this.mistake = mistake;
    }

    long optimisticVersionAcquire() {
        int attempt = 0;
        while (true) {
            long seen = word.getAcquire();
            if ((seen & EXCLUSIVE) == 0) {
                return seen >>> 16;
            }
            attempt = Backoff.pause(attempt);
        }
    }

    boolean validateAcquire(long version) {
        long seen = word.getAcquire();
        return (seen & EXCLUSIVE) == 0 && seen >>> 16 == version;
    }

    void latchExclusive() {
        int attempt = 0;
        while (true) {
            long seen = word.get();
            if ((seen & (VERSION_ONE - 1)) == 0 && word.compareAndSet(seen, seen | EXCLUSIVE)) {
                return;
            }
            attempt = Backoff.pause(attempt);
        }
    }

    void unlatchExclusive() {
        word.addAndGet(-EXCLUSIVE + (mistake == Mistake.VERSION_STAYS ? 0 : VERSION_ONE));
    }

    void latchShared() {
        int attempt = 0;
        while (true) {
            long seen = word.get();
            boolean admitted = (seen & EXCLUSIVE) == 0 || mistake == Mistake.SHARED_IGNORES_EXCLUSIVE;
            if (admitted && word.compareAndSet(seen, seen + SHARED_ONE)) {
                return;
            }
            attempt = Backoff.pause(attempt);
        }
    }

    void unlatchShared() {
        word.addAndGet(-SHARED_ONE);
    }
}
