package dev.lockstep.tpcc;

import dev.lockstep.tpcc.adapter.TpccAdapter;
import dev.lockstep.tpcc.adapter.TpccLoader;
import dev.lockstep.tpcc.workload.Population;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** Loads a population into an engine, by as many threads as the engine allows. */
final class DatabaseLoader {
    private static final long PROGRESS_MILLIS = 100;

    private final TpccAdapter adapter;
    private final Population population;
    private final ConcurrentLinkedQueue<Population.Part> parts;
    private final AtomicLong rows = new AtomicLong();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    DatabaseLoader(TpccAdapter adapter, Population population) {
        this.adapter = adapter;
        this.population = population;
        this.parts = new ConcurrentLinkedQueue<>(population.parts());
    }

    /** Loads everything, or throws what kept a thread from doing so. */
    void load(int threadsWanted, TpccProgress progress) throws InterruptedException {
        int count = Math.min(Math.min(threadsWanted, adapter.sessionsMax()), parts.size());
        CountDownLatch ended = new CountDownLatch(count);
        for (int i = 0; i < count; i++) {
            Thread.ofPlatform().name("loader-" + i).daemon().start(() -> work(ended));
        }
        try {
            while (!ended.await(PROGRESS_MILLIS, TimeUnit.MILLISECONDS)) {
                progress.loaded(rows.get(), population.rowsEstimated());
            }
        } finally {
            // After an interrupt the threads end with their part.
            parts.clear();
        }
        if (failure.get() != null) {
            throw new IllegalStateException("loading failed engine=" + adapter.name(), failure.get());
        }
        progress.loaded(rows.get(), rows.get());
        adapter.loaded();
    }

    private void work(CountDownLatch ended) {
        try (TpccLoader loader = adapter.openLoader()) {
            Population.Part part = parts.poll();
            while (part != null && failure.get() == null) {
                part.load(loader, rows::addAndGet);
                part = parts.poll();
            }
        } catch (Throwable e) {
            // The caller throws it again: an Error must not leave it waiting.
            if (!failure.compareAndSet(null, e)) {
                failure.get().addSuppressed(e);
            }
        } finally {
            ended.countDown();
        }
    }
}
