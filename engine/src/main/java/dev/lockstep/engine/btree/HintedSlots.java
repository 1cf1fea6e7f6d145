package dev.lockstep.engine.btree;

import dev.lockstep.engine.buffer.BufferPool;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.type.KeyBuffer;
import dev.lockstep.scheduler.latch.LatchTable;

/**
 * Where hints say that several keys of a tree are: what a {@link TreeDescent} does that begins with a hint and is right
 * there, for all of them in loops. Nearly all rows that are fetched together are found so. A walk of its own for each
 * has fields to set, stages to tell apart and a node to look for that are of no use to them, and took twice as many
 * instructions. Whatever is not where its hint says is left to a walk.
 *
 * <p>Invariants, from {@link #follow} on, for each key by its number:
 * <ul>
 *   <li>{@code slots} is below 0 where there is no hint, or one that names no slot; all else of the key is nonsense
 *       then.
 *   <li>After {@link #enter} has found it, {@code frames} held page {@code pageIds}, a leaf of the tree that had the
 *       key in {@code slots}, when its latch had {@code versions}: if that validates.
 * </ul>
 *
 * Used by one thread at a time; reusable.
 */
public final class HintedSlots {
    /** More than a core has cache lines on the way for. */
    public static final int KEYS_MAX = 16;

    private static final int NO_SLOT = -1;

    private final long[] places = new long[KEYS_MAX];
    private final long[] followed = new long[KEYS_MAX];
    private final long[] versions = new long[KEYS_MAX];
    private final int[] frames = new int[KEYS_MAX];
    private final int[] slots = new int[KEYS_MAX];
    private final int[] pageIds = new int[KEYS_MAX];

    private BTree tree;
    private BufferPool pool;
    private LatchTable latches;
    private NativeMemory memory;
    private LeafHints hints;

    @SuppressWarnings("UnusedVariable") // written so that no compiler leaves out the reads that it adds up
    private long touched;

    /** No keys. */
    public HintedSlots() {}

    /**
     * Finds out where the hints of keys lie.
     *
     * @param keys whole ones
     * @param from index of key number 0
     * @param count 1 to {@link #KEYS_MAX}
     */
    public void find(BTree target, KeyBuffer[] keys, int from, int count) {
        aim(target);
        int treeId = target.treeId();
        int groupShift = target.hintGroupShift();
        for (int i = 0; i < count; i++) {
            KeyBuffer key = keys[from + i];
            places[i] = hints.placeOf(treeId, groupShift, key.bytes(), key.length(), true);
        }
    }

    /**
     * Has the hints that {@link #find} has found on their way, in a loop so short that the processor is in its next
     * turns, or in those of other keys, while it waits for the first.
     *
     * @param count that of {@code find}
     */
    public void touch(int count) {
        long sum = 0;
        for (int i = 0; i < count; i++) {
            sum += hints.touch(places[i]);
        }
        touched = sum;
    }

    /**
     * Reads the hints that {@link #find} has found, and says which lines {@link #enter} will read.
     *
     * @param keys those of {@link #find}, as the other parameters
     * @param prefetch takes the lines
     */
    public void follow(KeyBuffer[] keys, int from, int count, GroupPrefetch prefetch) {
        boolean touchesFences = tree.touchesFences();
        for (int i = 0; i < count; i++) {
            KeyBuffer key = keys[from + i];
            long place = places[i];
            long hint = hints.hintOpaque(place, key.bytes(), key.length());
            int slot = hint == LeafHints.NONE ? NO_SLOT : LeafHints.slot(hint, place, key.bytes(), key.length());
            slots[i] = slot;
            if (slot >= 0) {
                int frame = LeafHints.frame(hint);
                followed[i] = hint;
                frames[i] = frame;
                prefetch.addLatch(frame);
                NodeLines.addSlotLines(prefetch, BufferPool.address(frame), slot);
                if (touchesFences) {
                    NodeLines.addLowerFenceLine(prefetch, BufferPool.address(frame));
                }
            }
        }
    }

    private void aim(BTree target) {
        if (tree != target) {
            tree = target;
            pool = target.environment().pool();
            latches = target.environment().latches();
            memory = target.environment().memory();
            hints = target.environment().hints();
        }
    }

    /**
     * Looks for a key in the leaf that its hint names, at the slot that it names first.
     *
     * @param number of the key
     * @return the {@link Node#slotWord} of the record with the key, to be {@linkplain #validate validated} before it is
     *     believed; {@link Node#NO_SLOT_WORD} where it is not there, or may not be read now
     */
    public long enter(int number, KeyBuffer key) {
        int slot = slots[number];
        if (slot < 0) {
            return Node.NO_SLOT_WORD;
        }
        int frame = frames[number];
        long version = latches.tryOptimisticVersionAcquire(frame);
        int pageId = pool.pageIdOpaque(frame);
        if (version == LatchTable.HELD_EXCLUSIVELY || pageId < 0) {
            return Node.NO_SLOT_WORD;
        }
        long page = BufferPool.address(frame);
        long spaceWord = Node.spaceWord(memory, page);
        if (Node.levelOf(spaceWord) != 0
                || PageLayout.treeId(memory, page) != tree.treeId()
                || !Node.isNode(memory, page)) {
            return Node.NO_SLOT_WORD;
        }
        pool.referenced(frame);
        if (Node.prefixBytes(memory, page) != 0) {
            tree.metPrefix();
        }
        versions[number] = version;
        pageIds[number] = pageId;
        int slotCount = Node.slotCountOf(spaceWord);
        if (LeafHints.isRight(followed[number], places[number], slot, slotCount, key.bytes(), key.length())) {
            long word = Node.slotWordOfKey(memory, page, slotCount, slot, key.bytes(), key.length());
            if (word != Node.NO_SLOT_WORD) {
                return word;
            }
        }
        return search(number, page, key.bytes(), key.length());
    }

    /** Looks for a key in the leaf that its hint has named, where the slot is another. */
    private long search(int number, long page, byte[] key, int keyBytes) {
        int found = Node.find(memory, page, key, keyBytes);
        if (found < 0 || !Node.coversAt(memory, page, key, keyBytes, found)) {
            return Node.NO_SLOT_WORD;
        }
        slots[number] = found;
        hints.remember(places[number], frames[number], found, Node.slotCount(memory, page), key, keyBytes);
        return Node.slotWord(memory, page, found);
    }

    /** Whether nothing of the leaf where a key was found has changed since. */
    public boolean validate(int number) {
        return latches.validateAcquire(frames[number], versions[number]);
    }

    /** The tree that the keys are of. */
    public BTree tree() {
        return tree;
    }

    /** Address of the leaf where a key was found. */
    public long page(int number) {
        return BufferPool.address(frames[number]);
    }

    /** Frame of the leaf where a key was found. */
    public int frame(int number) {
        return frames[number];
    }

    /** Page id of the leaf where a key was found. */
    public int pageId(int number) {
        return pageIds[number];
    }

    /** Slot in which a key was found. */
    public int slot(int number) {
        return slots[number];
    }

    /** Version of the latch under which a key was found. */
    public long version(int number) {
        return versions[number];
    }
}
