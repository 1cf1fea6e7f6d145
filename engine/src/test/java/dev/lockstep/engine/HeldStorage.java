package dev.lockstep.engine;

import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.PageFile;
import dev.lockstep.engine.file.Storage;
import dev.lockstep.engine.log.LogClock;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.proof.DelegatingStorage;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** A file system whose writes and forces of the log, reads of pages, or batches of written pages can be held back. */
final class HeldStorage extends DelegatingStorage {
    private static final long ANYWHERE = -1;
    private static final CountDownLatch OPEN = new CountDownLatch(0);

    private volatile CountDownLatch logWrite = OPEN;
    private volatile CountDownLatch logForce = OPEN;
    private volatile CountDownLatch pageRead = OPEN;
    private volatile CountDownLatch batchWrite = OPEN;
    private volatile CountDownLatch batchArrival = OPEN;
    private volatile long heldPosition = ANYWHERE;

    /** Batches up to the one to be held back; none is once it is 0 or less. */
    private final AtomicInteger batchesLeft = new AtomicInteger();

    private final HeldClock clock = new HeldClock();

    HeldStorage(Storage storage) {
        super(storage);
    }

    /**
     * A clock for the log that stands still while its forces are held back. With one that goes on, a commit that need
     * not be on disk waits all the same once the oldest such is a tenth of a second old: in a test that holds the force
     * back until after it, for ever.
     */
    LogClock clock() {
        return clock;
    }

    void holdLogWrites() {
        clock.hold();
        logWrite = new CountDownLatch(1);
    }

    void holdLogForces() {
        clock.hold();
        logForce = new CountDownLatch(1);
    }

    void holdPageReads() {
        heldPosition = ANYWHERE;
        pageRead = new CountDownLatch(1);
    }

    void holdReadsOf(int pageId) {
        heldPosition = PageLayout.fileOffset(pageId);
        pageRead = new CountDownLatch(1);
    }

    /**
     * Holds back one batch of pages that are written, before their copies are.
     *
     * @param number which from now on, from 1
     * @return counted down once it is there
     */
    CountDownLatch holdBatch(int number) {
        CountDownLatch arrival = new CountDownLatch(1);
        batchArrival = arrival;
        batchWrite = new CountDownLatch(1);
        batchesLeft.set(number);
        return arrival;
    }

    void release() {
        clock.goOn();
        logWrite.countDown();
        logForce.countDown();
        pageRead.countDown();
        batchWrite.countDown();
    }

    private static void pass(CountDownLatch gate) {
        try {
            gate.await();
        } catch (InterruptedException e) {
            throw new AssertionError("an engine's thread was interrupted", e);
        }
    }

    @Override
    public BlockFile open(Path path, OpenMode mode) {
        BlockFile file = super.open(path, mode);
        String name = path.getFileName().toString();
        return new HeldFile(
                file, name.startsWith("log-"), name.startsWith("pages"), name.equals(PageFile.DOUBLE_WRITE_FILE));
    }

    private static final class HeldClock implements LogClock {
        private static final long GOES_ON = Long.MIN_VALUE;

        private long heldSinceNanos = GOES_ON;
        private long heldNanos;

        synchronized void hold() {
            if (heldSinceNanos == GOES_ON) {
                heldSinceNanos = LogClock.SYSTEM.nanoTime();
            }
        }

        synchronized void goOn() {
            if (heldSinceNanos != GOES_ON) {
                heldNanos += LogClock.SYSTEM.nanoTime() - heldSinceNanos;
                heldSinceNanos = GOES_ON;
            }
        }

        @Override
        public synchronized long nanoTime() {
            return (heldSinceNanos == GOES_ON ? LogClock.SYSTEM.nanoTime() : heldSinceNanos) - heldNanos;
        }

        @Override
        public void park(long nanos) {
            LogClock.SYSTEM.park(nanos);
        }
    }

    private final class HeldFile extends DelegatingFile {
        private final boolean isLog;
        private final boolean isPages;
        private final boolean isCopies;

        HeldFile(BlockFile file, boolean isLog, boolean isPages, boolean isCopies) {
            super(file);
            this.isLog = isLog;
            this.isPages = isPages;
            this.isCopies = isCopies;
        }

        @Override
        public int read(ByteBuffer target, long position) {
            if (isPages && (heldPosition == ANYWHERE || heldPosition == position)) {
                pass(pageRead);
            }
            return super.read(target, position);
        }

        @Override
        public void write(ByteBuffer source, long position) {
            if (isLog) {
                pass(logWrite);
            }
            if (isCopies && batchesLeft.decrementAndGet() == 0) {
                batchArrival.countDown();
                pass(batchWrite);
            }
            super.write(source, position);
        }

        @Override
        public void force(boolean metadata) {
            if (isLog) {
                pass(logForce);
            }
            super.force(metadata);
        }
    }
}
