package dev.lockstep.engine.lock;

import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.lockstep.scheduler.Waiter;
import java.util.function.Function;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Model checking of the lock table. Conditional requests must behave as they do one after the other in {@link
 * LockModel}; and a number under waiting locks must behave like one that is changed atomically, with nobody left
 * waiting. The same checks on {@link UnlatchedStripe} must fail.
 */
@Isolated("Lincheck transforms classes of the whole JVM")
class LockTableLincheckTest {
    /** Shallow in the normal build; a longer run sets the property to some thousands. */
    private static final int INVOCATIONS = Integer.getInteger("lockstep.lincheck.invocations", 60);

    private static final int ITERATIONS = Integer.getInteger("lockstep.lincheck.iterations", 5);

    private static final int THREADS = 3;
    private static final int[] MODES = {
        LockMode.S, LockMode.U, LockMode.X, LockMode.KEY_S_GAP_S, LockMode.GAP_IX, LockMode.GAP_S
    };

    @Test
    void conditionalRequestsAreAtomic() {
        options().sequentialSpecification(Specification.class).check(Table.class);
    }

    @Test
    void conditionalRequestsWithoutLatchesAreFound() {
        assertThrows(
                LincheckAssertionError.class,
                () -> options().sequentialSpecification(Specification.class).check(UnlatchedTable.class));
    }

    @Test
    void waitingRequestsAreWokenAndExcludeEachOther() {
        options().check(Number.class);
    }

    @Test
    void waitingRequestsWithoutLatchesAreFound() {
        assertThrows(LincheckAssertionError.class, () -> options().check(UnlatchedNumber.class));
    }

    private static ModelCheckingOptions options() {
        return new ModelCheckingOptions()
                .iterations(ITERATIONS)
                .invocationsPerIteration(INVOCATIONS)
                .threads(THREADS)
                .actorsPerThread(2)
                .actorsBefore(0)
                .actorsAfter(0)
                .minimizeFailedScenario(false);
    }

    /** The weakened copy: a stripe whose latch keeps nobody out. */
    private static final class UnlatchedStripe extends LockStripe {
        UnlatchedStripe(LockManager manager) {
            super(manager);
        }

        @Override
        void latch() {}

        @Override
        void unlatch() {}
    }

    private static LockOwner[] newOwners() {
        LockOwner[] owners = new LockOwner[THREADS + 2];
        for (int i = 0; i < owners.length; i++) {
            owners[i] = new LockOwner(new Waiter());
            owners[i].setTransactionId(i + 1);
        }
        return owners;
    }

    /** Conditional requests on two names in one stripe; no owner holds both, so that every operation is one step. */
    @Param(name = "name", gen = IntGen.class, conf = "1:2")
    @Param(name = "mode", gen = IntGen.class, conf = "0:5")
    public static class Table {
        private final LockManager manager;
        private final LockOwner[] owners = newOwners();

        public Table() {
            this(LockStripe::new);
        }

        Table(Function<LockManager, LockStripe> maker) {
            manager = new LockManager(1, LockManager.PASSES_MAX, maker);
        }

        @Operation
        public boolean tryLock(
                @Param(gen = ThreadIdGen.class) int thread,
                @Param(name = "name") int name,
                @Param(name = "mode") int mode) {
            if (manager.heldMode(owners[thread], 3 - name) != LockMode.NONE) {
                return false;
            }
            return manager.tryLock(owners[thread], name, MODES[mode]);
        }

        @Operation
        public boolean tryLockInstant(
                @Param(gen = ThreadIdGen.class) int thread,
                @Param(name = "name") int name,
                @Param(name = "mode") int mode) {
            return manager.tryLockInstant(owners[thread], name, MODES[mode]);
        }

        @Operation
        public boolean unlock(@Param(gen = ThreadIdGen.class) int thread, @Param(name = "name") int name) {
            return manager.unlock(owners[thread], name);
        }

        @Operation
        public void releaseAll(@Param(gen = ThreadIdGen.class) int thread) {
            manager.releaseAll(owners[thread], 0);
        }
    }

    public static class UnlatchedTable extends Table {
        public UnlatchedTable() {
            super(UnlatchedStripe::new);
        }
    }

    /** What both tables must behave like. */
    public static class Specification {
        private final LockModel model = new LockModel(LockManager.PASSES_MAX);

        public boolean tryLock(int thread, int name, int mode) {
            if (model.heldMode(thread, 3 - name) != LockMode.NONE) {
                return false;
            }
            int target = LockMode.supremum(model.heldMode(thread, name), MODES[mode]);
            boolean free = model.isFree(thread, name, target);
            if (free) {
                model.hold(thread, name, target);
            }
            return free;
        }

        public boolean tryLockInstant(int thread, int name, int mode) {
            return model.isFree(thread, name, MODES[mode]);
        }

        public boolean unlock(int thread, int name) {
            int held = model.heldMode(thread, name);
            boolean released = held != LockMode.NONE && !LockMode.permitsWriting(held);
            if (released) {
                model.release(thread, name);
            }
            return released;
        }

        public void releaseAll(int thread) {
            model.releaseAll(thread, 0);
        }
    }

    /** Two numbers kept equal under a lock that is waited for. */
    public static class Number {
        private final LockManager manager;
        private final LockOwner[] owners = newOwners();
        private int left;
        private int right;

        public Number() {
            this(LockStripe::new);
        }

        Number(Function<LockManager, LockStripe> maker) {
            manager = new LockManager(1, LockManager.PASSES_MAX, maker);
        }

        @Operation
        public int increment(@Param(gen = ThreadIdGen.class) int thread) {
            manager.lock(owners[thread], 1, LockMode.X, Waiter.NO_DEADLINE);
            left++;
            right++;
            int result = left;
            manager.releaseAll(owners[thread], 0);
            return result;
        }

        @Operation
        public int incrementByConversion(@Param(gen = ThreadIdGen.class) int thread) {
            manager.lock(owners[thread], 1, LockMode.U, Waiter.NO_DEADLINE);
            int seen = left;
            manager.lock(owners[thread], 1, LockMode.X, Waiter.NO_DEADLINE);
            left = seen + 1;
            right++;
            manager.releaseAll(owners[thread], 0);
            return seen + 1;
        }

        @Operation
        public int read(@Param(gen = ThreadIdGen.class) int thread) {
            manager.lock(owners[thread], 1, LockMode.S, Waiter.NO_DEADLINE);
            int result = left == right ? left : -1;
            manager.releaseAll(owners[thread], 0);
            return result;
        }
    }

    public static class UnlatchedNumber extends Number {
        public UnlatchedNumber() {
            super(UnlatchedStripe::new);
        }
    }
}
