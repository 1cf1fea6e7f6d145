package dev.lockstep.engine.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.scheduler.Waiter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random schedules of one thread that plays all owners, compared with {@link LockModel} after every step: what is
 * granted, who waits, which deadlocks are broken and by whom, what early release makes depend on what.
 */
class LockManagerModelTest {
    private static final int STEPS = 30_000;
    private static final int OWNERS = 7;
    private static final int[] TABLE_MODES = {
        LockMode.IS, LockMode.IS, LockMode.IX, LockMode.IX, LockMode.S, LockMode.SIX, LockMode.U, LockMode.X
    };

    private static final int PASSES_MAX = 3;

    private LockManager manager;
    private LockModel model;
    private final LockOwner[] owners = new LockOwner[OWNERS];
    private final long[] names = new long[5];
    private int grantsAfterWaiting;
    private int victims;
    private int passes;
    private int vainClaims;
    private int withdrawals;
    private int refusals;
    private long nextTransactionId = 1;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void agreesWithTheModel(long seed) {
        run(seed, PASSES_MAX);
        assertTrue(passes > STEPS / 500, "passes=" + passes);
        assertTrue(vainClaims > STEPS / 1000, "vainClaims=" + vainClaims);
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13})
    void agreesWithTheModelWhereNobodyPasses(long seed) {
        run(seed, 0);
        assertEquals(0, passes);
        assertEquals(0, vainClaims);
    }

    private void run(long seed, int passesMax) {
        manager = new LockManager(2, passesMax, LockStripe::new);
        model = new LockModel(passesMax);
        Random random = new Random(seed);
        for (int i = 0; i < OWNERS; i++) {
            owners[i] = new LockOwner(new Waiter());
            owners[i].setTransactionId(nextTransactionId++);
        }
        for (int i = 0; i < names.length; i++) {
            names[i] = i < 2 ? LockName.ofTable(i) : LockName.ofKey(1, new byte[] {(byte) i}, 0, 1);
        }
        for (int step = 0; step < STEPS; step++) {
            try {
                step(random);
                check();
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed=" + seed + " step=" + step + ": " + e.getMessage(), e);
            }
        }
        for (int i = 0; i < OWNERS; i++) {
            if (model.isWaiting(i)) {
                model.withdraw(i);
                assertEquals(LockOwner.IDLE, manager.settle(owners[i]));
                settleGranted();
            }
        }
        for (int i = 0; i < OWNERS; i++) {
            manager.releaseAll(owners[i], 0);
            model.releaseAll(i, 0);
            owners[i].close();
        }
        assertTrue(model.isEmpty());
        assertTrue(manager.isEmpty());
        assertEquals(0, manager.statistics().owners());
        manager.validate();
        assertTrue(grantsAfterWaiting > STEPS / 100, "grantsAfterWaiting=" + grantsAfterWaiting);
        assertTrue(victims > STEPS / 500, "victims=" + victims);
        assertTrue(withdrawals > STEPS / 500, "withdrawals=" + withdrawals);
        assertTrue(refusals > STEPS / 500, "refusals=" + refusals);
        assertEquals(victims, manager.statistics().deadlocks());
    }

    private int randomMode(Random random, long name) {
        if (LockName.isTable(name)) {
            return TABLE_MODES[random.nextInt(TABLE_MODES.length)];
        }
        int mode;
        do {
            mode = random.nextInt(32);
        } while (!LockMode.isValid(mode));
        return mode;
    }

    private void step(Random random) {
        int i = random.nextInt(OWNERS);
        LockOwner owner = owners[i];
        long name = names[random.nextInt(names.length)];
        if (model.isWaiting(i)) {
            if (model.isInvited(i) && random.nextBoolean()) {
                model.claim(i);
                manager.claim(owner);
                vainClaims += model.isWaiting(i) ? 1 : 0;
            } else if (random.nextInt(8) == 0) {
                Map<Integer, Set<Integer>> before = model.waitsFor();
                model.withdraw(i);
                assertEquals(LockOwner.IDLE, manager.settle(owner));
                withdrawals++;
                checkNobodyWaitsForOthersThanBefore(before, Set.of());
            }
            return;
        }
        int mode = randomMode(random, name);
        int held = model.heldMode(i, name);
        int target = LockMode.supremum(held, mode);
        Map<Integer, Set<Integer>> before = model.waitsFor();
        boolean wouldPass = model.wouldPass(i, name, target);
        boolean passedWithOthers = false;
        int choice = random.nextInt(18);
        if (choice == 17) {
            Set<Integer> passing = tryLockTogether(random);
            passes += passing.isEmpty() ? 0 : 1;
            checkNobodyWaitsForOthersThanBefore(before, passing);
            return;
        }
        switch (choice) {
            case 0, 1, 2, 3, 4, 5, 6 -> {
                boolean free = target == held || model.isFree(i, name, target);
                int result = manager.request(owner, name, mode);
                assertEquals(free ? held : LockManager.BLOCKED, result);
                if (free) {
                    model.hold(i, name, target);
                } else {
                    model.enqueue(i, name, target, false);
                    searchForDeadlocks(i);
                }
            }
            case 7, 8 -> {
                boolean free = target == held || model.isFree(i, name, target);
                assertEquals(free, manager.tryLock(owner, name, mode));
                if (free) {
                    model.hold(i, name, target);
                }
            }
            case 9 -> assertEquals(model.isFree(i, name, mode), manager.tryLockInstant(owner, name, mode));
            case 10 -> {
                boolean free = model.isFree(i, name, mode);
                assertEquals(free, manager.requestInstant(owner, name, mode));
                if (!free) {
                    model.enqueue(i, name, mode, true);
                    searchForDeadlocks(i);
                }
            }
            case 11, 12 -> {
                boolean released = held != LockMode.NONE && !LockMode.permitsWriting(held);
                assertEquals(released, manager.unlock(owner, name));
                if (released) {
                    model.release(i, name);
                }
            }
            case 16 -> passedWithOthers = tryLockKeys(random, i);
            default -> {
                long commitLsn = random.nextBoolean() ? nextTransactionId * 100 : 0;
                model.releaseAll(i, commitLsn);
                manager.releaseAll(owner, commitLsn);
                owner.setTransactionId(nextTransactionId++);
            }
        }
        boolean passed = choice == 16 ? passedWithOthers : wouldPass && model.heldMode(i, name) != LockMode.NONE;
        passes += passed ? 1 : 0;
        checkNobodyWaitsForOthersThanBefore(before, passed ? Set.of(i) : Set.of());
    }

    /**
     * Several at once, some of them held already, and some twice: as if they were asked for one by one.
     *
     * @return whether the owner has passed somebody who waits
     */
    private boolean tryLockKeys(Random random, int i) {
        long[] keys = IntStream.range(0, 2 + random.nextInt(4))
                .mapToLong(_ -> names[2 + random.nextInt(names.length - 2)])
                .toArray();
        int mode = randomMode(random, keys[0]);
        int from = random.nextInt(2);
        int expected = from;
        boolean passed = false;
        while (expected < keys.length) {
            long name = keys[expected];
            int held = model.heldMode(i, name);
            int target = LockMode.supremum(held, mode);
            if (target != held) {
                if (!model.isFree(i, name, target)) {
                    break;
                }
                passed |= model.wouldPass(i, name, target);
                model.hold(i, name, target);
            }
            expected++;
        }
        assertEquals(expected, manager.tryLockKeys(owners[i], keys, from, keys.length, mode));
        return passed;
    }

    private record Request(int owner, long name, int mode) {}

    /**
     * Several owners at once, each for keys of its own choice: as if they were asked for one by one, stripe by stripe,
     * those of one owner in their order, and up to the first that is not to be had.
     *
     * @return the owners that have passed somebody who waits
     */
    private Set<Integer> tryLockTogether(Random random) {
        List<Request> all = new ArrayList<>();
        IntStream.range(0, OWNERS)
                .filter(i -> !model.isWaiting(i) && random.nextBoolean())
                .forEach(i -> IntStream.rangeClosed(0, random.nextInt(3)).forEach(_ -> {
                    long name = names[2 + random.nextInt(names.length - 2)];
                    all.add(new Request(i, name, randomMode(random, name)));
                }));
        LockRequests requests = new LockRequests(3 * OWNERS);
        all.forEach(request -> requests.add(owners[request.owner], request.name, request.mode));
        Set<Integer> granted = new HashSet<>();
        Set<Integer> passing = new HashSet<>();
        List<Integer> left =
                new ArrayList<>(IntStream.range(0, all.size()).boxed().toList());
        while (!left.isEmpty()) {
            Request first = all.get(left.getFirst());
            boolean isHeld = LockMode.supremum(model.heldMode(first.owner, first.name), first.mode)
                    == model.heldMode(first.owner, first.name);
            LockStripe stripe = isHeld ? null : manager.stripe(first.name);
            // What is held already needs no pass, and takes no other along.
            List<Integer> pass = isHeld ? List.of(left.getFirst()) : List.copyOf(left);
            for (int number : pass) {
                Request request = all.get(number);
                boolean isNext = left.contains(number)
                        && left.stream().noneMatch(other -> other < number && all.get(other).owner == request.owner);
                if (isNext && (isHeld || manager.stripe(request.name) == stripe)) {
                    left.remove((Integer) number);
                    if (hold(request, passing)) {
                        granted.add(number);
                    } else {
                        left.removeIf(other -> all.get(other).owner == request.owner);
                    }
                }
            }
        }
        assertEquals(granted.size() == all.size(), manager.tryLockKeys(requests));
        for (int number = 0; number < all.size(); number++) {
            assertEquals(granted.contains(number), requests.isGranted(number), all.get(number)::toString);
        }
        refusals += all.size() - granted.size();
        return passing;
    }

    private boolean hold(Request request, Set<Integer> passing) {
        int held = model.heldMode(request.owner, request.name);
        int target = LockMode.supremum(held, request.mode);
        if (target != held) {
            if (!model.isFree(request.owner, request.name, target)) {
                return false;
            }
            if (model.wouldPass(request.owner, request.name, target)) {
                passing.add(request.owner);
            }
            model.hold(request.owner, request.name, target);
        }
        return true;
    }

    /** The property behind freedom from starvation: but for who has passed, if anybody has. */
    private void checkNobodyWaitsForOthersThanBefore(Map<Integer, Set<Integer>> before, Set<Integer> passing) {
        Map<Integer, Set<Integer>> after = model.waitsFor();
        after.forEach((owner, blockers) -> {
            if (before.containsKey(owner)) {
                Set<Integer> expected = LockModel.closure(before, owner);
                expected.addAll(passing);
                assertTrue(
                        expected.containsAll(blockers),
                        () -> "owner " + owner + " is blocked by " + blockers + " after " + before);
            }
        });
    }

    private void searchForDeadlocks(int starter) {
        manager.breakDeadlocks(owners[starter]);
        // In the order in which they were chosen: a victim is not visited by later searches.
        List<Integer> chosen = IntStream.range(0, OWNERS)
                .filter(i -> owners[i].waitStateAcquire() == LockOwner.VICTIM)
                .boxed()
                .sorted(Comparator.comparingInt(i -> owners[i].searchStamp))
                .toList();
        for (int victim : chosen) {
            Map<Integer, Set<Integer>> edges = model.waitsFor();
            assertTrue(
                    LockModel.isOnCycle(edges, victim, noBetterVictims(victim)),
                    () -> "not on a cycle, or not its youngest member: " + victim + " waitsFor=" + edges);
            model.withdraw(victim);
            victims++;
            assertNotNull(owners[victim].deadlock);
            assertEquals(LockOwner.VICTIM, manager.settle(owners[victim]));
        }
    }

    private Set<Integer> noBetterVictims(int victim) {
        return IntStream.range(0, OWNERS)
                .filter(i -> i == victim || !isBetterVictim(i, victim))
                .boxed()
                .collect(Collectors.toSet());
    }

    private boolean isBetterVictim(int one, int other) {
        return owners[one].transactionId() > owners[other].transactionId();
    }

    private void settleGranted() {
        for (LockOwner owner : owners) {
            if (owner.waitStateAcquire() == LockOwner.GRANTED) {
                assertEquals(LockOwner.GRANTED, manager.settle(owner));
                grantsAfterWaiting++;
            }
        }
    }

    private void check() {
        settleGranted();
        Map<Integer, Set<Integer>> edges = model.waitsFor();
        edges.keySet()
                .forEach(i -> assertFalse(
                        LockModel.isOnCycle(edges, i, edges.keySet()), () -> "a deadlock was missed: " + edges));
        manager.validate();
        for (int i = 0; i < OWNERS; i++) {
            assertEquals(model.isWaiting(i), owners[i].isWaitingAcquire(), "isWaiting of owner " + i);
            assertEquals(model.isInvited(i), owners[i].isWaitingAcquire() && owners[i].invited, "invited: owner " + i);
            assertFalse(owners[i].isInvitingAcquire(), "inviting of owner " + i);
            assertEquals(model.heldCount(i), owners[i].heldCount(), "locks of owner " + i);
            for (long name : names) {
                assertEquals(model.heldMode(i, name), manager.heldMode(owners[i], name), "mode of owner " + i);
            }
            assertTrue(owners[i].dependsOnLsn() >= model.dependsOnLsn(i), "dependsOnLsn of owner " + i);
        }
    }
}
