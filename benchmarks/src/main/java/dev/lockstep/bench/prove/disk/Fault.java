package dev.lockstep.bench.prove.disk;

import java.util.Locale;

/** What a disk does at one operation. */
public enum Fault {
    /** The machine stops; of what was not forced nothing is left, of files as of directories. */
    DROPPED(Kind.CRASH),
    /** The process is killed; everything is left that it did. */
    KEPT(Kind.CRASH),
    /**
     * The machine stops; of what was not forced each write, each change of a directory is left or not, in any order.
     */
    REORDERED(Kind.CRASH),
    /** The same, and each sector of 512 bytes of each write is left or not. */
    TORN(Kind.CRASH),
    /** The machine stops; what was written is left, and nothing of what directories and lengths of files had become. */
    ENTRIES_LOST(Kind.CRASH),
    /** The machine stops; what was written is left, and each change of a directory or a length is left or not. */
    ENTRIES_REORDERED(Kind.CRASH),
    /** As with {@link #TORN}; then the machine stops again, up to three times, while the database recovers. */
    CRASH_IN_RECOVERY(Kind.CRASH),
    /**
     * A write goes to another place, of its file or of another one of its directory, and is reported as done; the
     * machine stops some time later.
     */
    MISDIRECTED(Kind.MEDIUM),
    /** A write is reported as done, forced and lost; the machine stops some time later. */
    LOST(Kind.MEDIUM),
    /** The operation fails. After a failed force the data is in the system's memory and never gets to the disk. */
    ERROR_ONCE(Kind.ERROR),
    /**
     * The operation and all after it fail, looking at files as well as reading them, until somebody has noticed, has
     * tried to open the database all the same, and has changed the disk.
     */
    ERROR_FOR_EVER(Kind.ERROR),
    /** From the operation on the file system can only be read, until the same has happened. */
    READ_ONLY(Kind.ERROR),
    /** The operation finds the disk full, as do all that make a file longer, until somebody has noticed. */
    DISK_FULL(Kind.ERROR);

    /** How a fault is brought about and what has to come of it. */
    enum Kind {
        /** Must be survived: everything acknowledged is there, and nothing else. */
        CRASH,
        /** Must be survived or detected: the database says what is wrong by a typed error, or is as it must be. */
        MEDIUM,
        /** The running database has to deal with it, and what it acknowledges afterwards counts as well. */
        ERROR
    }

    private final Kind kind;

    Fault(Kind kind) {
        this.kind = kind;
    }

    Kind kind() {
        return kind;
    }

    /**
     * Whether an operation can meet this fault: what is misdirected or lost is a write, a full disk needs room, and
     * what changes nothing fails or does not.
     */
    boolean appliesTo(DiskOperation operation) {
        boolean isWrite = operation.kind() == DiskOperation.Kind.WRITE;
        return switch (this) {
            case MISDIRECTED, LOST -> isWrite;
            case DISK_FULL -> isWrite || operation.makesEntry();
            case ERROR_ONCE, ERROR_FOR_EVER -> true;
            default -> operation.changes();
        };
    }

    /** Whether it lasts until somebody has changed or mended the disk. */
    boolean lasts() {
        return this == ERROR_FOR_EVER || this == READ_ONLY;
    }

    /** For the command line. */
    String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** For people. */
    String title() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
