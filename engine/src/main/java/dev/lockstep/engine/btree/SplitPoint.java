package dev.lockstep.engine.btree;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Where a full node is cut: slots from {@code slot} on go to the right, keys from {@code separator} on too. In an inner
 * node the slot itself moves up as the separator.
 */
final class SplitPoint {
    private final int slot;
    private final byte[] separator;

    private SplitPoint(int slot, byte[] separator) {
        this.slot = slot;
        this.separator = separator;
    }

    /** First slot of the right node, 0 to slot count. */
    int slot() {
        return slot;
    }

    /** The lowest key that belongs to the right node. */
    byte[] separator() {
        return separator;
    }

    int separatorBytes() {
        return separator.length;
    }

    /**
     * Cuts at the insertion point when inserts come in key order, so that the left node stays full, and in the middle
     * of the bytes otherwise.
     */
    static SplitPoint choose(MemorySegment memory, long page, byte[] key, int keyBytes) {
        int count = Node.slotCount(memory, page);
        if (Node.level(memory, page) > 0) {
            int slot = middle(memory, page, count);
            return new SplitPoint(slot, Node.key(memory, page, slot));
        }
        int found = Node.find(memory, page, key, keyBytes);
        int position = found >= 0 ? found : -found - 1;
        boolean inOrder =
                found < 0 && position > 0 && Node.u16(memory, page + NodeLayout.LAST_INSERT_SLOT) == position - 1;
        if (count < 2 || inOrder) {
            if (position == count && found < 0) {
                return new SplitPoint(count, separator(Node.key(memory, page, count - 1), key, keyBytes));
            }
            if (found < 0) {
                byte[] next = Node.key(memory, page, position);
                return new SplitPoint(position, separator(Arrays.copyOf(key, keyBytes), next, next.length));
            }
        }
        int slot = middle(memory, page, count);
        byte[] right = Node.key(memory, page, slot);
        return new SplitPoint(slot, separator(Node.key(memory, page, slot - 1), right, right.length));
    }

    private static byte[] separator(byte[] left, byte[] right, int rightBytes) {
        return Arrays.copyOf(right, KeyBytes.shortestSeparatorBytes(left, left.length, right, rightBytes));
    }

    /** The slot that halves the bytes; at least one slot stays on each side. */
    private static int middle(MemorySegment memory, long page, int count) {
        int total = 0;
        for (int i = 0; i < count; i++) {
            total += cellBytes(memory, page, i);
        }
        int sum = 0;
        int slot = 0;
        while (slot < count - 1 && sum < total / 2) {
            sum += cellBytes(memory, page, slot++);
        }
        return Math.max(1, slot);
    }

    private static int cellBytes(MemorySegment memory, long page, int index) {
        return NodeLayout.SLOT_BYTES + Node.suffixBytes(memory, page, index) + Node.valueBytes(memory, page, index);
    }
}
