package dev.lockstep.engine.btree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** What a hint says, and to whom. */
class LeafHintsTest {
    private static final int TREE = 7;
    private static final int FRAME = 1_234_567;

    /** Of a leaf of which no group is the last. */
    private static final int SLOTS = 508;

    private static final int SHIFT = LeafHints.GROUP_SHIFT_MIN;

    /** A group of eight keys shares a hint, and four groups a part of the table. */
    private static final int KEYS_PER_LINE = 32;

    private static final int PLACES_OF_EACH = 32;

    private final LeafHints hints = new LeafHints(1);

    private static byte[] key(long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }

    private long place(long number) {
        return hints.placeOf(TREE, SHIFT, key(number), Long.BYTES, true);
    }

    private void remember(long number, int frame, int slot) {
        remember(number, frame, slot, SLOTS);
    }

    private void remember(long number, int frame, int slot, int slotCount) {
        hints.remember(place(number), frame, slot, slotCount, key(number), Long.BYTES);
    }

    private long hint(long number) {
        return hints.hintOpaque(place(number), key(number), Long.BYTES);
    }

    private int frame(long number) {
        return LeafHints.frame(hint(number));
    }

    private int slot(long number) {
        return LeafHints.slot(hint(number), place(number), key(number), Long.BYTES);
    }

    /** Of eight hints. */
    private static int line(long place) {
        return ((int) place & (1 << 29) - 1) >> 3;
    }

    /** The next key behind another whose hint lies where that of a third lies. */
    private long keyThatSharesThePlaceOf(long number, long behind) {
        long other = behind;
        do {
            other += KEYS_PER_LINE;
        } while ((int) place(other) != (int) place(number));
        return other;
    }

    @Test
    void saysWhereAKeyWasFound() {
        assertEquals(LeafHints.NONE, hint(1_000));
        remember(1_000, FRAME, 507);
        assertEquals(FRAME, frame(1_000));
        assertEquals(507, slot(1_000));
    }

    @Test
    void saysTheSlotsOfItsNeighboursToo() {
        remember(1_003, 0, 10);
        assertEquals(0, frame(1_000));
        assertEquals(7, slot(1_000));
        assertEquals(14, slot(1_007));
    }

    @Test
    void saysOfEachKeyOfAGroupInWhichOfTwoLeavesItIs() {
        // 1000 to 1004 are the last of one leaf, 1005 to 1007 the first of the next.
        remember(1_002, FRAME, 22, 25);
        assertEquals(FRAME, frame(1_004));
        remember(1_006, FRAME + 1, 1, 25);
        for (int i = 0; i < 8; i++) {
            boolean inLower = i < 5;
            assertEquals(inLower ? FRAME : FRAME + 1, frame(1_000 + i), "key=" + i);
            assertEquals(inLower ? 20 + i : i - 5, slot(1_000 + i), "key=" + i);
        }
        remember(1_002, FRAME, 22, 25);
        assertEquals(FRAME + 1, frame(1_006), "neither overwrites the other");
    }

    @Test
    void saysTheLowerLeafWhereTheUpperIsNotKnown() {
        remember(1_002, FRAME, 22, 25);
        assertEquals(FRAME, frame(1_006), "it may have been put there since");
        assertEquals(26, slot(1_006));
        remember(1_006, FRAME, 26, 27);
        remember(1_010, FRAME + 1, 1, 25);
        assertEquals(FRAME, frame(1_007));
    }

    @Test
    void saysNothingOfTheLowerLeafWhereTheUpperAloneIsKnown() {
        remember(1_006, FRAME + 1, 1, 25);
        assertEquals(FRAME + 1, frame(1_005));
        assertEquals(0, slot(1_005));
        assertEquals(LeafHints.NONE, hint(1_004));
    }

