package dev.lockstep.engine.btree;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.LockstepException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.StorageException;
import dev.lockstep.engine.buffer.BufferPool;
import dev.lockstep.engine.log.LogRecordBuffer;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.function.IntConsumer;
import java.util.function.LongConsumer;

/**
 * Values too large for a leaf, in chains of overflow pages. A chain belongs to one record; it is written before the
 * record refers to it and given back after the transaction that dropped the reference has ended. Its pages change only
 * where a {@link Relocation} moves them, under the exclusive lock of the record's key. Thread-safe: without state.
 */
public final class OverflowChain {
    private static final VarHandle STUB_INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    /** Attempts to read a page that is to be given back. A medium that refuses three times will go on refusing. */
    private static final int FREE_ATTEMPTS_MAX = 3;

    /** As {@link java.util.Arrays#hashCode(byte[])}. */
    private static final int HASH_FACTOR = 31;

    private OverflowChain() {}

    /** Size of the stub that stands for the value in its leaf. */
    public static int stubBytes() {
        return OverflowLayout.STUB_BYTES;
    }

    /**
     * Size of the whole value: 1 to {@link NodeLayout#VALUE_BYTES_MAX}.
     *
     * @throws CorruptionException if the stub is none, or says a length that no value in overflow pages has
     */
    public static int valueBytes(byte[] stub) {
        int valueBytes = stub.length < OverflowLayout.STUB_BYTES ? 0 : valueBytesAsStored(stub);
        if (!isPossible(valueBytes)) {
            throw new CorruptionException(Message.of("the stub of an overflow chain is damaged")
                    .with("stubBytes", stub.length)
                    .with("valueBytes", valueBytes)
                    .remedy("restore the database from a backup"));
        }
        return valueBytes;
    }

    /** Size of the whole value as the stub has it, right or not. */
    static int valueBytesAsStored(byte[] stub) {
        return (int) STUB_INT.get(stub, OverflowLayout.STUB_VALUE_BYTES);
    }

    /** Whether a value in overflow pages may have that size. */
    static boolean isPossible(int valueBytes) {
        return valueBytes > 0 && valueBytes <= NodeLayout.VALUE_BYTES_MAX;
    }

    /**
     * Writes a value to new pages, last page first, and puts the stub into {@code stub}. May park. What fails gives its
     * pages back, or leaves them to the next open where one cannot be read; only after an overflow of the stack, which
     * may have struck with a latch held, nothing is touched.
     *
     * @param waits in front of each page
     */
    public static void write(
            BTree tree, TreeContext context, ChainWaits waits, byte[] value, int valueBytes, byte[] stub) {
        TreeEnvironment environment = tree.environment();
        flagTree(tree, context);
        int nextPageId = 0;
        try {
            for (int chunk = pageCount(valueBytes) - 1; chunk >= 0; chunk--) {
                waits.reserveFrame(environment.pool(), context.waiter());
                if (environment.log() != null) {
                    waits.throttle(environment.log(), context.waiter());
                }
                int from = chunk * OverflowLayout.CHUNK_BYTES_MAX;
                int bytes = Math.min(OverflowLayout.CHUNK_BYTES_MAX, valueBytes - from);
                nextPageId = writeChunk(tree, context, value, from, bytes, nextPageId);
            }
        } catch (Throwable failure) {
            if (!(failure instanceof StackOverflowError)) {
                freeAfter(failure, tree, context, nextPageId);
            }
            throw failure;
        }
        putStub(stub, nextPageId, valueBytes);
    }

    private static void putStub(byte[] stub, int firstPageId, int valueBytes) {
        STUB_INT.set(stub, OverflowLayout.STUB_FIRST_PAGE, firstPageId);
        STUB_INT.set(stub, OverflowLayout.STUB_VALUE_BYTES, valueBytes);
    }

    /** Makes a stub. */
    static byte[] stub(int firstPageId, int valueBytes) {
        byte[] stub = new byte[OverflowLayout.STUB_BYTES];
        putStub(stub, firstPageId, valueBytes);
        return stub;
    }

