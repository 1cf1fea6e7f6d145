package dev.lockstep.engine.btree;

import static dev.lockstep.engine.btree.NodeLayout.HEAD_BYTES;
import static dev.lockstep.engine.btree.NodeLayout.INNER_CELL_HEADER_BYTES;
import static dev.lockstep.engine.btree.NodeLayout.LEAF_CELL_HEADER_BYTES;
import static dev.lockstep.engine.btree.NodeLayout.SLOTS;
import static dev.lockstep.engine.btree.NodeLayout.SLOT_BYTES;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.page.ShortCopy;

/**
 * Reads a node in place. {@code memory} is the pool's memory, {@code page} the address of the page in it.
 *
 * <p>Every method may run without a latch, on a page that another thread is changing: it then returns nonsense, which
 * the caller discards after validating the latch version, but it terminates and stays inside the pool's memory and its
 * guard area (counts are clamped, lengths are 16 bits wide).
 */
public final class Node {
    /** Below it the three probes that a guess costs are as many as a binary search needs. */
    private static final int SLOTS_TO_INTERPOLATE_MIN = 8;

    /** No {@link #shareOfChild}. */
    static final double SHARE_UNKNOWN = -1;

    /**
     * By how much the heads of two separators have to differ: with less, the share would be off by more than the three
     * probes that the first and the last slot of the child itself cost.
     */
    private static final long SHARE_RANGE_MIN = 32;

    /** No slot has this word: its cell would begin behind the page. */
    public static final long NO_SLOT_WORD = -1;

    private static final long U16_MASK = 0xFFFF;
    private static final int SUFFIX_BYTES_SHIFT =
            Byte.SIZE * (NodeLayout.SLOT_SUFFIX_BYTES - NodeLayout.SLOT_CELL_OFFSET);
    private static final int VALUE_BYTES_SHIFT =
            Byte.SIZE * (NodeLayout.SLOT_VALUE_BYTES - NodeLayout.SLOT_CELL_OFFSET);
    private static final int FLAGS_SHIFT = Byte.SIZE * (NodeLayout.SLOT_FLAGS - NodeLayout.SLOT_CELL_OFFSET);
    private static final int LEVEL_SHIFT = Byte.SIZE * (NodeLayout.LEVEL - NodeLayout.SLOT_COUNT);
    private static final int HEAP_START_SHIFT = Byte.SIZE * (NodeLayout.HEAP_START - NodeLayout.SLOT_COUNT);
    private static final int DEAD_BYTES_SHIFT = Byte.SIZE * (NodeLayout.DEAD_BYTES - NodeLayout.SLOT_COUNT);
    private static final int LOWER_FENCE_OFFSET_SHIFT =
            Byte.SIZE * (NodeLayout.LOWER_FENCE_OFFSET - NodeLayout.PREFIX_BYTES);

    private Node() {}

    public static int u16(NativeMemory memory, long address) {
        return memory.getShort(address) & 0xFFFF;
    }

    public static int slotCount(NativeMemory memory, long page) {
        return Math.min(u16(memory, page + NodeLayout.SLOT_COUNT), NodeLayout.SLOT_COUNT_MAX);
    }

    public static int level(NativeMemory memory, long page) {
        return u16(memory, page + NodeLayout.LEVEL);
    }

    /** The first eight bytes of a node's header in one read: its slots, its level, and what its heap takes. */
    static long spaceWord(NativeMemory memory, long page) {
        return memory.getLong(page + NodeLayout.SLOT_COUNT);
    }

    /** The {@link #slotCount} of the node with this word. */
    static int slotCountOf(long spaceWord) {
        return Math.min((int) (spaceWord & U16_MASK), NodeLayout.SLOT_COUNT_MAX);
    }

    /** The {@link #level} of the node with this word. */
    static int levelOf(long spaceWord) {
        return (int) (spaceWord >>> LEVEL_SHIFT & U16_MASK);
    }

    public static int heapStart(NativeMemory memory, long page) {
        return u16(memory, page + NodeLayout.HEAP_START);
    }

    public static int deadBytes(NativeMemory memory, long page) {
        return u16(memory, page + NodeLayout.DEAD_BYTES);
    }

