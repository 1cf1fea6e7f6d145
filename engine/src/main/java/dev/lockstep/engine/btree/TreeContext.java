package dev.lockstep.engine.btree;

import dev.lockstep.engine.log.LogRecordBuffer;
import dev.lockstep.scheduler.SThread;
import dev.lockstep.scheduler.Waiter;

/**
 * What one thread of work carries through the trees: where it waits, the log record it is building, its S-thread.
 * Used by one thread at a time.
 */
public class TreeContext {
    private final Waiter waiter = new Waiter();
    private final LogRecordBuffer record = new LogRecordBuffer();
    private LogRecordBuffer imageRecord;
    private SThread sThread;

    public final Waiter waiter() {
        return waiter;
    }

    public final LogRecordBuffer record() {
        return record;
    }

    /** The record of a change with page images, lent by the environment until {@link #returnImageRecord}. */
    final LogRecordBuffer imageRecord(TreeEnvironment environment) {
        if (imageRecord == null) {
            imageRecord = environment.lendImageRecord();
        }
        return imageRecord;
    }

    final void returnImageRecord(TreeEnvironment environment) {
        if (imageRecord != null) {
            environment.takeBackImageRecord(imageRecord);
            imageRecord = null;
        }
    }

    /** The S-thread that runs this work, or null on an ordinary thread. */
    public final SThread sThread() {
        return sThread;
    }

    public final void bind(SThread current) {
        this.sThread = current;
    }

    /** Counts a latch of a page taken, so that no switch point gives up the carrier while it is held. */
    public final void latched() {
        if (sThread != null) {
            sThread.latchAcquired();
        }
    }

    /** Counts a latch of a page released. */
    public final void unlatched() {
        if (sThread != null) {
            sThread.latchReleased();
        }
    }
}
