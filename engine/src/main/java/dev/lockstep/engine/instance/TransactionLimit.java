package dev.lockstep.engine.instance;

import dev.lockstep.engine.BusyException;
import dev.lockstep.engine.Message;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * Lets so many transactions of applications be open at the same time, and refuses others at once: whoever comes to a
 * full house has nothing to wait in, so those inside keep their latency. Thread-safe.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code open} is 0 to {@code max}, and counts those that have entered and not left.
 * </ul>
 */
public final class TransactionLimit {
    private final int max;
    private final AtomicInteger open = new AtomicInteger();
    private final LongAdder refusals = new LongAdder();

    TransactionLimit(int max) {
        this.max = max;
    }

    /**
     * A transaction begins.
     *
     * @throws BusyException if as many are open as may be; nothing has changed then
     */
    public void enter() {
        int now = open.get();
        // Ends because a failed attempt means that another transaction has entered or left.
        while (now < max && !open.compareAndSet(now, now + 1)) {
            now = open.get();
        }
        if (now >= max) {
            refusals.increment();
            throw new BusyException(Message.of("as many transactions are open as may be")
                    .with("openTransactions", now)
                    .with("openTransactionCountMax", max)
                    .remedy("try again later, when others have ended, or raise the limit in DatabaseOptions"));
        }
    }

    /** A transaction that has entered has ended. */
    public void leave() {
        open.decrementAndGet();
    }

    /** Transactions that were refused. */
    public long refusals() {
        return refusals.sum();
    }
}