    public static int prefixBytes(NativeMemory memory, long page) {
        return u16(memory, page + NodeLayout.PREFIX_BYTES);
    }

    public static int nodeFlags(NativeMemory memory, long page) {
        return u16(memory, page + NodeLayout.NODE_FLAGS);
    }

    public static boolean hasUpperFence(NativeMemory memory, long page) {
        return (nodeFlags(memory, page) & NodeLayout.FLAG_NO_UPPER_FENCE) == 0;
    }

    public static int lowerFenceBytes(NativeMemory memory, long page) {
        return u16(memory, page + NodeLayout.LOWER_FENCE_BYTES);
    }

    public static int upperFenceBytes(NativeMemory memory, long page) {
        return u16(memory, page + NodeLayout.UPPER_FENCE_BYTES);
    }

    public static byte[] lowerFence(NativeMemory memory, long page) {
        return bytes(memory, page + u16(memory, page + NodeLayout.LOWER_FENCE_OFFSET), lowerFenceBytes(memory, page));
    }

    /** The upper fence key, or null when there is none. */
    public static byte[] upperFence(NativeMemory memory, long page) {
        if (!hasUpperFence(memory, page)) {
            return null;
        }
        return bytes(memory, page + u16(memory, page + NodeLayout.UPPER_FENCE_OFFSET), upperFenceBytes(memory, page));
    }

    public static int copyUpperFence(NativeMemory memory, long page, byte[] target) {
        int length = Math.min(upperFenceBytes(memory, page), target.length);
        copyOut(memory, page + u16(memory, page + NodeLayout.UPPER_FENCE_OFFSET), target, 0, length);
        return length;
    }

    public static int copyLowerFence(NativeMemory memory, long page, byte[] target) {
        int length = Math.min(lowerFenceBytes(memory, page), target.length);
        copyOut(memory, page + u16(memory, page + NodeLayout.LOWER_FENCE_OFFSET), target, 0, length);
        return length;
    }

    public static int rightmostChild(NativeMemory memory, long page) {
        return memory.getInt(page + NodeLayout.RIGHTMOST_CHILD);
    }

    public static long slot(long page, int index) {
        return page + SLOTS + (long) index * SLOT_BYTES;
    }

    public static long cell(NativeMemory memory, long page, int index) {
        return page + u16(memory, slot(page, index) + NodeLayout.SLOT_CELL_OFFSET);
    }

    public static int suffixBytes(NativeMemory memory, long page, int index) {
        return u16(memory, slot(page, index) + NodeLayout.SLOT_SUFFIX_BYTES);
    }

    public static int keyBytes(NativeMemory memory, long page, int index) {
        return prefixBytes(memory, page) + suffixBytes(memory, page, index);
    }

    public static int valueBytes(NativeMemory memory, long page, int index) {
        return u16(memory, slot(page, index) + NodeLayout.SLOT_VALUE_BYTES);
    }

    public static int slotFlags(NativeMemory memory, long page, int index) {
        return u16(memory, slot(page, index) + NodeLayout.SLOT_FLAGS);
    }

    /**
     * All of a slot but its head in one read: where the cell is, the lengths of its parts, and the flags. To be taken
     * apart by the methods whose names end in {@code Of}.
     */
    public static long slotWord(NativeMemory memory, long page, int index) {
        return memory.getLong(slot(page, index) + NodeLayout.SLOT_CELL_OFFSET);
    }

    /** The word that {@link #slotWord} reads of a slot with these parts. */
    static long slotWordOf(int cell, int suffixBytes, int valueBytes, int flags) {
        return cell
                | (long) suffixBytes << SUFFIX_BYTES_SHIFT
                | (long) valueBytes << VALUE_BYTES_SHIFT
                | (long) flags << FLAGS_SHIFT;
    }

    /**
     * The length of the common prefix and where it lies, in one read: an access of memory that is not trusted checks
     * its place and its session, some 25 instructions.
     */
    private static long prefixWord(NativeMemory memory, long page) {
        return memory.getLong(page + NodeLayout.PREFIX_BYTES);
    }

