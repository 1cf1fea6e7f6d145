package dev.lockstep.engine.btree;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.buffer.BufferPool;
import dev.lockstep.engine.log.LogRecordBuffer;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.scheduler.latch.Backoff;
import java.lang.foreign.Arena;
import java.util.function.Consumer;

/**
 * Moves pages of a tree to lower free ones. Each move is one atomic {@link SystemChange} of the page that moves and the
 * one that names it: a node's parent, a root's entry in the catalog, the page before in an overflow chain, a record's
 * leaf. So whoever walks the tree meets the page in one of the two places, and a crash leaves it in one of them.
 *
 * <p>Invariants:
 * <ul>
 *   <li>The place that a page has left is given back only when nothing leads there any more. A walk that stood there
 *       fails to validate; who may read a chain without a lock looks at {@link OverflowChain#moveCount} again.
 *   <li>No page of a chain is younger than the leaf of its record.
 * </ul>
 *
 * <p>Not thread-safe; one object serves one call at a time. The trees it changes are.
 */
public final class Relocation extends StructureChange {
    private static final int NO_PAGE_BEFORE = 0;

    /** By place in the chain that is being moved: the pages that {@link #copyPages} has made. */
    private int[] copies = {};

    /** Of the wait for the latch of a page that others hold, while nothing is latched here. */
    private int round;

