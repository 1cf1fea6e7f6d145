package dev.lockstep.engine.type;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.SchemaException;
import dev.lockstep.engine.page.ShortCopy;
import java.util.Arrays;

/**
 * The bytes of one row and what is known of them: where the row was read, which of its columns were set or changed
 * since. {@link RecordBuffer} reads and writes the columns in these bytes.
 *
 * <p>The engine loads a row by writing its key and value into the arrays of {@link #ensureKeyCapacity} and
 * {@link #ensureValueCapacity}, setting the lengths, and calling {@link #loaded()} once it knows the bytes to be
 * consistent. It stores a row by calling {@link #sealForInsert()} and copying the bytes out.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code keyBytes[0 .. keyLength)} and {@code valueBytes[0 .. valueLength)} are valid encodings of the format at
 *       all times outside a load; columns that have no value yet are null, zero or empty there.
 *   <li>{@code valueBytes.length >= format.minimumValueBytes()}, so columns of fixed width are read without a further
 *       check.
 *   <li>{@code changed} has the bit of each column that was set since the row was emptied or loaded, with one bit for
 *       all columns from 63 on, and {@code farAssigned} the bit of each of these; of a row that is {@code fetched} each
 *       column has a value.
 * </ul>
 *
 * <p>Not thread-safe. Nothing here allocates once the arrays have grown to the largest row.
 */
public abstract sealed class StoredRow implements RecordTarget permits RecordBuffer {
    /**
     * First size of the value array at most: a usual row, so that most records never grow, while one for a table of
     * long rows does not begin with megabytes.
     */
    private static final int INITIAL_VALUE_BYTES_MAX = 1_024;

    /** First size of the key array at least: holds most keys, and a cache line. */
    private static final int INITIAL_KEY_BYTES_MIN = 64;

    /** The row was not read from a page. */
    public static final int NO_POSITION = -1;

    /** As {@code changedTo}: columns were set that have no fixed place in the value. */
    private static final int ANYWHERE = -1;

    /** Columns from this ordinal on share the last bit of {@code changed}. */
    private static final int LAST_CHANGED_BIT = Long.SIZE - 1;

    /** Where the columns lie. */
    protected final RecordFormat format;

    /** The encoded key, in the first {@code keyLength} bytes. */
    protected byte[] keyBytes;

    /** The encoded value, in the first {@code valueLength} bytes. */
    protected byte[] valueBytes;

    int keyLength;
    int valueLength;
    /** Of columns from 63 on; null where there are none. By ordinal, so that the first 63 bits have no use. */
    private final long[] farAssigned;

    private boolean fetched;

    /** Bytes of a row were written over those of this one, and it is not known to be that row yet. */
    private boolean loading;

    boolean keyChanged;
    private long changed;
    private int changedFrom;
    private int changedTo = ANYWHERE;
    private int positionPageId = NO_POSITION;
    private int positionFrame;
    private int positionSlot;
    private long positionVersion;
    private int positionTreeStamp;
    private long lockStamp;

    /**
     * Makes an empty row.
     *
     * @param format the format of its table
     */
    StoredRow(RecordFormat format) {
        this.format = format;
        keyBytes = new byte[Math.max(INITIAL_KEY_BYTES_MIN, format.keyTemplate().length)];
        int usualBytes = format.leadingBytes() == RecordFormat.ALL_BYTES
                ? Math.min(format.maximumValueBytes(), INITIAL_VALUE_BYTES_MAX)
                : 0;
        valueBytes = new byte[Math.max(format.minimumValueBytes(), usualBytes)];
        farAssigned =
                format.columnCount() > LAST_CHANGED_BIT ? new long[RecordFormat.wordsOf(format.columnCount())] : null;
        setEmpty();
    }

    /**
     * The format of the row's table.
     *
     * @return the format
     */
    public final RecordFormat format() {
        return format;
    }

    /**
     * The array that holds the encoded primary key. For the engine: not a copy, replaced when it grows.
     *
     * @return the array
     */
    public final byte[] keyBytes() {
        return keyBytes;
    }

    /**
     * The length of the encoded primary key.
     *
     * @return bytes
     */
    public final int keyLength() {
        return keyLength;
    }