    private static int prefixBytesOf(long prefixWord) {
        return (int) (prefixWord & U16_MASK);
    }

    /** Address of the prefix, which is the begin of the lower fence. */
    private static long prefixAddressOf(long page, long prefixWord) {
        return page + (prefixWord >>> LOWER_FENCE_OFFSET_SHIFT & U16_MASK);
    }

    /** Address of the cell of the slot with this {@link #slotWord}. */
    public static long cellOf(long page, long slotWord) {
        return page + (slotWord & U16_MASK);
    }

    public static int suffixBytesOf(long slotWord) {
        return (int) (slotWord >>> SUFFIX_BYTES_SHIFT & U16_MASK);
    }

    public static int valueBytesOf(long slotWord) {
        return (int) (slotWord >>> VALUE_BYTES_SHIFT & U16_MASK);
    }

    public static int flagsOf(long slotWord) {
        return (int) (slotWord >>> FLAGS_SHIFT);
    }

    /** Address of the value of the leaf's record with this {@link #slotWord}. */
    public static long valueAddressOf(long page, long slotWord) {
        return cellOf(page, slotWord) + LEAF_CELL_HEADER_BYTES + suffixBytesOf(slotWord);
    }

    /** The version of the leaf's record with this {@link #slotWord}. */
    public static long versionOf(NativeMemory memory, long page, long slotWord) {
        return memory.getLong(cellOf(page, slotWord));
    }

    /** The first bytes of the slot's key suffix, as the slot keeps them. */
    static long head(NativeMemory memory, long page, int index) {
        return memory.getLong(slot(page, index) + NodeLayout.SLOT_HEAD);
    }

    /** The head of a key suffix in a page: {@link KeyBytes#head}. */
    static long headOf(NativeMemory memory, long suffix, int suffixBytes) {
        if (suffixBytes >= Long.BYTES) {
            return memory.getLongBigEndian(suffix);
        }
        long head = 0;
        for (int i = 0; i < suffixBytes; i++) {
            head |= (memory.getByte(suffix + i) & 0xFFL) << (56 - 8 * i);
        }
        return head;
    }

    public static boolean isGhost(NativeMemory memory, long page, int index) {
        return (slotFlags(memory, page, index) & NodeLayout.SLOT_GHOST) != 0;
    }

    public static long version(NativeMemory memory, long page, int index) {
        return memory.getLong(cell(memory, page, index));
    }

    /** Address of the value of a leaf's record. */
    public static long valueAddress(NativeMemory memory, long page, int index) {
        return valueAddressOf(page, slotWord(memory, page, index));
    }

    /** The child at {@code index}, 0 to slot count inclusive. */
    public static int child(NativeMemory memory, long page, int index) {
        return index >= slotCount(memory, page)
                ? rightmostChild(memory, page)
                : memory.getInt(cell(memory, page, index));
    }

    /** Copies the whole key of a slot to {@code target} and returns its length, cut to the target's. */
    public static int copyKey(NativeMemory memory, long page, int index, byte[] target) {
        return copyKey(memory, page, slotWord(memory, page, index), cellHeaderBytes(memory, page), target);
    }

    /** Copies the whole key of the leaf's record with this {@link #slotWord}. */
    public static int copyLeafKey(NativeMemory memory, long page, long slotWord, byte[] target) {
        return copyKey(memory, page, slotWord, LEAF_CELL_HEADER_BYTES, target);
    }

    private static int copyKey(NativeMemory memory, long page, long slotWord, int headerBytes, byte[] target) {
        long prefixWord = prefixWord(memory, page);
        int prefix = Math.min(prefixBytesOf(prefixWord), target.length);
        int suffix = Math.min(suffixBytesOf(slotWord), target.length - prefix);
        ShortCopy.copy(memory, prefixAddressOf(page, prefixWord), target, 0, prefix);
        ShortCopy.copy(memory, cellOf(page, slotWord) + headerBytes, target, prefix, suffix);
        return prefix + suffix;
    }

    /** The whole key of a slot. */
    public static byte[] key(NativeMemory memory, long page, int index) {
        byte[] key = new byte[keyBytes(memory, page, index)];
        copyKey(memory, page, index, key);
        return key;
    }

