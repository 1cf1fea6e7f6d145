package dev.lockstep.tpcc.workload;

import java.util.concurrent.CountDownLatch;

/**
 * A gate in front of the transactions from a numbered one on, which whoever has that number opens. Thread-safe.
 *
 * <p>Invariant: it is open exactly when {@code opens} has returned, or thrown.
 */
final class TicketGate {
    private final long first;
    private final Runnable opens;
    private final CountDownLatch open = new CountDownLatch(1);

    /**
     * @param first number of the first transaction behind the gate; each number from 0 on is given out once
     * @param opens called once, by whoever has that number
     */
    TicketGate(long first, Runnable opens) {
        this.first = first;
        this.opens = opens;
    }

    /** Number of the first transaction behind it. */
    long first() {
        return first;
    }

    /**
     * Opens the gate or waits for it, if a transaction lies behind it; returns whether it does. The wait ends, because
     * whoever opens the gate waits for nobody behind it.
     */
    boolean pass(long ticket) throws InterruptedException {
        if (ticket < first) {
            return false;
        }
        if (ticket == first) {
            try {
                opens.run();
            } finally {
                open.countDown();
            }
        } else if (open.getCount() != 0) {
            open.await();
        }
        return true;
    }
}
