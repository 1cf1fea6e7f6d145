package dev.lockstep.engine.buffer;

import java.util.function.IntConsumer;

/**
 * Chooses what to evict: S3-FIFO (Yang, Zhang, Qiu, Yue, Rashmi: FIFO Queues are All You Need for Cache Eviction, SOSP
 * 2023), with a third queue for scans.
 *
 * <p>S3-FIFO is chosen over 2Q (Johnson and Shasha, VLDB 1994) and LRU because a hit moves nothing: it raises a two-bit
 * counter beside the frame, and not even that once the counter is full. So hits need no lock and hot pages are only
 * read. Its small queue does what 2Q's A1in does: pages touched once go through it and leave without disturbing the
 * main queue.
 *
 * <pre>
 *                     referenced                 referenced twice
 *  read by a scan --> [ scan ] ---> [ small ] -----------------> [ main ] --+
 *                        |          ^   |                       ^  ^        | referenced: once more,
 *  read otherwise -------+----------+   |  remembered ----------+  +--------+ counter lowered
 *                        v              v                             |
 *                     evicted        evicted, remembered              v evicted
 * </pre>
 *
 * <p>Invariants:
 * <ul>
 *   <li>Each frame that holds a page is in exactly one queue, or was taken by {@link #next()} and not given back.
 *   <li>{@code origin} of such a frame names its queue.
 * </ul>
 *
 * <p>Thread-safety: for the page writer's thread alone.
 */
final class EvictionQueues {
    static final int SCAN = 0;
    static final int SMALL = 1;
    static final int MAIN = 2;

    /**
     * One tenth of the frames, the paper's choice: smaller loses pages before their second use, larger serves
     * one-timers.
     */
    private static final int SMALL_DIVISOR = 10;

    /** One frame in 64, at least {@link #SCAN_FRAMES_MIN}: what several scans need to read ahead of themselves. */
    private static final int SCAN_DIVISOR = 64;

    private static final int SCAN_FRAMES_MIN = 4;

    /**
     * References that promote from the small queue: the first often comes with the read itself (the paper, section
     * 4.1).
     */
    private static final int PROMOTE_MIN = 2;

    private final FrameTable frames;
    private final FrameRing scan;
    private final FrameRing small;
    private final FrameRing main;
    private final GhostTable ghosts;
    private final int smallFramesMax;
    private final int scanFramesMax;
    private final int looksMax;

    EvictionQueues(FrameTable frames, int frameCount) {
        this.frames = frames;
        scan = new FrameRing(frameCount);
        small = new FrameRing(frameCount);
        main = new FrameRing(frameCount);
        ghosts = new GhostTable(frameCount);
        smallFramesMax = Math.max(1, frameCount / SMALL_DIVISOR);
        scanFramesMax = Math.max(SCAN_FRAMES_MIN, frameCount / SCAN_DIVISOR);
        looksMax = (FrameTable.REFERENCES_MAX + 2) * frameCount;
    }

    /** Takes in a frame that has just got a page. */
    void add(int frame) {
        if (frames.originOpaque(frame) == SCAN) {
            scan.add(frame);
        } else if (ghosts.remove(frames.pageIdAcquire(frame))) {
            addTo(MAIN, frame);
        } else {
            addTo(SMALL, frame);
        }
    }

    /**
     * Takes out the frame to evict next.
     *
     * @return the frame, to be given back with {@link #keep} or to be evicted; {@link FrameRing#NONE} if all are
     *     referenced
     */
    int next() {
        for (int look = 0; look < looksMax; look++) {
            int frame;
            if (scan.size() > scanFramesMax || small.size() + main.size() == 0) {
                frame = fromScan();
            } else if (small.size() > smallFramesMax || main.size() == 0) {
                frame = fromSmall();
            } else {
                frame = fromMain();
            }
            if (frame != FrameRing.NONE) {
                return frame;
            }
            if (size() == 0) {
                return FrameRing.NONE;
            }
        }
        return FrameRing.NONE;
    }

    /** Gives back a frame that could not be evicted: somebody uses it, so it counts as referenced. */
    void keep(int frame) {
        addTo(frames.originOpaque(frame) == SCAN ? SMALL : MAIN, frame);
    }

    /** Gives back a frame that nothing was learned about. */
    void putBack(int frame) {
        int origin = frames.originOpaque(frame);
        if (origin == SCAN) {
            scan.add(frame);
        } else {
            addTo(origin, frame);
        }
    }

    /** Notes that a page was evicted. */
    void evicted(int frame, int pageId) {
        if (frames.originOpaque(frame) == SMALL) {
            ghosts.add(pageId);
        }
    }

    int size() {
        return scan.size() + small.size() + main.size();
    }

    /** Calls back with every frame in the queues. */
    void forEach(IntConsumer visitor) {
        for (FrameRing ring : new FrameRing[] {scan, small, main}) {
            for (int i = 0; i < ring.size(); i++) {
                visitor.accept(ring.get(i));
            }
        }
    }

    private int fromScan() {
        int frame = scan.poll();
        if (frame != FrameRing.NONE && frames.referencesOpaque(frame) > 0) {
            frames.setReferencesOpaque(frame, 0);
            addTo(SMALL, frame);
            return FrameRing.NONE;
        }
        return frame;
    }

    private int fromSmall() {
        int frame = small.poll();
        if (frame != FrameRing.NONE && frames.referencesOpaque(frame) >= PROMOTE_MIN) {
            frames.setReferencesOpaque(frame, 0);
            addTo(MAIN, frame);
            return FrameRing.NONE;
        }
        return frame;
    }

    private int fromMain() {
        int frame = main.poll();
        int references = frame == FrameRing.NONE ? 0 : frames.referencesOpaque(frame);
        if (references > 0) {
            frames.setReferencesOpaque(frame, references - 1);
            main.add(frame);
            return FrameRing.NONE;
        }
        return frame;
    }

    private void addTo(int queue, int frame) {
        frames.setOriginOpaque(frame, queue);
        (queue == SMALL ? small : main).add(frame);
    }
}
