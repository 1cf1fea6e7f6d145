package dev.lockstep.engine.type;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.IndexDefinition;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.NewerFormatException;
import dev.lockstep.engine.SchemaException;
import dev.lockstep.engine.TableDefinition;
import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The bytes that the catalog keeps for a table. Numbers are little-endian; there is no padding.
 *
 * <pre>
 *  TABLE     = version u8, treeId i32, rootPageId i32, name TEXT,
 *              columnCount u16, COLUMN ..., keyColumnCount u8, KEYCOLUMN ..., indexCount u8, INDEX ...
 *  COLUMN    = kind u8, nullable u8, scale u8, lengthMax i32, name TEXT
 *  KEYCOLUMN = ordinal u16, descending u8
 *  INDEX     = treeId i32, rootPageId i32, state u8, unique u8, name TEXT, columnCount u8, KEYCOLUMN ...
 *  TEXT      = bytes u16, UTF-8
 * </pre>
 *
 * <p>Kinds and states have numbers of their own, listed here, so that the order of the Java enums is free. Stateless
 * and thread-safe.
 */
public final class SchemaCodec {
    /** The version written. A reader takes this one and refuses larger ones. */
    public static final int VERSION = 1;

    private static final int KIND_BOOLEAN = 1;
    private static final int KIND_INT16 = 2;
    private static final int KIND_INT32 = 3;
    private static final int KIND_INT64 = 4;
    private static final int KIND_FLOAT64 = 5;
    private static final int KIND_DECIMAL = 6;
    private static final int KIND_STRING = 7;
    private static final int KIND_BINARY = 8;
    private static final int KIND_DATE = 9;
    private static final int KIND_TIMESTAMP = 10;

    private static final int STATE_READY = 1;
    private static final int STATE_BUILDING = 2;

    private SchemaCodec() {}

    /**
     * Writes a table.
     *
     * @param table the table
     * @return its bytes
     */
    public static byte[] encode(StoredTable table) {
        Writer writer = new Writer();
        TableDefinition definition = table.definition();
        writer.putByte(VERSION);
        writer.putInt(table.treeId());
        writer.putInt(table.rootPageId());
        writer.putText(definition.name());
        writer.putShort(definition.columns().size());
        for (Column column : definition.columns()) {
            writer.putByte(number(column.type().kind()));
            writer.putByte(column.nullable() ? 1 : 0);
            writer.putByte(column.type().scale());
            writer.putInt(column.type().lengthMax());
            writer.putText(column.name());
        }
        writer.putKeyColumns(definition, definition.primaryKey());
        writer.putByte(definition.indexes().size());
        for (int i = 0; i < definition.indexes().size(); i++) {
            IndexDefinition index = definition.indexes().get(i);
            StoredTable.StoredIndex stored = table.indexes().get(i);
            writer.putInt(stored.treeId());
            writer.putInt(stored.rootPageId());
            writer.putByte(
                    switch (stored.state()) {
                        case READY -> STATE_READY;
                        case BUILDING -> STATE_BUILDING;
                    });
            writer.putByte(index.unique() ? 1 : 0);
            writer.putText(index.name());
            writer.putKeyColumns(definition, index.columns());
        }
        return writer.bytes.toByteArray();
    }

    /**
     * Reads a table.
     *
     * @param bytes where it lies
     * @param from index of its first byte
     * @param length number of its bytes
     * @return the table
     * @throws NewerFormatException if a newer version wrote it
     * @throws CorruptionException if the bytes are no table
     */
    public static StoredTable decode(byte[] bytes, int from, int length) {
        ByteBuffer source = ByteBuffer.wrap(bytes, from, length).order(ByteOrder.LITTLE_ENDIAN);
        try {
            int version = unsignedByte(source);
            if (version > VERSION) {
                throw new NewerFormatException(Message.of("The catalog was written by a newer version")
                        .with("version", version)
                        .with("versionMax", VERSION)
                        .remedy("Open the database with the version that wrote it, or a later one."));
            }
            StoredTable table = version == VERSION ? readTable(source) : null;
            if (table == null || source.hasRemaining()) {
                throw malformed(source, from, length, null);
            }
            return table;
        } catch (BufferUnderflowException | IndexOutOfBoundsException | SchemaException failure) {
            throw malformed(source, from, length, failure);
        }
    }

