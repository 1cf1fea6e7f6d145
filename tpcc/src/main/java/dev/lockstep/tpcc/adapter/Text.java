package dev.lockstep.tpcc.adapter;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.Arrays;

/**
 * A reusable character value of one byte per character (TPC-C uses ASCII alone). It either holds its characters in a
 * buffer of its own or shows those of an array that belongs to the engine, so that a value can pass from one row to
 * another without being copied. What is shown is valid until the end of the transaction. Not thread-safe.
 */
public final class Text {
    private static final byte[] EMPTY = {};

    private final int capacity;

    /** Allocated when it is first written to: many texts only ever show what belongs to the engine. */
    private byte[] own = EMPTY;

    private byte[] bytes = EMPTY;
    private int offset;
    private int length;

    /** @param capacity most characters that it can hold itself */
    public Text(int capacity) {
        this.capacity = capacity;
    }

    /** Number of characters. */
    public int length() {
        return length;
    }

    /** Most characters that it can hold itself. */
    public int capacity() {
        return capacity;
    }

    /** The array that holds the characters, from {@link #offset()} on. Not to be changed. */
    public byte[] bytes() {
        return bytes;
    }

    /** Index of the first character in {@link #bytes()}. */
    public int offset() {
        return offset;
    }

    /** The character at an index, as its byte. */
    public byte at(int index) {
        return bytes[offset + index];
    }

    /** Shows characters of another array, which stay where they are. */
    public void wrap(byte[] source, int sourceOffset, int sourceLength) {
        // A reference store costs a garbage collector's barrier, an equal comparison nothing.
        if (bytes != source) {
            bytes = source;
        }
        offset = sourceOffset;
        length = sourceLength;
    }

    /** Shows the characters that another text holds or shows. */
    public void wrap(Text source) {
        wrap(source.bytes, source.offset, source.length);
    }

    /** Copies what it shows into the own buffer, where it stays. */
    public void keep() {
        if (bytes != own) {
            copyFrom(bytes, offset, length);
        }
    }

    /** Copies characters into the own buffer. */
    public void copyFrom(byte[] source, int sourceOffset, int sourceLength) {
        System.arraycopy(source, sourceOffset, own(sourceLength), 0, sourceLength);
    }

    /** Copies another text's characters into the own buffer. */
    public void copyFrom(Text source) {
        copyFrom(source.bytes, source.offset, source.length);
    }

    /** Copies a string of Latin-1 characters into the own buffer; {@code null} becomes the empty text. */
    public void copyFrom(String source) {
        if (source == null) {
            clear();
            return;
        }
        byte[] latin = source.getBytes(ISO_8859_1);
        copyFrom(latin, 0, latin.length);
    }

    /** The own buffer, to be filled by the caller, who then states the length. */
    public byte[] own(int newLength) {
        if (newLength > capacity) {
            throw new IllegalArgumentException("text too long length=" + newLength + " capacity=" + capacity);
        }
        wrap(own(), 0, newLength);
        return own;
    }

    /** The own buffer, with room for {@link #capacity()} characters, for a caller who does not know the length yet. */
    public byte[] own() {
        if (own.length < capacity) {
            own = new byte[capacity];
        }
        return own;
    }

    /** Makes it empty, in its own buffer. */
    public Text clear() {
        own(0);
        return this;
    }

    /** Appends a character to the own buffer; what does not fit is dropped. */
    public Text append(char character) {
        if (length < capacity) {
            own[length++] = (byte) character;
        }
        return this;
    }

    /** Appends another text to the own buffer; what does not fit is dropped. */
    public Text append(Text source) {
        int count = Math.min(source.length, capacity - length);
        System.arraycopy(source.bytes, source.offset, own, length, count);
        length += count;
        return this;
    }

    /** Appends a number of 0 or more in decimal digits; what does not fit is dropped. */
    public Text append(long number) {
        long divisor = 1;
        while (number / divisor >= 10) {
            divisor *= 10;
        }
        // Ends after the digits of a long, at most 19.
        for (long rest = number; divisor > 0; divisor /= 10) {
            append((char) ('0' + rest / divisor));
            rest %= divisor;
        }
        return this;
    }

    /** Writes the characters to an array. */
    public void copyTo(byte[] target, int targetOffset) {
        System.arraycopy(bytes, offset, target, targetOffset, length);
    }

    /** Whether both hold the same characters. */
    public boolean sameAs(Text other) {
        return Arrays.equals(bytes, offset, offset + length, other.bytes, other.offset, other.offset + other.length);
    }

    /** The characters as a new string. */
    @Override
    public String toString() {
        return new String(bytes, offset, length, ISO_8859_1);
    }
}
