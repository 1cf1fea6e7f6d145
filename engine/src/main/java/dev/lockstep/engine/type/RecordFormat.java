package dev.lockstep.engine.type;

import dev.lockstep.engine.Message;
import dev.lockstep.engine.SchemaException;
import java.util.Arrays;

/**
 * Where each column of a table lies: in the key ({@link KeyFormat}) or in the value ({@link RecordLayout}), and at
 * which offset.
 *
 * <p>Invariants:
 * <ul>
 *   <li>All arrays but the templates have one element per column, or per 64 columns, and nothing changes.
 *   <li>A column is in the key exactly if {@code accesses[column]} has {@link ColumnEncoding#IN_KEY}; it is then NOT
 *       NULL.
 *   <li>{@code accesses[column]} also says where the column lies ({@link ColumnEncoding#offset}): what {@code offsets}
 *       says of one of fixed width, or where the end of one of variable length stands.
 *   <li>Of a projection, {@code whole} is the format of its table, the accesses of columns that it leaves out are
 *       {@link #LEFT_OUT}, and all others lie in the first {@code leadingBytes} of the value or in the key. Otherwise
 *       {@code whole} is this and {@code leadingBytes} is {@link #ALL_BYTES}.
 *   <li>{@code valueTemplate} is the value of a row whose nullable columns are null and whose others are zero or empty;
 *       {@code keyTemplate} is the key of zeros and empty values. Both are valid encodings.
 * </ul>
 *
 * <p>Immutable and thread-safe.
 */
public final class RecordFormat {
    /**
     * Most columns of a table. SQL engines allow 1,000 to 1,600; the bitmaps of a record with this many take 256 bytes.
     */
    public static final int COLUMNS_MAX = 1_024;

    /** As the end of a column's bytes: setting it may move others, or it is not in the value. */
    static final int NOT_FIXED = -1;

    /** The whole value. */
    static final int ALL_BYTES = Integer.MAX_VALUE;

    /** The access of a column that a projection leaves out: negative, like none else. */
    private static final int LEFT_OUT = Integer.MIN_VALUE;

    private final RecordFormat whole;
    private final boolean projection;
    private final int leadingBytes;
    private final String tableName;
    private final Column[] columns;
    private final KeyFormat keyFormat;
    private final int[] accesses;
    private final int[] offsets;
    private final int[] nullBits;
    private final int[] variables;
    private final int[] keyParts;
    private final int[] changeFrom;
    private final int[] changeTo;
    private final long[] keyMasks;
    private final long[] required;
    private final int endsOffset;
    private final int endBytes;
    private final int variableCount;
    private final int minimumValueBytes;
    private final long maximumValueBytes;
    private final int asciiValueBytesMax;
    private final byte[] valueTemplate;
    private final byte[] keyTemplate;