    public static int cellHeaderBytes(NativeMemory memory, long page) {
        return level(memory, page) == 0 ? LEAF_CELL_HEADER_BYTES : INNER_CELL_HEADER_BYTES;
    }

    public static long suffixAddress(NativeMemory memory, long page, int index) {
        return cell(memory, page, index) + cellHeaderBytes(memory, page);
    }

    /** Bytes between the slots and the heap. */
    public static int contiguousFreeBytes(NativeMemory memory, long page) {
        return contiguousFreeBytesOf(spaceWord(memory, page));
    }

    /** Bytes that a cell and a slot could take, after compaction. */
    public static int freeBytes(NativeMemory memory, long page) {
        long spaceWord = spaceWord(memory, page);
        return contiguousFreeBytesOf(spaceWord) + (int) (spaceWord >>> DEAD_BYTES_SHIFT & U16_MASK);
    }

    private static int contiguousFreeBytesOf(long spaceWord) {
        return (int) (spaceWord >>> HEAP_START_SHIFT & U16_MASK) - SLOTS - slotCountOf(spaceWord) * SLOT_BYTES;
    }

    /** Bytes of the heap that are cells in use: what neither fences nor dead bytes take of it. */
    static int cellBytes(NativeMemory memory, long page) {
        int heapBytes = PageLayout.PAGE_BYTES - heapStart(memory, page) - deadBytes(memory, page);
        int upperBytes = hasUpperFence(memory, page) ? upperFenceBytes(memory, page) : 0;
        return heapBytes - lowerFenceBytes(memory, page) - upperBytes;
    }

    /** Bytes that a leaf needs for one more record, without regard to prefix truncation beyond the present one. */
    public static int leafBytesNeeded(NativeMemory memory, long page, int keyBytes, int valueBytes) {
        return SLOT_BYTES + LEAF_CELL_HEADER_BYTES + keyBytes - prefixBytes(memory, page) + valueBytes;
    }

    /**
     * The slot of the key, or {@code -(insertion point) - 1} when it is not there. The key must lie within the
     * node's fences.
     *
     * <p>Interpolation search: a guess, a gallop away from it, and binary search in what is left. Keys are often dense
     * numbers, for which the guess is right or next to it, while each halving of a binary search is a branch that the
     * processor cannot predict and, in a large node, a cache line of its own.
     */
    public static int find(NativeMemory memory, long page, byte[] key, int keyBytes) {
        int count = slotCount(memory, page);
        int prefix = Math.min(prefixBytes(memory, page), keyBytes);
        long head = KeyBytes.head(key, prefix, keyBytes);
        if (count < SLOTS_TO_INTERPOLATE_MIN) {
            return find(memory, page, key, keyBytes, prefix, head, count, count >>> 1, false);
        }
        long firstHead = memory.getLong(slot(page, 0));
        long lastHead = memory.getLong(slot(page, count - 1));
        if (Long.compareUnsigned(head, firstHead) < 0) {
            return -1;
        }
        if (Long.compareUnsigned(head, lastHead) > 0) {
            return -count - 1;
        }
        int guess = interpolate(head - firstHead, lastHead - firstHead, count);
        return find(memory, page, key, keyBytes, prefix, head, count, guess, true);
    }

    /**
     * What {@link #find} answers, found from a slot near by: where that is known without the first and the last slot,
     * their cache lines are not read.
     *
     * @param guess 0 to the slot count
     */
    static int findFrom(NativeMemory memory, long page, byte[] key, int keyBytes, int guess) {
        int count = slotCount(memory, page);
        int prefix = Math.min(prefixBytes(memory, page), keyBytes);
        long head = KeyBytes.head(key, prefix, keyBytes);
        return find(memory, page, key, keyBytes, prefix, head, count, Math.min(guess, count - 1), true);
    }

