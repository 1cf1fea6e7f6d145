package dev.lockstep.scheduler;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * An intrusive queue with many producers and one consumer, which takes everything at once in the order of arrival.
 *
 * <p>Producers push onto a stack by compare-and-set; the consumer takes the whole stack by one exchange and reverses
 * it. Since nobody ever removes a single node, a node that comes back cannot be mistaken (no ABA). Its size is
 * bounded by the number of nodes, because a node is in it at most once.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code head} leads to all nodes pushed since the last drain, newest first.
 *   <li>The links behind {@code head} do not change until the consumer has taken {@code head}.
 * </ul>
 *
 * <p>Thread-safety: {@link #push} and {@link #isEmpty} by any thread, {@link #drain} by the one consumer.
 */
final class Inbox {
    private static final VarHandle HEAD;

    static {
        try {
            HEAD = MethodHandles.lookup().findVarHandle(Inbox.class, "head", InboxNode.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused")
    private InboxNode head;

    Inbox() {}

    /**
     * Appends a node. The caller has claimed it by {@link InboxNode#casQueued()}.
     *
     * @return whether the queue was empty, so that its consumer may have to be woken
     */
    boolean push(InboxNode node) {
        // Each failed attempt means that another thread changed head, so somebody makes progress.
        while (true) {
            InboxNode first = headAcquire();
            node.nextInInbox = first;
            if (casHead(first, node)) {
                return first == null;
            }
        }
    }

    /** Takes all nodes; returns the oldest, linked by {@code nextInInbox} to the newest, or {@code null}. */
    InboxNode drain() {
        if (headAcquire() == null) {
            return null;
        }
        InboxNode node = exchangeHead(null);
        InboxNode oldest = null;
        while (node != null) {
            InboxNode older = node.nextInInbox;
            node.nextInInbox = oldest;
            oldest = node;
            node = older;
        }
        return oldest;
    }

    /** A snapshot; exact for the consumer as long as nobody pushes. */
    boolean isEmpty() {
        return headVolatile() == null;
    }

    private InboxNode headAcquire() {
        return (InboxNode) HEAD.getAcquire(this);
    }

    /** Volatile, because a consumer that goes to sleep must look here after it has announced that it sleeps. */
    private InboxNode headVolatile() {
        return (InboxNode) HEAD.getVolatile(this);
    }

    private boolean casHead(InboxNode expected, InboxNode replacement) {
        return HEAD.compareAndSet(this, expected, replacement);
    }

    private InboxNode exchangeHead(InboxNode replacement) {
        return (InboxNode) HEAD.getAndSet(this, replacement);
    }
}
