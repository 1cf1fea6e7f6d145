package dev.lockstep.engine.transaction;

import dev.lockstep.engine.btree.KeyBytes;
import dev.lockstep.engine.btree.NodeLayout;

/**
 * A record on its way from its page to what it is in a snapshot. Used by one thread at a time; reusable.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code present} says whether there is a slot for the key; its flags say whether that is a ghost.
 *   <li>{@code writtenBy} is the transaction that wrote it last.
 *   <li>{@code source} is where a stub was learnt, null where it was the page.
 * </ul>
 */
public final class SnapshotRecord {
    private static final int VALUE_BYTES_INITIAL = 256;

    private byte[] key = KeyBytes.EMPTY;
    private int keyBytes;
    private byte[] value = new byte[VALUE_BYTES_INITIAL];
    private int valueBytes;
    private int slotFlags;
    private boolean present;
    private long writtenBy;
    private OverflowSource source;

    /** Room for the key. */
    public byte[] ensureKey(int bytes) {
        key = KeyBytes.room(key, bytes);
        return key;
    }

    public void setKeyBytes(int bytes) {
        keyBytes = bytes;
    }

    /** Sets the key to a copy. */
    public void setKey(byte[] from, int bytes) {
        System.arraycopy(from, 0, ensureKey(bytes), 0, bytes);
        keyBytes = bytes;
    }

    public byte[] key() {
        return key;
    }

    public int keyBytes() {
        return keyBytes;
    }

    /** Room for the value. */
    public byte[] ensureValue(int bytes) {
        if (bytes > value.length) {
            value = new byte[Math.max(bytes, Math.min(2 * value.length, NodeLayout.INLINE_BYTES_MAX))];
        }
        return value;
    }

    /** The page has the record, and its value was copied. */
    public void setFromPage(int bytes, int flags, long writer) {
        valueBytes = bytes;
        slotFlags = flags;
        writtenBy = writer;
        present = true;
        source = null;
    }

    /** There is no such record. */
    public void setAbsent() {
        present = false;
        slotFlags = 0;
        valueBytes = 0;
        writtenBy = 0;
        source = null;
    }

    void setVersion(RecordVersion version) {
        if (version.value == null) {
            setAbsent();
            return;
        }
        setValue(version.value, version.value.length, version.slotFlags, version);
        writtenBy = version.writtenBy;
    }

    void setValue(byte[] from, int bytes, int flags, OverflowSource stubSource) {
        System.arraycopy(from, 0, ensureValue(bytes), 0, bytes);
        valueBytes = bytes;
        slotFlags = flags;
        present = true;
        source = stubSource;
    }

    /** Sets some bytes of the value, unless that was taken back to another length already. */
    void patch(byte[] bytes, int from, int flags) {
        if (from + bytes.length <= valueBytes) {
            System.arraycopy(bytes, 0, value, from, bytes.length);
            slotFlags = flags;
        }
    }

    boolean isPresent() {
        return present;
    }

    long writtenBy() {
        return writtenBy;
    }

    /** Whether there is a row. */
    public boolean exists() {
        return present && (slotFlags & NodeLayout.SLOT_GHOST) == 0;
    }

    /** Whether the value is the stub of an overflow chain. */
    public boolean isOverflow() {
        return (slotFlags & NodeLayout.SLOT_OVERFLOW) != 0;
    }

    /** The value, or the stub of its overflow chain. */
    public byte[] value() {
        return value;
    }

    public int valueBytes() {
        return valueBytes;
    }

    /** What keeps the value of the chain when that is given back; null where the page told the stub. */
    public OverflowSource source() {
        return source;
    }

    /** Whether another look at the record has found the same, so that its overflow chain was there in between. */
    @SuppressWarnings("ReferenceEquality") // the very same source, not one like it
    public boolean isSameAs(SnapshotRecord other) {
        return exists() == other.exists()
                && source == other.source
                && writtenBy == other.writtenBy
                && slotFlags == other.slotFlags
                && KeyBytes.compare(value, valueBytes, other.value, other.valueBytes) == 0;
    }
}