    /**
     * Makes room for a key to be loaded; keeps what is there.
     *
     * @param bytes how many it must hold
     * @return the array to write to
     */
    @Override
    public final byte[] ensureKeyCapacity(int bytes) {
        if (bytes > keyBytes.length) {
            keyBytes = Arrays.copyOf(keyBytes, Math.max(bytes, 2 * keyBytes.length));
        }
        return keyBytes;
    }

    /**
     * Sets the length of the key that was written to the array.
     *
     * @param bytes the length
     */
    @Override
    public final void setKeyLength(int bytes) {
        keyLength = bytes;
    }

    /**
     * Sets the key of a row that is being loaded.
     *
     * @param encoded holds it in its first bytes
     * @param bytes its length
     */
    public final void setKey(byte[] encoded, int bytes) {
        ShortCopy.copy(encoded, 0, ensureKeyCapacity(bytes), 0, bytes);
        keyLength = bytes;
    }

    /**
     * The array that holds the encoded value ({@link RecordLayout}). For the engine: not a copy, replaced when it
     * grows.
     *
     * @return the array
     */
    public final byte[] valueBytes() {
        return valueBytes;
    }

    /**
     * The length of the encoded value.
     *
     * @return bytes
     */
    public final int valueLength() {
        return valueLength;
    }

    @Override
    public final int valueBytesWanted() {
        return format.leadingBytes();
    }

    /**
     * Makes room for a value to be loaded; keeps what is there.
     *
     * @param bytes how many it must hold, at most {@link RecordLayout#VALUE_BYTES_MAX}
     * @return the array to write to
     */
    @Override
    public final byte[] ensureValueCapacity(int bytes) {
        if (bytes > valueBytes.length) {
            int doubled = Math.min(2 * valueBytes.length, RecordLayout.VALUE_BYTES_MAX);
            valueBytes = Arrays.copyOf(valueBytes, Math.max(bytes, doubled));
        }
        return valueBytes;
    }

    /**
     * Sets the length of the value that was written to the array.
     *
     * @param bytes the length
     */
    @Override
    public final void setValueLength(int bytes) {
        valueLength = bytes;
    }

    /**
     * Ends a load: from here on the row counts as one with all columns set and its key unchanged. To be called only
     * when the bytes are known to be a consistent copy.
     *
     * @throws CorruptionException if the lengths do not fit the format; the row is then empty
     */
    public final void loaded() {
        boolean isWhole = format.leadingBytes() == RecordFormat.ALL_BYTES;
        boolean fits = isWhole ? isWholeValue() : valueLength >= format.leadingBytes();
        if (!fits || keyLength < format.keyTemplate().length) {
            CorruptionException failure =
                    new CorruptionException(Message.of("A stored row does not have the form of its table")
                            .with("table", format.tableName())
                            .with("keyBytes", keyLength)
                            .with("valueBytes", valueLength)
                            .with("valueBytesMin", format.minimumValueBytes())
                            .remedy("Restore the database from a backup and examine the medium."));
            setEmpty();
            throw failure;
        }
        fetched = true;
        loading = false;
        keyChanged = false;
        changed = 0;
        if (positionTreeStamp < 0) {
            positionTreeStamp = ~positionTreeStamp;
        }
    }

    private boolean isWholeValue() {
        int variableCount = format.variableCount();
        return valueLength >= format.minimumValueBytes()
                && (variableCount == 0
                        ? valueLength == format.minimumValueBytes()
                        : variableEnd(variableCount - 1) == valueLength);
    }

    /**
     * Remembers where the row was read. It counts from {@link #loaded()} on: a load that ends before leaves a row that
     * was read nowhere.
     *
     * @param pageId its page
     * @param frame the frame that held the page
     * @param slot its slot
     * @param version the version of the frame's latch under which that was so
     * @param treeStamp identifies the tree within this JVM
     * @param lockStamp identifies the transaction that holds the row's exclusive lock, to its end; 0 if none is known
     *     to
     */
    @Override
    public final void setPosition(int pageId, int frame, int slot, long version, int treeStamp, long lockStamp) {
        positionPageId = pageId;
        positionFrame = frame;
        positionSlot = slot;
        positionVersion = version;
        positionTreeStamp = ~treeStamp;
        this.lockStamp = lockStamp;
        loading = true;
    }

