package dev.lockstep.engine.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.scheduler.Waiter;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Derives compatibility and suprema from first principles and pins the result.
 *
 * <p>A mode permits its owner a set of actions. Some pairs of actions of two owners disturb each other; two modes are
 * compatible when no action of one disturbs an action of the other. The supremum of two modes is the mode that permits
 * the fewest actions among those that permit all the actions of both.
 */
class LockModeTest {
    /** What the owner of a lock may do to the thing locked, or to some of its parts after locking those too. */
    private enum Action {
        READ_SOME,
        WRITE_SOME,
        READ_ALL,
        WRITE_ALL,
        /** Wait for the right to write all, alone. */
        CLAIM,
        READ_GAP,
        INSERT_INTO_GAP,
        CHANGE_GAP;

        /**
         * Whether two owners must not be allowed these actions at the same time. SOME against SOME is settled below.
         */
        boolean disturbs(Action other) {
            return disturbsAbove(this, other) || disturbsAbove(other, this);
        }

        private static boolean disturbsAbove(Action one, Action other) {
            return switch (one) {
                case READ_ALL -> other == WRITE_SOME || other == WRITE_ALL;
                case WRITE_ALL -> other == READ_SOME || other == WRITE_SOME || other == WRITE_ALL;
                case CLAIM -> other == CLAIM;
                case READ_GAP -> other == INSERT_INTO_GAP || other == CHANGE_GAP;
                case CHANGE_GAP -> other == INSERT_INTO_GAP || other == CHANGE_GAP;
                case READ_SOME, WRITE_SOME, INSERT_INTO_GAP -> false;
            };
        }
    }

    private static final String GOLDEN =
            """
            compatible IS: IS IX S SIX U
            compatible IX: IS IX
            compatible S: IS S U
            compatible SIX: IS
            compatible U: IS S
            compatible X:
            supremum IS: IS IX S SIX U X
            supremum IX: IX IX SIX SIX X X
            supremum S: S SIX S SIX U X
            supremum SIX: SIX SIX SIX SIX X X
            supremum U: U X U X U X
            supremum X: X X X X X X
            compatible GAP_S: GAP_S
            compatible GAP_IX: GAP_IX
            compatible GAP_X:
            supremum GAP_S: GAP_S GAP_X GAP_X
            supremum GAP_IX: GAP_X GAP_IX GAP_X
            supremum GAP_X: GAP_X GAP_X GAP_X
            """;

    private static final int[] KEY_MODES = {LockMode.IS, LockMode.IX, LockMode.S, LockMode.SIX, LockMode.U, LockMode.X};
    private static final int[] GAP_MODES = {LockMode.GAP_S, LockMode.GAP_IX, LockMode.GAP_X};

    private static Set<Action> permitted(int mode) {
        EnumSet<Action> actions = EnumSet.noneOf(Action.class);
        switch (LockMode.keyPart(mode)) {
            case LockMode.IS -> actions.add(Action.READ_SOME);
            case LockMode.IX -> actions.addAll(Set.of(Action.READ_SOME, Action.WRITE_SOME));
            case LockMode.S -> actions.addAll(Set.of(Action.READ_SOME, Action.READ_ALL));
            case LockMode.SIX -> actions.addAll(Set.of(Action.READ_SOME, Action.WRITE_SOME, Action.READ_ALL));
            case LockMode.U -> actions.addAll(Set.of(Action.READ_SOME, Action.READ_ALL, Action.CLAIM));
            case LockMode.X ->
                actions.addAll(
                        Set.of(Action.READ_SOME, Action.WRITE_SOME, Action.READ_ALL, Action.WRITE_ALL, Action.CLAIM));
            default -> assertEquals(LockMode.NONE, LockMode.keyPart(mode));
        }
        switch (LockMode.gapPart(mode)) {
            case LockMode.GAP_S -> actions.add(Action.READ_GAP);
            case LockMode.GAP_IX -> actions.add(Action.INSERT_INTO_GAP);
            case LockMode.GAP_X -> actions.addAll(Set.of(Action.READ_GAP, Action.INSERT_INTO_GAP, Action.CHANGE_GAP));
            default -> assertEquals(LockMode.NONE, LockMode.gapPart(mode));
        }
        return actions;
    }

    private static List<Integer> validModes() {
        List<Integer> modes = new ArrayList<>();
        for (int mode = -1; mode <= 64; mode++) {
            if (LockMode.isValid(mode)) {
                modes.add(mode);
            }
        }
        return modes;
    }

    private static boolean compatibleByActions(int one, int other) {
        return permitted(one).stream().noneMatch(a -> permitted(other).stream().anyMatch(a::disturbs));
    }

