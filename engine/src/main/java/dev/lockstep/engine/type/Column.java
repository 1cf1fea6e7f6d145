package dev.lockstep.engine.type;

import dev.lockstep.engine.Message;
import dev.lockstep.engine.SchemaException;

/**
 * A column of a table. Immutable and thread-safe.
 *
 * @param name unique within its table, case-sensitive
 * @param type what its values are
 * @param nullable whether it may hold null
 */
public record Column(String name, ColumnType type, boolean nullable) {
    /**
     * Checks the name.
     *
     * @throws SchemaException if the name is not valid (see {@link Names})
     */
    public Column {
        Names.require("column", name);
        if (type == null) {
            throw new SchemaException(Message.of("A column needs a type")
                    .with("column", name)
                    .with("type", null)
                    .remedy("Give it one of the types that ColumnType makes."));
        }
    }

    /**
     * A column that never holds null.
     *
     * @param name unique within its table
     * @param type what its values are
     * @return the column
     * @throws SchemaException if the name is not valid
     */
    public static Column notNull(String name, ColumnType type) {
        return new Column(name, type, false);
    }

    /**
     * A column that may hold null.
     *
     * @param name unique within its table
     * @param type what its values are
     * @return the column
     * @throws SchemaException if the name is not valid
     */
    public static Column nullable(String name, ColumnType type) {
        return new Column(name, type, true);
    }
}