    /**
     * Ends a load that has come to no row, because that has gone meanwhile, or to a failure: what was written is
     * neither the row before nor another, so this is empty. Does nothing where nothing was written.
     */
    public final void abandonLoad() {
        if (loading) {
            setEmpty();
        }
    }

    /**
     * The page that the row was read from: a hint, the row may have moved since.
     *
     * @return the page id, or {@link #NO_POSITION}
     */
    public final int positionPageId() {
        return positionPageId;
    }

    /**
     * The frame that held the page.
     *
     * @return the frame
     */
    public final int positionFrame() {
        return positionFrame;
    }

    /**
     * The slot that held the row.
     *
     * @return the slot
     */
    public final int positionSlot() {
        return positionSlot;
    }

    /**
     * The version of the frame's latch when the row was read.
     *
     * @return the version
     */
    public final long positionVersion() {
        return positionVersion;
    }

    /**
     * The tree that the row was read from.
     *
     * @return its stamp; negative, which no stamp is, while the row is being loaded
     */
    public final int positionTreeStamp() {
        return positionTreeStamp;
    }

    /**
     * Whether the row was read, and stands for the row that it was read as, under an exclusive lock that is held to the
     * end of the transaction: then a change need not ask for that lock.
     *
     * @param treeStamp the tree that the change is in
     * @param stamp identifies the transaction that makes it
     * @return false if the lock has to be taken, or it is not known whether it is held
     */
    public final boolean isLockedBy(int treeStamp, long stamp) {
        return lockStamp == stamp && positionTreeStamp == treeStamp && positionPageId != NO_POSITION && !keyChanged;
    }

    /**
     * Which columns were set since the row was loaded.
     *
     * @param columns bit c for column c, the last bit for all columns from 63 on
     * @return true if one of them was, even to the value it had
     */
    public final boolean isChanged(long columns) {
        return (changed & columns) != 0;
    }

    /**
     * The bit of a column for {@link #isChanged}.
     *
     * @param column its ordinal
     * @return a mask with one bit
     */
    public static long changedBit(int column) {
        return 1L << Math.min(column, LAST_CHANGED_BIT);
    }

    /**
     * Checks that the row is fit to be inserted, or to replace a row. Its bytes are then what {@link #keyBytes()} and
     * {@link #valueBytes()} give; there is nothing left to encode.
     *
     * @throws dev.lockstep.engine.NullViolationException if a NOT NULL column has no value
     */
    public final void sealForInsert() {
        if (fetched) {
            return;
        }
        long near = changed & Long.MAX_VALUE;
        if (farAssigned == null) {
            requireAssigned(0, near);
            return;
        }
        requireAssigned(0, near | farAssigned[0]);
        for (int word = 1; word < farAssigned.length; word++) {
            requireAssigned(word, farAssigned[word]);
        }
    }

    private void requireAssigned(int word, long assigned) {
        long missing = format.required(word) & ~assigned;
        if (missing != 0) {
            int column = word * Long.SIZE + Long.numberOfTrailingZeros(missing);
            throw ColumnErrors.nullForNotNull(format.tableName(), format.column(column));
        }
    }

    /**
     * The same as {@link #sealForInsert} for a row that was read and is to replace itself, and finds out which of its
     * bytes may differ from those that were read.
     *
     * @throws dev.lockstep.engine.NullViolationException if a NOT NULL column has no value
     */
    public final void sealForUpdate() {
        sealForInsert();
        changedFrom = valueLength;
        changedTo = changed < 0 ? ANYWHERE : 0;
        for (long columns = changed; columns > 0; columns &= columns - 1) {
            int column = Long.numberOfTrailingZeros(columns);
            int end = format.changeTo(column);
            if (end == RecordFormat.NOT_FIXED) {
                changedTo = ANYWHERE;
                return;
            }
            changedFrom = Math.min(changedFrom, format.changeFrom(column));
            changedTo = Math.max(changedTo, end);
        }
        changedFrom = Math.min(changedFrom, Math.max(changedTo, 0));
    }

    /**
     * Whether the row was read from a page, and only columns of fixed width were set since; as {@link #sealForUpdate}
     * has found.
     *
     * @return true if {@link #changedFrom} and {@link #changedTo} say where
     */
    public final boolean isChangedInPlace() {
        return changedTo != ANYWHERE && positionPageId != NO_POSITION;
    }

