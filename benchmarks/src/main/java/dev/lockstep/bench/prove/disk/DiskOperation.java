package dev.lockstep.bench.prove.disk;

import java.nio.file.Path;
import java.util.Locale;

/**
 * One call on a disk.
 *
 * @param kind what it does
 * @param path the file, or the directory
 * @param file number of the file itself, whatever its name; 0 where there is none
 * @param position where it reads or writes, or the new length of a {@link Kind#TRUNCATE}, in bytes
 * @param data what it writes; empty where it writes nothing
 * @param target the new name of a {@link Kind#RENAME}, else null
 * @param activity what the database was doing
 */
@SuppressWarnings("ArrayRecordComponent") // Compared by isSameAs alone, and written by nobody.
record DiskOperation(Kind kind, Path path, int file, long position, byte[] data, Path target, Activity activity) {
    /** What can be asked of a disk. */
    enum Kind {
        READ(false),
        WRITE(true),
        FORCE(true),
        /** A file is made. */
        CREATE(true),
        RENAME(true),
        DELETE(true),
        TRUNCATE(true),
        FORCE_DIRECTORY(true),
        /** Directories are made; they are on the medium at once. */
        MAKE_DIRECTORIES(true),
        /** A file that exists is opened. */
        OPEN(false),
        /** The files of a directory are asked for. */
        LIST(false),
        /** Whether there is a file or a directory. */
        EXISTS(false),
        /** How long a file is. */
        SIZE(false),
        /** Others are kept out of a directory. */
        LOCK(false);

        private final boolean changes;

        Kind(boolean changes) {
            this.changes = changes;
        }

        /** For people. */
        String title() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    /** The same write at another place. */
    DiskOperation at(long otherPosition) {
        return new DiskOperation(kind, path, file, otherPosition, data, target, activity);
    }

    /** Whether it changes what is on the disk, or what of it is on the medium. */
    boolean changes() {
        return kind.changes;
    }

    /** Whether it makes an entry of a directory, which takes room. */
    boolean makesEntry() {
        return kind == Kind.CREATE || kind == Kind.MAKE_DIRECTORIES;
    }

    /**
     * Whether two runs of a workload did the same here; what they wrote has other identities and checksums, and a
     * thread of the engine may have done it before the workload went on to its next activity, or after.
     */
    boolean isSameAs(DiskOperation other) {
        return kind == other.kind
                && path.equals(other.path)
                && position == other.position
                && data.length == other.data.length;
    }

    /** The part of the file's name that all files of its kind have. */
    String fileKind() {
        return fileKind(path);
    }

    /** The part of a file's name that all files of its kind have. */
    static String fileKind(Path path) {
        String name = path.getFileName().toString();
        int end = name.indexOf('-');
        return end < 0 ? name : name.substring(0, end);
    }

    @Override
    public String toString() {
        String what = kind.title() + " " + path.getFileName();
        return switch (kind) {
            case READ -> what + " at " + position;
            case WRITE -> what + " at " + position + ", " + data.length + " bytes";
            case TRUNCATE -> what + " to " + position + " bytes";
            case RENAME -> what + " to " + target.getFileName();
            default -> what;
        };
    }
}
