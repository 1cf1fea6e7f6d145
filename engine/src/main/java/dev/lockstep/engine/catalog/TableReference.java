package dev.lockstep.engine.catalog;

import dev.lockstep.engine.Message;
import dev.lockstep.engine.SchemaException;

/**
 * The identity of a table while the database is open.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code state} changes only while the table's lock is held exclusively, so a transaction that holds any lock on
 *       the table sees one state.
 *   <li>Once {@code state} is null, after a drop, it stays so; a table of the same name is another reference.
 *   <li>{@code number} is taken by no other table as long as the database is open.
 * </ul>
 *
 * <p>Thread-safe.
 */
public final class TableReference {
    private final String name;
    private final int number;
    private volatile TableState state;

    /**
     * @param number small number, unique among the tables of the open database
     */
    public TableReference(String name, int number, TableState state) {
        this.name = name;
        this.number = number;
        this.state = state;
    }

    public String name() {
        return name;
    }

    public int number() {
        return number;
    }

    /**
     * The present state.
     *
     * @throws SchemaException if the table was dropped
     */
    public TableState state() {
        TableState present = state;
        if (present == null) {
            throw new SchemaException(Message.of("the table was dropped")
                    .with("table", name)
                    .remedy("create it again, and ask the database for its handle"));
        }
        return present;
    }

    /** The present state, null if the table was dropped. */
    public TableState stateOrNull() {
        return state;
    }

    public boolean isDropped() {
        return state == null;
    }

    /** Puts the state after a change of the schema in place; null after a drop. */
    public void publish(TableState next) {
        state = next;
    }
}
