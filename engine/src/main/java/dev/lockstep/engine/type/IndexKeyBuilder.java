package dev.lockstep.engine.type;

import dev.lockstep.engine.CorruptionException;
import java.util.Arrays;

/**
 * Makes the entries of a secondary index from rows, and finds the primary key in them.
 *
 * <pre>
 *  not unique, or unique with a null among its columns:
 *     key   [columns of the index, encoded in index order][primary key]     value: empty
 *  unique, no null:
 *     key   [columns of the index, encoded in index order]                  value: primary key
 * </pre>
 *
 * <p>So the keys of an index are unique in any case, two rows with equal values in a unique index collide, and rows
 * with a null there do not, as SQL wants it.
 *
 * <p>Invariants: {@code bytes[0 .. columnsLength)} are the columns of the last row built, {@code bytes[columnsLength ..
 * length)} its primary key or nothing. A build that throws leaves the builder empty.
 *
 * <p>Not thread-safe; reused for row after row, it allocates nothing.
 */
public final class IndexKeyBuilder {
    /** Longest key of an index entry: the columns of the index and a primary key. */
    public static final int ENTRY_KEY_BYTES_MAX = 2 * KeyFormat.KEY_BYTES_MAX;

    /** First size of the array: most entries have tens of bytes. */
    private static final int BYTES_INITIAL = 64;

    private final RecordFormat recordFormat;
    private final KeyFormat indexFormat;
    private final boolean unique;
    private final boolean holdsPrimaryKey;
    private byte[] bytes = new byte[BYTES_INITIAL];
    private int columnsLength;
    private int length;

    /**
     * Makes a builder.
     *
     * @param recordFormat the format of the table
     * @param indexFormat the columns of the index
     * @param unique whether two rows must differ in them
     */
    public IndexKeyBuilder(RecordFormat recordFormat, KeyFormat indexFormat, boolean unique) {
        this.recordFormat = recordFormat;
        this.indexFormat = indexFormat;
        this.unique = unique;
        holdsPrimaryKey = indexFormat.hasColumnsOf(recordFormat.keyFormat());
    }

    /**
     * The columns of the index.
     *
     * @return the format
     */
    public KeyFormat format() {
        return indexFormat;
    }

    /**
     * Builds the key of a row's entry.
     *
     * @param row the row; all its columns of index and primary key have their values
     * @return the length of the entry's key, bytes
     * @throws dev.lockstep.engine.RecordTooLargeException if the columns take more than {@link KeyFormat#KEY_BYTES_MAX}
     *     bytes
     */
    public int build(RecordBuffer row) {
        columnsLength = 0;
        length = 0;
        int at = 0;
        boolean hasNull = false;
        for (int part = 0; part < indexFormat.columnCount(); part++) {
            int column = indexFormat.ordinal(part);
            int access = recordFormat.access(column);
            long mask = indexFormat.mask(part);
            if ((access & ColumnEncoding.IN_KEY) != 0) {
                at = copyKeyPart(row, recordFormat.keyPart(column), mask, at);
                continue;
            }
            if ((access & ColumnEncoding.NULLABLE) != 0) {
                requireRoom(at, KeyCodec.MARKER_BYTES);
                boolean isNull = row.isNull(column, access);
                KeyCodec.putMarker(bytes, at, isNull ? KeyCodec.MARKER_NULL : KeyCodec.MARKER_VALUE, mask);
                at += KeyCodec.MARKER_BYTES;
                if (isNull) {
                    hasNull = true;
                    continue;
                }
            }
            at = appendValue(row, column, access, indexFormat.widthBytes(part), mask, at);
        }
        columnsLength = at;
        length = at;
        if (!unique || hasNull) {
            ensureCapacity(at + row.keyLength());
            System.arraycopy(row.keyBytes(), 0, bytes, at, row.keyLength());
            length += row.keyLength();
        }
        return length;
    }

    private int copyKeyPart(RecordBuffer row, int keyPart, long mask, int at) {
        KeyFormat keyFormat = recordFormat.keyFormat();
        byte[] key = row.keyBytes();
        int start = keyFormat.locate(keyPart, key, 0, row.keyLength());
        int end = keyFormat.skip(keyPart, key, start, row.keyLength());
        requireRoom(at, end - start);
        int to = at;
        int invert = (int) (mask ^ keyFormat.mask(keyPart));
        for (int i = start; i < end; i++) {
            bytes[to++] = (byte) (key[i] ^ invert);
        }
        return to;
    }

    private int appendValue(RecordBuffer row, int column, int access, int width, long mask, int at) {
        if (width == ColumnEncoding.VARIABLE) {
            int start = row.valueStart(access);
            int valueBytes = row.valueEnd(access) - start;
            requireRoom(at, valueBytes);
            requireRoom(at, KeyCodec.encodedBytes(row.valueBytes(), start, valueBytes));
            return KeyCodec.putBytes(row.valueBytes(), start, valueBytes, bytes, at, mask);
        }
        requireRoom(at, width);
        int encoding = access & ColumnEncoding.MASK;
        if (encoding == ColumnEncoding.DECIMAL16) {
            KeyCodec.putWide(bytes, at, row.wideHigh(column, access), row.wideLow(column, access), mask);
        } else {
            long value = row.number(column, access);
            KeyCodec.putIntegral(
                    bytes, at, width, encoding == ColumnEncoding.FLOAT64 ? KeyCodec.sortable(value) : value, mask);
        }
        return at + width;
    }

    private void ensureCapacity(int needed) {
        if (needed > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.min(Math.max(needed, 2 * bytes.length), ENTRY_KEY_BYTES_MAX));
        }
    }

    private void requireRoom(int at, int moreBytes) {
        if (moreBytes > KeyFormat.KEY_BYTES_MAX - at) {
            throw ColumnErrors.keyTooLarge(indexFormat.name(), (long) at + moreBytes);
        }
        ensureCapacity(at + moreBytes);
    }

    /**
     * The array that holds the key last built, in its first {@link #length()} bytes; always the same one.
     *
     * @return the array, not to be written to
     */
    public byte[] bytes() {
        return bytes;
    }

    /**
     * The length of the key last built.
     *
     * @return bytes; 0 if there is none
     */
    public int length() {
        return length;
    }

    /**
     * The length of the columns of the index within the key last built.
     *
     * @return bytes
     */
    public int columnsLength() {
        return columnsLength;
    }

    /**
     * How many bytes of the key last built tell its entry from all others: no primary key, where the index has all
     * columns of it already.
     *
     * @return bytes from the first on
     */
    public int distinctLength() {
        return holdsPrimaryKey ? columnsLength : length;
    }

    /**
     * Whether the primary key belongs into the value of the entry last built: then the index is unique and the row has
     * no null in it. Otherwise the value is empty.
     *
     * @return true if the entry's key is the columns alone
     */
    public boolean isPrimaryKeyInValue() {
        return length == columnsLength;
    }

    /**
     * Where the primary key begins in the key of an entry.
     *
     * @param entryKey the array with the entry's key
     * @param from index of its first byte
     * @param entryKeyLength its length
     * @return index of the primary key's first byte; {@code from + entryKeyLength} if the primary key is the entry's
     *     value
     * @throws CorruptionException if the bytes are no key of this index
     */
    public int primaryKeyOffset(byte[] entryKey, int from, int entryKeyLength) {
        return indexFormat.locate(indexFormat.columnCount(), entryKey, from, from + entryKeyLength);
    }
}
