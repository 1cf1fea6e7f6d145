package dev.lockstep.bench.tpcc;

import dev.lockstep.tpcc.adapter.TpccAdapter;
import dev.lockstep.tpcc.adapter.TpccScanner;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Reads whole tables on a platform thread, again and again, while terminals run: the largest ones, whose pages would
 * push everything else out of a pool that lets them. Thread-safe.
 */
final class ScanBeside {
    /** Ends a scan in the middle of a table. */
    private static final class Stopped extends RuntimeException {
        Stopped() {
            super("the run has ended", null, false, false);
        }
    }

    private final TpccAdapter adapter;
    private final AtomicLong rows = new AtomicLong();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final Thread thread;
    private volatile boolean stopping;

    ScanBeside(TpccAdapter adapter) {
        this.adapter = adapter;
        this.thread = Thread.ofPlatform().name("scan-beside").daemon().unstarted(this::scan);
    }

    void start() {
        thread.start();
    }

    private void scan() {
        // Ends when told to; each round reads finite tables.
        while (!stopping) {
            try (TpccScanner scanner = adapter.openScanner()) {
                scanner.stocks(row -> read());
                scanner.orderLines(row -> read());
                scanner.customers(row -> read());
            } catch (Stopped e) {
                return;
            } catch (RuntimeException | Error e) {
                failure.set(e);
                return;
            }
        }
    }

    private void read() {
        rows.incrementAndGet();
        if (stopping) {
            throw new Stopped();
        }
    }

    /**
     * Ends the scan.
     *
     * @return the rows that were read
     * @throws IllegalStateException if the scan failed
     */
    long stop() throws InterruptedException {
        stopping = true;
        thread.join();
        if (failure.get() != null) {
            throw new IllegalStateException("the scan beside the run failed rows=" + rows.get(), failure.get());
        }
        return rows.get();
    }
}
