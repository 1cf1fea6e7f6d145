package dev.lockstep.scheduler.latch;

import static dev.lockstep.scheduler.latch.LatchWordLayout.EXCLUSIVE;
import static dev.lockstep.scheduler.latch.LatchWordLayout.EXCLUSIVE_WANTED;
import static dev.lockstep.scheduler.latch.LatchWordLayout.HOLDERS_MASK;
import static dev.lockstep.scheduler.latch.LatchWordLayout.SHARED_MASK;
import static dev.lockstep.scheduler.latch.LatchWordLayout.SHARED_ONE;
import static dev.lockstep.scheduler.latch.LatchWordLayout.VERSION_ONE;
import static dev.lockstep.scheduler.latch.LatchWordLayout.VERSION_SHIFT;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;

/**
 * A fixed number of versioned latches, each on its own pair of cache lines (layout: {@link LatchWordLayout}).
 *
 * <p>A latch is held by nobody, by one thread exclusively, or by several threads shared. A third way to read is
 * optimistic: take the version, read, and validate that the version is still the same and that nobody holds the
 * latch exclusively. What an optimistic reader has seen before it validated may be torn and must not be acted upon.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code EXCLUSIVE} set implies no shared holders.
 *   <li>The version changes exactly when an exclusive hold that may have modified something ends.
 *   <li>{@code EXCLUSIVE_WANTED} is set only by a thread that then acquires, or clears it when its wait is cut short,
 *       and every exclusive acquisition clears it; so it never stays behind, and readers cannot keep a writer out for
 *       ever. Who still waits when it is cleared sets it again.
 *   <li>A latch knows nothing of who holds it. Latching is not re-entrant, and a shared holder that asks for another
 *       shared hold on the same latch can deadlock with a writer that waits in between.
 * </ul>
 *
 * <p>Beside each latch lie {@link #COMPANIONS} words for what is read or written whenever the latch is: whoever has
 * brought the latch into the cache then has those too. They are 0 at first, mean nothing to the latch, and obey the
 * rules of their owner.
 *
 * <p>A holder parks on no {@code Waiter}, and the scheduler never switches it out, so a wait is short. Waiters spin and
 * then yield; a virtual thread sleeps for moments, even where it holds another latch ({@link Backoff}). A wait
 * for a holder that an error has cut short is ended by a {@link LatchWatch}. Order between several latches is the
 * caller's business.
 *
 * <p>Thread-safety: all methods may be called by any thread. Every exclusive acquisition happens after every earlier
 * release of either mode; every shared acquisition happens after every earlier exclusive release.
 */
public final class LatchTable {
    /** What {@link #tryOptimisticVersionAcquire} returns while the latch is held exclusively. */
    public static final long HELD_EXCLUSIVELY = -1;

    /** Largest number of latches in one table. */
    public static final int LATCHES_MAX = LatchWordLayout.LATCHES_MAX;