    private static int find(
            NativeMemory memory,
            long page,
            byte[] key,
            int keyBytes,
            int prefix,
            long head,
            int count,
            int guess,
            boolean gallops) {
        int low = 0;
        int high = count;
        int probe = guess;
        int step = 1;
        boolean galloping = gallops;
        boolean upwards = false;
        // Ends: every turn takes at least the probe out of the slots between low and high.
        while (low < high) {
            long slot = slot(page, probe);
            int order = Long.compareUnsigned(memory.getLong(slot), head);
            if (order == 0) {
                long word = memory.getLong(slot + NodeLayout.SLOT_CELL_OFFSET);
                order = compareBehindHead(memory, page, word, key, prefix, keyBytes - prefix);
                if (order == 0) {
                    return probe;
                }
            }
            boolean below = order < 0;
            if (below) {
                low = probe + 1;
            } else {
                high = probe;
            }
            if (galloping && (step == 1 || below == upwards)) {
                upwards = below;
                probe = below ? low + step - 1 : high - step;
                step *= 2;
                galloping = probe >= low && probe < high;
            } else {
                galloping = false;
            }
            if (!galloping) {
                probe = (low + high) >>> 1;
            }
        }
        return -low - 1;
    }

    /**
     * How far between the two separators of a child a key lies: where it is in that child, if its keys grow evenly from
     * one to the other.
     *
     * @param index of the child whose range holds the key
     * @return 0 to 1, or {@link #SHARE_UNKNOWN} where a separator is missing, or where their heads hardly differ
     */
    static double shareOfChild(NativeMemory memory, long page, int index, byte[] key, int keyBytes) {
        if (index == 0 || index >= slotCount(memory, page)) {
            return SHARE_UNKNOWN;
        }
        long lowerHead = memory.getLong(slot(page, index - 1));
        long range = memory.getLong(slot(page, index)) - lowerHead;
        if (Long.compareUnsigned(range, SHARE_RANGE_MIN) < 0) {
            return SHARE_UNKNOWN;
        }
        long distance = KeyBytes.head(key, Math.min(prefixBytes(memory, page), keyBytes), keyBytes) - lowerHead;
        return Math.min(1, (double) (distance >>> 1) / (double) (range >>> 1));
    }

    /** The slot of a node that a share of all of its keys lies below: 0 to the slot count. */
    static int slotAt(NativeMemory memory, long page, double share) {
        return (int) (share * slotCount(memory, page));
    }

    /** Where a head would be among {@code count} slots if heads grew evenly from the first slot to the last. */
    private static int interpolate(long distance, long range, int count) {
        // Halved, so that they are positive; a range of 0 gives a NaN, which becomes slot 0.
        double guess = (double) (distance >>> 1) / (double) (range >>> 1) * (count - 1);
        return Math.min((int) guess, count - 1);
    }

    /**
     * Whether the slot, if there is such a one, holds this key, which begins like all keys of the node do.
     */
    static boolean isKeyAt(NativeMemory memory, long page, int index, byte[] key, int keyBytes) {
        if (index < 0 || index >= slotCount(memory, page)) {
            return false;
        }
        int prefix = Math.min(prefixBytes(memory, page), keyBytes);
        long slot = slot(page, index);
        return memory.getLong(slot) == KeyBytes.head(key, prefix, keyBytes)
                && compareBehindHead(memory, page, slotWord(memory, page, index), key, prefix, keyBytes - prefix) == 0;
    }

    /** Whether the slot holds exactly this key. */
    public static boolean hasKey(NativeMemory memory, long page, int index, byte[] key, int keyBytes) {
        return slotWordOfKey(memory, page, slotCount(memory, page), index, key, keyBytes) != NO_SLOT_WORD;
    }

    /** The {@link #slotWord} of a slot if that is there and holds exactly this key, else {@link #NO_SLOT_WORD}. */
    static long slotWordOfKey(NativeMemory memory, long page, int slotCount, int index, byte[] key, int keyBytes) {
        if (index < 0 || index >= slotCount) {
            return NO_SLOT_WORD;
        }
        long prefixWord = prefixWord(memory, page);
        int prefix = prefixBytesOf(prefixWord);
        long slot = slot(page, index);
        if (prefix > keyBytes
                || memory.getLong(slot) != KeyBytes.head(key, prefix, keyBytes)
                || !prefixEquals(memory, prefixAddressOf(page, prefixWord), key, prefix)) {
            return NO_SLOT_WORD;
        }
        long word = memory.getLong(slot + NodeLayout.SLOT_CELL_OFFSET);
        return compareBehindHead(memory, page, word, key, prefix, keyBytes - prefix) == 0 ? word : NO_SLOT_WORD;
    }

