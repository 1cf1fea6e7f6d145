package dev.lockstep.engine.type;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.SchemaException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * Which columns make up a key, in which order and direction, and where they lie in its bytes ({@link KeyCodec}).
 *
 * <p>Invariants:
 * <ul>
 *   <li>All arrays have one element per part of the key and never change.
 *   <li>{@code offsets[i]} is the offset of part i in every key, or {@link #NOT_CONSTANT}; once not constant, it is not
 *       constant for any later part.
 *   <li>{@code fixedBytes} is the length of every complete key, or {@link #NOT_CONSTANT}.
 * </ul>
 *
 * <p>Immutable and thread-safe. Reading and writing parts allocates nothing.
 */
public final class KeyFormat {
    /**
     * Longest encoded key to search for, of a table or of the columns of an index. What is stored is shorter: a row
     * whose key, or whose entry in an index, has more than 1,000 bytes ({@code NodeLayout.KEY_BYTES_MAX}) is refused.
     */
    public static final int KEY_BYTES_MAX = 1_024;

    /** Most columns of a key: SQL engines allow 16 to 32. */
    public static final int KEY_COLUMNS_MAX = 32;

    /** What {@link #fixedBytes()} returns, and the offset of a part is, where the place depends on the key at hand. */
    public static final int NOT_CONSTANT = -1;

    static {
        assert KEY_COLUMNS_MAX * (KeyCodec.MARKER_BYTES + ColumnEncoding.widthBytes(ColumnEncoding.DECIMAL16))
                        <= KEY_BYTES_MAX
                : "a key of the widest columns must fit";
    }

    private final String name;
    private final int[] ordinals;
    private final Column[] columns;
    private final int[] accesses;
    private final int[] widths;
    private final long[] masks;
    private final int[] offsets;
    private final int fixedBytes;

    /**
     * Makes a format.
     *
     * @param name the table or index, for messages
     * @param tableColumns all columns of the table
     * @param ordinals the ordinals of the key's columns among them, in key order, each once
     * @param descending whether larger values come first, per part
     * @throws SchemaException if there are too many or no columns or a column is named twice
     */
    public KeyFormat(String name, Column[] tableColumns, int[] ordinals, boolean[] descending) {
        this.name = name;
        int count = ordinals.length;
        if (count == 0 || count > KEY_COLUMNS_MAX || descending.length != count) {
            throw new SchemaException(Message.of("A key has a wrong number of columns")
                    .with("name", name)
                    .with("columnCount", count)
                    .with("columnCountMax", KEY_COLUMNS_MAX)
                    .remedy("Give the key 1 to 32 columns."));
        }
        this.ordinals = ordinals.clone();
        columns = new Column[count];
        accesses = new int[count];
        widths = new int[count];
        masks = new long[count];
        offsets = new int[count];
        int offset = 0;
        for (int i = 0; i < count; i++) {
            Column column = tableColumns[ordinals[i]];
            for (int j = 0; j < i; j++) {
                if (ordinals[j] == ordinals[i]) {
                    throw new SchemaException(Message.of("A key names a column twice")
                            .with("name", name)
                            .with("column", column.name())
                            .remedy("Name each column once."));
                }
            }
            int encoding = ColumnEncoding.of(column.type());
            columns[i] = column;
            boolean placed = offset != NOT_CONSTANT && !column.nullable() && !descending[i];
            accesses[i] = encoding
                    | (column.nullable() ? ColumnEncoding.NULLABLE : 0)
                    | (placed ? ColumnEncoding.PLACED_IN_KEY : 0);
            widths[i] = ColumnEncoding.widthBytes(encoding);
            masks[i] = descending[i] ? KeyCodec.DESCENDING : KeyCodec.ASCENDING;
            offsets[i] = offset;
            boolean variable = widths[i] == ColumnEncoding.VARIABLE;
            offset = offset == NOT_CONSTANT || variable || column.nullable() ? NOT_CONSTANT : offset + widths[i];
        }
        fixedBytes = offset;
    }

    /**
     * The table or index.
     *
     * @return its name
     */
    public String name() {
        return name;
    }

    /**
     * The number of parts.
     *
     * @return 1 to {@link #KEY_COLUMNS_MAX}
     */
    public int columnCount() {
        return ordinals.length;
    }

    /**
     * The bytes that keys which belong together begin with: those of the first part, if others follow and every key has
     * as many there, so of one tenant or one warehouse; and of a key that is one number all but the last, so of rows
     * that were numbered one after the other. Numbers of two bytes and less are too few to be told apart so.
     *
     * @return 1 or more, or 0 where nothing is known
     */
    public int leadingBytes() {
        if (columnCount() == 1) {
            return fixedBytes >= Integer.BYTES ? fixedBytes - 1 : 0;
        }
        return offsets[1] != NOT_CONSTANT ? offsets[1] : 0;
    }

    /**
     * The column of a part.
     *
     * @param part 0 to {@code columnCount() - 1}
     * @return the column
     */
    public Column column(int part) {
        return columns[part];
    }

    /**
     * The ordinal of a part's column in its table.
     *
     * @param part 0 to {@code columnCount() - 1}
     * @return the ordinal
     */
    public int ordinal(int part) {
        return ordinals[part];
    }

    /**
     * Whether every column of another key of the same table is a part of this one, in whatever order.
     *
     * @param other the other key
     * @return true if keys that are equal here are equal there
     */
    public boolean hasColumnsOf(KeyFormat other) {
        return Arrays.stream(other.ordinals)
                .allMatch(column -> Arrays.stream(ordinals).anyMatch(own -> own == column));
    }

    /**
     * The encoding of a part with the flags {@link ColumnEncoding#NULLABLE} and {@link ColumnEncoding#PLACED_IN_KEY}.
     *
     * @param part 0 to {@code columnCount() - 1}
     * @return the access code
     */
    public int access(int part) {
        return accesses[part];
    }

    /**
     * Whether larger values of a part come first.
     *
     * @param part 0 to {@code columnCount() - 1}
     * @return true if descending
     */
    public boolean isDescending(int part) {
        return masks[part] == KeyCodec.DESCENDING;
    }

    long mask(int part) {
        return masks[part];
    }

    int widthBytes(int part) {
        return widths[part];
    }

    /** The offset of a part in every key, or {@link #NOT_CONSTANT}. */
    int offset(int part) {
        return offsets[part];
    }

    /**
     * The length of every complete key, if all keys have the same.
     *
     * @return bytes, or {@link #NOT_CONSTANT}
     */
    public int fixedBytes() {
        return fixedBytes;
    }

    /**
     * Where a part begins in a key: a constant where all parts before it have a fixed width and are NOT NULL, else
     * found by walking over them.
     *
     * @param part 0 to {@code columnCount()}; the last means the end of the key
     * @param key the bytes of a key
     * @param keyStart index of its first byte
     * @param keyEnd index behind its last byte
     * @return index of the part's first byte (its marker, if it is nullable)
     * @throws CorruptionException if the bytes are no key of this format
     */
    public int locate(int part, byte[] key, int keyStart, int keyEnd) {
        if (part < offsets.length && offsets[part] != NOT_CONSTANT) {
            return keyStart + offsets[part];
        }
        if (part == offsets.length && fixedBytes != NOT_CONSTANT && keyEnd - keyStart >= fixedBytes) {
            return keyStart + fixedBytes;
        }
        int at = keyStart;
        for (int i = 0; i < part; i++) {
            at = skip(i, key, at, keyEnd);
        }
        return at;
    }

    /**
     * Where a part ends.
     *
     * @param part 0 to {@code columnCount() - 1}
     * @param key the bytes of a key
     * @param at index of the part's first byte
     * @param keyEnd index behind the last byte of the key
     * @return index behind the part's last byte
     * @throws CorruptionException if the bytes are no key of this format
     */
    public int skip(int part, byte[] key, int at, int keyEnd) {
        int next = at;
        if ((accesses[part] & ColumnEncoding.NULLABLE) != 0) {
            if (next >= keyEnd) {
                throw malformed(part, key, keyEnd);
            }
            int marker = KeyCodec.marker(key, next++, masks[part]);
            if (marker == KeyCodec.MARKER_NULL) {
                return next;
            }
            if (marker != KeyCodec.MARKER_VALUE) {
                throw malformed(part, key, keyEnd);
            }
        }
        int width = widths[part];
        next = width != ColumnEncoding.VARIABLE ? next + width : KeyCodec.skipBytes(key, next, keyEnd, masks[part]);
        if (next < 0 || next > keyEnd) {
            throw malformed(part, key, keyEnd);
        }
        return next;
    }

    /**
     * Whether the part that begins at an index is null.
     *
     * @param part 0 to {@code columnCount() - 1}
     * @param key the bytes of a key
     * @param at index of the part's first byte
     * @return true if it is null
     */
    public boolean isNull(int part, byte[] key, int at) {
        return (accesses[part] & ColumnEncoding.NULLABLE) != 0
                && KeyCodec.marker(key, at, masks[part]) == KeyCodec.MARKER_NULL;
    }

    /**
     * The values of a key or of a prefix of one, for messages.
     *
     * @param key the bytes
     * @param keyLength their number
     * @return such as {@code (1; 7; BARBAR; null)}; bytes that are no key of this format are shown in hexadecimal
     */
    public String describe(byte[] key, int keyLength) {
        StringBuilder text = new StringBuilder("(");
        int at = 0;
        try {
            for (int part = 0; part < columns.length && at < keyLength; part++) {
                int end = skip(part, key, at, keyLength);
                text.append(part == 0 ? "" : ";");
                describePart(part, key, at, end, text);
                at = end;
            }
        } catch (CorruptionException notOfThisFormat) {
            return Message.of("").with("bytes", Arrays.copyOf(key, keyLength)).toString();
        }
        return text.append(')').toString();
    }

    private void describePart(int part, byte[] key, int start, int end, StringBuilder text) {
        if (isNull(part, key, start)) {
            text.append("null");
            return;
        }
        int at = start + ((accesses[part] & ColumnEncoding.NULLABLE) != 0 ? KeyCodec.MARKER_BYTES : 0);
        long mask = masks[part];
        int encoding = accesses[part] & ColumnEncoding.MASK;
        int scale = columns[part].type().scale();
        switch (encoding) {
            case ColumnEncoding.STRING, ColumnEncoding.BINARY -> {
                byte[] value = new byte[KeyCodec.decodedBytes(key, at, end, mask)];
                KeyCodec.getBytes(key, at, end, mask, value, 0);
                if (encoding == ColumnEncoding.STRING) {
                    text.append(new String(value, StandardCharsets.UTF_8));
                } else {
                    text.append(HexFormat.of().formatHex(value));
                }
            }
            case ColumnEncoding.DECIMAL16 -> {
                BigInteger unscaled =
                        ColumnValues.wide(KeyCodec.getWideHigh(key, at, mask), KeyCodec.getWideLow(key, at, mask));
                text.append(new BigDecimal(unscaled, scale).toPlainString());
            }
            default -> {
                long value = KeyCodec.getIntegral(key, at, widths[part], mask);
                switch (encoding) {
                    case ColumnEncoding.BOOLEAN -> text.append(value != 0);
                    case ColumnEncoding.FLOAT64 -> text.append(Double.longBitsToDouble(KeyCodec.sortable(value)));
                    case ColumnEncoding.DECIMAL4, ColumnEncoding.DECIMAL8 ->
                        text.append(BigDecimal.valueOf(value, scale).toPlainString());
                    case ColumnEncoding.DATE -> text.append(LocalDate.ofEpochDay(value));
                    case ColumnEncoding.TIMESTAMP -> text.append(ColumnValues.dateTime(value));
                    default -> text.append(value);
                }
            }
        }
    }

    private CorruptionException malformed(int part, byte[] key, int keyEnd) {
        return new CorruptionException(Message.of("A stored key does not have the form of its table or index")
                .with("name", name)
                .with("column", columns[part].name())
                .with("type", columns[part].type())
                .with("key", Arrays.copyOf(key, keyEnd))
                .remedy("Restore the database from a backup and examine the medium."));
    }

    /** Formats are equal when they lay out the same columns in the same way. */
    @Override
    public boolean equals(Object other) {
        if (this == other) {
            return true;
        }
        return other instanceof KeyFormat that
                && Arrays.equals(ordinals, that.ordinals)
                && Arrays.equals(columns, that.columns)
                && Arrays.equals(masks, that.masks);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(ordinals) + Arrays.hashCode(masks);
    }
}
