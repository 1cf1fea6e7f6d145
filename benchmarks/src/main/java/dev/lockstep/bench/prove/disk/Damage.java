package dev.lockstep.bench.prove.disk;

import dev.lockstep.engine.TornPageProtection;
import dev.lockstep.engine.file.DoubleWriteLayout;
import dev.lockstep.engine.log.LogSegmentLayout;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.recovery.CheckpointLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/**
 * A write that was reported as done, and was lost or went to another place of its file; and what was done to the disk
 * after it, up to a crash. Says what has to come of that: where the engine has the data a second time, or does not need
 * it any more, the damage must be survived, and elsewhere it must be noticed.
 *
 * <p>Immutable.
 */
final class Damage {
    /** As the other place: there is none. */
    static final long NOWHERE = -1;

    private final List<DiskOperation> operations;
    private final int damaged;
    private final int last;
    private final long sizeBytesBefore;
    private final DiskOperation write;
    private final long otherPosition;
    private final boolean isWrittenTwice;

    /**
     * Describes it.
     *
     * @param operations of the whole run
     * @param damaged number of the write
     * @param last number of the last operation before the crash
     * @param sizeBytesBefore length of the file before the write
     * @param otherPosition where the write went, or {@link #NOWHERE}
     * @param tornPageProtection whether there is a copy of each page that is written in place
     */
    Damage(
            List<DiskOperation> operations,
            int damaged,
            int last,
            long sizeBytesBefore,
            long otherPosition,
            TornPageProtection tornPageProtection) {
        this.operations = operations;
        this.damaged = damaged;
        this.last = last;
        this.sizeBytesBefore = sizeBytesBefore;
        this.otherPosition = otherPosition;
        isWrittenTwice = tornPageProtection == TornPageProtection.DOUBLE_WRITE;
        write = operations.get(damaged);
    }

    Zone zone() {
        return Zone.of(write);
    }

    /** Whether the database has to be as if nothing had happened; else it may also say by a typed error what did. */
    boolean mustBeSurvived() {
        return switch (zone()) {
            case MARKS, COPY -> true;
            case DOUBLE_WRITE -> otherPosition == NOWHERE || otherPosition >= DoubleWriteLayout.DIRECTORY_POSITION;
            case CATALOG_PAGES, TREE_PAGES, OVERFLOW_PAGES -> isOwnPlaceMended() && isOtherPlaceMended();
            case CHECKPOINT -> !isCheckpointInForce();
            case LOG -> isLogGivenAway();
            case FILE_HEADER -> false;
        };
    }

    /**
     * The pages are still in the double-write area, which leaves those alone that lie behind the end of the file; or
     * the log since the last checkpoint has all their changes since the copies that are left, or images of them; or
     * they were written again.
     */
    private boolean isOwnPlaceMended() {
        boolean hasMadeLonger = write.position() + write.data().length > sizeBytesBefore;
        return (!isBatchReplaced() && !hasMadeLonger)
                || countAfter(DiskOperation.Kind.RENAME, "checkpoint") == 0
                || isRewritten(write.position());
    }

    private boolean isOtherPlaceMended() {
        return otherPosition == NOWHERE
                || isRewritten(otherPosition)
                || (!isBatchReplaced()
                        && isInBatch(otherPosition)
                        && otherPosition + write.data().length <= sizeBytesBefore);
    }

    private boolean isBatchReplaced() {
        return !isWrittenTwice || countAfter(DiskOperation.Kind.WRITE, "doublewrite") > 0;
    }

    private int countAfter(DiskOperation.Kind kind, String file) {
        int count = 0;
        for (int i = damaged + 1; i <= last; i++) {
            count += isOf(operations.get(i), kind, file) ? 1 : 0;
        }
        return count;
    }

    private static boolean isOf(DiskOperation operation, DiskOperation.Kind kind, String file) {
        return operation.kind() == kind
                && operation.path().startsWith(Host.HOME)
                && operation.path().getFileName().toString().startsWith(file);
    }

    /** Whether all pages from a position on, as many as were written, were written once more and forced. */
    private boolean isRewritten(long from) {
        for (long page = from; page < from + write.data().length; page += PageLayout.PAGE_BYTES) {
            if (!isPageRewritten(page)) {
                return false;
            }
        }
        return true;
    }

    private boolean isPageRewritten(long page) {
        boolean isWritten = false;
        for (int i = damaged + 1; i <= last; i++) {
            DiskOperation operation = operations.get(i);
            if (operation.path().equals(write.path())) {
                isWritten |= covers(operation, page);
                if (isWritten && operation.kind() == DiskOperation.Kind.FORCE) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean covers(DiskOperation operation, long page) {
        return operation.kind() == DiskOperation.Kind.WRITE
                && operation.position() <= page
                && page + PageLayout.PAGE_BYTES <= operation.position() + operation.data().length;
    }

    /** Whether the batch of the write has all pages that it went to: they are what is written in place around it. */
    private boolean isInBatch(long from) {
        for (long page = from; page < from + write.data().length; page += PageLayout.PAGE_BYTES) {
            boolean isIn = false;
            for (int i = firstOfBatch(); i <= last; i++) {
                isIn |= operations.get(i).path().equals(write.path()) && covers(operations.get(i), page);
            }
            if (!isIn) {
                return false;
            }
        }
        return true;
    }

    private int firstOfBatch() {
        int first = damaged;
        while (first > 0 && !isOf(operations.get(first), DiskOperation.Kind.WRITE, "doublewrite")) {
            first--;
        }
        return first;
    }

    /** Whether the checkpoint that was being written has got its name, and no later one has taken it. */
    private boolean isCheckpointInForce() {
        int renamed = 0;
        for (int i = damaged + 1; i <= last; i++) {
            if (isOf(operations.get(i), DiskOperation.Kind.RENAME, "checkpoint")) {
                renamed++;
            } else if (renamed > 1 && operations.get(i).kind() == DiskOperation.Kind.FORCE_DIRECTORY) {
                return false;
            }
        }
        return renamed > 0;
    }

    /** Whether recovery begins in a later segment. */
    private boolean isLogGivenAway() {
        long startLsn = LogSegmentLayout.startLsn(write.path()).orElse(Long.MAX_VALUE);
        long redoScanLsn = redoScanLsn();
        for (int i = damaged + 1; i <= last; i++) {
            DiskOperation operation = operations.get(i);
            if (isOf(operation, DiskOperation.Kind.RENAME, "log-spare")) {
                long nextLsn = LogSegmentLayout.startLsn(operation.target()).orElse(0);
                if (nextLsn > startLsn && nextLsn <= redoScanLsn) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Where recovery begins by the last checkpoint whose name is on the medium; 0 if the run has written none. */
    private long redoScanLsn() {
        boolean isForced = false;
        boolean isRenamed = false;
        for (int i = last; i >= 0; i--) {
            DiskOperation operation = operations.get(i);
            isForced |= operation.kind() == DiskOperation.Kind.FORCE_DIRECTORY
                    && operation.path().equals(Host.HOME);
            isRenamed |= isForced && isOf(operation, DiskOperation.Kind.RENAME, "checkpoint");
            if (isRenamed && isOf(operation, DiskOperation.Kind.WRITE, "checkpoint")) {
                return ByteBuffer.wrap(operation.data())
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .getLong(CheckpointLayout.REDO_SCAN_LSN_OFFSET);
            }
        }
        return 0;
    }
}
