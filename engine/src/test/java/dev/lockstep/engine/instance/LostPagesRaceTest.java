package dev.lockstep.engine.instance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.Durability;
import dev.lockstep.engine.Isolation;
import dev.lockstep.engine.ValidatedDatabase;
import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.EngineThreads;
import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.engine.proof.DelegatingStorage;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;

/** Lost pages are looked for, to the end, while somebody is held in the middle of giving pages back. */
class LostPagesRaceTest {
    private static final Path HOME = Path.of("/database");
    private static final byte[] KEY = {1};
    private static final byte[] OTHER_KEY = {2};
    private static final int CHAIN_BYTES = 60_000;

    private static final int RECORDS = 30;

    /** Such records fill four nodes. */
    private static final int RECORD_BYTES = 1_000;

    /** Its forces of the log can be held back, and one read of a page. */
    private static final class HeldStorage extends DelegatingStorage {
        private static final CountDownLatch OPEN = new CountDownLatch(0);

        private final AtomicInteger readsUntilHeld = new AtomicInteger();
        private volatile CountDownLatch logForce = OPEN;
        private volatile CountDownLatch pageRead = OPEN;
        private final CountDownLatch isReadHeld = new CountDownLatch(1);

        HeldStorage() {
            super(new FaultyStorage(1));
        }

        @Override
        public BlockFile open(Path path, OpenMode mode) {
            String name = path.getFileName().toString();
            return new DelegatingFile(super.open(path, mode)) {
                @Override
                public void force(boolean metadata) {
                    if (name.startsWith("log-")) {
                        EngineThreads.awaitUninterruptibly(logForce);
                    }
                    super.force(metadata);
                }

                @Override
                public int read(ByteBuffer target, long position) {
                    if (name.startsWith("pages") && readsUntilHeld.decrementAndGet() == 0) {
                        isReadHeld.countDown();
                        EngineThreads.awaitUninterruptibly(pageRead);
                    }
                    return super.read(target, position);
                }
            };
        }
    }

    private static Instance open(HeldStorage storage) {
        return open(storage, pageId -> {});
    }

    private static Instance open(HeldStorage storage, IntConsumer beforeFree) {
        LogOptions log = LogOptions.sync()
                .withSegmentBytes(LogOptions.SEGMENT_BYTES_MIN)
                .withBufferBytes(LogOptions.BUFFER_BYTES_MIN);
        // With commits that need not be on disk: others read a chain, for snapshots, before they give it back.
        DatabaseOptions options = ValidatedDatabase.SMALLEST.toBuilder()
                .durability(Durability.ASYNC)
                .build();
        return new InstanceOpener(options, null, log)
                .lookingLater()
                .beforeFree(beforeFree)
                .open(storage, HOME);
    }

    /** One record with an overflow chain, and nothing lost. */
    private static Instance crashed(HeldStorage storage) {
        Instance instance = open(storage);
        RawTree tree = new RawTree(instance);
        tree.begin(Isolation.READ_COMMITTED);
        tree.insert(KEY, new byte[CHAIN_BYTES]);
        tree.commit();
        tree.close();
        instance.checkpoint();
        instance.abandon();
        return open(storage);
    }

    private static Thread start(AtomicReference<Throwable> failure, Runnable work) {
        return Thread.ofPlatform().start(() -> {
            try {
                work.run();
            } catch (Throwable t) {
                failure.set(t);
            }
        });
    }

    private static void finishWalk(Instance instance) {
        // Ends with the walk.
        while (instance.lostPagesOrNull().step()) {
            Thread.onSpinWait();
        }
    }

    /** A drop gives its pages back once it is on disk, long after nothing leads to them. */
    @Test
    void aDroppedTreeIsGivenBackOnce() throws InterruptedException {
        HeldStorage storage = new HeldStorage();
        Instance instance = crashed(storage);
        BTree tree = instance.catalog().find("raw").state().tree();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        storage.logForce = new CountDownLatch(1);
        Thread dropping = start(failure, () -> instance.schema().dropTable("raw"));
        // Ends with the drop's commit, or with the thread.
        while (!tree.isDropped() && dropping.isAlive()) {
            Thread.onSpinWait();
        }
        finishWalk(instance);
        storage.logForce.countDown();
        dropping.join();
        assertNull(failure.get());
        instance.validate();
        instance.close();
    }

    /** Somebody waits for the second page of a chain that it gives back, whose first may be another's by then. */
    @Test
    void aChainIsGivenBackOnce() throws InterruptedException {
        HeldStorage storage = new HeldStorage();
        Instance instance = crashed(storage);
        RawTree deleting = new RawTree(instance);
        RawTree inserting = new RawTree(instance);
        deleting.begin(Isolation.READ_COMMITTED, Durability.ASYNC);
        assertTrue(deleting.delete(KEY));
        inserting.begin(Isolation.READ_COMMITTED);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        storage.pageRead = new CountDownLatch(1);
        storage.readsUntilHeld.set(2);
        Thread committing = start(failure, deleting::commit);
        storage.isReadHeld.await();
        assertTrue(inserting.insert(OTHER_KEY, new byte[2_000]));
        AtomicReference<Throwable> walkFailure = new AtomicReference<>();
        Thread walking = start(walkFailure, () -> finishWalk(instance));
        awaitEndOrWait(walking);
        storage.pageRead.countDown();
        walking.join();
        committing.join();
        assertNull(failure.get());
        assertNull(walkFailure.get());
        inserting.commit();
        deleting.close();
        inserting.close();
        instance.validate();
        instance.close();
    }

    /**
     * Nodes are merged and at last the root takes over what its only child has: whenever nothing leads to a page any
     * more, and it is not given back yet, the walk ends.
     */
    @Test
    void mergedNodesAreGivenBackOnce() {
        int met = 0;
        while (walkEndsBeforeFree(met)) {
            met++;
        }
        assertTrue(met >= 3, "two merges and the root's: met=" + met);
    }

    /** Returns whether so many pages were given back before and this one. */
    private static boolean walkEndsBeforeFree(int number) {
        HeldStorage storage = new HeldStorage();
        Instance filled = open(storage);
        RawTree filling = new RawTree(filled);
        filling.begin(Isolation.READ_COMMITTED);
        for (int key = 0; key < RECORDS; key++) {
            filling.insert(new byte[] {(byte) key}, new byte[RECORD_BYTES]);
        }
        filling.commit();
        filling.close();
        filled.checkpoint();
        filled.abandon();
        AtomicReference<Instance> opened = new AtomicReference<>();
        List<Integer> freed = new ArrayList<>();
        List<Integer> takenByWalk = new ArrayList<>();
        Instance instance = open(storage, pageId -> {
            freed.add(pageId);
            if (freed.size() == number + 1) {
                finishWalk(opened.get());
                if (!opened.get().environment().allocator().isAllocated(pageId)) {
                    takenByWalk.add(pageId);
                }
            }
        });
        opened.set(instance);
        RawTree deleting = new RawTree(instance);
        deleting.begin(Isolation.READ_COMMITTED);
        for (int key = 0; key < RECORDS - 1; key++) {
            assertTrue(deleting.delete(new byte[] {(byte) key}));
        }
        deleting.commit();
        assertEquals(List.of(), takenByWalk, "number=" + number);
        deleting.close();
        instance.validate();
        instance.close();
        return freed.size() > number;
    }

    /** Waits until the walk has ended, or waits for the page that is held back. */
    private static void awaitEndOrWait(Thread walking) {
        while (walking.isAlive() && walking.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
    }
}
