package dev.lockstep.engine.lock;

/**
 * A table whose lock is open for some modes that do not conflict with each other: who asks for one of these need not
 * ask the lock table ({@link OpenTables}). Immutable.
 */
final class OpenTable {
    /** What readers and writers of keys take: bit {@code m} is set for mode {@code m}. */
    static final int INTENTIONS = 1 << LockMode.IS | 1 << LockMode.IX;

    /** What readers of keys and of whole tables take. */
    static final int READS = 1 << LockMode.IS | 1 << LockMode.S;

    /** Every mode. */
    static final int ALL = -1;

    /** No mode. */
    static final int CLOSED = 0;

    private final long name;
    private final int modes;
    private final long dependsOnLsn;

    /**
     * @param name of the table's lock
     * @param modes {@link #INTENTIONS} or {@link #READS}
     * @param dependsOnLsn the largest commit LSN of those that released the lock early in a mode that conflicts with
     *     one of the modes; see {@link LockManager#releaseAll}
     */
    OpenTable(long name, int modes, long dependsOnLsn) {
        this.name = name;
        this.modes = modes;
        this.dependsOnLsn = dependsOnLsn;
    }

    long name() {
        return name;
    }

    int modes() {
        return modes;
    }

    /** What a transaction depends on that takes the lock in one of the modes. */
    long dependsOnLsn() {
        return dependsOnLsn;
    }

    boolean admits(int mode) {
        return (modes >>> mode & 1) != 0;
    }
}