    /**
     * Where in the value the bytes begin that may differ from those that were read.
     *
     * @return index of the first
     */
    public final int changedFrom() {
        return changedFrom;
    }

    /**
     * Where they end.
     *
     * @return index behind the last; that of the first where nothing was set
     */
    public final int changedTo() {
        return changedTo;
    }

    /**
     * Checks that the row has a key: it was fetched, or each column of its primary key was set.
     *
     * @throws dev.lockstep.engine.NullViolationException if a column of the primary key has no value
     */
    public final void requireKey() {
        if (!fetched) {
            KeyFormat keyFormat = format.keyFormat();
            for (int part = 0; part < keyFormat.columnCount(); part++) {
                if (!isAssigned(keyFormat.ordinal(part))) {
                    throw ColumnErrors.nullForNotNull(format.tableName(), keyFormat.column(part));
                }
            }
        }
    }

    /**
     * Whether the row was loaded since it was emptied, from a page or from a snapshot, which knows of no page.
     *
     * @return true if it stands for the row that it was read as
     */
    public final boolean isFetched() {
        return fetched;
    }

    /**
     * Whether a column of the primary key was set since the row was loaded or emptied. A changed row can then not be
     * written back to where it came from.
     *
     * @return true if one was; of a loaded row, to another value than it had
     */
    public final boolean isKeyChanged() {
        return keyChanged;
    }

    /** Empties the row: nullable columns are null, the others have no value. */
    protected final void setEmpty() {
        byte[] key = format.keyTemplate();
        System.arraycopy(key, 0, keyBytes, 0, key.length);
        keyLength = key.length;
        byte[] value = format.valueTemplate();
        System.arraycopy(value, 0, valueBytes, 0, value.length);
        valueLength = value.length;
        if (farAssigned != null) {
            Arrays.fill(farAssigned, 0);
        }
        fetched = false;
        loading = false;
        keyChanged = false;
        changed = 0;
        positionPageId = NO_POSITION;
    }

    /**
     * Makes this row equal to another, its unset columns included.
     *
     * @param other a row of the same table, or of one with equal columns and primary key
     * @throws SchemaException if its format is another
     */
    protected final void copyFromBuffer(StoredRow other) {
        if (!other.format.equals(format)) {
            throw new SchemaException(Message.of("The record belongs to another table")
                    .with("expected", format.tableName())
                    .with("actual", other.format.tableName())
                    .remedy("Use a record that was made for this table."));
        }
        ensureKeyCapacity(other.keyLength);
        System.arraycopy(other.keyBytes, 0, keyBytes, 0, other.keyLength);
        keyLength = other.keyLength;
        ensureValueCapacity(other.valueLength);
        System.arraycopy(other.valueBytes, 0, valueBytes, 0, other.valueLength);
        valueLength = other.valueLength;
        if (farAssigned != null) {
            System.arraycopy(other.farAssigned, 0, farAssigned, 0, farAssigned.length);
        }
        fetched = other.fetched;
        keyChanged = other.keyChanged;
        changed = other.changed;
        positionPageId = other.positionPageId;
        positionFrame = other.positionFrame;
        positionSlot = other.positionSlot;
        positionVersion = other.positionVersion;
        positionTreeStamp = other.positionTreeStamp;
        lockStamp = other.lockStamp;
    }

    /**
     * Whether a column has a value, or is null because that was chosen or read.
     *
     * @param column its ordinal
     * @return false if it was not set since the row was emptied
     */
    protected final boolean isAssigned(int column) {
        format.access(column);
        return fetched
                || (column < LAST_CHANGED_BIT
                        ? (changed & 1L << column) != 0
                        : (farAssigned[column >> 6] & 1L << column) != 0);
    }

    /**
     * Notes that a column has a value.
     *
     * @param column its ordinal
     */
    protected final void markAssigned(int column) {
        if (column < LAST_CHANGED_BIT) {
            changed |= 1L << column;
        } else {
            changed |= Long.MIN_VALUE;
            farAssigned[column >> 6] |= 1L << column;
        }
    }

    final int variableEnd(int variable) {
        return RecordLayout.getEnd(valueBytes, format.endOffset(variable), format.endBytes());
    }
}