    /**
     * Orders the key of a slot against another: negative where the slot's is below it. Only for a key that begins with
     * the node's {@linkplain #hasPrefix prefix}.
     */
    public static int compareSlot(NativeMemory memory, long page, int index, byte[] key, int keyBytes) {
        int prefix = prefixBytes(memory, page);
        long slot = slot(page, index);
        int order = Long.compareUnsigned(memory.getLong(slot), KeyBytes.head(key, prefix, keyBytes));
        return order != 0
                ? order
                : compareBehindHead(memory, page, slotWord(memory, page, index), key, prefix, keyBytes - prefix);
    }

    /** Whether a key begins with what all keys of the node have in common. */
    public static boolean hasPrefix(NativeMemory memory, long page, byte[] key, int keyBytes) {
        long prefixWord = prefixWord(memory, page);
        int prefix = prefixBytesOf(prefixWord);
        return prefix <= keyBytes && prefixEquals(memory, prefixAddressOf(page, prefixWord), key, prefix);
    }

    /** Whether a key is below the upper fence, or there is none. */
    public static boolean isBelowUpperFence(NativeMemory memory, long page, byte[] key, int keyBytes) {
        if (!hasUpperFence(memory, page)) {
            return true;
        }
        long fence = page + u16(memory, page + NodeLayout.UPPER_FENCE_OFFSET);
        return compareStored(memory, fence, upperFenceBytes(memory, page), key, keyBytes) > 0;
    }

    /** Whether a key is above the lower fence, as every key but the empty one is where that is minus infinity. */
    private static boolean isAboveLowerFence(NativeMemory memory, long page, byte[] key, int keyBytes) {
        long fence = page + u16(memory, page + NodeLayout.LOWER_FENCE_OFFSET);
        return compareStored(memory, fence, lowerFenceBytes(memory, page), key, keyBytes) < 0;
    }

    private static boolean isNotBelowLowerFence(NativeMemory memory, long page, byte[] key, int keyBytes) {
        long fence = page + u16(memory, page + NodeLayout.LOWER_FENCE_OFFSET);
        return compareStored(memory, fence, lowerFenceBytes(memory, page), key, keyBytes) <= 0;
    }

    /** Orders a whole key in the page against another. */
    private static int compareStored(NativeMemory memory, long stored, int storedBytes, byte[] key, int keyBytes) {
        int common = Math.min(storedBytes, keyBytes);
        int at = 0;
        for (; at + Long.BYTES <= common; at += Long.BYTES) {
            long left = memory.getLongBigEndian(stored + at);
            long right = KeyBytes.bigEndianLong(key, at);
            if (left != right) {
                return Long.compareUnsigned(left, right);
            }
        }
        for (; at < common; at++) {
            int order = (memory.getByte(stored + at) & 0xFF) - (key[at] & 0xFF);
            if (order != 0) {
                return order;
            }
        }
        return storedBytes - keyBytes;
    }

    /**
     * The first slot whose key is not below the given one, the slot count if there is none. Unlike for {@link #find},
     * the key may lie beyond the node's fences.
     */
    public static int slotNotBelow(NativeMemory memory, long page, byte[] key, int keyBytes) {
        if (!isBelowUpperFence(memory, page, key, keyBytes)) {
            return slotCount(memory, page);
        }
        if (!isAboveLowerFence(memory, page, key, keyBytes)) {
            return 0;
        }
        int at = find(memory, page, key, keyBytes);
        return at >= 0 ? at : -at - 1;
    }

    private static boolean prefixEquals(NativeMemory memory, long stored, byte[] key, int prefix) {
        int i = 0;
        for (; i + Long.BYTES <= prefix; i += Long.BYTES) {
            if (memory.getLongBigEndian(stored + i) != KeyBytes.bigEndianLong(key, i)) {
                return false;
            }
        }
        if (i == prefix) {
            return true;
        }
        // The word that ends with the prefix, not the one that begins with the rest: it might reach beyond the page.
        long word = memory.getLongBigEndian(Math.max(0, stored + prefix - Long.BYTES));
        return word << (Long.SIZE - Byte.SIZE * (prefix - i)) == KeyBytes.head(key, i, prefix);
    }

