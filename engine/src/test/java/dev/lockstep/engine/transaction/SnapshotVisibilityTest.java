package dev.lockstep.engine.transaction;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.Isolation;
import dev.lockstep.engine.Seeds;
import dev.lockstep.engine.SnapshotTooOldException;
import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.NodeLayout;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.scheduler.Waiter;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** Whose changes a snapshot sees, and what it makes of those that it does not. */
class SnapshotVisibilityTest {
    private static final long BYTES_MAX = 1 << 20;
    private static final int TREE = 3;
    private static final int CHANGES_MAX = 12;
    private static final int VALUE_BYTES_MAX = 40;
    private static final byte[] KEY = {1, 2, 3};

    private final TransactionTable table = new TransactionTable(1);

    private TransactionContext context() {
        TransactionContext context = new TransactionContext(null);
        table.register(context);
        context.begin(Isolation.SERIALIZABLE, Long.MAX_VALUE, Long.MAX_VALUE);
        return context;
    }

    private long identify(TransactionContext context) {
        long id = table.takeTransactionId(context);
        context.identify(id, TransactionContext.NO_LSN);
        return id;
    }

    @Test
    void whoHasEndedBeforeIsSeenAndNobodyElse() {
        TransactionContext first = context();
        TransactionContext second = context();
        TransactionContext third = context();
        long running = identify(first);
        long ended = identify(second);
        second.logEnded();
        Snapshot snapshot = table.openSnapshot(BYTES_MAX, false);
        long later = identify(third);
        third.logEnded();
        first.logEnded();
        assertTrue(snapshot.isVisible(0));
        assertTrue(snapshot.isVisible(ended));
        assertFalse(snapshot.isVisible(running));
        assertFalse(snapshot.isVisible(later));
        Snapshot next = table.openSnapshot(BYTES_MAX, false);
        assertTrue(next.isVisible(running));
        assertTrue(next.isVisible(later));
        assertEquals(2, table.snapshotStatistics().openSnapshots());
        snapshot.close();
        snapshot.close();
        assertEquals(1, table.snapshotStatistics().openSnapshots());
        assertNotNull(table.versionsVolatile());
        next.close();
        assertNull(table.versionsVolatile());
        assertThrows(SnapshotTooOldException.class, next::requireReadable);
    }

    /** Another may have read what it wrote, and be asked only after that one has ended too. */
    @Test
    void whoEndsWhileItIsTakenAndHasSeenItIsNotSeen() {
        TransactionContext unaware = context();
        TransactionContext aware = context();
        long seen = identify(unaware);
        long unseen = identify(aware);
        VersionStore versions = new VersionStore(table, BYTES_MAX, 0);
        unaware.logEnded();
        versions.ending(aware);
        aware.logEnded();
        Snapshot snapshot = versions.first();
        snapshot.take(new long[0], new TransactionContext[0], null, table.nextTransactionId());
        snapshot.taken();
        assertTrue(snapshot.isVisible(seen));
        assertFalse(snapshot.isVisible(unseen));
    }

