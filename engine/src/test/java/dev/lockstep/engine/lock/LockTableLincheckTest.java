package dev.lockstep.engine.lock;

import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.lockstep.scheduler.Waiter;
import java.util.concurrent.atomic.AtomicInteger;
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
 * waiting. The same checks on weakened copies must fail.
 */
@Isolated("Lincheck transforms classes of the whole JVM")
class LockTableLincheckTest {
    /** Shallow in the normal build; a longer run sets the property to some thousands. */
    private static final int INVOCATIONS = Integer.getInteger("lockstep.lincheck.invocations", 60);

    private static final int ITERATIONS = Integer.getInteger("lockstep.lincheck.iterations", 5);

    /** Random operations on tables seldom meet while one is open for what the other conflicts with. */
    private static final int ITERATIONS_OF_TABLES = Math.max(ITERATIONS, 40);

    private static final int THREADS = 3;
    private static final int[] MODES = {
        LockMode.S, LockMode.U, LockMode.X, LockMode.KEY_S_GAP_S, LockMode.GAP_IX, LockMode.GAP_S
    };

    private static final int[] MODES_OF_TABLES = {
        LockMode.IS, LockMode.IX, LockMode.IX, LockMode.S, LockMode.IS, LockMode.X
    };

    @Test
    void conditionalRequestsAreAtomic() {
        options().sequentialSpecification(Specification.class).check(Table.class);
    }

    @Test
    void locksOfOpenTablesAreAtomic() {
        optionsOfTables().check(OpenedTables.class);
    }

    @Test
    void tablesThatAreOpenForWhatConflictsAreFound() {
        assertThrows(LincheckAssertionError.class, () -> optionsOfTables().check(AlwaysOpenTables.class));
    }

    @Test
    void whoClosesATableSeesWhoTakesItsLock() {
        optionsOfClosing().check(OpenedTable.class);
    }