    /** Orders the key of a slot with this word against the searched one, where their heads are equal. */
    private static int compareBehindHead(
            NativeMemory memory, long page, long word, byte[] key, int prefix, int searchedBytes) {
        int storedBytes = suffixBytesOf(word);
        int common = Math.min(storedBytes, searchedBytes);
        if (common > HEAD_BYTES) {
            long stored = cellOf(page, word) + cellHeaderBytes(memory, page);
            int at = HEAD_BYTES;
            for (; at + Long.BYTES <= common; at += Long.BYTES) {
                long left = memory.getLongBigEndian(stored + at);
                long right = KeyBytes.bigEndianLong(key, prefix + at);
                if (left != right) {
                    return Long.compareUnsigned(left, right);
                }
            }
            for (; at < common; at++) {
                int left = memory.getByte(stored + at) & 0xFF;
                int right = key[prefix + at] & 0xFF;
                if (left != right) {
                    return left - right;
                }
            }
        }
        return storedBytes - searchedBytes;
    }

    /** Index of the child whose range holds the key: the number of separators that are not above it. */
    public static int childIndex(NativeMemory memory, long page, byte[] key, int keyBytes) {
        return childIndex(find(memory, page, key, keyBytes));
    }

    /** {@link #childIndex} of the key for which {@link #find} has answered {@code found}. */
    static int childIndex(int found) {
        return found >= 0 ? found + 1 : -found - 1;
    }

    /**
     * Index of the child that holds the keys just below the one for which {@link #find} has answered {@code found}: the
     * number of separators below it.
     */
    static int childIndexBelow(int found) {
        return found >= 0 ? found : -found - 1;
    }

    /**
     * Whether the key lies within the fences of a node, where {@link #find} has answered {@code found}: a key between
     * two of the node's keys does, and only one at an end has to be compared with a fence.
     */
    static boolean coversAt(NativeMemory memory, long page, byte[] key, int keyBytes, int found) {
        if (!hasPrefix(memory, page, key, keyBytes)) {
            return false;
        }
        if (found >= 0) {
            return true;
        }
        int insertion = -found - 1;
        return (insertion > 0 || isNotBelowLowerFence(memory, page, key, keyBytes))
                && (insertion < slotCount(memory, page) || isBelowUpperFence(memory, page, key, keyBytes));
    }

    /** Whether the key lies within the node's fences. */
    public static boolean covers(NativeMemory memory, long page, byte[] key, int keyBytes) {
        byte[] lower = lowerFence(memory, page);
        if (KeyBytes.compare(lower, lower.length, key, keyBytes) > 0) {
            return false;
        }
        byte[] upper = upperFence(memory, page);
        return upper == null || KeyBytes.compare(key, keyBytes, upper, upper.length) < 0;
    }

    /**
     * A copy of some bytes.
     *
     * @throws CorruptionException if they do not lie within the memory: a page whose checksum is right may still name
     *     places that it does not have
     */
    public static byte[] bytes(NativeMemory memory, long address, int length) {
        if (address < 0 || address > memory.byteSize() - length) {
            throw new CorruptionException(Message.of("a node names bytes outside of its page")
                    .with("offset", address)
                    .with("length", length)
                    .with("pageBytes", memory.byteSize())
                    .remedy("Restore the database from a backup."));
        }
        byte[] bytes = new byte[length];
        copyOut(memory, address, bytes, 0, length);
        return bytes;
    }

    public static void copyOut(NativeMemory memory, long address, byte[] target, int at, int length) {
        memory.copyTo(address, target, at, length);
    }

    public static boolean isNode(NativeMemory memory, long page) {
        return PageLayout.type(memory, page) == PageLayout.TYPE_NODE;
    }

    public static boolean isLeaf(NativeMemory memory, long page) {
        return isNode(memory, page) && level(memory, page) == 0;
    }
}