    /** A reader may apply undo to a record that its transaction has taken back since, in part or altogether. */
    @Test
    void undoMakesWhatWasThereHoweverMuchOfItIsTakenBack() {
        Seeds.each(300, seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            byte[] original = bytes(random, random.nextInt(VALUE_BYTES_MAX));
            UndoCopy undo = new UndoCopy();
            int changes = 1 + random.nextInt(CHANGES_MAX);
            byte[][] states = new byte[changes + 1][];
            int[] flags = new int[changes + 1];
            states[0] = original;
            for (int i = 0; i < changes; i++) {
                states[i + 1] = change(random, undo, states[i], flags, i);
            }
            for (int reached = changes; reached >= 0; reached--) {
                SnapshotRecord record = new SnapshotRecord();
                record.setKey(KEY, KEY.length);
                record.setValue(states[reached], states[reached].length, flags[reached], null);
                undo.takeBack(TREE, record);
                assertTrue(record.exists(), "reached=" + reached);
                assertArrayEquals(original, Arrays.copyOf(record.value(), record.valueBytes()), "reached=" + reached);
            }
        });
    }

    /** Of several that follow each other, the record may be as any of them has found it. */
    @Test
    void undoOfSeveralMakesWhatTheFirstHadFound() {
        Seeds.each(300, seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            AtomicLong durableLsn = new AtomicLong();
            UnforcedEnds ends = new UnforcedEnds(durableLsn::get, SnapshotVisibilityTest::neverWaits, BYTES_MAX);
            int count = 1 + random.nextInt(4);
            byte[][] states = new byte[count + 1][];
            int[] flags = new int[count + 1];
            states[0] = bytes(random, 1 + random.nextInt(VALUE_BYTES_MAX));
            for (int i = 0; i < count; i++) {
                TransactionContext context = context();
                identify(context);
                changeAll(random, context.undo(), states, flags, i);
                ends.ended(context, 8L * (i + 1));
                context.dropUndo();
                assertEquals(0, context.undo().entryCount());
            }
            try (UnforcedEnds.Unforced unforced = ends.unforced()) {
                int first = random.nextInt(count);
                long firstId = unforced.ends().get(first).transactionId();
                UnforcedUndo undo = new UnforcedUndo(unforced.ends(), id -> id >= firstId);
                for (int reached = first; reached <= count; reached++) {
                    SnapshotRecord record = new SnapshotRecord();
                    record.setKey(KEY, KEY.length);
                    record.setValue(states[reached], states[reached].length, flags[reached], null);
                    undo.takeBack(TREE, new VersionKey(KEY, KEY.length), record);
                    assertEquals(flags[first] == 0, record.exists(), "reached=" + reached);
                    assertArrayEquals(states[first], Arrays.copyOf(record.value(), record.valueBytes()));
                }
            }
        });
    }

    /** Fills the undo of a transaction as its changes of one record would, and says what it leaves. */
    private static void changeAll(
            SplittableRandom random, UndoBuffer undo, byte[][] states, int[] flags, int transaction) {
        BTree tree = new BTree(null, TREE, 1, TREE, 0);
        byte[] value = states[transaction];
        int flagsNow = flags[transaction];
        for (int changes = random.nextInt(CHANGES_MAX); changes > 0; changes--) {
            int dice = random.nextInt(3);
            undo.reserve(KEY.length + value.length);
            if (flagsNow == 0 && dice == 0) {
                undo.pushDelete(tree, 0, KEY, KEY.length, flagsNow, value, value.length, 0);
                flagsNow = NodeLayout.SLOT_GHOST;
            } else if (flagsNow == 0 && dice == 1) {
                int from = random.nextInt(value.length);
                int to = from + 1 + random.nextInt(value.length - from);
                undo.pushBytes(
                        tree, 0, KEY, KEY.length, 0, NativeMemory.checked(MemorySegment.ofArray(value)), 0, from, to);
                byte[] changed = value.clone();
                System.arraycopy(bytes(random, to - from), 0, changed, from, to - from);
                value = changed;
            } else {
                undo.push(UndoBuffer.UPDATE, tree, 0, KEY, KEY.length, flagsNow, value, value.length);
                value = bytes(random, 1 + random.nextInt(VALUE_BYTES_MAX));
                flagsNow = 0;
            }
        }
        states[transaction + 1] = value;
        flags[transaction + 1] = flagsNow;
    }

    /** What it has replaced is in the store; to take it back once more would go behind what others did before it. */
    @Test
    void whoHasSeenTheSnapshotIsNotTakenBackTwice() {
        for (boolean hasSeen : new boolean[] {false, true}) {
            UnforcedEnds ends = new UnforcedEnds(() -> 0, SnapshotVisibilityTest::neverWaits, BYTES_MAX);
            TransactionContext context = context();
            long id = identify(context);
            byte[] before = {1};
            context.undo().reserve(KEY.length + 1);
            BTree tree = new BTree(null, TREE, 1, TREE, 0);
            context.undo().push(UndoBuffer.UPDATE, tree, 0, KEY, KEY.length, 0, before, 1);
            VersionStore versions = new VersionStore(table, BYTES_MAX, 0);
            Snapshot snapshot = versions.first();
            if (hasSeen) {
                snapshot.ending(id);
            }
            ends.ended(context, 8);
            snapshot.take(new long[0], new TransactionContext[0], ends.unforced(), table.nextTransactionId());
            snapshot.taken();
            SnapshotRecord record = new SnapshotRecord();
            record.setKey(KEY, KEY.length);
            record.setFromPage(1, 0, id);
            record.ensureValue(1)[0] = 2;
            snapshot.resolve(tree, record);
            assertEquals(hasSeen ? 2 : 1, record.value()[0]);
            assertTrue(ends.hasReaders());
            snapshot.close();
            assertFalse(ends.hasReaders());
        }
    }

    /** A session cleans up behind its transaction by its undo, after others have seen that it ended. */
    @Test
    void undoIsUsedAgainOnceItsSessionHasReleasedItAndNobodyReadsIt() {
        for (boolean isReleased : new boolean[] {false, true}) {
            for (boolean isRead : new boolean[] {false, true}) {
                AtomicLong durableLsn = new AtomicLong();
                UnforcedEnds ends = new UnforcedEnds(durableLsn::get, SnapshotVisibilityTest::neverWaits, BYTES_MAX);
                TransactionContext first = endedWithUndo(ends, 8);
                UndoBuffer handedOver = first.undo();
                UnforcedEnd end = first.handedOver();
                assertTrue(end.isNeeded());
                if (isReleased) {
                    first.dropUndo();
                }
                UnforcedEnds.Unforced unforced = ends.unforced();
                if (!isRead) {
                    unforced.close();
                    unforced.close();
                }
                durableLsn.set(16);
                assertEquals(isRead, end.isNeeded());
                endedWithUndo(ends, 16).dropUndo();
                TransactionContext last = endedWithUndo(ends, 24);
                last.dropUndo();
                assertEquals(isReleased && !isRead, last.undo() == handedOver);
                assertEquals(isReleased && !isRead ? 0 : 1, handedOver.entryCount());
            }
        }
    }

    private static void neverWaits(Waiter waiter, long lsn) {
        throw new AssertionError("waits for the disk: lsn=" + lsn);
    }

    /** Its end record is in the log by then: a snapshot that does not know of it has to be right about it. */
    @Test
    void anEndThatCannotBeNotedIsWaitedFor() {
        AtomicLong durableLsn = new AtomicLong();
        AtomicInteger failures = new AtomicInteger(1);
        LongSupplier full = () -> {
            if (failures.getAndDecrement() > 0) {
                throw new OutOfMemoryError("no memory to note an end");
            }
            return durableLsn.get();
        };
        UnforcedEnds ends = new UnforcedEnds(full, (waiter, lsn) -> durableLsn.set(lsn + 1), BYTES_MAX);
        TransactionContext context = endedWithUndo(ends, 8);
        assertEquals(9, durableLsn.get());
        context.dropUndo();
        assertEquals(0, context.undo().entryCount());
        try (UnforcedEnds.Unforced unforced = ends.unforced()) {
            assertEquals(0, unforced.ends().size());
        }
        assertEquals(0, ends.bytes());
    }

    private TransactionContext endedWithUndo(UnforcedEnds ends, long lsn) {
        TransactionContext context = context();
        identify(context);
        context.undo().reserve(KEY.length);
        context.undo().push(UndoBuffer.INSERT, new BTree(null, TREE, 1, TREE, 0), 0, KEY, KEY.length, 0, KEY, 0);
        ends.ended(context, lsn);
        return context;
    }

    private static byte[] bytes(SplittableRandom random, int count) {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return bytes;
    }

    /** Adds the undo of a random change; the value that the change makes. */
    private static byte[] change(SplittableRandom random, UndoCopy undo, byte[] value, int[] flags, int index) {
        byte[] key = KEY.clone();
        boolean ghost = flags[index] != 0;
        int dice = random.nextInt(3);
        if (!ghost && dice == 0) {
            undo.add(TREE, key, UndoBuffer.DELETE, value, UndoBuffer.WHOLE_VALUE, 0);
            flags[index + 1] = NodeLayout.SLOT_GHOST;
            return value;
        }
        if (!ghost && dice == 1 && value.length > 0) {
            int from = random.nextInt(value.length);
            int to = from + 1 + random.nextInt(value.length - from);
            undo.add(TREE, key, UndoBuffer.UPDATE, Arrays.copyOfRange(value, from, to), from, 0);
            byte[] changed = value.clone();
            System.arraycopy(bytes(random, to - from), 0, changed, from, to - from);
            return changed;
        }
        undo.add(TREE, key, UndoBuffer.UPDATE, value, UndoBuffer.WHOLE_VALUE, flags[index]);
        return bytes(random, random.nextInt(VALUE_BYTES_MAX));
    }
}