    /** Words that each latch has beside it for its owner's use. */
    public static final int COMPANIONS = LatchWordLayout.COMPANIONS;

    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] words;
    private final int latchCount;
    private final LatchWatch watch;

    /**
     * Creates the latches, all at rest with version 0.
     *
     * @param latchCount 1 to {@link #LATCHES_MAX}
     * @throws IllegalArgumentException if {@code latchCount} is outside its range
     */
    public LatchTable(int latchCount) {
        this(latchCount, LatchWatch.NONE);
    }

    /**
     * Creates the latches, all at rest with version 0.
     *
     * @param latchCount 1 to {@link #LATCHES_MAX}
     * @param watch ends waits for a holder that will never give its latch back: every method that waits throws what the
     *     watch throws, without having changed anything
     * @throws IllegalArgumentException if {@code latchCount} is outside its range
     */
    public LatchTable(int latchCount, LatchWatch watch) {
        if (latchCount < 1 || latchCount > LATCHES_MAX) {
            throw new IllegalArgumentException("number of latches out of range: latchCount=" + latchCount
                    + " latchCountMin=1 latchCountMax=" + LATCHES_MAX + "; remedy: use several tables");
        }
        this.latchCount = latchCount;
        this.watch = watch;
        this.words = new long[LatchWordLayout.arrayLongs(latchCount)];
    }

    /** Returns the number of latches; they are numbered from 0. */
    public int latchCount() {
        return latchCount;
    }

    /**
     * Starts an optimistic read; waits while the latch is held exclusively.
     *
     * @return the version to validate with, never negative
     */
    public long optimisticVersionAcquire(int latch) {
        int index = index(latch);
        int round = 0;
        // Ends because an exclusive holder parks on no Waiter and is not switched out (class comment).
        while (true) {
            long word = wordAcquire(index);
            if ((word & EXCLUSIVE) == 0) {
                return LatchWordLayout.version(word);
            }
            round = Backoff.pause(round, watch);
        }
    }

    /**
     * Starts an optimistic read if the latch is not held exclusively.
     *
     * @return the version to validate with, or {@link #HELD_EXCLUSIVELY}
     */
    public long tryOptimisticVersionAcquire(int latch) {
        long word = wordAcquire(index(latch));
        return (word & EXCLUSIVE) == 0 ? LatchWordLayout.version(word) : HELD_EXCLUSIVELY;
    }

    /**
     * Reads the latch for no other purpose than to have its cache line on the way.
     *
     * @return something to add up, so that no compiler leaves the read out
     */
    public long touch(int latch) {
        return words[index(latch)];
    }

    /**
     * Ends an optimistic read: returns whether everything read since {@code version} was taken is unmodified.
     *
     * @param version from {@link #optimisticVersionAcquire}; {@link #HELD_EXCLUSIVELY} never validates
     */
    public boolean validateAcquire(int latch, long version) {
        // Keeps the reads of the protected data in front of the read of the word.
        VarHandle.acquireFence();
        long word = wordOpaque(index(latch));
        return (word & EXCLUSIVE) == 0 && LatchWordLayout.version(word) == version;
    }

    /**
     * Makes an optimistic read an exclusive hold, if nothing was modified since and nobody holds the latch.
     *
     * @return whether the latch is now held exclusively by the caller
     */
    public boolean tryUpgradeToExclusive(int latch, long version) {
        int index = index(latch);
        long word = wordOpaque(index);
        return (word & HOLDERS_MASK) == 0 && LatchWordLayout.version(word) == version && casToExclusive(index, word);
    }

    /** Waits until nobody holds the latch, and holds it exclusively. */
    public void latchExclusive(int latch) {
        int index = index(latch);
        int round = 0;
        // Ends because holders neither park nor are switched out, and EXCLUSIVE_WANTED keeps new readers out.
        while (true) {
            long word = wordOpaque(index);
            if ((word & HOLDERS_MASK) == 0) {
                if (casToExclusive(index, word)) {
                    return;
                }
            } else if ((word & (EXCLUSIVE | EXCLUSIVE_WANTED)) == 0) {
                casWord(index, word, word | EXCLUSIVE_WANTED);
            } else {
                round = pauseWanting(index, round);
            }
        }
    }

    private int pauseWanting(int index, int round) {
        try {
            return Backoff.pause(round, watch);
        } catch (Throwable e) {
            wantNoLonger(index);
            throw e;
        }
    }

    private void wantNoLonger(int index) {
        // Each failed attempt means that another thread changed the word, so somebody makes progress.
        while (true) {
            long word = wordOpaque(index);
            if ((word & EXCLUSIVE_WANTED) == 0 || casWord(index, word, word & ~EXCLUSIVE_WANTED)) {
                return;
            }
        }
    }

    /** Holds the latch exclusively if nobody holds it; returns whether it does. */
    public boolean tryLatchExclusive(int latch) {
        int index = index(latch);
        long word = wordOpaque(index);
        return (word & HOLDERS_MASK) == 0 && casToExclusive(index, word);
    }

    /**
     * Ends an exclusive hold and changes the version, so that optimistic readers see that something was modified.
     *
     * @return the new version
     * @throws IllegalMonitorStateException if the latch is not held exclusively
     */
    public long unlatchExclusive(int latch) {
        int index = index(latch);
        long word = (exclusiveWord(latch, index) & ~EXCLUSIVE) + VERSION_ONE;
        setWordRelease(index, word);
        return LatchWordLayout.version(word);
    }

    /**
     * Ends an exclusive hold during which nothing was modified. The version stays, so optimistic readers that began
     * before the hold remain valid.
     *
     * @throws IllegalMonitorStateException if the latch is not held exclusively
     */
    public void unlatchExclusiveUnchanged(int latch) {
        int index = index(latch);
        setWordRelease(index, exclusiveWord(latch, index) & ~EXCLUSIVE);
    }

    /** Waits until nobody holds the latch exclusively or waits to, and holds it shared. */
    public void latchShared(int latch) {
        int index = index(latch);
        int round = 0;
        // Ends because an exclusive holder is not kept from going on (class comment), and a waiter clears
        // EXCLUSIVE_WANTED.
        while (true) {
            long word = wordOpaque(index);
            if (admitsShared(word)) {
                if (casWord(index, word, word + SHARED_ONE)) {
                    return;
                }
            } else {
                round = Backoff.pause(round, watch);
            }
        }
    }

    /** Holds the latch shared if nobody holds it exclusively or waits to; returns whether it does. */
    public boolean tryLatchShared(int latch) {
        int index = index(latch);
        // Each failed attempt means that another thread changed the word, so somebody makes progress.
        while (true) {
            long word = wordOpaque(index);
            if (!admitsShared(word)) {
                return false;
            }
            if (casWord(index, word, word + SHARED_ONE)) {
                return true;
            }
        }
    }

    /**
     * Ends a shared hold.
     *
     * @throws IllegalMonitorStateException if the latch is not held shared
     */
    public void unlatchShared(int latch) {
        int index = index(latch);
        // Each failed attempt means that another thread changed the word, so somebody makes progress.
        while (true) {
            long word = wordOpaque(index);
            if ((word & SHARED_MASK) == 0) {
                throw new IllegalMonitorStateException("latch is not held shared: latch=" + latch);
            }
            if (casWord(index, word, word - SHARED_ONE)) {
                return;
            }
        }
    }

    /**
     * Makes the caller's shared hold an exclusive one, if the caller is the only shared holder. Never waits, because
     * two shared holders that both waited for the other would do so for ever.
     *
     * @return whether the latch is now held exclusively; if not, it is still held shared
     */
    public boolean tryUpgradeSharedToExclusive(int latch) {
        int index = index(latch);
        long word = wordOpaque(index);
        return (word & HOLDERS_MASK) == SHARED_ONE && casToExclusive(index, word);
    }

    /** Returns whether somebody holds the latch exclusively; a snapshot, for assertions and validation. */
    public boolean isExclusive(int latch) {
        return (wordAcquire(index(latch)) & EXCLUSIVE) != 0;
    }

    /** Returns the number of shared holders; a snapshot, for assertions and validation. */
    public int sharedCount(int latch) {
        return LatchWordLayout.sharedCount(wordAcquire(index(latch)));
    }

    /** Returns whether nobody holds the latch or waits to hold it exclusively; a snapshot, for validation. */
    public boolean atRest(int latch) {
        return (wordAcquire(index(latch)) & (HOLDERS_MASK | EXCLUSIVE_WANTED)) == 0;
    }

    /**
     * Reads a companion of a latch.
     *
     * @param companion 0 to {@link #COMPANIONS} - 1
     */
    public long companionOpaque(int latch, int companion) {
        return wordOpaque(companionIndex(latch, companion));
    }

    /** Reads a companion; what was written before {@link #setCompanionRelease} is seen by who sees its value. */
    public long companionAcquire(int latch, int companion) {
        return wordAcquire(companionIndex(latch, companion));
    }

    /** Writes a companion. */
    public void setCompanionOpaque(int latch, int companion, long value) {
        WORD.setOpaque(words, companionIndex(latch, companion), value);
    }

    /** Writes a companion after everything that was written before. */
    public void setCompanionRelease(int latch, int companion, long value) {
        WORD.setRelease(words, companionIndex(latch, companion), value);
    }

    /** Replaces a companion if it has the expected value; returns whether it had. */
    public boolean compareAndSetCompanion(int latch, int companion, long expected, long replacement) {
        return WORD.compareAndSet(words, companionIndex(latch, companion), expected, replacement);
    }

    private int companionIndex(int latch, int companion) {
        return LatchWordLayout.companionIndex(
                Objects.checkIndex(latch, latchCount), Objects.checkIndex(companion, COMPANIONS));
    }

    private int index(int latch) {
        return LatchWordLayout.wordIndex(Objects.checkIndex(latch, latchCount));
    }

    private static boolean admitsShared(long word) {
        return (word & (EXCLUSIVE | EXCLUSIVE_WANTED)) == 0 && (word & SHARED_MASK) != SHARED_MASK;
    }

    private long exclusiveWord(int latch, int index) {
        long word = wordOpaque(index);
        if ((word & EXCLUSIVE) == 0) {
            throw new IllegalMonitorStateException("latch is not held exclusively: latch=" + latch);
        }
        return word;
    }

    /** The new word keeps the version and drops shared holder, if it is the caller, and the wish for exclusivity. */
    private boolean casToExclusive(int index, long word) {
        boolean acquired = casWord(index, word, (word >>> VERSION_SHIFT << VERSION_SHIFT) | EXCLUSIVE);
        // Optimistic readers must see EXCLUSIVE before they see any modification; acquiring alone does not order
        // the store of the word before later stores.
        VarHandle.storeStoreFence();
        return acquired;
    }

    private long wordAcquire(int index) {
        return (long) WORD.getAcquire(words, index);
    }

    /** A stale value costs one failed compare-and-set or one more turn; every decision is confirmed by one of them. */
    private long wordOpaque(int index) {
        return (long) WORD.getOpaque(words, index);
    }

    private boolean casWord(int index, long expected, long replacement) {
        return WORD.compareAndSet(words, index, expected, replacement);
    }

    /**
     * A plain release store suffices to end an exclusive hold: while {@code EXCLUSIVE} is set no other thread
     * changes the word.
     */
    private void setWordRelease(int index, long word) {
        WORD.setRelease(words, index, word);
    }
}