    /** Whether the tree has had overflow pages. May park. */
    public static boolean mayBeIn(BTree tree, TreeContext context) {
        TreeEnvironment environment = tree.environment();
        int frame = latchRootShared(tree, context);
        int flags = Node.nodeFlags(environment.memory(), BufferPool.address(frame));
        environment.latches().unlatchShared(frame);
        context.unlatched();
        return (flags & NodeLayout.FLAG_HAS_OVERFLOW) != 0;
    }

    /** Notes in the root that the tree has overflow pages, once in its life. */
    private static void flagTree(BTree tree, TreeContext context) {
        TreeEnvironment environment = tree.environment();
        if (mayBeIn(tree, context)) {
            return;
        }
        // Ends like latchShared: the root, just used, is the last page to be evicted.
        while (true) {
            int rootPageId = tree.rootPageId();
            int rootFrame = environment.pool().frame(rootPageId, context.waiter());
            environment.latches().latchExclusive(rootFrame);
            if (environment.pool().pageIdOpaque(rootFrame) == rootPageId && rootPageId == tree.rootPageId()) {
                context.latched();
                setFlag(tree, context, rootFrame);
                return;
            }
            environment.latches().unlatchExclusiveUnchanged(rootFrame);
        }
    }

    private static int latchRootShared(BTree tree, TreeContext context) {
        // Ends: each turn in vain means that the root was moved meanwhile.
        while (true) {
            int rootPageId = tree.rootPageId();
            int frame = latchShared(tree.environment(), context, rootPageId);
            if (rootPageId == tree.rootPageId()) {
                return frame;
            }
            tree.environment().latches().unlatchShared(frame);
            context.unlatched();
        }
    }

    private static void setFlag(BTree tree, TreeContext context, int rootFrame) {
        TreeEnvironment environment = tree.environment();
        long root = BufferPool.address(rootFrame);
        try {
            int flags = Node.nodeFlags(environment.memory(), root) | NodeLayout.FLAG_HAS_OVERFLOW;
            SystemChange.begin(context.imageRecord(environment));
            SystemChange.addSetNodeFlags(context.imageRecord(environment), tree.rootPageId(), flags);
            context.imageRecord(environment).finish();
            long lsn = environment.append(context.imageRecord(environment));
            NodeEditor.putU16(environment.memory(), root + NodeLayout.NODE_FLAGS, flags);
            environment.pool().markDirty(rootFrame, lsn);
        } catch (Throwable failure) {
            environment.failInsideChange(failure);
            throw failure;
        } finally {
            context.returnImageRecord(environment);
            environment.latches().unlatchExclusive(rootFrame);
            context.unlatched();
        }
    }

    private static int writeChunk(BTree tree, TreeContext context, byte[] value, int from, int bytes, int nextPageId) {
        TreeEnvironment environment = tree.environment();
        int pageId = environment.allocator().allocate();
        int frame;
        try {
            frame = environment.pool().newPage(pageId, context.waiter());
        } catch (Throwable failure) {
            environment.allocator().free(pageId);
            throw failure;
        }
        context.latched();
        fill(tree, context, frame, pageId, nextPageId, bytes, chunk -> {
            NodeEditor.copyIn(environment.memory(), chunk, value, from, bytes);
        });
        return pageId;
    }

    /** Fills the latched frame of a new page, and releases it. */
    private static void fill(
            BTree tree,
            TreeContext context,
            int frame,
            int pageId,
            int nextPageId,
            int chunkBytes,
            LongConsumer chunkFiller) {
        TreeEnvironment environment = tree.environment();
        long page = BufferPool.address(frame);
        try {
            PageLayout.initialise(environment.memory(), page, PageLayout.TYPE_OVERFLOW, pageId, tree.treeId());
            environment.memory().setInt(page + OverflowLayout.NEXT_PAGE, nextPageId);
            environment.memory().setInt(page + OverflowLayout.CHUNK_BYTES, chunkBytes);
            chunkFiller.accept(page + OverflowLayout.CHUNK);
            SystemChange.begin(context.imageRecord(environment));
            addImage(context.imageRecord(environment), pageId, environment.memory(), page);
            context.imageRecord(environment).finish();
            environment.pool().markDirty(frame, environment.append(context.imageRecord(environment)));
        } catch (Throwable failure) {
            environment.failInsideChange(failure);
            throw failure;
        } finally {
            context.returnImageRecord(environment);
            environment.latches().unlatchExclusive(frame);
            context.unlatched();
        }
    }

