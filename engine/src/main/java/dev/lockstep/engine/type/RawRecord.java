package dev.lockstep.engine.type;

import java.util.Arrays;

/**
 * A key and a value as bytes, without columns: the entry of an index, or a row of the catalog. Not thread-safe; grows
 * to the largest record that it has held.
 */
public final class RawRecord implements RecordTarget {
    private static final int KEY_BYTES_INITIAL = 64;

    /** Entries of most indexes have no value, and a scan keeps several of them. */
    private static final int VALUE_BYTES_INITIAL = 32;

    private byte[] keyBytes = new byte[KEY_BYTES_INITIAL];
    private byte[] valueBytes = new byte[VALUE_BYTES_INITIAL];
    private int keyLength;
    private int valueLength;

    /**
     * The array that holds the key.
     *
     * @return not a copy; replaced when it grows
     */
    public byte[] keyBytes() {
        return keyBytes;
    }

    /**
     * The length of the key.
     *
     * @return bytes
     */
    public int keyLength() {
        return keyLength;
    }

    /**
     * The array that holds the value.
     *
     * @return not a copy; replaced when it grows
     */
    public byte[] valueBytes() {
        return valueBytes;
    }

    /**
     * The length of the value.
     *
     * @return bytes
     */
    public int valueLength() {
        return valueLength;
    }

    @Override
    public byte[] ensureKeyCapacity(int bytes) {
        if (bytes > keyBytes.length) {
            keyBytes = Arrays.copyOf(keyBytes, Math.max(bytes, 2 * keyBytes.length));
        }
        return keyBytes;
    }

    @Override
    public void setKeyLength(int bytes) {
        keyLength = bytes;
    }

    @Override
    public byte[] ensureValueCapacity(int bytes) {
        if (bytes > valueBytes.length) {
            valueBytes = Arrays.copyOf(valueBytes, Math.max(bytes, 2 * valueBytes.length));
        }
        return valueBytes;
    }

    @Override
    public void setValueLength(int bytes) {
        valueLength = bytes;
    }

    @Override
    public void setPosition(int pageId, int frame, int slot, long version, int treeStamp, long lockStamp) {
        // Entries of an index are never changed in place, so nobody asks where one was.
    }
}
