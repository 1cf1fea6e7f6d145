package dev.lockstep.tpcc.adapter;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.Arrays;

/**
 * A word to be found in texts, by Horspool's algorithm (R. N. Horspool, Practical Fast Searching in Strings, 1980): in
 * random text almost every probe skips the length of the word.
 */
public final class TextPattern {
    /** The word that marks an item or a stock row as original goods (clauses 2.4.2.2 and 4.3.3.1). */
    public static final TextPattern ORIGINAL = new TextPattern("ORIGINAL");

    private final byte[] word;
    private final byte[] shifts = new byte[256];

    /** @param word Latin-1 characters, 1 to 127 of them */
    public TextPattern(String word) {
        this.word = word.getBytes(ISO_8859_1);
        Arrays.fill(shifts, (byte) this.word.length);
        for (int i = 0; i < this.word.length - 1; i++) {
            shifts[this.word[i] & 0xff] = (byte) (this.word.length - 1 - i);
        }
    }

    /** Whether the text contains the word. */
    public boolean in(Text text) {
        byte[] bytes = text.bytes();
        int last = word.length - 1;
        int end = text.offset() + text.length();
        int at = text.offset() + last;
        while (at < end) {
            byte tail = bytes[at];
            if (tail == word[last] && matches(bytes, at - last)) {
                return true;
            }
            at += shifts[tail & 0xff];
        }
        return false;
    }

    /** Length of the word in characters. */
    public int length() {
        return word.length;
    }

    /** The word's character at an index, as its byte. */
    public byte at(int index) {
        return word[index];
    }

    private boolean matches(byte[] bytes, int start) {
        for (int i = 0; i < word.length; i++) {
            if (bytes[start + i] != word[i]) {
                return false;
            }
        }
        return true;
    }
}
