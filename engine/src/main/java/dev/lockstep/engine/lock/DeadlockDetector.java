package dev.lockstep.engine.lock;

import dev.lockstep.scheduler.latch.SpinLatch;
import java.util.Arrays;

/**
 * Finds and breaks deadlocks at the moment when an owner begins to wait.
 *
 * <p>An owner searches after it stands in its queue, and all searches take turns under one latch. While an owner waits,
 * nobody begins to be blocked by it ({@link LockHead}), and a cycle, once closed, stays until one of its members is
 * taken out.
 *
 * <p><b>No deadlock is missed.</b> Every member of a cycle stood in its queue before its search; so the member that
 * searches last sees all the others waiting, and finds the cycle. An owner without locks need not search: only requests
 * behind it in the same queue can wait for it; they came later through the same latch of the stripe, and whoever among
 * them or beyond them closes the cycle sees it waiting. (Leaving out blockers as {@link LockStripe#collectBlockers}
 * does hides a cycle only if some of its members form a shorter one, which is found.) But a cycle is one of owners that
 * wait for locks. A thread that waits in one transaction for a lock of another one of its own waits for itself, which
 * no lock tells: that ends with the lock timeout, as does any other wait for a thread that waits for something else.
 *
 * <p><b>No victim is innocent.</b> The first search holds one stripe latch at a time, so what it finds may have changed
 * meanwhile. It is cheap and almost always finds nothing. Only if it finds a cycle are all stripes latched, in
 * ascending order, and the search repeated on that frozen picture; then the victim is chosen, and leaves its queue,
 * before any latch is given up. Nobody else holds two stripe latches, so the latches themselves cannot deadlock.
 *
 * <p><b>A deadlock is found when it forms.</b> Nothing is left to a period: the search is part of the request that
 * closes the cycle, made before its thread waits. It takes as long as it takes to visit the waiting owners that can be
 * reached, well below a microsecond each.
 *
 * <p>The victim is the youngest member, whose transaction began last ({@link LockOwner#isYoungerThan}). So a
 * transaction is a victim only while an older one is in its way, and the oldest of all never is.
 *
 * <p>The search ends because each waiting owner is expanded at most once; it has no other limit, for a limit would be a
 * missed deadlock.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code path[0..depth)} is a chain of waiting owners, each blocked by the next; the blockers of {@code path[i]}
 *       that are still to be tried are {@code blockers[blockersFrom[i]..blockersFrom[i + 1])}, the last up to
 *       {@code blockerCount}.
 *   <li>An owner whose {@code searchStamp} equals {@code stamp} was on the path during this search.
 * </ul>
 *
 * <p>Thread-safety: {@link #breakDeadlocks} may be called by any thread that holds no stripe latch.
 */
final class DeadlockDetector {
    /** Scratch space at first; deeper chains of waiting owners make it grow. */
    private static final int DEPTH_INITIAL = 64;

    private final LockManager manager;
    private final SpinLatch latch;
    private int stamp;
    private int[] path = new int[DEPTH_INITIAL];
    private int[] blockersFrom = new int[DEPTH_INITIAL];
    private int depth;
    private int[] blockers = new int[DEPTH_INITIAL];
    private int blockerCount;
    private long deadlocks;

    DeadlockDetector(LockManager manager) {
        this.manager = manager;
        latch = new SpinLatch(manager.watch());
    }

    /**
     * Breaks every deadlock that the owner, which has just begun to wait, is part of.
     *
     * @return whether the owner itself was chosen as a victim; it is then in no queue any more
     */
    boolean breakDeadlocks(LockOwner owner) {
        // Ends because every pass but the last takes a member of a cycle out of its queue.
        while (true) {
            LockOwner victim;
            LockOwner woken;
            latch.latch();
            try {
                if (!search(owner, false)) {
                    return false;
                }
                manager.latchAll();
                try {
                    if (!search(owner, true)) {
                        return false;
                    }
                    victim = chooseVictim();
                    victim.deadlock = report();
                    woken = manager.stripe(victim.waitNameOpaque()).withdraw(victim, LockOwner.VICTIM);
                    deadlocks++;
                } finally {
                    manager.unlatchAll();
                }
            } finally {
                latch.unlatch();
            }
            LockManager.wake(woken);
            if (victim == owner) {
                return true;
            }
            victim.waiter.signal();
        }
    }

    /** Returns how many deadlocks were broken. */
    long deadlocks() {
        latch.latch();
        try {
            return deadlocks;
        } finally {
            latch.unlatch();
        }
    }

    /** Called back by {@link LockStripe#collectBlockers}. */
    void addBlocker(LockOwner blocker) {
        if (blockerCount == blockers.length) {
            blockers = Arrays.copyOf(blockers, 2 * blockerCount);
        }
        blockers[blockerCount++] = blocker.index();
    }

    /** Depth-first search from the owner for a way back to it, which is then {@code path[0..depth)}. */
    private boolean search(LockOwner start, boolean allLatched) {
        stamp++;
        depth = 0;
        blockerCount = 0;
        push(start, allLatched);
        while (depth > 0) {
            if (blockerCount == blockersFrom[depth - 1]) {
                depth--;
            } else {
                LockOwner blocker = manager.owner(blockers[--blockerCount]);
                if (blocker == start) {
                    return true;
                }
                // An owner that was closed meanwhile blocks nobody.
                if (blocker != null && blocker.searchStamp != stamp) {
                    push(blocker, allLatched);
                }
            }
        }
        return false;
    }

    private void push(LockOwner owner, boolean allLatched) {
        if (depth == path.length) {
            path = Arrays.copyOf(path, 2 * depth);
            blockersFrom = Arrays.copyOf(blockersFrom, 2 * depth);
        }
        owner.searchStamp = stamp;
        path[depth] = owner.index();
        blockersFrom[depth] = blockerCount;
        depth++;
        if (!owner.isWaitingAcquire()) {
            return;
        }
        long name = owner.waitNameOpaque();
        LockStripe stripe = manager.stripe(name);
        if (!allLatched) {
            stripe.latch();
        }
        try {
            // The state first: if it is still, or again, that of a wait in this stripe, the other fields belong to it.
            if (owner.isWaitingAcquire() && owner.waitNameOpaque() == name) {
                stripe.collectBlockers(owner, this);
            }
        } finally {
            if (!allLatched) {
                stripe.unlatch();
            }
        }
    }

    private LockOwner chooseVictim() {
        LockOwner victim = manager.owner(path[0]);
        for (int i = 1; i < depth; i++) {
            LockOwner member = manager.owner(path[i]);
            if (member.isYoungerThan(victim)) {
                victim = member;
            }
        }
        return victim;
    }

    private DeadlockReport report() {
        DeadlockReport report = new DeadlockReport();
        for (int i = 0; i < depth; i++) {
            report.add(manager, manager.owner(path[i]), manager.owner(path[i + 1 < depth ? i + 1 : 0]));
        }
        return report;
    }
}
