package dev.lockstep.engine.instance;

import dev.lockstep.engine.DatabaseClosedException;
import dev.lockstep.engine.LockstepException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.StorageException;
import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.NodeEditor;
import dev.lockstep.engine.btree.NodeReader;
import dev.lockstep.engine.btree.OverflowChain;
import dev.lockstep.engine.btree.PageAllocator;
import dev.lockstep.engine.btree.TreeContext;
import dev.lockstep.engine.catalog.TableReference;
import dev.lockstep.engine.catalog.TableState;
import dev.lockstep.engine.file.EngineThread;
import dev.lockstep.engine.file.EngineThreads;
import dev.lockstep.scheduler.InstalledTime;
import dev.lockstep.scheduler.WaitReason;
import dev.lockstep.scheduler.Waiter;
import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Gives back the pages that are marked as in use after a crash although nothing leads to them: those that were given
 * back, or that a change was about to use, since the checkpoint that has saved the bitmap. A thread of its own walks
 * the trees for that, beside the running transactions, and then gives back what was in the bitmap, was not reached, and
 * was neither allocated nor given back meanwhile.
 *
 * <p>Invariants:
 * <ul>
 *   <li>A page that is in use when the walk ends was reached, or the allocator has noted it.
 *   <li>For a node: as long as it is not given back it keeps its level and its lower fence, and the walk reads, for
 *       each level, the node above that covers every key. Nodes that others add are noted.
 *   <li>For an overflow page: its record had it when the walk read the leaf that covers the record's key; or had let go
 *       of it before, which noted the chain, and the walk ends with those chains; or got it later, and then it was
 *       allocated meanwhile, or came back by a rollback and is one of those. A chain can be followed until it is given
 *       back, and all its pages are noted before the first one is.
 *   <li>Chains of deleted records do not count: those that were deleted before the crash have no owner any more, and
 *       later deletes have let go of theirs.
 *   <li>A page is noted before nothing leads to it any more, not only when it is given back.
 *   <li>{@code reading} is held while a node is copied, and a tree's pages are given back only behind a moment in which
 *       it was dropped and nobody held that: so no page is read as a node of the tree that is another's by then.
 *   <li>Trees that are made later have only pages that are noted, and roots do not move: a compaction waits for this.
 *   <li>{@code trees}, {@code level}, {@code key}, {@code chains}, {@code departed} and {@code reached} belong to
 *       whoever steps: the thread, or a test before there is one.
 * </ul>
 *
 * <p>Thread-safe but for {@link #step}.
 */
final class LostPages {
    private static final String THREAD_NAME = "lockstep-lost-pages";
    private static final byte[] MINUS_INFINITY = {};

    /** Attempts at a step that a medium refuses, before the walk is given up. */
    private static final int ATTEMPTS_MAX = 3;

    private static final long PAUSE_NANOS_MAX = TimeUnit.SECONDS.toNanos(1);
    private static final long PAUSE_NANOS_AFTER_FAILURE = TimeUnit.MILLISECONDS.toNanos(100);

    private final Instance instance;
    private final PageAllocator allocator;
    private final TreeContext context = new TreeContext();
    private final NodeReader node = new NodeReader(NodeEditor.scratchPage(Arena.ofAuto()));
    private final ReentrantLock reading = new ReentrantLock();
    private final ReentrantLock ending = new ReentrantLock();
    private final Waiter waiter = new Waiter();
    private final Deque<BTree> trees = new ArrayDeque<>();
    private final Deque<Integer> chains = new ArrayDeque<>();
    private final BitSet reached = new BitSet();
    private int level = NodeReader.ROOT_LEVEL;
    private byte[] key = MINUS_INFINITY;
    private BitSet departed;
    private volatile CountDownLatch over = new CountDownLatch(0);
    private volatile Throwable failure;
    private volatile boolean hurried;
    private volatile boolean stopping;

    /** For a database of which nobody changes the schema yet. */
    LostPages(Instance instance) {
        this.instance = instance;
        allocator = instance.environment().allocator();
        reached.set(0);
        trees.add(instance.catalogTree());
        for (TableReference table : instance.catalog().tables()) {
            TableState state = table.state();
            trees.add(state.tree());
            state.indexes().forEach(index -> trees.add(index.tree()));
        }
    }

    /** Starts the walk, or goes on with it where it was given up. */
    void start() {
        CountDownLatch end = new CountDownLatch(1);
        over = end;
        try {
            new EngineThread(() -> run(end), THREAD_NAME).start();
        } catch (Throwable noThread) {
            end.countDown();
            throw noThread;
        }
    }

    private void run(CountDownLatch end) {
        try {
            walk();
        } catch (Throwable t) {
            // Told to whoever needs the end of the walk; nothing that is lost is used meanwhile. Without memory it is
            // given up like one that cannot read: it only reads, and is tried again.
            failure = t;
            if (t instanceof Error && !(t instanceof OutOfMemoryError)) {
                instance.health().fail(t);
            }
        } finally {
            end.countDown();
        }
    }

    private void walk() {
        int failed = 0;
        boolean goesOn = true;
        while (goesOn && !stopping) {
            long beginNanos = InstalledTime.nanoTime();
            try {
                goesOn = step();
                failed = 0;
                if (goesOn) {
                    // Half of the time is for others, of a processor and of the disk.
                    pause(Math.min(InstalledTime.nanoTime() - beginNanos, PAUSE_NANOS_MAX));
                }
            } catch (LockstepException refused) {
                failed++;
                boolean mayPass = refused instanceof StorageException || refused.isRetryable();
                if (!mayPass || failed == ATTEMPTS_MAX) {
                    throw refused;
                }
                pause(PAUSE_NANOS_AFTER_FAILURE);
            }
        }
    }

    private void pause(long nanos) {
        long untilNanos = InstalledTime.nanoTime() + nanos;
        waiter.prepare();
        if (!hurried && !stopping) {
            waiter.awaitUninterruptibly(untilNanos, WaitReason.IO);
        }
    }

    /**
     * Reads one node or one chain, or, behind the last, gives back what is lost.
     *
     * @return whether there is more to do
     */
    boolean step() {
        requireGoingOn();
        if (!chains.isEmpty()) {
            visitChain(chains.peek());
            chains.remove();
            return true;
        }
        BTree tree = trees.peek();
        if (tree != null) {
            if (!visitNode(tree)) {
                trees.remove();
                level = NodeReader.ROOT_LEVEL;
                key = MINUS_INFINITY;
            }
            return true;
        }
        if (departed == null) {
            departed = BitSet.valueOf(allocator.departedChains());
        }
        int firstPageId = departed.nextSetBit(0);
        if (firstPageId >= 0) {
            visitChain(firstPageId);
            departed.clear(firstPageId);
            return true;
        }
        allocator.settle(reached.toLongArray());
        return false;
    }

    private void visitChain(int firstPageId) {
        OverflowChain.visit(instance.environment(), context, firstPageId, pageId -> {
            requireGoingOn();
            reached.set(pageId);
        });
    }

    /** Visits the next node of a tree; false if there is none. */
    private boolean visitNode(BTree tree) {
        boolean isOfLevel;
        reading.lock();
        try {
            if (tree.isDropped()) {
                return false;
            }
            isOfLevel = node.read(tree, context, key, level);
        } finally {
            reading.unlock();
        }
        reached.set(node.pageId());
        if (level == NodeReader.ROOT_LEVEL) {
            level = node.mayHaveOverflow() ? 0 : 1;
            return true;
        }
        if (!isOfLevel) {
            return false;
        }
        for (int i = 0; level > 0 && i < node.childCount(); i++) {
            reached.set(node.child(i));
        }
        for (int slot = 0; level == 0 && slot < node.recordCount(); slot++) {
            int firstPageId = node.firstOverflowPage(slot);
            if (firstPageId > 0) {
                chains.add(firstPageId);
            }
        }
        key = node.upperFence();
        if (key == null) {
            key = MINUS_INFINITY;
            level++;
        }
        return true;
    }

    private void requireGoingOn() {
        instance.health().check();
        if (stopping) {
            throw new DatabaseClosedException(Message.of("the database is being closed")
                    .with("closed", true)
                    .remedy("open it again"));
        }
    }

    /** Gives pages of trees back that were marked as dropped before, while none of them is being read as a node. */
    void betweenReads(Runnable givingBack) {
        reading.lock();
        try {
            givingBack.run();
        } finally {
            reading.unlock();
        }
    }

    /**
     * Waits for the end, which comes sooner then. What was given up is tried once more.
     *
     * @return false if it was given up again, or the database fails or is closed
     */
    boolean tryEnd() {
        hurried = true;
        waiter.signal();
        ending.lock();
        try {
            EngineThreads.awaitUninterruptibly(over);
            if (allocator.isSuperset() && !stopping && !instance.health().isFailed()) {
                start();
                EngineThreads.awaitUninterruptibly(over);
            }
            return !allocator.isSuperset();
        } finally {
            ending.unlock();
        }
    }

    /**
     * As {@link #tryEnd}.
     *
     * @throws LockstepException why it was given up
     */
    void awaitEnd() {
        if (tryEnd()) {
            return;
        }
        instance.health().check();
        switch (failure) {
            case RuntimeException refused -> throw refused;
            case Error error -> throw error;
            case null, default -> requireGoingOn();
        }
    }

    /** Ends the thread, wherever it is. */
    void stop() {
        stopping = true;
        waiter.signal();
        EngineThreads.awaitUninterruptibly(over);
    }
}
