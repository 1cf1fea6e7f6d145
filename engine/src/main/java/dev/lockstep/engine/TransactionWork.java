package dev.lockstep.engine;

/**
 * What a transaction does. It may be run more than once, when its options ask for retries: it should change nothing but
 * the database. It does not end the transaction: one that it has committed stays so, and the commit behind it is
 * refused ({@link TransactionStateException}); it is not run again then.
 *
 * @param <T> its result
 * @param <E> the checked exception that it may throw; any exception rolls the transaction back
 */
@FunctionalInterface
public interface TransactionWork<T, E extends Exception> {
    /**
     * Does the work.
     *
     * @param transaction the transaction, open; it is committed after the return
     * @return the result
     * @throws E to roll back
     */
    T apply(Transaction transaction) throws E;

    /**
     * Work without a result.
     *
     * @param <E> the checked exception that it may throw
     */
    @FunctionalInterface
    interface WithoutResult<E extends Exception> {
        /**
         * Does the work.
         *
         * @param transaction the transaction, open; it is committed after the return
         * @throws E to roll back
         */
        void accept(Transaction transaction) throws E;
    }
}