    /** Adds the contents of an overflow page to the record of a change. */
    static void addImage(LogRecordBuffer record, int pageId, NativeMemory memory, long page) {
        int bytes = memory.getInt(page + OverflowLayout.CHUNK_BYTES);
        SystemChange.addImage(record, pageId, memory, page, OverflowLayout.CHUNK + bytes, PageLayout.PAGE_BYTES);
    }

    /**
     * Copies a page of a chain, which does not change meanwhile, to a page that was just allocated. May park.
     *
     * @param nextPageId where the copy leads
     * @param scratch a page of the caller's
     */
    static void copyPage(
            BTree tree, TreeContext context, int fromPageId, int toPageId, int nextPageId, NativeMemory scratch) {
        TreeEnvironment environment = tree.environment();
        int from = latchShared(environment, context, fromPageId);
        try {
            NativeMemory.copy(environment.memory(), BufferPool.address(from), scratch, 0, PageLayout.PAGE_BYTES);
        } finally {
            environment.latches().unlatchShared(from);
            context.unlatched();
        }
        environment.pool().reserveFrames(1, context.waiter());
        if (environment.log() != null) {
            environment.log().throttle(context.waiter());
        }
        int bytes = scratch.getInt(OverflowLayout.CHUNK_BYTES);
        int to = environment.pool().newPage(toPageId, context.waiter());
        context.latched();
        fill(tree, context, to, toPageId, nextPageId, bytes, chunk -> {
            NativeMemory.copy(scratch, OverflowLayout.CHUNK, environment.memory(), chunk, bytes);
        });
    }

    /**
     * How often chains were moved that share a count with this record's: who reads a chain without a lock asks before
     * and behind that. Where the number has changed, pages of the chain may have been given back in between.
     */
    public static long moveCount(BTree tree, byte[] key, int keyBytes) {
        return tree.environment().chainMoves().get(moveIndex(tree, key, keyBytes));
    }

    /** The record's chain has left pages, which are about to be given back. */
    static void moved(BTree tree, byte[] key, int keyBytes) {
        tree.environment().chainMoves().incrementAndGet(moveIndex(tree, key, keyBytes));
    }

    private static int moveIndex(BTree tree, byte[] key, int keyBytes) {
        int hash = tree.treeId();
        for (int i = 0; i < keyBytes; i++) {
            hash = HASH_FACTOR * hash + key[i];
        }
        return (hash ^ hash >>> Short.SIZE) & TreeEnvironment.CHAIN_MOVE_COUNTS - 1;
    }

    /**
     * Copies the value that a stub stands for into {@code target}, which has {@link #valueBytes} room. The record is
     * locked, so its chain does not change. May park.
     *
     * @param waits for each page
     */
    public static void read(BTree tree, TreeContext context, ChainWaits waits, byte[] stub, byte[] target) {
        TreeEnvironment environment = tree.environment();
        int pageId = (int) STUB_INT.get(stub, OverflowLayout.STUB_FIRST_PAGE);
        int left = valueBytes(stub);
        int at = 0;
        while (left > 0) {
            require(pageId > 0, tree, pageId, left);
            int frame = latchShared(environment, context, waits, pageId);
            try {
                long page = BufferPool.address(frame);
                int bytes = environment.memory().getInt(page + OverflowLayout.CHUNK_BYTES);
                boolean isWhole = bytes == Math.min(left, OverflowLayout.CHUNK_BYTES_MAX);
                require(isChunk(tree, page) && isWhole, tree, pageId, left);
                Node.copyOut(environment.memory(), page + OverflowLayout.CHUNK, target, at, bytes);
                at += bytes;
                left -= bytes;
                pageId = environment.memory().getInt(page + OverflowLayout.NEXT_PAGE);
            } finally {
                environment.latches().unlatchShared(frame);
                context.unlatched();
            }
        }
        require(pageId == 0, tree, pageId, left);
    }

