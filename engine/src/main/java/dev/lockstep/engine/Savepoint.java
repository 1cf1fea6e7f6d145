package dev.lockstep.engine;

/**
 * A point in a transaction to which {@link Transaction#rollbackTo} can go back. Immutable; means nothing outside its
 * transaction.
 */
public final class Savepoint {
    private final Transaction transaction;
    private final int undoCount;

    Savepoint(Transaction transaction, int undoCount) {
        this.transaction = transaction;
        this.undoCount = undoCount;
    }

    Transaction transaction() {
        return transaction;
    }

    int undoCount() {
        return undoCount;
    }
}
