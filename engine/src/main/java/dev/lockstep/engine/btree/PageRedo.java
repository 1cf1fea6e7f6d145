package dev.lockstep.engine.btree;

import dev.lockstep.engine.log.LogRecordType;
import dev.lockstep.engine.log.LogRecordView;
import dev.lockstep.engine.memory.NativeMemory;

/** Repeats log records on pages, which come one at a time from wherever a subclass keeps them. Not thread-safe. */
public abstract class PageRedo {
    /** For subclasses. */
    protected PageRedo() {}

    /** Applies a record to every page that does not have it yet. Records that change no page are passed over. */
    public final void redo(LogRecordView record) {
        switch (record.type()) {
            case LogRecordType.INSERT, LogRecordType.UPDATE, LogRecordType.DELETE, LeafChange.RESTORE ->
                LeafChange.redo(this, record.type(), record.transactionId(), record.lsn(), record.body());
            case LogRecordType.SYSTEM -> SystemChange.redo(this, record.lsn(), record.body(), 0, record.bodyBytes());
            case LogRecordType.PAGE_IMAGE -> PageImage.redo(this, record);
            default -> {
                // Commits and ends change no page.
            }
        }
    }

    /** The memory that the page lies in. */
    protected abstract NativeMemory memory();

    /** Where in the memory the page begins. */
    protected abstract long address();

    /**
     * Latches the page and tells whether the change at {@code lsn} is still missing from it.
     *
     * @param wholePage whether the change says all that the page holds
     * @throws dev.lockstep.engine.CorruptionException if there is no such page, or no page to change a part of; it is
     *     not latched then
     */
    protected abstract boolean latchIfOlder(int pageId, long lsn, boolean wholePage);

    /**
     * Ends what {@link #latchIfOlder} has begun.
     *
     * @param changed whether the page has all of the record; one whose record was refused must not say so to the next
     *     open
     */
    protected abstract void unlatch(boolean changed, long lsn);

    /** Latches the page and tells whether it is to be replaced by its image: it is damaged, or older. */
    protected boolean latchForImage(int pageId, long imageLsn) {
        return latchIfOlder(pageId, imageLsn, true);
    }

    /** Ends what {@link #latchForImage} has begun. */
    protected void unlatchImage(boolean changed, long lsn) {
        unlatch(changed, lsn);
    }
}