    @Test
    void isSharedByShortKeysOfRecordsAndByNoRanges() {
        byte[] key = {0, 0, 3, (byte) 0xe8};
        byte[] neighbour = {0, 0, 3, (byte) 0xef};
        assertEquals(
                hints.placeOf(TREE, SHIFT, key, key.length, true),
                hints.placeOf(TREE, SHIFT, neighbour, neighbour.length, true));
        assertNotEquals(
                hints.placeOf(TREE, SHIFT, key, key.length, false),
                hints.placeOf(TREE, SHIFT, neighbour, neighbour.length, false));
        long place = hints.placeOf(TREE, SHIFT, neighbour, neighbour.length, true);
        hints.remember(place, FRAME, 20, SLOTS, neighbour, neighbour.length);
        assertEquals(13, LeafHints.slot(hints.hintOpaque(place, key, key.length), place, key, key.length));
    }

    @Test
    void groupsAreAsLargeAsALeafOfTheTreeAlwaysIs() {
        assertEquals(3, LeafHints.groupShift(0), "nothing is known");
        assertEquals(3, LeafHints.groupShift(8_000));
        assertEquals(3, LeafHints.groupShift(600));
        assertEquals(4, LeafHints.groupShift(310));
        assertEquals(5, LeafHints.groupShift(100));
        assertEquals(6, LeafHints.groupShift(20));
        assertEquals(6, LeafHints.groupShift(1));
    }

    @Test
    void ofLargeGroupsIsOneForEachLeaf() {
        int shift = 6;
        long first = 64 * 1_000;
        // The first 40 keys of the group are the last of one leaf, the other 24 the first of the next.
        for (int number : new int[] {39, 63}) {
            byte[] key = key(first + number);
            long place = hints.placeOf(TREE, shift, key, key.length, true);
            int slot = number < 40 ? 60 + number : number - 40;
            hints.remember(place, number < 40 ? FRAME : FRAME + 1, slot, 100, key, key.length);
        }
        for (int number = 0; number < 64; number++) {
            byte[] key = key(first + number);
            long place = hints.placeOf(TREE, shift, key, key.length, true);
            long hint = hints.hintOpaque(place, key, key.length);
            assertEquals(number < 40 ? FRAME : FRAME + 1, LeafHints.frame(hint), "key=" + number);
            int slot = LeafHints.slot(hint, place, key, key.length);
            assertEquals(number < 40 ? 60 + number : number - 40, slot, "key=" + number);
        }
    }

    @Test
    void thereIsNoneForAFrameOfAPoolBeyondFourTebibytes() {
        int last = (1 << 29) - 2;
        remember(1_000, last, 3);
        assertEquals(last, frame(1_000));
        remember(2_000, last + 1, 3);
        assertEquals(LeafHints.NONE, hint(2_000));
    }

    @Test
    void ofPutsIsInOneLineWithThoseOfNeighbours() {
        long[] places = new long[8];
        for (int i = 0; i < places.length; i++) {
            byte[] key = ByteBuffer.allocate(12).putLong(7_000 + i).putInt(5).array();
            places[i] = hints.placeOfPut(TREE, key, key.length);
            assertEquals(line(places[0]), line(places[i]), "line of neighbour=" + i);
            hints.rememberPut(places[i], i, 3 * i);
        }
        for (int i = 0; i < places.length; i++) {
            assertEquals(i, LeafHints.frame(hints.hintOpaque(places[i])), "neighbour=" + i);
            assertEquals(3 * i + 1, LeafHints.slotBehindPut(hints.hintOpaque(places[i])), "neighbour=" + i);
        }
    }

    @Test
    void isNoneForAKeyThatOnlySharesItsPlace() {
        long other = keyThatSharesThePlaceOf(1_000, 1_000);
        assertNotEquals(place(1_000), place(other));
        remember(1_000, FRAME, 3);
        assertEquals(LeafHints.NONE, hint(other));
    }

    @Test
    void isKeptBesideAllOthersThatShareItsPlaces() {
        long[] numbers = new long[PLACES_OF_EACH + 1];
        numbers[0] = 1_000;
        for (int i = 1; i <= PLACES_OF_EACH; i++) {
            numbers[i] = keyThatSharesThePlaceOf(1_000, numbers[i - 1]);
        }
        for (int i = 0; i < PLACES_OF_EACH; i++) {
            remember(numbers[i], FRAME + i, 3);
        }
        for (int i = 0; i < PLACES_OF_EACH; i++) {
            assertEquals(FRAME + i, frame(numbers[i]));
            remember(numbers[i], 2 * FRAME + i, 3);
        }
        for (int i = 0; i < PLACES_OF_EACH; i++) {
            assertEquals(2 * FRAME + i, frame(numbers[i]), "written where it is");
        }
        remember(numbers[PLACES_OF_EACH], FRAME, 5);
        assertEquals(FRAME, frame(numbers[PLACES_OF_EACH]));
        assertEquals(LeafHints.NONE, hint(1_000), "there is no place but these");
        for (int i = 1; i < PLACES_OF_EACH; i++) {
            assertEquals(2 * FRAME + i, frame(numbers[i]));
        }
    }

