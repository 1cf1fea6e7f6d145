package dev.lockstep.engine.type;

import dev.lockstep.engine.SchemaException;

/**
 * A column as part of a primary key or an index. Immutable and thread-safe.
 *
 * @param name the column's name
 * @param descending whether larger values come first; nulls come first in ascending and last in descending order
 */
public record KeyColumn(String name, boolean descending) {
    /**
     * Checks the name.
     *
     * @throws SchemaException if the name is not valid (see {@link Names})
     */
    public KeyColumn {
        Names.require("column", name);
    }

    /**
     * Smaller values first.
     *
     * @param name the column's name
     * @return the part of the key
     * @throws SchemaException if the name is not valid
     */
    public static KeyColumn ascending(String name) {
        return new KeyColumn(name, false);
    }

    /**
     * Larger values first.
     *
     * @param name the column's name
     * @return the part of the key
     * @throws SchemaException if the name is not valid
     */
    public static KeyColumn descending(String name) {
        return new KeyColumn(name, true);
    }
}
