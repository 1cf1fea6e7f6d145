package dev.lockstep.engine;

import dev.lockstep.engine.type.KeyColumn;
import dev.lockstep.engine.type.KeyFormat;
import dev.lockstep.engine.type.Names;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A secondary index of a table. Immutable and thread-safe.
 *
 * @param name unique within the table, case-sensitive
 * @param table the name of the table
 * @param columns the indexed columns with their directions, in index order
 * @param unique whether no two rows may have equal values in all of them; rows with a null among them never count as
 *     equal
 */
public record IndexDefinition(String name, String table, List<KeyColumn> columns, boolean unique) {
    /**
     * Checks the definition as far as that needs no table.
     *
     * @throws SchemaException if a name is not valid, or the columns are none, too many, or named twice
     */
    public IndexDefinition {
        Names.require("index", name);
        Names.require("table", table);
        columns = List.copyOf(columns);
        if (columns.isEmpty() || columns.size() > KeyFormat.KEY_COLUMNS_MAX) {
            throw new SchemaException(Message.of("An index has a wrong number of columns")
                    .with("index", name)
                    .with("table", table)
                    .with("columnCount", columns.size())
                    .with("columnCountMax", KeyFormat.KEY_COLUMNS_MAX)
                    .remedy("Give the index 1 to 32 columns."));
        }
        Set<String> seen = new HashSet<>();
        for (KeyColumn column : columns) {
            if (!seen.add(column.name())) {
                throw new SchemaException(Message.of("An index names a column twice")
                        .with("index", name)
                        .with("table", table)
                        .with("column", column.name())
                        .remedy("Name each column once."));
            }
        }
    }

    /**
     * An index whose columns are all ascending.
     *
     * @param name its name
     * @param table the table's name
     * @param columns the names of the columns in index order
     * @return the definition
     * @throws SchemaException if it is not valid
     */
    public static IndexDefinition of(String name, String table, String... columns) {
        return new IndexDefinition(name, table, ascending(columns), false);
    }

    /**
     * A unique index whose columns are all ascending.
     *
     * @param name its name
     * @param table the table's name
     * @param columns the names of the columns in index order
     * @return the definition
     * @throws SchemaException if it is not valid
     */
    public static IndexDefinition unique(String name, String table, String... columns) {
        return new IndexDefinition(name, table, ascending(columns), true);
    }

    static List<KeyColumn> ascending(String... names) {
        List<KeyColumn> columns = new ArrayList<>(names.length);
        for (String name : names) {
            columns.add(KeyColumn.ascending(name));
        }
        return columns;
    }
}
