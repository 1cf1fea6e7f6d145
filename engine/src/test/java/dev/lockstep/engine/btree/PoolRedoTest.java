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
}
