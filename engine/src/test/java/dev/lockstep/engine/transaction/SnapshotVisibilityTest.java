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
import dev.lockstep.engine.btree.NodeLayout;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Whose changes a snapshot sees, and what it makes of those that it does not. */
class SnapshotVisibilityTest {
    private static final long BYTES_MAX = 1 << 20;
    private static final int TREE = 3;
    private static final int CHANGES_MAX = 12;
    private static final int VALUE_BYTES_MAX = 40;
    private static final byte[] KEY = {1, 2, 3};
    private static final byte[] NOTHING = {};

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
        Snapshot snapshot = table.openSnapshot(null, BYTES_MAX);
        long later = identify(third);
        third.logEnded();
        first.logEnded();
        assertTrue(snapshot.isVisible(0));
        assertTrue(snapshot.isVisible(ended));
        assertFalse(snapshot.isVisible(running));
        assertFalse(snapshot.isVisible(later));
        Snapshot next = table.openSnapshot(null, BYTES_MAX);
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
        versions.ending(aware, 0);
        aware.logEnded();
        Snapshot snapshot = versions.first();
        snapshot.take(new long[0], new TransactionContext[0], new long[0], table.nextTransactionId());
        snapshot.taken(0);
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
            undo.add(TREE, key, UndoBuffer.DELETE, NOTHING, UndoBuffer.WHOLE_VALUE, 0);
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
