package dev.lockstep.engine.type;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * UTF-8 without allocation (RFC 3629). Bytes in UTF-8 order as unsigned numbers are in the order of code points, which
 * is why text is compared as bytes everywhere.
 *
 * <p>Stateless and thread-safe.
 */
final class Utf8 {
    /** What the methods return for text that is not well-formed: an unpaired surrogate, a stray or overlong byte. */
    static final int MALFORMED = -1;

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** The top bit of each of eight bytes: all clear means eight ASCII characters. */
    private static final long NOT_ASCII = 0x8080808080808080L;

    private Utf8() {}

    /**
     * The length of a string in UTF-8.
     *
     * @param text the string
     * @return bytes, or {@link #MALFORMED}
     */
    static int lengthBytes(String text) {
        int characters = text.length();
        int bytes = characters;
        for (int i = 0; i < characters; i++) {
            char c = text.charAt(i);
            if (c >= 0x80) {
                if (c < 0x800) {
                    bytes++;
                } else if (!Character.isSurrogate(c)) {
                    bytes += 2;
                } else if (Character.isHighSurrogate(c)
                        && i + 1 < characters
                        && Character.isLowSurrogate(text.charAt(i + 1))) {
                    bytes += 2;
                    i++;
                } else {
                    return MALFORMED;
                }
                if (bytes < 0) {
                    return Integer.MAX_VALUE;
                }
            }
        }
        return bytes;
    }

    /**
     * Writes a well-formed string.
     *
     * @param text the string, for which {@link #lengthBytes} is not {@link #MALFORMED}
     * @param target where to
     * @param at index of the first byte written
     * @return index behind the last byte written
     */
    static int encode(String text, byte[] target, int at) {
        int to = at;
        int characters = text.length();
        for (int i = 0; i < characters; i++) {
            char c = text.charAt(i);
            if (c < 0x80) {
                target[to++] = (byte) c;
            } else if (c < 0x800) {
                target[to++] = (byte) (0xC0 | (c >> 6));
                target[to++] = (byte) (0x80 | (c & 0x3F));
            } else if (!Character.isSurrogate(c)) {
                target[to++] = (byte) (0xE0 | (c >> 12));
                target[to++] = (byte) (0x80 | ((c >> 6) & 0x3F));
                target[to++] = (byte) (0x80 | (c & 0x3F));
            } else {
                int point = Character.toCodePoint(c, text.charAt(++i));
                target[to++] = (byte) (0xF0 | (point >> 18));
                target[to++] = (byte) (0x80 | ((point >> 12) & 0x3F));
                target[to++] = (byte) (0x80 | ((point >> 6) & 0x3F));
                target[to++] = (byte) (0x80 | (point & 0x3F));
            }
        }
        return to;
    }

    /**
     * Checks bytes and counts their code points.
     *
     * @param bytes where the text is
     * @param from index of the first byte
     * @param length number of bytes
     * @return code points, or {@link #MALFORMED}
     */
    static int codePoints(byte[] bytes, int from, int length) {
        int end = from + length;
        int at = from;
        while (at + Long.BYTES <= end && ((long) LONG.get(bytes, at) & NOT_ASCII) == 0) {
            at += Long.BYTES;
        }
        int points = at - from;
        while (at < end) {
            int width = sequenceBytes(bytes, at, end);
            if (width == MALFORMED) {
                return MALFORMED;
            }
            at += width;
            points++;
        }
        return points;
    }

    private static int sequenceBytes(byte[] bytes, int at, int end) {
        int first = bytes[at];
        if (first >= 0) {
            return 1;
        }
        int lead = first & 0xFF;
        if (lead >= 0xC2 && lead <= 0xDF) {
            return end - at >= 2 && continues(bytes[at + 1]) ? 2 : MALFORMED;
        }
        if ((lead & 0xF0) == 0xE0 && end - at >= 3) {
            int second = bytes[at + 1] & 0xFF;
            boolean overlong = lead == 0xE0 && second < 0xA0;
            boolean surrogate = lead == 0xED && second >= 0xA0;
            return !overlong && !surrogate && continues(bytes[at + 1]) && continues(bytes[at + 2]) ? 3 : MALFORMED;
        }
        if (lead >= 0xF0 && lead <= 0xF4 && end - at >= 4) {
            int second = bytes[at + 1] & 0xFF;
            boolean outside = (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second >= 0x90);
            return !outside && continues(bytes[at + 1]) && continues(bytes[at + 2]) && continues(bytes[at + 3])
                    ? 4
                    : MALFORMED;
        }
        return MALFORMED;
    }

    private static boolean continues(byte b) {
        return (b & 0xC0) == 0x80;
    }
}