    /**
     * Checks that the chain of a stub is whole: it holds as many bytes as the stub says, in pages of its tree that are
     * full but for the last, and ends there. May park.
     *
     * @throws CorruptionException if it is not, with the page
     */
    static void validate(BTree tree, TreeContext context, byte[] stub) {
        pages(tree, context, stub);
    }

    /** The pages of the chain of a stub, in their order, which has to be whole as {@link #validate} says. */
    static int[] pages(BTree tree, TreeContext context, byte[] stub) {
        TreeEnvironment environment = tree.environment();
        int pageId = firstPage(stub);
        int left = valueBytes(stub);
        int[] pages = new int[pageCount(left)];
        int count = 0;
        // Ends: every page takes some of the value.
        while (left > 0) {
            require(pageId > 0, tree, pageId, left);
            int frame = latchShared(environment, context, pageId);
            try {
                long page = BufferPool.address(frame);
                int bytes = Math.min(left, OverflowLayout.CHUNK_BYTES_MAX);
                int bytesHere = environment.memory().getInt(page + OverflowLayout.CHUNK_BYTES);
                require(isChunk(tree, page) && bytesHere == bytes, tree, pageId, left);
                left -= bytes;
                pages[count++] = pageId;
                pageId = environment.memory().getInt(page + OverflowLayout.NEXT_PAGE);
            } finally {
                environment.latches().unlatchShared(frame);
                context.unlatched();
            }
        }
        require(pageId == 0, tree, pageId, left);
        return pages;
    }

    private static int pageCount(int valueBytes) {
        return (valueBytes + OverflowLayout.CHUNK_BYTES_MAX - 1) / OverflowLayout.CHUNK_BYTES_MAX;
    }

    private static void require(boolean holds, BTree tree, int pageId, int bytesMissing) {
        if (!holds) {
            throw new CorruptionException(Message.of("an overflow chain is damaged")
                    .with("treeId", tree.treeId())
                    .with("pageId", pageId)
                    .with("bytesMissing", bytesMissing)
                    .remedy("restore the database from a backup"));
        }
    }

    /** Gives the pages of a stub's chain back, all of them or, where one cannot be read, none. May park. */
    public static void free(BTree tree, TreeContext context, byte[] stub) {
        free(tree, context, (int) STUB_INT.get(stub, OverflowLayout.STUB_FIRST_PAGE));
    }

    private static void freeAfter(Throwable failure, BTree tree, TreeContext context, int firstPageId) {
        try {
            free(tree, context, firstPageId);
        } catch (LockstepException unreadable) {
            tree.environment().allocator().pagesAreLost();
            failure.addSuppressed(unreadable);
        }
    }

    private static void free(BTree tree, TreeContext context, int firstPageId) {
        PageAllocator allocator = tree.environment().allocator();
        // All are found before the first goes: who cannot read one of them has given none back, and may try again; once
        // the first is another's, nobody finds the rest; and a damaged chain leads to pages of others.
        int[] pageIds = new int[1];
        int count = 0;
        for (int pageId = firstPageId; pageId != 0; pageId = nextPageOrRetry(tree, context, pageId)) {
            require(count < pageCount(NodeLayout.VALUE_BYTES_MAX), tree, pageId, 0);
            if (count == pageIds.length) {
                pageIds = Arrays.copyOf(pageIds, 2 * count);
            }
            pageIds[count++] = pageId;
        }
        if (allocator.isSuperset()) {
            for (int i = 0; i < count; i++) {
                allocator.leaves(pageIds[i]);
            }
        }
        for (int i = 0; i < count; i++) {
            tree.environment().pool().forget(pageIds[i]);
            allocator.free(pageIds[i]);
        }
    }

    /**
     * A record is about to let go of the chain of a stub, until a rollback or for good. To be called under the
     * exclusive latch of the record's leaf, before that changes.
     */
    public static void departs(BTree tree, byte[] stub) {
        tree.environment().allocator().chainDeparts(firstPage(stub));
    }