    /**
     * Makes the format of a table.
     *
     * @param tableName the table, for messages
     * @param columns its columns in declared order
     * @param keyOrdinals the ordinals of the primary key's columns, in key order
     * @param keyDescending whether larger values come first, per column of the primary key
     * @throws SchemaException if there are too many or no columns, or the primary key is not valid or nullable
     */
    public RecordFormat(String tableName, Column[] columns, int[] keyOrdinals, boolean[] keyDescending) {
        int count = columns.length;
        requireColumnCount(tableName, count);
        whole = this;
        projection = false;
        leadingBytes = ALL_BYTES;
        this.tableName = tableName;
        this.columns = columns.clone();
        keyFormat = new KeyFormat(tableName, columns, keyOrdinals, keyDescending);
        accesses = new int[count];
        offsets = new int[count];
        nullBits = new int[count];
        variables = new int[count];
        keyParts = new int[count];
        changeFrom = new int[count];
        changeTo = new int[count];
        keyMasks = new long[count];
        required = new long[wordsOf(count)];
        Arrays.fill(keyParts, -1);
        for (int part = 0; part < keyOrdinals.length; part++) {
            Column column = columns[keyOrdinals[part]];
            if (column.nullable()) {
                throw new SchemaException(Message.of("A column of the primary key is nullable")
                        .with("table", tableName)
                        .with("column", column.name())
                        .remedy("Declare it NOT NULL."));
            }
            keyParts[keyOrdinals[part]] = part;
        }
        int nullableCount = 0;
        int variablesSeen = 0;
        int fixedBytes = 0;
        long variableBytesMax = 0;
        long asciiBytesMax = 0;
        for (int i = 0; i < count; i++) {
            ColumnType type = columns[i].type();
            int encoding = ColumnEncoding.of(type);
            int width = ColumnEncoding.widthBytes(encoding);
            boolean inKey = keyParts[i] >= 0;
            accesses[i] = encoding
                    | (inKey ? ColumnEncoding.IN_KEY : 0)
                    | (columns[i].nullable() ? ColumnEncoding.NULLABLE : 0);
            nullBits[i] = columns[i].nullable() ? nullableCount++ : -1;
            variables[i] = -1;
            if (!columns[i].nullable()) {
                required[i >> 6] |= 1L << i;
            }
            if (inKey) {
                keyMasks[i] = keyFormat.mask(keyParts[i]);
            } else if (width == ColumnEncoding.VARIABLE) {
                variables[i] = variablesSeen++;
                variableBytesMax += (long) type.lengthMax() * (encoding == ColumnEncoding.STRING ? 4 : 1);
                asciiBytesMax += type.lengthMax();
            } else {
                offsets[i] = fixedBytes;
                fixedBytes += width;
            }
        }
        int bitmapBytes = (nullableCount + Byte.SIZE - 1) / Byte.SIZE;
        for (int i = 0; i < count; i++) {
            offsets[i] = keyParts[i] >= 0 ? keyFormat.offset(keyParts[i]) : offsets[i] + bitmapBytes;
            boolean isFixed = keyParts[i] < 0 && variables[i] < 0;
            changeFrom[i] = nullBits[i] >= 0 ? nullBits[i] / Byte.SIZE : offsets[i];
            changeTo[i] =
                    isFixed ? offsets[i] + ColumnEncoding.widthBytes(accesses[i] & ColumnEncoding.MASK) : NOT_FIXED;
        }
        variableCount = variablesSeen;
        endsOffset = bitmapBytes + fixedBytes;
        long shortBytesMax = endsOffset + (long) variableCount * RecordLayout.SHORT_END_BYTES + variableBytesMax;
        boolean isShort = shortBytesMax <= RecordLayout.SHORT_VALUE_BYTES_MAX;
        endBytes = isShort ? RecordLayout.SHORT_END_BYTES : RecordLayout.LONG_END_BYTES;
        minimumValueBytes = endsOffset + variableCount * endBytes;
        maximumValueBytes = Math.min(minimumValueBytes + variableBytesMax, RecordLayout.VALUE_BYTES_MAX);
        asciiValueBytesMax = (int) Math.min(minimumValueBytes + asciiBytesMax, RecordLayout.VALUE_BYTES_MAX);
        for (int i = 0; i < count; i++) {
            accesses[i] = placed(i);
        }
        valueTemplate = makeValueTemplate(nullableCount);
        keyTemplate = makeKeyTemplate();
    }

    private static void requireColumnCount(String tableName, int count) {
        if (count == 0 || count > COLUMNS_MAX) {
            throw new SchemaException(Message.of("A table has a wrong number of columns")
                    .with("table", tableName)
                    .with("columnCount", count)
                    .with("columnCountMax", COLUMNS_MAX)
                    .remedy("Declare 1 to 1024 columns."));
        }
    }

    /** The access code of a column with its place, or, where its length varies, the place of its end. */
    private int placed(int column) {
        int access = accesses[column];
        if (variables[column] >= 0) {
            return ColumnEncoding.placed(access, endOffset(variables[column]));
        }
        if (offsets[column] == KeyFormat.NOT_CONSTANT) {
            return access;
        }
        int flags = keyParts[column] >= 0 ? keyFormat.access(keyParts[column]) & ColumnEncoding.PLACED_IN_KEY : 0;
        return ColumnEncoding.placed(access | flags, offsets[column]);
    }

