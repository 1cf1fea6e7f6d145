package dev.lockstep.engine.buffer;

/**
 * How many frames are kept free, for a pool of a given size.
 *
 * <pre>
 *  0            newPageReserve              lowWater                 highWater
 *  |  for newPage only  |  the page writer works  |  it works on until here  |  nothing to do ...
 * </pre>
 *
 * @param newPageReserve frames that a page being read does not take, so that {@link BufferPool#newPage} has them
 * @param lowWater the page writer begins to free frames when fewer are free
 * @param highWater it ends when so many are free
 * @param undoReserve in a pool without a file, where nothing frees a frame but rows that go: frames for rollbacks alone
 */
record PoolLimits(int newPageReserve, int lowWater, int highWater, int undoReserve) {
    /** Below this a root, its children, and the reserves leave no room for anything else. */
    static final int FRAMES_MIN = 32;

    /** One frame in 16 for each step: of a small pool no more than a fifth is idle. */
    private static final int DIVISOR = 16;

    /**
     * A split of every level of a tree takes some 8 pages, so the largest reserve serves 32 splits that happen at once;
     * and four batches of the page writer, which it needs about a millisecond for, lie between low and high water.
     */
    private static final int STEP_MAX = 256;

    private static final int STEP_MIN = 2;

    /**
     * One frame in 64. A rollback takes frames only to give a row its room back that it has lost to others since, at
     * most one and a parent's for each leaf where that is so.
     */
    private static final int UNDO_DIVISOR = 64;

    /** 4 MiB: of a large pool that is enough for some 500 leaves. */
    private static final int UNDO_FRAMES_MAX = 512;

    /** Two splits with all that they may take. */
    private static final int UNDO_FRAMES_MIN = 6;

    static PoolLimits of(int frameCount) {
        int step = Math.clamp(frameCount / DIVISOR, STEP_MIN, STEP_MAX);
        int reserve = 2 * step;
        int undo = Math.clamp(frameCount / UNDO_DIVISOR, UNDO_FRAMES_MIN, UNDO_FRAMES_MAX);
        return new PoolLimits(reserve, reserve + step, reserve + 2 * step, undo);
    }
}
