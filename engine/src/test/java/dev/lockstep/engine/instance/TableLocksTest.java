package dev.lockstep.engine.instance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.lock.LockManager;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.transaction.TransactionContext;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The partitions of a table's lock act as the one lock that they stand for, whichever partitions two owners use. */
class TableLocksTest {
    private static final int TREE = 7;
    private static final int TABLE = 20;
    private static final int PARTITIONS = 4;
    private static final int[] MODES = {
        LockMode.IS, LockMode.IX, LockMode.S, LockMode.SIX, LockMode.U, LockMode.X,
    };

    private final LockManager manager = new LockManager(4);
    private final List<Owner> owners = new ArrayList<>();

    private record Owner(TransactionContext context, TableLocks locks) {}

    /** As many owners as make each partition that of two. */
    private void makeOwners() {
        while (owners.size() < 2 * PARTITIONS) {
            TransactionContext context = new TransactionContext(null);
            owners.add(new Owner(context, new TableLocks(manager, context, null, PARTITIONS)));
            assertTrue(manager.tryLock(context.lockOwner(), 1, LockMode.KEY_S), "gives the owner its place");
            release(owners.getLast());
        }
    }

    private void release(Owner owner) {
        owner.locks().released();
        manager.releaseAll(owner.context().lockOwner(), 0);
    }

    @AfterEach
    void nothingIsLeft() {
        manager.validate();
        assertTrue(manager.isEmpty());
    }

    @Test
    void twoModesGoTogetherWhereTheyAreCompatibleWhateverThePartitions() {
        makeOwners();
        for (Owner first : owners) {
            for (Owner second : owners) {
                if (first.equals(second)) {
                    continue;
                }
                for (int held : MODES) {
                    for (int wanted : MODES) {
                        assertTrue(first.locks().tryLock(TREE, held));
                        assertEquals(
                                LockMode.isCompatible(wanted, held),
                                second.locks().tryLock(TREE, wanted),
                                () -> LockMode.toString(wanted) + " beside " + LockMode.toString(held));
                        assertTrue(second.locks().tryLock(TREE + 1, LockMode.X), "another table is free");
                        release(first);
                        release(second);
                    }
                }
            }
        }
    }

    @Test
    void aModeThatIsRaisedConflictsAsTheSupremum() {
        makeOwners();
        for (Owner first : owners) {
            for (Owner second : owners) {
                if (first.equals(second)) {
                    continue;
                }
                for (int held : MODES) {
                    for (int raised : MODES) {
                        for (int wanted : MODES) {
                            assertTrue(first.locks().tryLock(TABLE, TREE, held));
                            assertTrue(first.locks().tryLock(TABLE, TREE, raised));
                            int supremum = LockMode.supremum(held, raised);
                            assertTrue(first.locks().cover(TABLE, supremum));
                            assertEquals(
                                    LockMode.isCompatible(wanted, supremum),
                                    second.locks().tryLock(TREE, wanted),
                                    () -> LockMode.toString(wanted) + " beside " + LockMode.toString(supremum));
                            release(first);
                            release(second);
                        }
                    }
                }
            }
        }
    }

    @Test
    void anIntentionIsOneLockAndEveryOtherModeOneOfEachPartition() {
        makeOwners();
        for (int mode : MODES) {
            Owner owner = owners.getFirst();
            assertTrue(owner.locks().tryLock(TREE, mode));
            boolean intention = mode == LockMode.IS || mode == LockMode.IX;
            assertEquals(intention ? 1 : PARTITIONS, manager.statistics().locks(), LockMode.toString(mode));
            release(owner);
        }
    }

    @Test
    void whatIsRefusedInOnePartitionIsRefused() {
        makeOwners();
        Owner last = owners.get(PARTITIONS - 1);
        assertTrue(last.locks().tryLock(TREE, LockMode.IX));
        assertFalse(owners.getFirst().locks().tryLock(TREE, LockMode.X));
        release(last);
        assertTrue(owners.getFirst().locks().tryLock(TREE, LockMode.X));
        release(owners.getFirst());
    }
}
