package dev.lockstep.engine;

import dev.lockstep.engine.lock.LockMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Batches of several tables whose rows a transaction fetches with one call. What a transaction knows in advance of
 * several tables is best asked for together: the searches of all batches then run side by side, and wait for memory
 * once where one batch after the other waits once each.
 *
 * <pre>{@code
 * RowBatch items = item.newBatch(LINES_MAX);
 * RowBatch stocks = stock.newBatch(LINES_MAX);
 * FetchGroup order = new FetchGroup().read(item, items).exclusive(stock, stocks);
 * ...
 * items.clear();
 * stocks.clear();
 * for (int id : ids) { items.addKey().add(id); stocks.addKey().add(warehouse).add(id); }
 * if (transaction.fetch(order) < items.size() + stocks.size()) { ... items.found(i) ... }
 * }</pre>
 *
 * <p>Up to 48 rows of at most three batches run together; what is beyond follows. Locks are taken in the order of the
 * batches and of their keys: transactions that ask in the same order do not block each other in a circle.
 *
 * <p>Invariant: a batch is in the group once.
 *
 * <p>Made once, with batches that are filled anew for each fetch: make one per thread of work. Not thread-safe.
 */
public final class FetchGroup {
    private final List<Part> parts = new ArrayList<>();

    /** A batch, its table, and the lock of a row that is going to be changed, or {@link LockMode#NONE}. */
    record Part(Table table, RowBatch batch, int changeMode) {}

    /** A group without batches. */
    public FetchGroup() {}

    /**
     * Adds a batch whose rows are read, at the isolation level of the transaction.
     *
     * @param table the table
     * @param batch to be filled with complete primary keys before a fetch; takes the rows; in the group once
     * @return this group
     * @throws SchemaException if the batch is in the group already
     */
    public FetchGroup read(Table table, RowBatch batch) {
        return add(table, batch, LockMode.NONE);
    }

    /**
     * Adds a batch all rows of which are going to be changed; see {@link Transaction#fetchForUpdate(Table, RowBatch)}.
     *
     * @param table the table
     * @param batch to be filled with complete primary keys before a fetch; takes the rows; in the group once
     * @return this group
     * @throws SchemaException if the batch is in the group already
     */
    public FetchGroup forUpdate(Table table, RowBatch batch) {
        return add(table, batch, LockMode.KEY_U);
    }

    /**
     * Adds a batch all rows of which will surely be changed; see {@link Transaction#fetchExclusive(Table, RowBatch)}.
     *
     * @param table the table
     * @param batch to be filled with complete primary keys before a fetch; takes the rows; in the group once
     * @return this group
     * @throws SchemaException if the batch is in the group already
     */
    public FetchGroup exclusive(Table table, RowBatch batch) {
        return add(table, batch, LockMode.KEY_X);
    }

    @SuppressWarnings("ReferenceEquality") // that very batch
    private FetchGroup add(Table table, RowBatch batch, int changeMode) {
        Objects.requireNonNull(table, "table");
        Objects.requireNonNull(batch, "batch");
        for (Part part : parts) {
            if (part.batch() == batch) {
                throw new SchemaException(Message.of("the batch is in the group already")
                        .with("table", table.name())
                        .with("position", parts.indexOf(part))
                        .remedy("make a batch for each table and each kind of lock"));
            }
        }
        parts.add(new Part(table, batch, changeMode));
        return this;
    }

    List<Part> parts() {
        return parts;
    }
}
