package dev.lockstep.engine.buffer;

/**
 * The pages that were evicted lately from the small queue. A page that comes back while it is remembered goes to the
 * main queue at once.
 *
 * <p>Direct-mapped by a hash of the page id: a slot holds the page remembered last there. Two pages that share a slot
 * cost one wrong guess of the eviction, so nothing is done about it.
 *
 * <p>Invariant: a page is remembered if its slot holds it and fewer than {@code capacity} pages were added since.
 *
 * <p>Thread-safety: for one thread.
 */
final class GhostTable {
    /** Slots per remembered page: with two, four of five pages remembered are found. */
    private static final int SLOTS_PER_PAGE = 2;

    private static final int GOLDEN = 0x9e3779b9;

    private final int capacity;
    private final int shift;
    private final int[] pageIds;
    private final long[] addedAt;
    private long added;

    GhostTable(int capacity) {
        this.capacity = capacity;
        int slotsLog = Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(1, capacity * SLOTS_PER_PAGE - 1));
        this.shift = Integer.SIZE - slotsLog;
        this.pageIds = new int[1 << slotsLog];
        this.addedAt = new long[1 << slotsLog];
    }

    void add(int pageId) {
        int slot = slot(pageId);
        pageIds[slot] = pageId;
        addedAt[slot] = ++added;
    }

    /** Whether the page is remembered; it is forgotten. */
    boolean remove(int pageId) {
        int slot = slot(pageId);
        boolean remembered = pageIds[slot] == pageId && addedAt[slot] > 0 && added - addedAt[slot] < capacity;
        if (remembered) {
            addedAt[slot] = 0;
        }
        return remembered;
    }

    private int slot(int pageId) {
        return (pageId * GOLDEN) >>> shift;
    }
}