    @Test
    void whoClosesATableAndOverlooksItsLocksIsFound() {
        assertThrows(LincheckAssertionError.class, () -> optionsOfClosing().check(OverlookedTable.class));
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

    private static ModelCheckingOptions optionsOfTables() {
        return options().iterations(ITERATIONS_OF_TABLES).sequentialSpecification(OpenSpecification.class);
    }

    /** One scenario of two operations: all places are tried at which the one can come between steps of the other. */
    private static ModelCheckingOptions optionsOfClosing() {
        return options().threads(2).actorsPerThread(1).iterations(1).invocationsPerIteration(20 * INVOCATIONS);
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

    /** Another weakened copy: tables stay open for intentions whatever is granted. */
    private static final class CarelessStripe extends LockStripe {
        CarelessStripe(LockManager manager) {
            super(manager);
        }

        @Override
        boolean mayBeOpen(long name, int modes) {
            return true;
        }
    }

    /** Another weakened copy: what is moved here from a table that is closed, is put where nobody looks for it. */
    private static final class OverlookingStripe extends LockStripe {
        private static final long ASIDE = LockName.ofTable(2);

        private int entryAside;

        OverlookingStripe(LockManager manager) {
            super(manager);
        }

        @Override
        long adopt(int owner, long name, int mode) {
            long grant = super.adopt(owner, ASIDE, mode);
            entryAside = (int) (grant >>> Integer.SIZE);
            return grant;
        }

        @Override
        LockOwner release(long name, int entry, int grant, int mode) {
            boolean isAside = entry == entryAside;
            entryAside = isAside ? 0 : entryAside;
            return super.release(isAside ? ASIDE : name, entry, grant, mode);
        }
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

        long lockName(int name) {
            return name;
        }

        int lockMode(int mode) {
            return MODES[mode];
        }

        Table(Function<LockManager, LockStripe> maker) {
            manager = new LockManager(1, LockManager.PASSES_MAX, maker);
        }

        @Operation
        public boolean tryLock(
                @Param(gen = ThreadIdGen.class) int thread,
                @Param(name = "name") int name,
                @Param(name = "mode") int mode) {
            if (manager.heldMode(owners[thread], lockName(3 - name)) != LockMode.NONE) {
                return false;
            }
            return manager.tryLock(owners[thread], lockName(name), lockMode(mode));
        }

        @Operation
        public boolean tryLockInstant(
                @Param(gen = ThreadIdGen.class) int thread,
                @Param(name = "name") int name,
                @Param(name = "mode") int mode) {
            return manager.tryLockInstant(owners[thread], lockName(name), lockMode(mode));
        }

        @Operation
        public boolean unlock(@Param(gen = ThreadIdGen.class) int thread, @Param(name = "name") int name) {
            return manager.unlock(owners[thread], lockName(name));
        }

        @Operation
        public void releaseAll(@Param(gen = ThreadIdGen.class) int thread) {
            manager.releaseAll(owners[thread], 0);
        }
    }

    /** The same with two tables, which owners lock at their own places as long as nobody wants them in S or X. */
    public static class OpenedTables extends Table {
        public OpenedTables() {}

        OpenedTables(Function<LockManager, LockStripe> maker) {
            super(maker);
        }

        @Override
        long lockName(int name) {
            return LockName.ofTable(name);
        }

        @Override
        int lockMode(int mode) {
            return MODES_OF_TABLES[mode];
        }
    }

    public static class AlwaysOpenTables extends OpenedTables {
        public AlwaysOpenTables() {
            super(CarelessStripe::new);
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

        int lockMode(int mode) {
            return MODES[mode];
        }

        public boolean tryLock(int thread, int name, int mode) {
            if (model.heldMode(thread, 3 - name) != LockMode.NONE) {
                return false;
            }
            int target = LockMode.supremum(model.heldMode(thread, name), lockMode(mode));
            boolean free = model.isFree(thread, name, target);
            if (free) {
                model.hold(thread, name, target);
            }
            return free;
        }

        public boolean tryLockInstant(int thread, int name, int mode) {
            return model.isFree(thread, name, lockMode(mode));
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

    public static class OpenSpecification extends Specification {
        @Override
        int lockMode(int mode) {
            return MODES_OF_TABLES[mode];
        }
    }

    /** A table that is open when it is given to the threads: who has it whole has it alone. */
    public static class OpenedTable {
        private static final long NAME = LockName.ofTable(1);

        private final LockManager manager;
        private final LockOwner[] owners = newOwners();
        private final AtomicInteger writersOfKeys = new AtomicInteger();
        private final AtomicInteger writersOfAll = new AtomicInteger();

        public OpenedTable() {
            this(LockStripe::new);
        }

        OpenedTable(Function<LockManager, LockStripe> maker) {
            manager = new LockManager(1, LockManager.PASSES_MAX, maker);
            manager.tryLock(owners[THREADS + 1], NAME, LockMode.IX);
            manager.releaseAll(owners[THREADS + 1], 0);
        }

        /** One thread writes keys, the other the whole table; returns whether somebody had what excludes it. */
        @Operation
        public boolean write(@Param(gen = ThreadIdGen.class) int thread) {
            return thread % 2 == 0
                    ? write(thread, LockMode.IX, writersOfKeys, writersOfAll)
                    : write(thread, LockMode.X, writersOfAll, writersOfKeys);
        }

        private boolean write(int thread, int mode, AtomicInteger own, AtomicInteger others) {
            if (!manager.tryLock(owners[thread], NAME, mode)) {
                return false;
            }
            own.incrementAndGet();
            boolean isDisturbed = others.get() != 0;
            own.decrementAndGet();
            manager.releaseAll(owners[thread], 0);
            if (manager.stripe(NAME).entryCount() < 0) {
                throw new IllegalStateException("a lock was released that was not there");
            }
            return isDisturbed;
        }
    }

    public static class OverlookedTable extends OpenedTable {
        public OverlookedTable() {
            super(OverlookingStripe::new);
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
