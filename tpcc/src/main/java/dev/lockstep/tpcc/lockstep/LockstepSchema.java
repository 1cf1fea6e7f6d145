package dev.lockstep.tpcc.lockstep;

import dev.lockstep.engine.Database;
import dev.lockstep.engine.IndexDefinition;
import dev.lockstep.engine.TableDefinition;
import dev.lockstep.engine.type.Column;
import dev.lockstep.engine.type.ColumnType;
import dev.lockstep.tpcc.schema.DefaultSchema;
import java.math.BigDecimal;
import java.time.LocalDateTime;
import org.jooq.DataType;
import org.jooq.Field;
import org.jooq.Index;
import org.jooq.SortField;
import org.jooq.Table;
import org.jooq.TableField;

/** Makes Lockstep's catalog from the schema object that jOOQ generated from the DDL: the same for every engine. */
final class LockstepSchema {
    private LockstepSchema() {}

    /** Creates all tables and indexes. */
    static void create(Database database) {
        for (Table<?> table : DefaultSchema.DEFAULT_SCHEMA.getTables()) {
            database.createTable(definition(table));
        }
    }

    /** The definition of a table. */
    static TableDefinition definition(Table<?> table) {
        TableDefinition.Builder builder = TableDefinition.named(table.getName());
        for (Field<?> field : table.fields()) {
            DataType<?> type = field.getDataType();
            builder.column(new Column(field.getName(), columnType(field), type.nullable()));
        }
        builder.primaryKey(table.getPrimaryKey().getFields().stream()
                .map(TableField::getName)
                .toArray(String[]::new));
        for (Index index : table.getIndexes()) {
            String[] columns =
                    index.getFields().stream().map(SortField::getName).toArray(String[]::new);
            builder.index(
                    index.getUnique()
                            ? IndexDefinition.unique(index.getName(), table.getName(), columns)
                            : IndexDefinition.of(index.getName(), table.getName(), columns));
        }
        return builder.build();
    }

    private static ColumnType columnType(Field<?> field) {
        DataType<?> type = field.getDataType();
        Class<?> javaType = type.getType();
        if (javaType == Short.class) {
            return ColumnType.int16();
        }
        if (javaType == Integer.class) {
            return ColumnType.int32();
        }
        if (javaType == Long.class) {
            return ColumnType.int64();
        }
        if (javaType == BigDecimal.class) {
            return ColumnType.decimal(type.precision(), type.scale());
        }
        if (javaType == LocalDateTime.class) {
            return ColumnType.timestamp();
        }
        if (javaType == String.class) {
            return ColumnType.string(type.length());
        }
        throw new IllegalStateException("no column type of Lockstep for field=" + field.getName() + " type=" + type);
    }
}
