package dev.lockstep.bench.prove.disk;

import dev.lockstep.engine.TornPageProtection;
import dev.lockstep.engine.file.PageFile;
import dev.lockstep.engine.log.LogSegmentLayout;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.recovery.CheckpointLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;

/**
 * A write that was reported as done, and was lost or went to another place, of its file or of another one beside it;
 * and what was done to the disk after it, up to a crash. Says what has to come of that: where the engine has the data a
 * second time, or does not need it any more, the damage must be survived, and elsewhere it must be noticed. Of a write
 * that went elsewhere this holds of both places: its own, where it is missing, and the other, which it has overwritten.
 *
 * <p>Immutable.
 */
final class Damage {
    private final List<DiskOperation> operations;
    private final int damaged;
    private final int last;
    private final long sizeBytesBefore;
    private final Place own;
    private final Place otherOrNull;
    private final boolean isWrittenTwice;

    /**
     * Describes it.
     *
     * @param operations of the whole run
     * @param damaged number of the write
     * @param last number of the last operation before the crash
     * @param sizeBytesBefore length of the file before the write
     * @param otherOrNull where the write went, null if it was lost
     * @param tornPageProtection whether there is a copy of each page that is written in place
     */
    Damage(
            List<DiskOperation> operations,
            int damaged,
            int last,
            long sizeBytesBefore,
            Place otherOrNull,
            TornPageProtection tornPageProtection) {
        this.operations = operations;
        this.damaged = damaged;
        this.last = last;
        this.sizeBytesBefore = sizeBytesBefore;
        this.otherOrNull = otherOrNull;
        isWrittenTwice = tornPageProtection == TornPageProtection.DOUBLE_WRITE;
        own = Place.of(operations.get(damaged));
    }

    /** Where the write belongs. */
    Zone zone() {
        return own.zone();
    }

    /** What the write has overwritten in another file; null if it did no such thing. */
    Zone zoneInOtherFileOrNull() {
        return otherOrNull == null || otherOrNull.file() == own.file() ? null : otherOrNull.zone();
    }

    /** For people. */
    String title() {
        return zone().title()
                + (zoneInOtherFileOrNull() == null
                        ? ""
                        : ", and in another file to the "
                                + zoneInOtherFileOrNull().title());
    }

    /** Whether the database has to be as if nothing had happened; else it may also say by a typed error what did. */
    boolean mustBeSurvived() {
        return mayMiss() && (otherOrNull == null || mayHaveOverwritten());
    }

    /** Whether the log may have lost its end, which nobody can miss where nothing tells of it. */
    boolean mayEndEarlier() {
        return !mustBeSurvived() && (isOfLog(own) || (otherOrNull != null && isOfLog(otherOrNull)));
    }

    private static boolean isOfLog(Place place) {
        return place.path().startsWith(Host.HOME)
                && DiskOperation.fileKind(place.path()).equals("log");
    }

    /** Whether nothing is missing where the write belongs, or it is there a second time. */
    private boolean mayMiss() {
        return switch (own.zone()) {
            case COPY, DOUBLE_WRITE, MARKS -> true;
            case CATALOG_PAGES, TREE_PAGES, OVERFLOW_PAGES -> isPageMended();
            case CHECKPOINT -> !isCheckpointInForce(own);
            case LOG -> isLogGivenAway(own);
            case FILE_HEADER -> false;
        };
    }

    /** Whether what the write has overwritten is not needed, or is there a second time. */
    private boolean mayHaveOverwritten() {
        return switch (otherOrNull.zone()) {
            case COPY, DOUBLE_WRITE, MARKS -> true;
            case CATALOG_PAGES, TREE_PAGES, OVERFLOW_PAGES -> areOtherPagesMended();
            case CHECKPOINT -> !isCheckpointInForce(otherOrNull);
            case LOG -> isLogGivenAway(otherOrNull);
            case FILE_HEADER -> isOfLog(otherOrNull) && isLogGivenAway(otherOrNull);
        };
    }

