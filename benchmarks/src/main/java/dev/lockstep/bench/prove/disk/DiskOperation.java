package dev.lockstep.bench.prove.disk;

import java.nio.file.Path;
import java.util.Locale;

/**
 * One call that changes a disk.
 *
 * @param kind what it does
 * @param path the file, or the directory of a {@link Kind#FORCE_DIRECTORY}
 * @param file number of the file itself, whatever its name; 0 where there is none
 * @param position where it writes, or the new length of a {@link Kind#TRUNCATE}, in bytes
 * @param data what it writes; empty where it writes nothing
 * @param target the new name of a {@link Kind#RENAME}, else null
 * @param activity what the database was doing
 */
@SuppressWarnings("ArrayRecordComponent") // Compared by isLike alone, and written by nobody.
record DiskOperation(Kind kind, Path path, int file, long position, byte[] data, Path target, Activity activity) {
    /** What can be done to a disk. */
    enum Kind {
        WRITE,
        FORCE,
        CREATE,
        RENAME,
        DELETE,
        TRUNCATE,
        FORCE_DIRECTORY
    }

    /** The same write at another place. */
    DiskOperation at(long otherPosition) {
        return new DiskOperation(kind, path, file, otherPosition, data, target, activity);
    }

    /**
     * Whether two runs of a workload did the same here. What is compared of a name is its beginning: where the log's
     * writer finds a few bytes more or less, its later files begin at other positions.
     */
    boolean isLike(DiskOperation other) {
        return kind == other.kind && activity == other.activity && fileKind().equals(other.fileKind());
    }

    /** The part of the file's name that all files of its kind have. */
    String fileKind() {
        String name = path.getFileName().toString();
        int end = name.indexOf('-');
        return end < 0 ? name : name.substring(0, end);
    }

    @Override
    public String toString() {
        String what = kind.name().toLowerCase(Locale.ROOT).replace('_', ' ') + " " + path.getFileName();
        return switch (kind) {
            case WRITE -> what + " at " + position + ", " + data.length + " bytes";
            case TRUNCATE -> what + " to " + position + " bytes";
            case RENAME -> what + " to " + target.getFileName();
            default -> what;
        };
    }
}
