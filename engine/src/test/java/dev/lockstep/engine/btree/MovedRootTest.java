package dev.lockstep.engine.btree;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.engine.buffer.BufferPool;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.scheduler.NodeLayout;
import dev.lockstep.scheduler.Waiter;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

/** A walk that has looked up the root and enters its page when another tree has it already. */
class MovedRootTest {
    private static final int TREE = 1;
    private static final int OTHER_TREE = 2;
    private static final int FROM_PAGE = 1;
    private static final int TO_PAGE = 2;

    private Runnable whileWaiting = () -> {};

    /** The page is in the same frame as before, so that its id tells nothing. */
    @Test
    void theWalkGoesToWhereTheRootIs() {
        try (Arena arena = Arena.ofConfined();
                BufferPool pool = new BufferPool(
                        BufferPool.FRAMES_MIN,
                        NodeLayout.NONE,
                        null,
                        null,
                        null,
                        (cause, isFatal) -> {},
                        () -> whileWaiting.run())) {
            TreeEnvironment environment = new TreeEnvironment(pool, new PageAllocator(), null, failure -> {});
            BTree tree = new BTree(environment, TREE, FROM_PAGE, TREE, 0);
            int from = leaf(pool, FROM_PAGE, TREE);
            pool.latches().unlatchExclusive(leaf(pool, TO_PAGE, TREE));
            whileWaiting = () -> {
                whileWaiting = () -> {};
                tree.rootMoved(TO_PAGE);
                format(pool, from, FROM_PAGE, OTHER_TREE);
                pool.latches().unlatchExclusive(from);
            };
            NativeMemory node = NodeEditor.scratchPage(arena);
            new Relocation().copyNode(tree, new TreeContext(), KeyBytes.EMPTY, 0, 0, node);
            assertEquals(TREE, PageLayout.treeId(node, 0));
            assertEquals(TO_PAGE, PageLayout.pageId(node, 0));
        }
    }

    /** An empty leaf; the frame is latched. */
    private static int leaf(BufferPool pool, int pageId, int treeId) {
        int frame = pool.newPage(pageId, new Waiter());
        format(pool, frame, pageId, treeId);
        return frame;
    }

    private static void format(BufferPool pool, int frame, int pageId, int treeId) {
        NodeEditor.format(pool.memory(), BufferPool.address(frame), pageId, treeId, 0, KeyBytes.EMPTY, null, 0);
    }
}
