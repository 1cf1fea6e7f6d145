package dev.lockstep.engine.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.scheduler.Waiter;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A lock table is broken only where it is made inside {@link LockFault#opening}, and only as its fault says. */
class LockFaultTest {
    private static final long KEY = LockName.ofKey(1, new byte[] {1}, 0, 1);
    private static final long TABLE = LockName.ofTable(1);

    private static LockManager broken(LockFault fault) {
        return LockFault.opening(Optional.of(fault), () -> new LockManager(4));
    }

    /** Whether a second owner gets a lock that the first has asked for. */
    private static boolean areGranted(LockManager manager, long name, int one, int other) {
        try (LockOwner first = new LockOwner(new Waiter());
                LockOwner second = new LockOwner(new Waiter())) {
            assertTrue(manager.tryLock(first, name, one));
            boolean granted = manager.tryLock(second, name, other);
            assertEquals(granted, manager.tryLockInstant(second, name, other));
            manager.validate();
            manager.releaseAll(first, 0);
            manager.releaseAll(second, 0);
            assertTrue(manager.isEmpty());
            return granted;
        }
    }

    @Test
    void withoutAFaultNothingIsBroken() {
        LockManager manager = LockFault.opening(Optional.empty(), () -> new LockManager(4));
        assertFalse(areGranted(manager, KEY, LockMode.X, LockMode.S));
        assertFalse(areGranted(manager, KEY, LockMode.GAP_S, LockMode.GAP_IX));
    }

    @ParameterizedTest
    @EnumSource(LockFault.class)
    void theFaultEndsWithTheCall(LockFault fault) {
        LockManager manager = broken(fault);
        LockManager later = new LockManager(4);
        assertEquals(fault != LockFault.GAPS_UNLOCKED, areGranted(manager, KEY, LockMode.X, LockMode.S));
        assertEquals(fault == LockFault.GAPS_UNLOCKED, areGranted(manager, KEY, LockMode.GAP_S, LockMode.GAP_IX));
        assertEquals(fault != LockFault.GAPS_UNLOCKED, areGranted(manager, KEY, LockMode.KEY_S_GAP_S, LockMode.X));
        // Writers never meet, and tables are locked as ever: what is in the pages stays in order.
        assertFalse(areGranted(manager, KEY, LockMode.X, LockMode.X));
        assertFalse(areGranted(manager, TABLE, LockMode.S, LockMode.IX));
        assertFalse(areGranted(later, KEY, LockMode.X, LockMode.S));
        assertFalse(areGranted(later, KEY, LockMode.GAP_S, LockMode.GAP_IX));
    }

    /** Who has a weakened lock may ask for it again, and for more. */
    @ParameterizedTest
    @EnumSource(LockFault.class)
    void conversionsGoOn(LockFault fault) {
        LockManager manager = broken(fault);
        try (LockOwner owner = new LockOwner(new Waiter())) {
            for (int mode : new int[] {LockMode.S, LockMode.KEY_S_GAP_S, LockMode.U, LockMode.X, LockMode.X}) {
                assertTrue(manager.tryLock(owner, KEY, mode));
                manager.validate();
            }
            manager.releaseAll(owner, 0);
            assertTrue(manager.isEmpty());
        }
    }
}