    private static StoredTable readTable(ByteBuffer source) {
        int treeId = source.getInt();
        int rootPageId = source.getInt();
        String name = text(source);
        int columnCount = Short.toUnsignedInt(source.getShort());
        List<Column> columns = new ArrayList<>();
        for (int i = 0; i < columnCount; i++) {
            ColumnType.Kind kind = kind(unsignedByte(source));
            boolean nullable = flag(source);
            int scale = unsignedByte(source);
            ColumnType type = new ColumnType(kind, source.getInt(), scale);
            columns.add(new Column(text(source), type, nullable));
        }
        List<KeyColumn> primaryKey = keyColumns(source, columns);
        int indexCount = unsignedByte(source);
        List<IndexDefinition> indexes = new ArrayList<>();
        List<StoredTable.StoredIndex> trees = new ArrayList<>();
        for (int i = 0; i < indexCount; i++) {
            int indexTreeId = source.getInt();
            int indexRootPageId = source.getInt();
            trees.add(new StoredTable.StoredIndex(indexTreeId, indexRootPageId, state(unsignedByte(source))));
            boolean unique = flag(source);
            String indexName = text(source);
            indexes.add(new IndexDefinition(indexName, name, keyColumns(source, columns), unique));
        }
        return new StoredTable(new TableDefinition(name, columns, primaryKey, indexes), treeId, rootPageId, trees);
    }

    private static List<KeyColumn> keyColumns(ByteBuffer source, List<Column> columns) {
        int count = unsignedByte(source);
        List<KeyColumn> keyColumns = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String name = columns.get(Short.toUnsignedInt(source.getShort())).name();
            keyColumns.add(new KeyColumn(name, flag(source)));
        }
        return keyColumns;
    }

    private static int unsignedByte(ByteBuffer source) {
        return Byte.toUnsignedInt(source.get());
    }

    private static boolean flag(ByteBuffer source) {
        return unsignedByte(source) != 0;
    }

    private static String text(ByteBuffer source) {
        byte[] utf8 = new byte[Short.toUnsignedInt(source.getShort())];
        source.get(utf8);
        return new String(utf8, StandardCharsets.UTF_8);
    }

    private static int number(ColumnType.Kind kind) {
        return switch (kind) {
            case BOOLEAN -> KIND_BOOLEAN;
            case INT16 -> KIND_INT16;
            case INT32 -> KIND_INT32;
            case INT64 -> KIND_INT64;
            case FLOAT64 -> KIND_FLOAT64;
            case DECIMAL -> KIND_DECIMAL;
            case STRING -> KIND_STRING;
            case BINARY -> KIND_BINARY;
            case DATE -> KIND_DATE;
            case TIMESTAMP -> KIND_TIMESTAMP;
        };
    }

    private static ColumnType.Kind kind(int number) {
        return switch (number) {
            case KIND_BOOLEAN -> ColumnType.Kind.BOOLEAN;
            case KIND_INT16 -> ColumnType.Kind.INT16;
            case KIND_INT32 -> ColumnType.Kind.INT32;
            case KIND_INT64 -> ColumnType.Kind.INT64;
            case KIND_FLOAT64 -> ColumnType.Kind.FLOAT64;
            case KIND_DECIMAL -> ColumnType.Kind.DECIMAL;
            case KIND_STRING -> ColumnType.Kind.STRING;
            case KIND_BINARY -> ColumnType.Kind.BINARY;
            case KIND_DATE -> ColumnType.Kind.DATE;
            case KIND_TIMESTAMP -> ColumnType.Kind.TIMESTAMP;
            default -> throw new SchemaException("There is no kind of column of this number: kind=" + number);
        };
    }

    private static StoredTable.IndexState state(int number) {
        return switch (number) {
            case STATE_READY -> StoredTable.IndexState.READY;
            case STATE_BUILDING -> StoredTable.IndexState.BUILDING;
            default -> throw new SchemaException("There is no state of an index of this number: state=" + number);
        };
    }

    private static CorruptionException malformed(ByteBuffer source, int from, int length, Throwable cause) {
        return new CorruptionException(
                Message.of("An entry of the catalog is no definition of a table")
                        .with("lengthBytes", length)
                        .with("readBytes", source.position() - from)
                        .remedy("Restore the database from a backup and examine the medium."),
                cause);
    }

    /** Collects bytes. The catalog is written seldom, so this one may allocate. */
    private static final class Writer {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        void putByte(int value) {
            bytes.write(value);
        }

        void putShort(int value) {
            putByte(value);
            putByte(value >> Byte.SIZE);
        }

        void putInt(int value) {
            putShort(value);
            putShort(value >> Short.SIZE);
        }

        void putText(String value) {
            byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
            putShort(utf8.length);
            bytes.writeBytes(utf8);
        }

        void putKeyColumns(TableDefinition definition, List<KeyColumn> keyColumns) {
            putByte(keyColumns.size());
            for (KeyColumn column : keyColumns) {
                putShort(definition.ordinal(column.name()));
                putByte(column.descending() ? 1 : 0);
            }
        }
    }
}
