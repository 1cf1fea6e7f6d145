package dev.lockstep.engine;

/**
 * A point in a transaction to which {@link Transaction#rollbackTo} can go back. Immutable; means nothing outside its
 * transaction, nor after a rollback to a savepoint before it.
 */
public final class Savepoint {
    private final int undoCount;
    private final Savepoint previous;

    Savepoint(int undoCount, Savepoint previous) {
        this.undoCount = undoCount;
        this.previous = previous;
    }

    /** The one made before it in the same transaction, or null. */
    Savepoint previous() {
        return previous;
    }

    int undoCount() {
        return undoCount;
    }
}
