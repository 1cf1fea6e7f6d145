package dev.lockstep.engine.btree;

import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;
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
    static SplitPoint choose(NativeMemory memory, long page, byte[] key, int keyBytes) {
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
            SplitPoint atPosition = found < 0 ? beforePosition(memory, page, count, position, key, keyBytes) : null;
            if (atPosition != null && atPosition.bothSidesFit(memory, page, count)) {
                return atPosition;
            }
        }
        int slot = middle(memory, page, count);
        byte[] right = Node.key(memory, page, slot);
        return new SplitPoint(slot, separator(Node.key(memory, page, slot - 1), right, right.length));
    }

    /** The cut behind which nothing but the new key, and what follows it, comes to lie. */
    private static SplitPoint beforePosition(
            NativeMemory memory, long page, int count, int position, byte[] key, int keyBytes) {
        if (position == count) {
            return new SplitPoint(count, separator(Node.key(memory, page, count - 1), key, keyBytes));
        }
        byte[] next = Node.key(memory, page, position);
        return new SplitPoint(position, separator(Arrays.copyOf(key, keyBytes), next, next.length));
    }

    /**
     * Whether each side has room for the separator as its new fence: one side keeps nearly everything, and the fence
     * that the separator replaces may have been shorter by the length of a key.
     */
    private boolean bothSidesFit(NativeMemory memory, long page, int count) {
        if (slot == count && Node.contiguousFreeBytes(memory, page) >= separator.length) {
            // The right node is empty, and the left one takes the fence as it is.
            return true;
        }
        byte[] lower = Node.lowerFence(memory, page);
        byte[] upper = Node.upperFence(memory, page);
        return sideBytes(memory, page, 0, slot, lower, separator) <= PageLayout.PAGE_BYTES
                && sideBytes(memory, page, slot, count, separator, upper) <= PageLayout.PAGE_BYTES;
    }

    private static int sideBytes(NativeMemory memory, long page, int from, int to, byte[] lower, byte[] upper) {
        int upperBytes = upper == null ? 0 : upper.length;
        int prefix = upper == null ? 0 : KeyBytes.commonPrefix(lower, lower.length, upper, upperBytes);
        int longer = Node.prefixBytes(memory, page) - prefix;
        int slotBytes = NodeLayout.SLOT_BYTES + NodeLayout.LEAF_CELL_HEADER_BYTES + longer;
        int bytes = NodeLayout.SLOTS + lower.length + upperBytes + (to - from) * slotBytes;
        for (int i = from; i < to; i++) {
            long word = Node.slotWord(memory, page, i);
            bytes += Node.suffixBytesOf(word) + Node.valueBytesOf(word);
        }
        return bytes;
    }

    private static byte[] separator(byte[] left, byte[] right, int rightBytes) {
        return Arrays.copyOf(right, KeyBytes.shortestSeparatorBytes(left, left.length, right, rightBytes));
    }

    /** The slot that halves the bytes; at least one slot stays on each side. */
    private static int middle(NativeMemory memory, long page, int count) {
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

    private static int cellBytes(NativeMemory memory, long page, int index) {
        long word = Node.slotWord(memory, page, index);
        return NodeLayout.SLOT_BYTES + Node.suffixBytesOf(word) + Node.valueBytesOf(word);
    }
}