    @Test
    void areFewerLostThanGroupsShareAPlace() {
        LeafHints table = new LeafHints(1 << 13);
        int places = 1 << 16;
        int groups = places / 3;
        long keysPerGroup = 8;
        for (int round = 0; round < 2; round++) {
            for (int group = 0; group < groups; group++) {
                byte[] key = key(group * keysPerGroup);
                table.remember(table.placeOf(TREE, SHIFT, key, key.length, true), group, 0, SLOTS, key, key.length);
            }
        }
        int kept = 0;
        for (int group = 0; group < groups; group++) {
            byte[] key = key(group * keysPerGroup);
            long hint = table.hintOpaque(table.placeOf(TREE, SHIFT, key, key.length, true), key, key.length);
            kept += hint != LeafHints.NONE && LeafHints.frame(hint) == group ? 1 : 0;
        }
        // One place each would keep six of seven, two would keep nineteen of twenty.
        assertTrue(kept > groups * 0.99, "kept=" + kept + " groups=" + groups);
    }

    @Test
    void isWrittenAnewWhereTheKeyHasMoved() {
        remember(1_000, FRAME, 10);
        remember(1_000, FRAME, 13);
        assertEquals(10, slot(1_000), "in the same line of slots");
        remember(1_000, FRAME, 14);
        assertEquals(14, slot(1_000));
        remember(1_000, FRAME + 1, 14);
        assertEquals(FRAME + 1, frame(1_000));
    }

    @Test
    void ofPutsIsFollowedWhileItIsMostlyRight() {
        long place = hints.placeOfPut(TREE, key(1_000), Long.BYTES);
        assertEquals(place, hints.placeOfPut(TREE, key(1_001), Long.BYTES), "keys that differ at their ends share it");
        hints.rememberPut(place, FRAME, 5);
        assertTrue(LeafHints.isWorthFollowing(hints.hintOpaque(place)), "new");
        hints.rememberPut(place, FRAME + 1, 5);
        assertFalse(LeafHints.isWorthFollowing(hints.hintOpaque(place)), "wrong at once");
        hints.rememberPut(place, FRAME, 5);
        hints.rememberPut(place, FRAME, 5);
        assertFalse(LeafHints.isWorthFollowing(hints.hintOpaque(place)), "right once");
        for (int i = 0; i < 10; i++) {
            hints.rememberPut(place, FRAME, 5);
            assertTrue(LeafHints.isWorthFollowing(hints.hintOpaque(place)), "put=" + i);
        }
        hints.rememberPut(place, FRAME + 1, 5);
        assertTrue(LeafHints.isWorthFollowing(hints.hintOpaque(place)), "wrong once");
        hints.rememberPut(place, FRAME, 5);
        assertFalse(LeafHints.isWorthFollowing(hints.hintOpaque(place)), "wrong twice");
    }

    @Test
    void ofPutsExpectsTheNextBehindTheLast() {
        long place = hints.placeOfPut(TREE, key(1_000), Long.BYTES);
        for (int slot = 0; slot < NodeLayout.SLOT_COUNT_MAX; slot++) {
            hints.rememberPut(place, FRAME, slot);
            assertEquals(FRAME, LeafHints.frame(hints.hintOpaque(place)));
            assertEquals(slot + 1, LeafHints.slotBehindPut(hints.hintOpaque(place)));
        }
        hints.rememberPut(place, FRAME + 1, 7);
        assertEquals(8, LeafHints.slotBehindPut(hints.hintOpaque(place)));
        assertTrue(LeafHints.isWorthFollowing(hints.hintOpaque(place)), "wrong once");
    }
}