    /**
     * The pages are still in the double-write area, which leaves those alone that lie behind the end of the file; or
     * the log since the last checkpoint has all their changes since the copies that are left, or images of them; or
     * they were written again.
     */
    private boolean isPageMended() {
        boolean hasMadeLonger = own.position() + own.lengthBytes() > sizeBytesBefore;
        return (hasBatch() && !hasMadeLonger)
                || countAfter(DiskOperation.Kind.RENAME, "checkpoint") == 0
                || isRewritten(own);
    }

    private boolean areOtherPagesMended() {
        boolean hasMadeLonger = otherOrNull.file() == own.file()
                && otherOrNull.position() + otherOrNull.lengthBytes() > sizeBytesBefore;
        return isRewritten(otherOrNull) || (hasBatch() && isInBatch(otherOrNull) && !hasMadeLonger);
    }

    /** Whether the double-write area has the batch that it was to have at the time of the write. */
    private boolean hasBatch() {
        return isWrittenTwice
                && !isOfDoubleWrite(own)
                && (otherOrNull == null || !isOfDoubleWrite(otherOrNull))
                && countAfter(DiskOperation.Kind.WRITE, "doublewrite") == 0;
    }

    private static boolean isOfDoubleWrite(Place place) {
        return place.path().getFileName().toString().equals(PageFile.DOUBLE_WRITE_FILE);
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

    private static long[] pages(Place place) {
        long first = place.position() / PageLayout.PAGE_BYTES;
        long end = Math.ceilDiv(place.position() + place.lengthBytes(), PageLayout.PAGE_BYTES);
        return LongStream.range(first, end)
                .map(page -> page * PageLayout.PAGE_BYTES)
                .toArray();
    }

    /** Whether all pages of a place were written once more and forced. */
    private boolean isRewritten(Place place) {
        for (long page : pages(place)) {
            if (!isPageRewritten(place.path(), page)) {
                return false;
            }
        }
        return true;
    }

    private boolean isPageRewritten(Path path, long page) {
        boolean isWritten = false;
        for (int i = damaged + 1; i <= last; i++) {
            DiskOperation operation = operations.get(i);
            if (operation.path().equals(path)) {
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

    /** Whether the batch has all pages of a place: they are what is written in place around the time of the write. */
    private boolean isInBatch(Place place) {
        for (long page : pages(place)) {
            boolean isIn = false;
            for (int i = firstOfBatch(); i <= last; i++) {
                isIn |= operations.get(i).path().equals(place.path()) && covers(operations.get(i), page);
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

    /** Whether the checkpoint of a place has its name or has got it, and no later one has taken it. */
    private boolean isCheckpointInForce(Place place) {
        boolean hasName = place.path().getFileName().toString().equals(CheckpointLayout.FILE_NAME);
        int toReplace = hasName ? 1 : 2;
        int renamed = 0;
        for (int i = damaged + 1; i <= last; i++) {
            DiskOperation operation = operations.get(i);
            if (isOf(operation, DiskOperation.Kind.RENAME, "checkpoint")) {
                renamed++;
            } else if (renamed >= toReplace && isHomeForced(operation)) {
                return false;
            }
        }
        return hasName || renamed > 0;
    }

    private static boolean isHomeForced(DiskOperation operation) {
        return operation.kind() == DiskOperation.Kind.FORCE_DIRECTORY
                && operation.path().equals(Host.HOME);
    }

    /** Whether recovery begins in a later segment than that of a place. */
    private boolean isLogGivenAway(Place place) {
        long startLsn = LogSegmentLayout.startLsn(place.path()).orElse(Long.MAX_VALUE);
        long redoScanLsn = redoScanLsn();
        for (int i = 0; i <= last; i++) {
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
            isForced |= isHomeForced(operation);
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
