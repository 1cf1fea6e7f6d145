package dev.lockstep.bench.switchpoints;

import java.util.Set;

/**
 * What may be held at a switch point, and which methods take a latch or lock and which give one back, by owner and
 * name: the latches of the scheduler, what its S-threads are told of latches, the engine's methods around them, and the
 * locks of {@code java.util.concurrent}. A method that tries counts as one that takes.
 */
enum HeldResource {
    MONITOR,
    LOCK,
    LATCH;

    private static final String OURS = "dev/lockstep/";
    private static final String LATCHES = "dev/lockstep/scheduler/latch/";
    private static final String LOCKS = "java/util/concurrent/locks/";
    private static final String STAMPED = LOCKS + "StampedLock";

    private static final String RELEASED = "latchReleased";

    /** Of the methods whose names begin as those do that take a latch, those that take none. */
    private static final Set<String> NO_LATCH = Set.of("latches", "latchesHeld", "latchCount", RELEASED);

    /** Take one whose names do not begin so. */
    private static final Set<String> LATCH_TOO = Set.of("tryUpgradeToExclusive", "newPage");

    private static final Set<String> TAKE_LOCK = Set.of("lock", "lockInterruptibly", "tryLock");
    private static final Set<String> TAKE_STAMPED_LOCK = Set.of(
            "readLock", "tryReadLock", "readLockInterruptibly", "writeLock", "tryWriteLock", "writeLockInterruptibly");

    /**
     * How a call changes what is held.
     *
     * @param kind of what it takes or gives back
     * @param change 1 where it takes or may take one, -1 where it gives one back
     */
    record Effect(HeldResource kind, int change) {}

    /**
     * What a call does.
     *
     * @param owner class of the method, with slashes
     * @param name of the method
     * @return null where it takes nothing and gives nothing back
     */
    static Effect effectOrNull(String owner, String name) {
        HeldResource kind = null;
        int change = 0;
        if (owner.startsWith(OURS)) {
            kind = LATCH;
            change = takesLatch(name) ? 1 : name.startsWith("unlatch") || name.equals(RELEASED) ? -1 : 0;
        } else if (owner.startsWith(LOCKS)) {
            kind = LOCK;
            boolean takes = TAKE_LOCK.contains(name) || (owner.equals(STAMPED) && TAKE_STAMPED_LOCK.contains(name));
            change = takes ? 1 : name.startsWith("unlock") ? -1 : 0;
        }
        return change == 0 ? null : new Effect(kind, change);
    }

    private static boolean takesLatch(String name) {
        boolean sounds = name.startsWith("latch") || name.startsWith("tryLatch");
        return (sounds && !NO_LATCH.contains(name)) || LATCH_TOO.contains(name);
    }

    /** Whether it is the latch or lock itself that the method belongs to, not something around it. */
    static boolean isItself(String owner) {
        return owner.startsWith(LATCHES) || owner.startsWith(LOCKS);
    }
}