    private static int supremumByActions(int one, int other) {
        EnumSet<Action> both = EnumSet.noneOf(Action.class);
        both.addAll(permitted(one));
        both.addAll(permitted(other));
        List<Integer> candidates = new ArrayList<>(validModes());
        candidates.add(LockMode.NONE);
        candidates.removeIf(mode -> !permitted(mode).containsAll(both));
        int least = candidates.getFirst();
        for (int candidate : candidates) {
            if (permitted(least).containsAll(permitted(candidate))) {
                least = candidate;
            }
        }
        for (int candidate : candidates) {
            assertTrue(permitted(candidate).containsAll(permitted(least)), "the supremum must be unique");
        }
        return least;
    }

    @Test
    void thereAreSevenKeyPartsTimesFourGapPartsWithoutNothing() {
        assertEquals(7 * 4 - 1, validModes().size());
    }

    @Test
    void compatibilityFollowsFromWhatModesPermit() {
        for (int one : validModes()) {
            for (int other : validModes()) {
                assertEquals(
                        compatibleByActions(one, other),
                        LockMode.isCompatible(one, other),
                        () -> LockMode.toString(one) + " and " + LockMode.toString(other));
            }
            assertTrue(LockMode.isCompatible(one, LockMode.NONE));
            assertTrue(LockMode.isCompatible(LockMode.NONE, one));
        }
    }

    @Test
    void supremaFollowFromWhatModesPermit() {
        List<Integer> modes = validModes();
        modes.add(LockMode.NONE);
        for (int one : modes) {
            for (int other : modes) {
                assertEquals(
                        supremumByActions(one, other),
                        LockMode.supremum(one, other),
                        () -> LockMode.toString(one) + " and " + LockMode.toString(other));
                assertEquals(
                        permitted(one).containsAll(permitted(other)),
                        LockMode.covers(one, other),
                        () -> LockMode.toString(one) + " covers " + LockMode.toString(other));
            }
        }
    }

    @Test
    void writingIsWhatDisturbsReaders() {
        for (int mode : validModes()) {
            boolean writes = permitted(mode).contains(Action.WRITE_SOME)
                    || permitted(mode).contains(Action.INSERT_INTO_GAP)
                    || permitted(mode).contains(Action.CHANGE_GAP);
            assertEquals(writes, LockMode.permitsWriting(mode), () -> LockMode.toString(mode));
        }
    }

    @Test
    void tablesAreWhatTheyWere() {
        StringBuilder table = new StringBuilder();
        appendTables(table, KEY_MODES);
        appendTables(table, GAP_MODES);
        assertEquals(GOLDEN, table.toString());
    }

    private static void appendTables(StringBuilder table, int[] modes) {
        for (int one : modes) {
            table.append("compatible ").append(LockMode.toString(one)).append(':');
            for (int other : modes) {
                if (LockMode.isCompatible(one, other)) {
                    table.append(' ').append(LockMode.toString(other));
                }
            }
            table.append('\n');
        }
        for (int one : modes) {
            table.append("supremum ").append(LockMode.toString(one)).append(':');
            for (int other : modes) {
                table.append(' ').append(LockMode.toString(LockMode.supremum(one, other)));
            }
            table.append('\n');
        }
    }

    @Test
    void setsOfPartsConflictLikeTheirMembers() {
        for (int one : validModes()) {
            assertEquals(LockMode.conflictsOf(one), LockMode.conflictsOfSet(LockMode.partsOf(one)));
            for (int other : validModes()) {
                assertEquals(
                        LockMode.conflictsOf(one) | LockMode.conflictsOf(other),
                        LockMode.conflictsOfSet(LockMode.partsOf(one) | LockMode.partsOf(other)));
            }
        }
    }

    @Test
    void onlyModesAreAccepted() {
        assertFalse(LockMode.isValid(LockMode.NONE));
        assertFalse(LockMode.isValid(7));
        assertFalse(LockMode.isValid(32));
        assertFalse(LockMode.isValid(-1));
        LockManager manager = new LockManager(1);
        try (LockOwner owner = new LockOwner(new Waiter())) {
            assertThrows(IllegalArgumentException.class, () -> manager.tryLock(owner, 1, 7));
        }
        assertThrows(IllegalArgumentException.class, () -> new LockManager(3));
        assertThrows(IllegalArgumentException.class, () -> new LockManager(2 * LockManager.STRIPES_MAX));
    }

    @Test
    void modesHaveNames() {
        assertEquals("S+GAP_S", LockMode.toString(LockMode.KEY_S_GAP_S));
        assertEquals("GAP_IX", LockMode.toString(LockMode.GAP_IX));
        assertEquals("SIX", LockMode.toString(LockMode.SIX));
        assertEquals("NONE", LockMode.toString(LockMode.NONE));
        assertEquals("invalid(7)", LockMode.toString(7));
    }
}