    private RecordFormat(RecordFormat whole, int[] accesses, int leadingBytes) {
        this.whole = whole;
        projection = true;
        this.accesses = accesses;
        this.leadingBytes = leadingBytes;
        tableName = whole.tableName;
        columns = whole.columns;
        keyFormat = whole.keyFormat;
        offsets = whole.offsets;
        nullBits = whole.nullBits;
        variables = whole.variables;
        keyParts = whole.keyParts;
        changeFrom = whole.changeFrom;
        changeTo = whole.changeTo;
        keyMasks = whole.keyMasks;
        required = whole.required;
        endsOffset = whole.endsOffset;
        endBytes = whole.endBytes;
        variableCount = whole.variableCount;
        minimumValueBytes = whole.minimumValueBytes;
        maximumValueBytes = whole.maximumValueBytes;
        asciiValueBytesMax = whole.asciiValueBytesMax;
        valueTemplate = whole.valueTemplate;
        keyTemplate = whole.keyTemplate;
    }

    /**
     * The format of records that are only read, and of them only some columns besides the primary key. Where these all
     * have a fixed width, the value is read no further than to the end of the last.
     *
     * @param wanted ordinals
     * @return the projection
     * @throws SchemaException if there is no column of such an ordinal, or this is a projection already that leaves one
     *     out
     */
    public RecordFormat projection(int... wanted) {
        int[] kept = new int[accesses.length];
        for (int i = 0; i < kept.length; i++) {
            kept[i] = keyParts[i] >= 0 ? accesses[i] : LEFT_OUT;
        }
        int nullableCount = 0;
        for (int bit : nullBits) {
            nullableCount = Math.max(nullableCount, bit + 1);
        }
        int leading = (nullableCount + Byte.SIZE - 1) / Byte.SIZE;
        for (int column : wanted) {
            kept[column] = access(column);
            int width = ColumnEncoding.widthBytes(kept[column] & ColumnEncoding.MASK);
            if (keyParts[column] < 0) {
                leading = width == ColumnEncoding.VARIABLE ? ALL_BYTES : Math.max(leading, offsets[column] + width);
            }
        }
        return new RecordFormat(whole, kept, leading);
    }

    /**
     * Whether this is the format of a table's records, or of a projection of them.
     *
     * @param table the format of the table
     * @return true if records of this format can take rows of the table
     */
    public boolean isOf(RecordFormat table) {
        return whole.equals(table);
    }

    /**
     * Whether records of this format lack columns.
     *
     * @return true if they can only be read
     */
    public boolean isProjection() {
        return projection;
    }

    /** How many bytes of a value are read; {@link #ALL_BYTES} for a whole record. */
    int leadingBytes() {
        return leadingBytes;
    }

    private byte[] makeValueTemplate(int nullableCount) {
        byte[] template = new byte[minimumValueBytes];
        for (int bit = 0; bit < nullableCount; bit++) {
            template[bit / Byte.SIZE] |= (byte) (1 << bit % Byte.SIZE);
        }
        for (int variable = 0; variable < variableCount; variable++) {
            RecordLayout.putEnd(template, endOffset(variable), endBytes, minimumValueBytes);
        }
        return template;
    }

    private byte[] makeKeyTemplate() {
        byte[] template = new byte[KeyFormat.KEY_BYTES_MAX];
        int at = 0;
        for (int part = 0; part < keyFormat.columnCount(); part++) {
            int width = keyFormat.widthBytes(part);
            long mask = keyFormat.mask(part);
            if (width == ColumnEncoding.VARIABLE) {
                at = KeyCodec.putBytes(template, 0, 0, template, at, mask);
            } else if ((keyFormat.access(part) & ColumnEncoding.MASK) == ColumnEncoding.DECIMAL16) {
                KeyCodec.putWide(template, at, 0, 0, mask);
                at += width;
            } else {
                KeyCodec.putIntegral(template, at, width, 0, mask);
                at += width;
            }
        }
        return Arrays.copyOf(template, at);
    }

    /**
     * The table.
     *
     * @return its name
     */
    public String tableName() {
        return tableName;
    }

