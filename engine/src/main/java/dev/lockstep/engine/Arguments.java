package dev.lockstep.engine;

/** What callers are told who hand in nothing, before anything has begun that it would end. */
final class Arguments {
    private Arguments() {}

    static Table require(Table tableOrNull) {
        if (tableOrNull == null) {
            throw none("table", "get it with table() of the database");
        }
        return tableOrNull;
    }

    static RowBatch require(RowBatch batchOrNull) {
        if (batchOrNull == null) {
            throw none("batch", "make one with newBatch() of the table");
        }
        return batchOrNull;
    }

    static RangeBatch require(RangeBatch rangesOrNull) {
        if (rangesOrNull == null) {
            throw none("ranges", "make a batch of them with newRangeBatch() of the table");
        }
        return rangesOrNull;
    }

    static FetchGroup require(FetchGroup groupOrNull) {
        if (groupOrNull == null) {
            throw none("group", "make one, and add its batches to it");
        }
        return groupOrNull;
    }

    static Key require(Key keyOrNull) {
        if (keyOrNull == null) {
            throw none("key", "make one with newKey() or newIndexKey() of the table");
        }
        return keyOrNull;
    }

    static String requireIndex(String indexOrNull) {
        if (indexOrNull == null) {
            throw none("index", "give its name, or scan the table without it");
        }
        return indexOrNull;
    }

    static TransactionOptions require(TransactionOptions optionsOrNull) {
        if (optionsOrNull == null) {
            throw new InvalidOptionException(Message.of("there are no options")
                    .with("options", null)
                    .remedy("leave them out, and those of the database apply"));
        }
        return optionsOrNull;
    }

    static PendingCommit require(PendingCommit answerOrNull) {
        if (answerOrNull == null) {
            throw new TransactionStateException(Message.of("there is no pending commit")
                    .with("answer", null)
                    .remedy("make one with newPendingCommit() of the database, or leave it out"));
        }
        return answerOrNull;
    }

    private static SchemaException none(String name, String remedy) {
        return new SchemaException(
                Message.of("an argument is missing").with(name, null).remedy(remedy));
    }
}
