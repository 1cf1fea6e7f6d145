package dev.lockstep.engine.buffer;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.Message;
import java.util.BitSet;

/**
 * Checks the invariants of a pool that nobody uses at the moment: every page in the translation array is in the frame
 * it names and the other way round, every frame is free, or in a queue, exactly once, every latch is at rest.
 */
final class PoolValidator {
    private final PoolParts parts;
    private final BitSet mapped = new BitSet();
    private final BitSet placed = new BitSet();

    PoolValidator(PoolParts parts) {
        this.parts = parts;
    }

    /**
     * Checks.
     *
     * @param queuesOrNull the queues of the eviction, or null in a pool that does not evict
     * @throws CorruptionException naming the first difference
     */
    void validate(EvictionQueues queuesOrNull) {
        parts.translation().forEachPresent(this::checkEntry);
        checkFreeFrames();
        if (queuesOrNull != null) {
            queuesOrNull.forEach(this::place);
        }
        for (int frame = 0; frame < parts.frameCount(); frame++) {
            checkFrame(frame, queuesOrNull != null);
        }
    }

    private void checkEntry(int pageId, int entry) {
        int frame = TranslationArray.frame(entry);
        check(TranslationArray.isResident(entry), "A page is being read", pageId, frame);
        check(frame < parts.frameCount(), "A page is in a frame that does not exist", pageId, frame);
        check(!mapped.get(frame), "Two pages are in one frame", pageId, frame);
        check(
                parts.frames().pageIdAcquire(frame) == pageId,
                "A page is not in the frame it is said to be",
                pageId,
                frame);
        mapped.set(frame);
    }

    private void checkFreeFrames() {
        int[] free = parts.free().snapshot();
        check(
                free.length == parts.free().countAcquire(),
                "The count of free frames is wrong",
                FrameTable.NO_PAGE,
                parts.free().countAcquire());
        for (int frame : free) {
            check(
                    parts.frames().pageIdAcquire(frame) == FrameTable.NO_PAGE,
                    "A free frame has a page",
                    parts.frames().pageIdAcquire(frame),
                    frame);
            check(!parts.frames().isDirty(frame), "A free frame is dirty", FrameTable.NO_PAGE, frame);
            place(frame);
        }
    }

    private void place(int frame) {
        check(!placed.get(frame), "A frame is in two places", parts.frames().pageIdAcquire(frame), frame);
        placed.set(frame);
    }

    private void checkFrame(int frame, boolean evicts) {
        int pageId = parts.frames().pageIdAcquire(frame);
        check(parts.latches().atRest(frame), "A latch is not at rest", pageId, frame);
        check(parts.frames().writingLsnAcquire(frame) == FrameTable.CLEAN, "A page is being written", pageId, frame);
        check((pageId != FrameTable.NO_PAGE) == mapped.get(frame), "A page cannot be found", pageId, frame);
        check(evicts ? placed.get(frame) : placed.get(frame) != mapped.get(frame), "A frame is lost", pageId, frame);
    }

    private static void check(boolean condition, String what, int pageId, int frame) {
        if (!condition) {
            throw new CorruptionException(Message.of(what)
                    .with("pageId", pageId)
                    .with("frame", frame)
                    .remedy("This is an error in Lockstep or in memory; close the database and open it again."));
        }
    }
}
