package dev.lockstep.engine.btree;

import static dev.lockstep.engine.btree.NodeLayout.SLOT_BYTES;

import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;

/**
 * The cache lines of a node that a search will read, to have them on their way from memory before it does: read at once
 * for a walk that is alone, or named to a {@link GroupPrefetch} for one beside others.
 *
 * <p>As in {@link Node}, every method may run without a latch and stays inside the pool's memory and its guard area; a
 * line that is not the right one costs time only. Stateless.
 */
public final class NodeLines {
    /** That of all processors in wide use but some of Apple's, where the touch of every other line is one too many. */
    private static final int CACHE_LINE_BYTES = 64;

    private static final int SLOTS_TO_TOUCH = 24;

    /**
     * The header and 24 slots: all of a leaf with rows of 300 bytes. In a table of 330 MB a row of a batch of ten took
     * 336 ns with them and 405 ns when only the header told which slots to touch; with twice as many 385 ns.
     */
    private static final int BYTES_TO_TOUCH = NodeLayout.SLOTS + SLOTS_TO_TOUCH * NodeLayout.SLOT_BYTES;

    private NodeLines() {}

    /**
     * Reads the lines that a search reads first, to have them on their way: the header and the first slots, whose
     * addresses need no other read, then the middle and the last slot.
     *
     * @return something to add up, so that no compiler leaves the reads out
     */
    static long touchSlots(NativeMemory memory, long page) {
        long sum = touchFirstSlots(memory, page);
        int count = Node.slotCount(memory, page);
        return sum
                + memory.getLong(Node.slot(page, count >>> 1))
                + memory.getLong(Node.slot(page, Math.max(0, count - 1)));
    }

    /** Reads the lines of the header and of one slot, which may not be there; see {@link #touchSlots}. */
    static long touchSlot(NativeMemory memory, long page, int index) {
        return memory.getLong(page + NodeLayout.SLOT_COUNT)
                + Node.head(memory, page, index % NodeLayout.SLOT_COUNT_MAX);
    }

    /** Reads the last line of the page, where the lower fence ends; see {@link #touchSlots}. */
    static long touchLowerFence(NativeMemory memory, long page) {
        return memory.getLong(page + PageLayout.PAGE_BYTES - Long.BYTES);
    }

    /** Reads the lines of the header and of the first slots; see {@link #touchSlots}. */
    static long touchFirstSlots(NativeMemory memory, long page) {
        long sum = 0;
        for (int at = 0; at < BYTES_TO_TOUCH; at += CACHE_LINE_BYTES) {
            sum += memory.getLong(page + at);
        }
        return sum;
    }

    /** Says which lines a search after a hint reads first: of the header and a slot. */
    static void addSlotLines(GroupPrefetch prefetch, long page, int index) {
        prefetch.addLine(page);
        prefetch.addLine(Node.slot(page, index % NodeLayout.SLOT_COUNT_MAX));
    }

    /** Says which line holds the end of the lower fence, and so of the prefix. */
    static void addLowerFenceLine(GroupPrefetch prefetch, long page) {
        prefetch.addLine(page + PageLayout.PAGE_BYTES - 1);
    }

    /** Says which lines a search reads first, as far as that is known without a read. */
    static void addFirstLines(GroupPrefetch prefetch, long page) {
        prefetch.addLines(page, page + BYTES_TO_TOUCH);
        prefetch.addLine(page + PageLayout.PAGE_BYTES - 1);
    }

    /** Says which lines the way through a node reads first: of the header and of slot 0. */
    static void addHeaderLines(GroupPrefetch prefetch, long page) {
        prefetch.addLine(page);
        prefetch.addLine(Node.slot(page, 0));
    }

    /**
     * Says which lines {@link Node#find} reads in a small node, whose header is there already: of all or many slots.
     */
    static void addFirstSlotLines(GroupPrefetch prefetch, NativeMemory memory, long page) {
        prefetch.addLines(Node.slot(page, 0), Node.slot(page, Math.min(Node.slotCount(memory, page), SLOTS_TO_TOUCH)));
    }

    /**
     * Says which lines {@link Node#findFrom} reads first: of a slot, and of the next where that lies in another line.
     */
    static void addGuessLines(GroupPrefetch prefetch, long page, int guess) {
        prefetch.addLines(Node.slot(page, guess), Node.slot(page, guess + 1) + SLOT_BYTES);
    }

    /** Says which line holds the last slot, which a search in a large node reads beside the first. */
    public static void addLastSlotLine(GroupPrefetch prefetch, NativeMemory memory, long page) {
        prefetch.addLine(Node.slot(page, Math.max(0, Node.slotCount(memory, page) - 1)));
    }

    /**
     * Says which lines the cells of several slots lie in, up to so many bytes of each value. Records that were inserted
     * one after the other lie one before the other, and share lines: where those of the first and the last slot are as
     * near as that, all between them are taken, with a look at no other slot.
     *
     * @param from first slot
     * @param end behind the last slot
     */
    public static void addCellLines(
            GroupPrefetch prefetch, NativeMemory memory, long page, int from, int end, int valueBytesWanted) {
        if (from >= end) {
            return;
        }
        long first = Node.slotWord(memory, page, from);
        long last = Node.slotWord(memory, page, end - 1);
        long firstCell = Node.cellOf(page, first);
        long firstEnd = wantedEnd(page, first, valueBytesWanted);
        long low = Math.min(firstCell, Node.cellOf(page, last));
        long high = Math.max(firstEnd, wantedEnd(page, last, valueBytesWanted));
        if (high - low <= (end - from) * (firstEnd - firstCell + CACHE_LINE_BYTES)) {
            prefetch.addLines(low, high);
        } else {
            addScatteredCellLines(prefetch, memory, page, from, end, valueBytesWanted);
        }
    }

    private static void addScatteredCellLines(
            GroupPrefetch prefetch, NativeMemory memory, long page, int from, int end, int valueBytesWanted) {
        long runFrom = 0;
        long runEnd = 0;
        for (int index = from; index < end; index++) {
            long word = Node.slotWord(memory, page, index);
            long cell = Node.cellOf(page, word);
            long cellEnd = wantedEnd(page, word, valueBytesWanted);
            boolean isNear = runFrom != 0 && cell <= runEnd + CACHE_LINE_BYTES && cellEnd >= runFrom - CACHE_LINE_BYTES;
            if (!isNear && runFrom != 0) {
                prefetch.addLines(runFrom, runEnd);
            }
            runFrom = isNear ? Math.min(runFrom, cell) : cell;
            runEnd = isNear ? Math.max(runEnd, cellEnd) : cellEnd;
        }
        if (runFrom != 0) {
            prefetch.addLines(runFrom, runEnd);
        }
    }

    /** Says which lines the cell of the slot with this word lies in, up to so many bytes of its value. */
    public static void addCellLines(GroupPrefetch prefetch, long page, long slotWord, int valueBytesWanted) {
        prefetch.addLines(Node.cellOf(page, slotWord), wantedEnd(page, slotWord, valueBytesWanted));
    }

    /** Address behind the last byte of a cell that is wanted. */
    private static long wantedEnd(long page, long slotWord, int valueBytesWanted) {
        return Node.valueAddressOf(page, slotWord) + Math.min(Node.valueBytesOf(slotWord), valueBytesWanted);
    }
}