    /** The first page of the chain that a slot of a leaf leads to. */
    static int firstPage(NativeMemory leaf, long base, int slot) {
        return firstPage(Node.bytes(leaf, Node.valueAddress(leaf, base, slot), OverflowLayout.STUB_BYTES));
    }

    /**
     * Visits the pages of a chain that others may give back, and use again, meanwhile: up to the first page that is
     * none of a chain. May park.
     */
    public static void visit(TreeEnvironment environment, TreeContext context, int firstPageId, IntConsumer visitor) {
        int pageIdEnd = environment.pool().pageIdEnd();
        int pageId = firstPageId;
        for (int left = pageCount(NodeLayout.VALUE_BYTES_MAX); left > 0; left--) {
            if (pageId <= 0 || pageId >= pageIdEnd) {
                return;
            }
            int frame = latchShared(environment, context, pageId);
            int next;
            try {
                long page = BufferPool.address(frame);
                if (PageLayout.type(environment.memory(), page) != PageLayout.TYPE_OVERFLOW) {
                    return;
                }
                next = environment.memory().getInt(page + OverflowLayout.NEXT_PAGE);
            } finally {
                environment.latches().unlatchShared(frame);
                context.unlatched();
            }
            visitor.accept(pageId);
            pageId = next;
        }
    }

    /** As {@link #nextPage}: a chain that is only half given back would lose its pages until the next recovery. */
    private static int nextPageOrRetry(BTree tree, TreeContext context, int pageId) {
        for (int attempt = 1; ; attempt++) {
            try {
                require(pageId > 0 && isChunk(tree, context, pageId), tree, pageId, 0);
                return nextPage(tree, context, pageId);
            } catch (StorageException unreadable) {
                if (attempt == FREE_ATTEMPTS_MAX) {
                    throw unreadable;
                }
            }
        }
    }

    static int firstPage(byte[] stub) {
        return (int) STUB_INT.get(stub, OverflowLayout.STUB_FIRST_PAGE);
    }

    /** The page behind {@code pageId} in its chain, 0 at the end. */
    static int nextPage(BTree tree, TreeContext context, int pageId) {
        TreeEnvironment environment = tree.environment();
        int frame = latchShared(environment, context, pageId);
        try {
            return environment.memory().getInt(BufferPool.address(frame) + OverflowLayout.NEXT_PAGE);
        } finally {
            environment.latches().unlatchShared(frame);
            context.unlatched();
        }
    }

    /** Whether the page is an overflow page of the tree. */
    static boolean isChunk(BTree tree, TreeContext context, int pageId) {
        TreeEnvironment environment = tree.environment();
        int frame = latchShared(environment, context, pageId);
        try {
            return isChunk(tree, BufferPool.address(frame));
        } finally {
            environment.latches().unlatchShared(frame);
            context.unlatched();
        }
    }

    private static boolean isChunk(BTree tree, long page) {
        return PageLayout.type(tree.environment().memory(), page) == PageLayout.TYPE_OVERFLOW
                && PageLayout.treeId(tree.environment().memory(), page) == tree.treeId();
    }

    static int latchShared(TreeEnvironment environment, TreeContext context, int pageId) {
        return latchShared(environment, context, ChainWaits.UNTIL_DONE, pageId);
    }

    private static int latchShared(TreeEnvironment environment, TreeContext context, ChainWaits waits, int pageId) {
        // Ends: a page that was just loaded is evicted before it is latched only while the pool is being swept, and
        // each round loads it again at the young end of the queue.
        while (true) {
            int frame = waits.frame(environment.pool(), pageId, context.waiter());
            if (frame == BufferPool.NOT_RESIDENT) {
                throw new CorruptionException(Message.of("a page leads to one that is not there any more")
                        .with("pageId", pageId)
                        .remedy("run validate(); fill the database anew if that finds the same"));
            }
            environment.latches().latchShared(frame);
            if (environment.pool().pageIdOpaque(frame) == pageId) {
                context.latched();
                return frame;
            }
            environment.latches().unlatchShared(frame);
        }
    }
}
