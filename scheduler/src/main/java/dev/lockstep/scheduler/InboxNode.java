package dev.lockstep.scheduler;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Something that can be put into an {@link Inbox}, in at most one at a time and there at most once.
 *
 * <p>Invariants: {@code queued} is 1 from the successful {@link #casQueued} of the thread that then pushes until the
 * consumer calls {@link #clearQueued}; {@code nextInInbox} belongs to the pusher, then to the consumer.
 */
abstract class InboxNode {
    private static final VarHandle QUEUED;

    static {
        try {
            QUEUED = MethodHandles.lookup().findVarHandle(InboxNode.class, "queued", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    InboxNode nextInInbox;

    @SuppressWarnings("unused")
    private int queued;

    InboxNode() {}

    /** Claims the right to push; {@code false} if the node is already in an inbox and will be seen by its consumer. */
    final boolean casQueued() {
        return QUEUED.compareAndSet(this, 0, 1);
    }

    /**
     * To be called by the consumer before it looks at what the node stands for: whoever fails to claim after this
     * has made its change before this.
     */
    final void clearQueued() {
        QUEUED.setVolatile(this, 0);
    }
}
