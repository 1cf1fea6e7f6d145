package dev.lockstep.engine;

/** The errors of batches and teams, apart from them, since what they check is in the loops of every application. */
final class BatchErrors {
    private BatchErrors() {}

    /**
     * Whether a position is below 0 or not below a size: one comparison, as {@link java.util.Objects#checkIndex} has,
     * whose message nobody can choose without paying for it.
     */
    static boolean isOutside(int position, int size) {
        return Integer.compareUnsigned(position, size) >= 0;
    }

    static TransactionStateException full(int capacity) {
        return new TransactionStateException(Message.of("the batch is full")
                .with("capacity", capacity)
                .remedy("make it with a larger capacity, or run it and clear it before more is added"));
    }

    static IndexOutOfBoundsException noSuchRow(int index, int size) {
        return new IndexOutOfBoundsException(Message.of("the batch has no such row")
                .with("index", index)
                .with("size", size)
                .remedy("ask for rows from 0 on and below its size"));
    }

    static IndexOutOfBoundsException noSuchMember(int member, int size) {
        return new IndexOutOfBoundsException(Message.of("the team has no such member")
                .with("member", member)
                .with("size", size)
                .remedy("ask for members from 0 on and below its size"));
    }

    static IndexOutOfBoundsException notFetched(int range, int fetchedCount) {
        return new IndexOutOfBoundsException(Message.of("the range was not fetched")
                .with("range", range)
                .with("fetchedCount", fetchedCount)
                .remedy("add it and fetch the batch before asking for its rows"));
    }
}