    /**
     * Copies the node of a level that covers the key, or the root where the tree is lower than that. May park, so the
     * caller holds no latch.
     */
    public void copyNode(
            BTree target, TreeContext caller, byte[] searched, int searchedBytes, int level, NativeMemory copy) {
        context = caller;
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            walk(target, searched, searchedBytes, level);
            NativeMemory.copy(memory, page, copy, 0, PageLayout.PAGE_BYTES);
            if (validate()) {
                return;
            }
        }
        throw tooManyAttempts(target);
    }

    /**
     * Moves the node of a level that covers the key to a lower free page, if it is still in the page where it was seen.
     * Gives up without an error when another thread is at work there. May park, so the caller holds no latch.
     *
     * @return whether it was moved
     */
    public boolean moveNode(
            BTree target, TreeContext caller, byte[] searched, int searchedBytes, int level, int seenPageId) {
        context = caller;
        target.environment().pool().reserveFrames(FRAMES_RESERVED, context.waiter());
        walk(target, searched, searchedBytes, level);
        if (pageId != seenPageId || parentFrame < 0 || !latches.tryUpgradeToExclusive(parentFrame, parentVersion)) {
            return false;
        }
        context.latched();
        if (!latchNode()) {
            releaseUnchanged(parentFrame);
            return false;
        }
        int toPageId = tree.environment().allocator().allocateBelow(pageId);
        if (toPageId < 0) {
            releaseUnchanged(frame);
            releaseUnchanged(parentFrame);
            return false;
        }
        moveNode(toPageId);
        return true;
    }

    /** Moves the latched node, whose parent is latched too. Releases both. */
    private void moveNode(int toPageId) {
        TreeEnvironment environment = tree.environment();
        int toFrame;
        try {
            toFrame = newPage(toPageId);
        } catch (Throwable failure) {
            releaseUnchanged(frame);
            releaseUnchanged(parentFrame);
            throw failure;
        }
        long to = BufferPool.address(toFrame);
        long parent = BufferPool.address(parentFrame);
        long movedLsn = NOT_MADE;
        try {
            NativeMemory.copy(memory, page, memory, to, PageLayout.PAGE_BYTES);
            PageLayout.setPageId(memory, to, toPageId);
            NodeEditor.setChild(memory, parent, childIndex, toPageId);
            logImages(toPageId, to, PageLayout.pageId(memory, parent), parent);
            long lsn = environment.append(context.imageRecord(environment));
            pool.markDirty(toFrame, lsn);
            pool.markDirty(parentFrame, lsn);
            movedLsn = lsn;
        } catch (Throwable failure) {
            environment.failInsideChange(failure);
            throw failure;
        } finally {
            context.returnImageRecord(environment);
            release(toFrame);
            if (movedLsn != NOT_MADE) {
                discard(pageId, movedLsn);
            } else {
                release(frame);
            }
            release(parentFrame);
        }
        environment.allocator().free(pageId);
    }

    /**
     * Moves the root of a tree to a free page, and has the catalog name that page: of both the log has one record. The
     * caller holds the exclusive lock of the catalog, so that no running transaction has changed its entry, and a lock
     * that keeps the tree from being dropped. May park.
     *
     * @param catalog the tree of the catalog
     * @param entry key of the catalog's entry
     * @param stored what the entry is to say, as stored, and as long as what it says now
     * @param toPageId allocated by the caller, and to be given back by it if this fails before the root has moved
     */
    public void moveRoot(BTree moved, BTree catalog, TreeContext caller, byte[] entry, byte[] stored, int toPageId) {
        context = caller;
        int fromPageId = moved.rootPageId();
        round = 0;
        // Ends: each turn in vain loads a page, or another thread has changed a page of the catalog, whose lock the
        // caller holds.
        while (moved.rootPageId() == fromPageId) {
            catalog.environment().pool().reserveFrames(FRAMES_RESERVED, context.waiter());
            walk(catalog, entry, entry.length, 0);
            int rootFrame = latchBesideNode(fromPageId);
            if (rootFrame >= 0) {
                moveLatchedRoot(moved, rootFrame, stored, toPageId);
            }
        }
        catalog.environment().allocator().free(fromPageId);
    }

    /**
     * Latches the node that the walk has reached, and another page. For that it does not wait: its frame may have
     * another node by now, whose holder may wait for this one.
     *
     * @return the frame of the other page; negative, and nothing is latched, where the walk has to be tried again
     */
    private int latchBesideNode(int otherPageId) {
        int otherFrame = pool.residentFrameAcquire(otherPageId);
        if (otherFrame < 0) {
            pool.frame(otherPageId, context.waiter());
            return BufferPool.NOT_RESIDENT;
        }
        if (!latchNode()) {
            return BufferPool.NOT_RESIDENT;
        }
        if (!latches.tryLatchExclusive(otherFrame)) {
            releaseUnchanged(frame);
            round = Backoff.pause(round, pool.watch());
            return BufferPool.NOT_RESIDENT;
        }
        context.latched();
        if (pool.pageIdOpaque(otherFrame) != otherPageId) {
            releaseUnchanged(otherFrame);
            releaseUnchanged(frame);
            return BufferPool.NOT_RESIDENT;
        }
        return otherFrame;
    }

    /** Moves the latched root; the leaf of the catalog's entry is latched too. Releases both. */
    private void moveLatchedRoot(BTree moved, int rootFrame, byte[] stored, int toPageId) {
        TreeEnvironment environment = moved.environment();
        int fromPageId = moved.rootPageId();
        int slot;
        int toFrame;
        try {
            slot = findStored(stored.length);
            toFrame = pool.newPage(toPageId, context.waiter());
            context.latched();
        } catch (Throwable failure) {
            releaseUnchanged(rootFrame);
            releaseUnchanged(frame);
            throw failure;
        }
        long to = BufferPool.address(toFrame);
        long movedLsn = NOT_MADE;
        try {
            NativeMemory.copy(memory, BufferPool.address(rootFrame), memory, to, PageLayout.PAGE_BYTES);
            PageLayout.setPageId(memory, to, toPageId);
            NodeEditor.copyIn(memory, Node.valueAddress(memory, page, slot), stored, 0, stored.length);
            logImages(toPageId, to, pageId, page);
            long lsn = environment.append(context.imageRecord(environment));
            pool.markDirty(toFrame, lsn);
            pool.markDirty(frame, lsn);
            moved.rootMoved(toPageId);
            movedLsn = lsn;
        } catch (Throwable failure) {
            environment.failInsideChange(failure);
            throw failure;
        } finally {
            context.returnImageRecord(environment);
            release(toFrame);
            if (movedLsn != NOT_MADE) {
                discard(fromPageId, movedLsn);
            } else {
                release(rootFrame);
            }
            release(frame);
        }
    }

    /** The slot of the key in the latched leaf, whose value has that length. */
    private int findStored(int valueBytes) {
        int slot = Node.find(memory, page, key, keyBytes);
        if (slot < 0 || Node.valueBytes(memory, page, slot) != valueBytes) {
            throw new CorruptionException(Message.of("a record that is locked has changed")
                    .with("treeId", tree.treeId())
                    .with("pageId", pageId)
                    .remedy("run validate(); restore the database from a backup if it reports damage"));
        }
        return slot;
    }

    /**
     * Moves the overflow pages of a record's value that lie high to lower free ones, as far as there are any. The
     * caller holds the exclusive lock of the record's key: so no running transaction has changed the record, or reads
     * its chain under a lock, and its stub is in no undo. May park.
     *
     * @param bound pages from here on lie high
     * @param beforeStubChanges told the stub, before the record gets another, while the chain can still be read
     * @return how many pages were moved
     */
    public int moveChain(
            BTree target,
            TreeContext caller,
            byte[] searched,
            int searchedBytes,
            int bound,
            Consumer<byte[]> beforeStubChanges) {
        context = caller;
        byte[] stub = stub(target, searched, searchedBytes);
        if (stub == null) {
            return 0;
        }
        int[] pages = OverflowChain.pages(target, context, stub);
        int moved = 0;
        int end = pages.length;
        // Ends: each turn is done with one page at least.
        while (end > 0) {
            int first = end;
            while (first > 0 && pages[first - 1] >= bound) {
                first--;
            }
            if (first == end) {
                end--;
                continue;
            }
            int from = copyPages(target, pages, first, end, bound);
            if (from == end) {
                return moved;
            }
            useCopies(target, searched, searchedBytes, stub, pages, from, end, beforeStubChanges);
            moved += end - from;
            end = first;
        }
        return moved;
    }

    /** The stub of a record's value; null where there is no such record, or its value is in its leaf. */
    private byte[] stub(BTree target, byte[] searched, int searchedBytes) {
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            walk(target, searched, searchedBytes, 0);
            byte[] stub = null;
            int slot = Node.find(memory, page, searched, searchedBytes);
            if (slot >= 0) {
                long word = Node.slotWord(memory, page, slot);
                if (Node.flagsOf(word) == NodeLayout.SLOT_OVERFLOW
                        && Node.valueBytesOf(word) == OverflowLayout.STUB_BYTES) {
                    stub = Node.bytes(memory, Node.valueAddressOf(page, word), OverflowLayout.STUB_BYTES);
                }
            }
            if (validate()) {
                return stub;
            }
        }
        throw tooManyAttempts(target);
    }

    /**
     * Copies the pages from {@code first} to {@code end}, exclusive, or the last of them where there are not enough
     * free ones: they lead to each other and to the page at {@code end}, but nothing leads to them.
     *
     * @return the index of the first that was copied, {@code end} if none was
     */
    private int copyPages(BTree target, int[] pages, int first, int end, int bound) {
        PageAllocator allocator = target.environment().allocator();
        copies = new int[pages.length];
        int from = end;
        while (from > first) {
            int free = allocator.allocateBelow(bound);
            if (free < 0) {
                break;
            }
            copies[--from] = free;
        }
        try (Arena arena = Arena.ofConfined()) {
            NativeMemory scratch = NodeEditor.scratchPage(arena);
            for (int i = end - 1; i >= from; i--) {
                int next = i + 1 == pages.length ? 0 : i + 1 == end ? pages[end] : copies[i + 1];
                OverflowChain.copyPage(target, context, pages[i], copies[i], next, scratch);
            }
        } catch (Throwable failure) {
            freeCopies(allocator, from, end, failure);
            throw failure;
        }
        return from;
    }

    /** After an overflow of the stack, which may have struck with a latch held, nothing is touched. */
    private void freeCopies(PageAllocator allocator, int from, int end, Throwable failure) {
        if (!(failure instanceof StackOverflowError)) {
            for (int i = from; i < end; i++) {
                allocator.free(copies[i]);
            }
        }
    }

    /** Has the chain lead to the copies, and gives the pages back that were copied. */
    private void useCopies(
            BTree target,
            byte[] searched,
            int searchedBytes,
            byte[] stub,
            int[] pages,
            int from,
            int end,
            Consumer<byte[]> beforeStubChanges) {
        PageAllocator allocator = target.environment().allocator();
        byte[] stubAfter = stub;
        boolean isMoved = false;
        try {
            if (from == 0) {
                stubAfter = OverflowChain.stub(copies[0], OverflowChain.valueBytes(stub));
                beforeStubChanges.accept(stub);
            }
            int pageBefore = from == 0 ? NO_PAGE_BEFORE : pages[from - 1];
            round = 0;
            // Ends: each turn in vain means that another thread has changed the leaf, or evicted the page.
            while (!isMoved) {
                isMoved = tryLeadTo(target, searched, searchedBytes, stubAfter, pageBefore, copies[from]);
            }
        } catch (Throwable failure) {
            if (!isMoved) {
                freeCopies(allocator, from, end, failure);
            }
            throw failure;
        }
        OverflowChain.moved(target, searched, searchedBytes);
        for (int i = from; i < end; i++) {
            allocator.free(pages[i]);
            pages[i] = copies[i];
        }
        System.arraycopy(stubAfter, 0, stub, 0, stub.length);
    }

    /**
     * Has a chain lead to a copied page.
     *
     * @param pageBefore the page of the chain that comes before, or {@link #NO_PAGE_BEFORE}
     * @return false, and nothing has changed, if another thread was at work there
     */
    private boolean tryLeadTo(
            BTree target, byte[] searched, int searchedBytes, byte[] stubAfter, int pageBefore, int copy) {
        walk(target, searched, searchedBytes, 0);
        int frameBefore = BufferPool.NOT_RESIDENT;
        if (pageBefore == NO_PAGE_BEFORE) {
            if (!latchNode()) {
                return false;
            }
        } else {
            frameBefore = latchBesideNode(pageBefore);
            if (frameBefore < 0) {
                return false;
            }
        }
        boolean isChanging = false;
        TreeEnvironment environment = target.environment();
        try {
            int slot = findStored(stubAfter.length);
            isChanging = true;
            NodeEditor.copyIn(memory, Node.valueAddress(memory, page, slot), stubAfter, 0, stubAfter.length);
            LogRecordBuffer record = context.imageRecord(environment);
            SystemChange.begin(record);
            SystemChange.addNodeImage(record, pageId, memory, page);
            if (frameBefore >= 0) {
                long before = BufferPool.address(frameBefore);
                memory.setInt(before + OverflowLayout.NEXT_PAGE, copy);
                OverflowChain.addImage(record, pageBefore, memory, before);
            }
            record.finish();
            long lsn = environment.append(record);
            pool.markDirty(frame, lsn);
            if (frameBefore >= 0) {
                pool.markDirty(frameBefore, lsn);
            }
            return true;
        } catch (Throwable failure) {
            if (isChanging) {
                environment.failInsideChange(failure);
            }
            throw failure;
        } finally {
            context.returnImageRecord(environment);
            if (frameBefore >= 0) {
                release(frameBefore);
            }
            release(frame);
        }
    }
}
