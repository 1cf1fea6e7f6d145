package dev.lockstep.engine.transaction;

import dev.lockstep.engine.btree.KeyBytes;
import java.util.Arrays;

/** The key of a record in its tree, in the order of the tree. Immutable once it is in a map. */
final class VersionKey implements Comparable<VersionKey> {
    /** Bytes of the objects around a key: this one, its array's header, its node and index in a map. */
    static final int BYTES_AROUND = 120;

    private byte[] bytes;
    private int length;

    /** A key to look for others with. */
    VersionKey() {
        bytes = KeyBytes.EMPTY;
    }

    /** A copy. */
    VersionKey(byte[] key, int keyBytes) {
        bytes = Arrays.copyOf(key, keyBytes);
        length = keyBytes;
    }

    /** Makes a key to look for others with of the caller's bytes, until the next call. */
    VersionKey lookFor(byte[] key, int keyBytes) {
        bytes = key;
        length = keyBytes;
        return this;
    }

    byte[] bytes() {
        return bytes;
    }

    int length() {
        return length;
    }

    @Override
    public int compareTo(VersionKey other) {
        return KeyBytes.compare(bytes, length, other.bytes, other.length);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof VersionKey key && compareTo(key) == 0;
    }

    @Override
    public int hashCode() {
        int hash = 1;
        for (int i = 0; i < length; i++) {
            hash = 31 * hash + bytes[i];
        }
        return hash;
    }
}
