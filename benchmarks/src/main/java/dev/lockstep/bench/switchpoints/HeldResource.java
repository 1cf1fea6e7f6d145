package dev.lockstep.bench.switchpoints;

import java.util.Set;

/**
 * Which methods take a latch or lock and which give one back, by owner and name: the latches of the scheduler, what its
 * S-threads are told of latches, the engine's methods around them, and the locks of {@code java.util.concurrent}. A
 * method that tries counts as one that takes.
 */
final class HeldResource {
    private static final String OURS = "dev/lockstep/";
    private static final String LATCHES = "dev/lockstep/scheduler/latch/";
    private static final String LOCKS = "java/util/concurrent/locks/";
    private static final String STAMPED = LOCKS + "StampedLock";

    private static final Set<String> TAKE = Set.of(
            "latch",
            "tryLatch",
            "latchExclusive",
            "tryLatchExclusive",
            "latchShared",
            "tryLatchShared",
            "tryUpgradeToExclusive",
            "latchAcquired",
            "latched",
            "latchAll",
            "latchPatiently",
            "latchLeaf",
            "latchNode",
            "latchBesideNode",
            "latchRootShared",
            "latchReadable",
            "latchIfOlder",
            "latchForImage",
            "newPage");
    private static final String RELEASED = "latchReleased";
    private static final String GIVE_BACK_PREFIX = "unlatch";
    private static final Set<String> LOCK = Set.of("lock", "lockInterruptibly", "tryLock");
    private static final Set<String> LOCK_STAMPED = Set.of(
            "readLock", "tryReadLock", "readLockInterruptibly", "writeLock", "tryWriteLock", "writeLockInterruptibly");

    private HeldResource() {}

    /**
     * How a call changes what is held.
     *
     * @param owner class of the method, with slashes
     * @param name of the method
     * @return 1 where it takes or may take something, -1 where it gives something back, else 0
     */
    static int change(String owner, String name) {
        if (owner.startsWith(OURS)) {
            return TAKE.contains(name) ? 1 : name.startsWith(GIVE_BACK_PREFIX) || name.equals(RELEASED) ? -1 : 0;
        }
        if (owner.startsWith(LOCKS)) {
            boolean takes = LOCK.contains(name) || (owner.equals(STAMPED) && LOCK_STAMPED.contains(name));
            return takes ? 1 : name.startsWith("unlock") ? -1 : 0;
        }
        return 0;
    }

    /** Whether it is the latch or lock itself that the method belongs to, not something around it. */
    static boolean isItself(String owner) {
        return owner.startsWith(LATCHES) || owner.startsWith(LOCKS);
    }
}
