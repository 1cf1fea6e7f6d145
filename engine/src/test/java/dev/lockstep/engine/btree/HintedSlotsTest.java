package dev.lockstep.engine.btree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.Key;
import dev.lockstep.engine.buffer.BufferPool;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.type.Column;
import dev.lockstep.engine.type.ColumnType;
import dev.lockstep.engine.type.KeyFormat;
import dev.lockstep.scheduler.NodeLayout;
import dev.lockstep.scheduler.Waiter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Hints that are right, and all the ways in which one may be wrong. */
class HintedSlotsTest {
    private static final int TREE = 1;
    private static final int OTHER_TREE = 2;
    private static final int PAGE = 1;
    private static final int ROOT_PAGE = 9;

    /** Two groups of keys with a hint each, the second one cut. */
    private static final int RECORDS = 12;

    private static final int SOUGHT = 5;
    private static final byte[] VALUE = {1, 2, 3};

    private final BufferPool pool =
            new BufferPool(BufferPool.FRAMES_MIN, NodeLayout.NONE, null, null, null, (cause, isFatal) -> {}, () -> {});
    private final TreeEnvironment environment = new TreeEnvironment(pool, new PageAllocator(), null, failure -> {});
    private final BTree tree = new BTree(environment, TREE, ROOT_PAGE, TREE, 0);
    private final HintedSlots slots = new HintedSlots();
    private final GroupPrefetch prefetch = new GroupPrefetch();
    private final Key key = new Key(new KeyFormat(
            "K", new Column[] {new Column("id", ColumnType.int64(), false)}, new int[] {0}, new boolean[1]));
    private int frame;
    private long page;

    @BeforeEach
    void aLeafAndItsHint() {
        frame = pool.newPage(PAGE, new Waiter());
        page = BufferPool.address(frame);
        fill(TREE, 0);
        pool.latches().unlatchExclusive(frame);
        key.add((long) SOUGHT);
        remember(SOUGHT, RECORDS);
    }

    @AfterEach
    void close() {
        pool.close();
    }

    private void fill(int treeId, int level) {
        fill(treeId, level, KeyBytes.EMPTY, null);
    }

    private void fill(int treeId, int level, byte[] lowerFence, byte[] upperFence) {
        NodeEditor.format(pool.memory(), page, PAGE, treeId, level, lowerFence, upperFence, 0);
        for (int i = 0; i < RECORDS; i++) {
            byte[] stored = key.reset().add((long) i).bytes();
            if (level == 0) {
                NodeEditor.insertRecord(pool.memory(), page, i, stored, key.length(), VALUE, 0, VALUE.length, 0, 7 + i);
            } else {
                NodeEditor.insertSeparator(pool.memory(), page, i, stored, key.length(), i + 1);
            }
        }
        key.reset();
    }

    private long place() {
        return environment.hints().placeOf(TREE, LeafHints.GROUP_SHIFT_MIN, key.bytes(), key.length(), true);
    }

    private void remember(int slot, int slotCount) {
        environment.hints().remember(place(), frame, slot, slotCount, key.bytes(), key.length());
    }

    private long enter() {
        Key[] keys = {key};
        slots.find(tree, keys, 0, 1);
        slots.touch(1);
        slots.follow(keys, 0, 1, prefetch);
        prefetch.run(pool.memory(), pool.latches());
        return slots.enter(0, key);
    }

    private void change(Runnable change) {
        pool.latches().latchExclusive(frame);
        change.run();
        pool.latches().unlatchExclusive(frame);
    }

    @Test
    void findsTheRecordWhereTheHintSays() {
        long word = enter();
        assertEquals(Node.slotWord(pool.memory(), page, SOUGHT), word);
        assertEquals(7 + SOUGHT, Node.versionOf(pool.memory(), slots.page(0), word));
        assertEquals(frame, slots.frame(0));
        assertEquals(PAGE, slots.pageId(0));
        assertEquals(SOUGHT, slots.slot(0));
        assertEquals(pool.latches().optimisticVersionAcquire(frame), slots.version(0));
        assertTrue(slots.validate(0));
    }

