package dev.lockstep.engine.btree;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.buffer.BufferPool;
import dev.lockstep.engine.file.DatabaseId;
import dev.lockstep.engine.file.FailureListener;
import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.file.IoThreads;
import dev.lockstep.engine.file.PageFile;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.scheduler.Waiter;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Log records are untrusted: the pages that they name must be there, or at least be possible. */
class PoolRedoTest {
    private static final long LSN = 4_096;
    private static final long SEED = 7;

    @Test
    void aPageThatCannotBeIsRefused() {
        try (PageFile file = PageFile.create(new FaultyStorage(SEED), Path.of("/database"), DatabaseId.random());
                IoThreads io = new IoThreads(1);
                BufferPool pool = new BufferPool(BufferPool.FRAMES_MIN, file, null, io, FailureListener.IGNORE)) {
            PoolRedo redo = new PoolRedo(pool);
            int end = file.pageCount() + BufferPool.PAGES_ADDED_MAX;
            for (int pageId : new int[] {Integer.MIN_VALUE, -1, 0, end, Integer.MAX_VALUE}) {
                assertThrows(CorruptionException.class, () -> redo.latchIfOlder(pageId, LSN, true));
                assertThrows(CorruptionException.class, () -> redo.latchForImage(pageId, LSN));
            }
            assertTrue(redo.named().isEmpty());
        }
    }

    /** What recovery takes for a log that does not fit, and not for a fault of the program. */
    @Test
    void aRecordThatDoesNotFitItsPageIsNoAssertion() {
        try (Arena arena = Arena.ofConfined()) {
            NativeMemory page = NodeEditor.scratchPage(arena);
            NodeEditor.format(page, 0, 1, 1, 0, new byte[] {7, 7, 1}, new byte[] {7, 7, 2}, 0);
            byte[] large = new byte[PageLayout.PAGE_BYTES];
            byte[] key = {7, 7, 1};
            assertThrows(
                    IllegalArgumentException.class,
                    () -> NodeEditor.insertRecord(page, 0, 0, key, key.length, large, 0, large.length, 0, 1));
            byte[] shorter = {7};
            assertThrows(
                    IndexOutOfBoundsException.class,
                    () -> NodeEditor.insertRecord(page, 0, 0, shorter, shorter.length, large, 0, 0, 0, 1));
        }
    }

    @Test
    void aPageThatCannotBeIsNotRead() {
        try (PageFile file = PageFile.create(new FaultyStorage(SEED), Path.of("/database"), DatabaseId.random());
                IoThreads io = new IoThreads(1);
                BufferPool pool = new BufferPool(BufferPool.FRAMES_MIN, file, null, io, FailureListener.IGNORE)) {
            Waiter waiter = new Waiter();
            for (int pageId : new int[] {0, -1, Integer.MIN_VALUE}) {
                assertThrows(CorruptionException.class, () -> pool.frame(pageId, waiter));
                assertThrows(CorruptionException.class, () -> pool.frameForScan(pageId, waiter));
                assertThrows(CorruptionException.class, () -> pool.frameInterruptibly(pageId, false, waiter));
            }
        }
    }
}
