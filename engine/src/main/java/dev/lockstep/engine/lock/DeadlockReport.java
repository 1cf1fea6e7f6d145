package dev.lockstep.engine.lock;

import dev.lockstep.engine.DeadlockException;
import dev.lockstep.engine.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Who waited for whom when a deadlock was broken: the members of the cycle, each blocked by the next, the last by the
 * first. Taken down while all stripes are latched, made into words when they are not.
 *
 * <p>Used by the detector until the victim is woken, then by the victim.
 */
final class DeadlockReport {
    /** Members of a cycle that the message names: longer ones say nothing more, and fill a screen. */
    static final int MEMBERS_NAMED_MAX = 16;

    private final List<Wait> waits = new ArrayList<>();
    private int members;

    /**
     * One wait of the cycle.
     *
     * @param who the member, see {@link LockOwner#label()}
     * @param name the lock that it waits for
     * @param place what the lock belongs to, or null
     * @param wanted the mode in which it wants the lock, what it holds of it included
     * @param held the mode in which it holds the lock already
     * @param blocker who stands in its way
     * @param blockerMode the mode in which that one holds the lock, or waits for it
     * @param blockerHolds whether that one holds it; otherwise it came before to the same queue
     */
    private record Wait(
            String who,
            long name,
            Object place,
            int wanted,
            int held,
            String blocker,
            int blockerMode,
            boolean blockerHolds) {
        String describe(Function<Object, String> placeNames) {
            StringBuilder text = new StringBuilder(who).append(" waits for ");
            text.append(LockMode.toString(wanted)).append(" on ").append(LockName.toString(name));
            if (place != null) {
                text.append(" of ").append(placeNames.apply(place));
            }
            if (held != LockMode.NONE) {
                text.append(" (has ").append(LockMode.toString(held)).append(')');
            }
            text.append(blockerHolds ? " held in " : " wanted before in ").append(LockMode.toString(blockerMode));
            return text.append(" by ").append(blocker).toString();
        }
    }

    /** Adds the next member of the cycle. All stripes are latched, and both owners wait. */
    void add(LockManager manager, LockOwner waiting, LockOwner blocker) {
        members++;
        if (waits.size() == MEMBERS_NAMED_MAX) {
            return;
        }
        long name = waiting.waitNameOpaque();
        int mode = manager.heldMode(blocker, name);
        boolean holds = mode != LockMode.NONE && !LockMode.isCompatible(waiting.waitTarget, mode);
        waits.add(new Wait(
                waiting.label(),
                name,
                waiting.waitPlace(),
                waiting.waitTarget,
                waiting.waitHeld,
                blocker.label(),
                holds ? mode : blocker.waitTarget,
                holds));
    }

    /** Adds the cycle to the message of a {@link DeadlockException}. */
    Message addTo(Message message, Function<Object, String> placeNames) {
        StringBuilder cycle = new StringBuilder();
        for (Wait wait : waits) {
            cycle.append(wait.who).append("->");
        }
        if (members > waits.size()) {
            cycle.append('(').append(members - waits.size()).append("_more)->");
        }
        Message whole = message.with("members", members).with("cycle", cycle.append(waits.getFirst().who));
        for (int i = 0; i < waits.size(); i++) {
            whole = whole.with("wait" + (i + 1), waits.get(i).describe(placeNames));
        }
        return whole;
    }
}
