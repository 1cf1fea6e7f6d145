package dev.lockstep.tpcc.lockstep;

import java.util.Arrays;

/** A set of item ids that remembers the order of arrival; kept from one transaction to the next. Not thread-safe. */
final class ItemSet {
    /** Twenty orders have 300 lines at the most; a power of two that leaves a probe short. */
    private static final int CAPACITY = 1024;

    private final int[] slots = new int[CAPACITY];
    private final int[] items = new int[CAPACITY / 2];
    private int size;

    void clear() {
        Arrays.fill(slots, 0);
        size = 0;
    }

    /** Adds an id of 1 or more. */
    void add(int itemId) {
        int slot = (itemId * 0x9E3779B1) >>> 22;
        // Ends at an empty slot: there are at most half as many items as slots.
        while (slots[slot] != 0) {
            if (slots[slot] == itemId) {
                return;
            }
            slot = (slot + 1) & (CAPACITY - 1);
        }
        slots[slot] = itemId;
        items[size++] = itemId;
    }

    int size() {
        return size;
    }

    int get(int index) {
        return items[index];
    }
}