    /**
     * The number of columns, those of the key included.
     *
     * @return 1 to {@link #COLUMNS_MAX}
     */
    public int columnCount() {
        return accesses.length;
    }

    /**
     * A column.
     *
     * @param column its ordinal
     * @return the column
     * @throws SchemaException if there is none of this ordinal
     */
    public Column column(int column) {
        if (column < 0 || column >= columns.length) {
            throw ColumnErrors.noSuchColumn(tableName, column, columns.length);
        }
        return columns[column];
    }

    /**
     * The format of the primary key.
     *
     * @return the format
     */
    public KeyFormat keyFormat() {
        return keyFormat;
    }

    /**
     * The length of the shortest value: all columns of fixed width, and no bytes in the others.
     *
     * @return bytes
     */
    public int minimumValueBytes() {
        return minimumValueBytes;
    }

    /**
     * The length of the longest value that the columns' limits and {@link RecordLayout#VALUE_BYTES_MAX} allow.
     *
     * @return bytes
     */
    public int maximumValueBytes() {
        return (int) maximumValueBytes;
    }

    /**
     * The length of a record whose texts are as long as they may be, with one byte a character.
     *
     * @return bytes of key and value; of a key whose parts vary in length, none are counted
     */
    public int asciiBytesMax() {
        return Math.max(0, keyFormat.fixedBytes()) + asciiValueBytesMax;
    }

    /**
     * How a column is read and written, drawn at {@link ColumnEncoding}.
     *
     * @param column its ordinal
     * @return the access code
     * @throws SchemaException if there is none of this ordinal, or the projection leaves it out
     */
    public int access(int column) {
        // The form that lets the compiler drop its own check of the bounds.
        if (column < 0 || column >= accesses.length) {
            throw ColumnErrors.noSuchColumn(tableName, column, accesses.length);
        }
        int access = accesses[column];
        if (access < 0) {
            throw ColumnErrors.leftOut(tableName, columns[column]);
        }
        return access;
    }

    /**
     * The offset of a column of fixed width in every value, or of a column of the key in every key; without meaning for
     * columns of variable length in the value.
     *
     * @param column its ordinal
     * @return bytes from the start, or {@link KeyFormat#NOT_CONSTANT} for a column of the key that must be searched for
     */
    public int offset(int column) {
        return offsets[column];
    }

    /**
     * Index of the first byte of a value that setting a column of fixed width may change: its null bit, if it has one.
     */
    int changeFrom(int column) {
        return changeFrom[column];
    }

    /** Index behind the last byte that setting a column may change, or {@link #NOT_FIXED}. */
    int changeTo(int column) {
        return changeTo[column];
    }

    int nullBit(int column) {
        return nullBits[column];
    }

    /** The part of the key that a column is, or -1. */
    int keyPart(int column) {
        return keyParts[column];
    }

    /** The direction of a column of the key. */
    long keyMask(int column) {
        return keyMasks[column];
    }

    /** The index of a variable column of the value among those, or -1. */
    int variable(int column) {
        return variables[column];
    }

    int variableCount() {
        return variableCount;
    }

    /** Where the end of the first variable column stands. */
    int endsOffset() {
        return endsOffset;
    }

    int endOffset(int variable) {
        return endsOffset + variable * endBytes;
    }

    int endBytes() {
        return endBytes;
    }

    byte[] valueTemplate() {
        return valueTemplate;
    }

    byte[] keyTemplate() {
        return keyTemplate;
    }

    long required(int word) {
        return required[word];
    }

    static int wordsOf(int columnCount) {
        return (columnCount + Long.SIZE - 1) / Long.SIZE;
    }

    /** Formats are equal when they lay out the same columns in the same way and leave out the same. */
    @Override
    public boolean equals(Object other) {
        if (this == other) {
            return true;
        }
        return other instanceof RecordFormat that
                && Arrays.equals(columns, that.columns)
                && Arrays.equals(accesses, that.accesses)
                && projection == that.projection
                && keyFormat.equals(that.keyFormat);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(columns) + keyFormat.hashCode();
    }
}
