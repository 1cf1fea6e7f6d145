package dev.lockstep.engine;

import dev.lockstep.engine.type.Column;
import dev.lockstep.engine.type.ColumnType;
import dev.lockstep.engine.type.KeyColumn;
import dev.lockstep.engine.type.KeyFormat;
import dev.lockstep.engine.type.Names;
import dev.lockstep.engine.type.RecordFormat;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A table: its columns, its primary key and its secondary indexes.
 *
 * <pre>{@code
 * TableDefinition item = TableDefinition.named("ITEM")
 *         .column("I_ID", ColumnType.int32())
 *         .column("I_NAME", ColumnType.string(24))
 *         .column("I_PRICE", ColumnType.decimal(5, 2))
 *         .nullable("I_DATA", ColumnType.string(50))
 *         .primaryKey("I_ID")
 *         .index("I_BY_NAME", "I_NAME")
 *         .build();
 * }</pre>
 *
 * <p>Rows are kept in the order of the primary key, whose columns are NOT NULL. Immutable and thread-safe. Two
 * definitions are equal when name, columns, primary key and indexes are.
 */
public final class TableDefinition {
    /**
     * Most secondary indexes of a table: SQL engines allow 64 upwards, and each makes every insert and delete of a row
     * change one more tree.
     */
    public static final int INDEXES_MAX = 64;

    private final String name;
    private final List<Column> columns;
    private final List<KeyColumn> primaryKey;
    private final List<IndexDefinition> indexes;
    private final Map<String, Integer> ordinals = new HashMap<>();
    private final RecordFormat recordFormat;
    private final List<KeyFormat> indexFormats = new ArrayList<>();

    /**
     * Makes a definition of its parts.
     *
     * @param name the table's name
     * @param columns its columns in order
     * @param primaryKey the columns of the primary key in key order
     * @param indexes its secondary indexes
     * @throws SchemaException if the definition is not valid; the message names the part
     */
    public TableDefinition(
            String name, List<Column> columns, List<KeyColumn> primaryKey, List<IndexDefinition> indexes) {
        this.name = Names.require("table", name);
        this.columns = List.copyOf(columns);
        this.primaryKey = List.copyOf(primaryKey);
        this.indexes = List.copyOf(indexes);
        for (int i = 0; i < this.columns.size(); i++) {
            String column = this.columns.get(i).name();
            if (ordinals.put(column, i) != null) {
                throw new SchemaException(Message.of("Two columns have the same name")
                        .with("table", name)
                        .with("column", column)
                        .remedy("Rename one of them."));
            }
        }
        Column[] columnArray = this.columns.toArray(new Column[0]);
        recordFormat = new RecordFormat(name, columnArray, ordinalsOf(this.primaryKey), directionsOf(this.primaryKey));
        if (this.indexes.size() > INDEXES_MAX) {
            throw new SchemaException(Message.of("A table has too many indexes")
                    .with("table", name)
                    .with("indexCount", this.indexes.size())
                    .with("indexCountMax", INDEXES_MAX)
                    .remedy("Drop an index."));
        }
        for (int i = 0; i < this.indexes.size(); i++) {
            IndexDefinition index = this.indexes.get(i);
            if (!index.table().equals(name)) {
                throw new SchemaException(Message.of("The index belongs to another table")
                        .with("index", index.name())
                        .with("expected", name)
                        .with("actual", index.table())
                        .remedy("Define it with the name of this table."));
            }
            for (int j = 0; j < i; j++) {
                if (this.indexes.get(j).name().equals(index.name())) {
                    throw new SchemaException(Message.of("The table has an index of this name already")
                            .with("table", name)
                            .with("index", index.name())
                            .remedy("Choose another name or drop the index that has it."));
                }
            }
            indexFormats.add(new KeyFormat(
                    name + "." + index.name(),
                    columnArray,
                    ordinalsOf(index.columns()),
                    directionsOf(index.columns())));
        }
    }

    private int[] ordinalsOf(List<KeyColumn> keyColumns) {
        return keyColumns.stream().mapToInt(column -> ordinal(column.name())).toArray();
    }

    private static boolean[] directionsOf(List<KeyColumn> keyColumns) {
        boolean[] descending = new boolean[keyColumns.size()];
        for (int i = 0; i < descending.length; i++) {
            descending[i] = keyColumns.get(i).descending();
        }
        return descending;
    }

    /**
     * Begins a definition.
     *
     * @param name the table's name
     * @return a builder
     */
    public static Builder named(String name) {
        return new Builder(name);
    }

    /**
     * The table's name.
     *
     * @return the name
     */
    public String name() {
        return name;
    }

    /**
     * The columns in order.
     *
     * @return an unmodifiable list
     */
    public List<Column> columns() {
        return columns;
    }

    /**
     * The columns of the primary key in key order.
     *
     * @return an unmodifiable list
     */
    public List<KeyColumn> primaryKey() {
        return primaryKey;
    }

    /**
     * The secondary indexes.
     *
     * @return an unmodifiable list
     */
    public List<IndexDefinition> indexes() {
        return indexes;
    }