    @Test
    void eachKeyHasAnAnswerOfItsOwn() {
        Key[] keys = new Key[HintedSlots.KEYS_MAX + 1];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = new Key(key.format());
            keys[i].add((long) (i * 5 % (RECORDS + 2)));
        }
        slots.find(tree, keys, 1, HintedSlots.KEYS_MAX);
        slots.touch(HintedSlots.KEYS_MAX);
        slots.follow(keys, 1, HintedSlots.KEYS_MAX, prefetch);
        for (int number = 0; number < HintedSlots.KEYS_MAX; number++) {
            int id = (number + 1) * 5 % (RECORDS + 2);
            // Those of the sought key's group share its hint.
            long expected = id < 8 ? Node.slotWord(pool.memory(), page, id) : Node.NO_SLOT_WORD;
            assertEquals(expected, slots.enter(number, keys[number + 1]), "id=" + id);
        }
    }

    @Test
    void fencesAreReadAheadBehindALeafThatNeedsThem() {
        enter();
        assertFalse(tree.touchesFences(), "filled in order, it has no prefix");
        byte[] lower = key.reset().add(0L).bytes().clone();
        byte[] upper = key.reset().add(100L).bytes().clone();
        change(() -> fill(TREE, 0, lower, upper));
        key.reset().add((long) SOUGHT);
        assertNotEquals(Node.NO_SLOT_WORD, enter());
        assertTrue(tree.touchesFences());
        assertNotEquals(Node.NO_SLOT_WORD, enter());
    }

    @Test
    void aChangeOfTheLeafEndsWhatWasFound() {
        assertNotEquals(Node.NO_SLOT_WORD, enter());
        change(() -> {});
        assertFalse(slots.validate(0));
    }

    @Test
    void aKeyWithoutAHintIsLeft() {
        key.reset().add(1_000L);
        assertEquals(Node.NO_SLOT_WORD, enter());
    }

    @Test
    void aHintToALeafThatIsBeingChangedIsLeft() {
        pool.latches().latchExclusive(frame);
        assertEquals(Node.NO_SLOT_WORD, enter());
        pool.latches().unlatchExclusive(frame);
    }

    @Test
    void aHintToTheLeafOfAnotherTreeIsLeft() {
        change(() -> fill(OTHER_TREE, 0));
        key.add((long) SOUGHT);
        assertEquals(Node.NO_SLOT_WORD, enter());
    }

    @Test
    void aHintToAnInnerNodeIsLeft() {
        change(() -> fill(TREE, 1));
        key.add((long) SOUGHT);
        assertEquals(Node.NO_SLOT_WORD, enter());
    }

    @Test
    void aHintToAPageThatIsNoNodeIsLeft() {
        change(() -> PageLayout.setType(pool.memory(), page, PageLayout.TYPE_OVERFLOW));
        assertEquals(Node.NO_SLOT_WORD, enter());
    }

    @Test
    void aHintToTheSlotOfAnotherKeyIsSearchedFor() {
        change(() -> NodeEditor.removeSlot(pool.memory(), page, 0));
        remember(SOUGHT, RECORDS - 1);
        assertEquals(Node.slotWord(pool.memory(), page, SOUGHT - 1), enter());
        assertEquals(SOUGHT - 1, slots.slot(0));
        assertTrue(slots.validate(0));
    }

    @Test
    void aKeyThatHasLeftItsLeafIsLeft() {
        change(() -> {
            while (Node.slotCount(pool.memory(), page) > SOUGHT) {
                NodeEditor.removeSlot(pool.memory(), page, SOUGHT);
            }
        });
        assertEquals(Node.NO_SLOT_WORD, enter());
    }

    /** It says of its neighbours that they are here. */
    @Test
    void aHintThatHasToLearnLearns() {
        change(() -> {
            while (Node.slotCount(pool.memory(), page) > SOUGHT + 1) {
                NodeEditor.removeSlot(pool.memory(), page, SOUGHT + 1);
            }
        });
        assertFalse(isRight());
        assertEquals(Node.slotWord(pool.memory(), page, SOUGHT), enter());
        assertTrue(isRight());
    }

    private boolean isRight() {
        long hint = environment.hints().hintOpaque(place(), key.bytes(), key.length());
        int slotCount = Node.slotCount(pool.memory(), page);
        return LeafHints.isRight(hint, place(), SOUGHT, slotCount, key.bytes(), key.length());
    }

    @Test
    void aFrameWithoutAPageIsLeft() {
        change(() -> pool.latches().setCompanionOpaque(frame, 0, -1));
        assertEquals(Node.NO_SLOT_WORD, enter());
    }
}
