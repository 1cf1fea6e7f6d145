package dev.lockstep.tpcc.plain;

import dev.lockstep.tpcc.adapter.Text;

/**
 * Records of several short texts in one array, so that the texts of a record share cache lines. Each text has room for
 * its full width and is preceded by a byte with its length:
 *
 * <pre>
 *   record r at r * stride:  | length 0 | characters 0 ... | length 1 | characters 1 ... | ...
 * </pre>
 */
final class TextRecords {
    private static final int WIDTH_MAX = 255;

    private final byte[] bytes;
    private final int[] starts;
    private final int stride;

    /** @param widths most characters of each text of a record, 255 or less */
    TextRecords(int records, int... widths) {
        starts = new int[widths.length];
        int end = 0;
        for (int field = 0; field < widths.length; field++) {
            if (widths[field] > WIDTH_MAX) {
                throw new IllegalArgumentException("width=" + widths[field] + " does not fit a length byte");
            }
            starts[field] = end;
            end += 1 + widths[field];
        }
        stride = end;
        bytes = new byte[PlainDatabase.arrayLength(records, stride)];
    }

    void get(int record, int field, Text text) {
        int at = record * stride + starts[field];
        text.wrap(bytes, at + 1, bytes[at] & 0xff);
    }

    void set(int record, int field, Text text) {
        int at = record * stride + starts[field];
        bytes[at] = (byte) text.length();
        text.copyTo(bytes, at + 1);
    }
}