    /**
     * The place of a column in the order of columns, which is how records address it.
     *
     * @param column the column's name
     * @return its ordinal, from 0
     * @throws SchemaException if the table has no such column
     */
    public int ordinal(String column) {
        Integer ordinal = ordinals.get(column);
        if (ordinal == null) {
            throw new SchemaException(Message.of("The table has no column of this name")
                    .with("table", name)
                    .with("column", column)
                    .remedy("Use the name of a column of the table; names are case-sensitive."));
        }
        return ordinal;
    }

    /**
     * The place of an index in {@link #indexes()}.
     *
     * @param index the index's name
     * @return its position, from 0
     * @throws SchemaException if the table has no such index
     */
    public int indexPosition(String index) {
        for (int i = 0; i < indexes.size(); i++) {
            if (indexes.get(i).name().equals(index)) {
                return i;
            }
        }
        throw new SchemaException(Message.of("The table has no index of this name")
                .with("table", name)
                .with("index", index)
                .remedy("Use the name of an index of the table; names are case-sensitive."));
    }

    /**
     * Where each column lies in the bytes of a row.
     *
     * @return the format, the same object at every call
     */
    public RecordFormat recordFormat() {
        return recordFormat;
    }

    /**
     * The format of the primary key.
     *
     * @return the format, the same object at every call
     */
    public KeyFormat keyFormat() {
        return recordFormat.keyFormat();
    }

    /**
     * The format of an index's columns.
     *
     * @param position the index's place in {@link #indexes()}
     * @return the format, the same object at every call
     */
    public KeyFormat indexFormat(int position) {
        return indexFormats.get(position);
    }

    /**
     * This table with one more index.
     *
     * @param index the index
     * @return a new definition
     * @throws SchemaException if it does not fit the table
     */
    public TableDefinition withIndex(IndexDefinition index) {
        List<IndexDefinition> more = new ArrayList<>(indexes);
        more.add(index);
        return new TableDefinition(name, columns, primaryKey, more);
    }

    /**
     * This table with one index less.
     *
     * @param index the index's name
     * @return a new definition
     * @throws SchemaException if the table has no such index
     */
    public TableDefinition withoutIndex(String index) {
        List<IndexDefinition> fewer = new ArrayList<>(indexes);
        fewer.remove(indexPosition(index));
        return new TableDefinition(name, columns, primaryKey, fewer);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TableDefinition that
                && name.equals(that.name)
                && columns.equals(that.columns)
                && primaryKey.equals(that.primaryKey)
                && indexes.equals(that.indexes);
    }

    @Override
    public int hashCode() {
        return Objects.hash(name, columns, primaryKey, indexes);
    }

    /** The definition, for messages and debuggers. */
    @Override
    public String toString() {
        return name + columns + primaryKey + indexes;
    }

    /**
     * Collects the parts of a table. What is wrong with one part by itself, such as an empty name, is a {@link
     * SchemaException} of the call that adds it; whether they fit together is looked at in {@link #build()}. Not
     * thread-safe.
     */
    public static final class Builder {
        private final String name;
        private final List<Column> columns = new ArrayList<>();
        private final List<IndexDefinition> indexes = new ArrayList<>();
        private List<KeyColumn> primaryKey = List.of();

        private Builder(String name) {
            this.name = name;
        }

        /**
         * Adds a column that never holds null.
         *
         * @param column its name
         * @param type what its values are
         * @return this builder
         */
        public Builder column(String column, ColumnType type) {
            return column(Column.notNull(column, type));
        }

        /**
         * Adds a column that may hold null.
         *
         * @param column its name
         * @param type what its values are
         * @return this builder
         */
        public Builder nullable(String column, ColumnType type) {
            return column(Column.nullable(column, type));
        }

        /**
         * Adds a column.
         *
         * @param column the column
         * @return this builder
         */
        public Builder column(Column column) {
            columns.add(column);
            return this;
        }

        /**
         * Sets the primary key, all ascending.
         *
         * @param names the columns in key order
         * @return this builder
         */
        public Builder primaryKey(String... names) {
            primaryKey = IndexDefinition.ascending(names);
            return this;
        }

        /**
         * Sets the primary key.
         *
         * @param keyColumns the columns and their directions in key order
         * @return this builder
         */
        public Builder primaryKey(KeyColumn... keyColumns) {
            primaryKey = List.of(keyColumns);
            return this;
        }

        /**
         * Adds an index, all ascending.
         *
         * @param index its name
         * @param names the columns in index order
         * @return this builder
         */
        public Builder index(String index, String... names) {
            return index(IndexDefinition.of(index, name, names));
        }

        /**
         * Adds a unique index, all ascending.
         *
         * @param index its name
         * @param names the columns in index order
         * @return this builder
         */
        public Builder uniqueIndex(String index, String... names) {
            return index(IndexDefinition.unique(index, name, names));
        }

        /**
         * Adds an index.
         *
         * @param index the index
         * @return this builder
         */
        public Builder index(IndexDefinition index) {
            indexes.add(index);
            return this;
        }

        /**
         * Checks and makes the definition.
         *
         * @return the definition
         * @throws SchemaException if it is not valid; the message names the part
         */
        public TableDefinition build() {
            return new TableDefinition(name, columns, primaryKey, indexes);
        }
    }
}
