package dev.lockstep.engine.lock;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The rules of {@link LockHead} written down as plainly as possible: lists, loops and no counters. Owners are numbers.
 */
final class LockModel {
    private record Request(
            int owner, int target, int held, boolean instant, boolean entitled, boolean invited, int vainClaims) {
        Request withInvitation(boolean now, int claims) {
            return new Request(owner, target, held, instant, entitled, now, claims);
        }
    }

    private final int passesMax;
    private final Map<Long, Integer> passes = new HashMap<>();
    private final Map<Long, Map<Integer, Integer>> holders = new HashMap<>();
    private final Map<Long, List<Request>> queues = new HashMap<>();
    private final Map<Integer, Long> waitsAt = new HashMap<>();
    private final Map<Long, Long> writeLsns = new HashMap<>();
    private final Map<Long, Long> intentionLsns = new HashMap<>();
    private final Map<Integer, Long> dependsOn = new HashMap<>();

    LockModel(int passesMax) {
        this.passesMax = passesMax;
    }

    private Map<Integer, Integer> holdersOf(long name) {
        return holders.computeIfAbsent(name, ignored -> new LinkedHashMap<>());
    }

    private List<Request> queueOf(long name) {
        return queues.computeIfAbsent(name, ignored -> new ArrayList<>());
    }

    int heldMode(int owner, long name) {
        return holdersOf(name).getOrDefault(owner, LockMode.NONE);
    }

    int heldCount(int owner) {
        int count = 0;
        for (Map<Integer, Integer> of : holders.values()) {
            count += of.containsKey(owner) ? 1 : 0;
        }
        return count;
    }

    boolean isWaiting(int owner) {
        return waitsAt.containsKey(owner);
    }

    boolean isEmpty() {
        return waitsAt.isEmpty() && holders.values().stream().allMatch(Map::isEmpty);
    }

    long dependsOnLsn(int owner) {
        return dependsOn.getOrDefault(owner, 0L);
    }

    /**
     * The place behind the last request that conflicts with a new one and does not wait for its owner; 0 if there is
     * none.
     */
    private static int placeBehindBlockers(List<Request> queue, int target, int held) {
        List<Integer> wantedByThoseWaitingForOwner = new ArrayList<>(List.of(held));
        int place = 0;
        for (int i = 0; i < queue.size(); i++) {
            int other = queue.get(i).target;
            if (wantedByThoseWaitingForOwner.stream().anyMatch(mode -> !LockMode.isCompatible(mode, other))) {
                wantedByThoseWaitingForOwner.add(other);
            } else if (!LockMode.isCompatible(target, other)) {
                place = i + 1;
            }
        }
        return place;
    }

    private boolean fitsHolders(int owner, long name, int target) {
        return holdersOf(name).entrySet().stream()
                .allMatch(e -> e.getKey() == owner || LockMode.isCompatible(target, e.getValue()));
    }

    private boolean isInvited(long name, int place) {
        return queueOf(name).size() > place && queueOf(name).get(place).invited;
    }

    /** Whether the owner waits and was told to come. */
    boolean isInvited(int owner) {
        Long name = waitsAt.get(owner);
        return name != null && queueOf(name).stream().anyMatch(request -> request.owner == owner && request.invited);
    }

    private boolean canBePassed(long name) {
        return isInvited(name, 0)
                && passes.getOrDefault(name, 0) < passesMax
                && queueOf(name).getFirst().vainClaims < LockHead.VAIN_CLAIMS_MAX;
    }

    /** Whether a new request in this mode, if it were granted now, would pass others. */
    boolean wouldPass(int owner, long name, int target) {
        return heldMode(owner, name) == LockMode.NONE
                && queueOf(name).stream().anyMatch(request -> !LockMode.isCompatible(target, request.target));
    }

    /** Whether a request would be granted on arrival. */
    boolean isFree(int owner, long name, int target) {
        int held = heldMode(owner, name);
        boolean isFirst = placeBehindBlockers(queueOf(name), target, held) == 0;
        boolean free = fitsHolders(owner, name, target) && (isFirst || (held == LockMode.NONE && canBePassed(name)));
        if (free) {
            depend(owner, name, target);
        }
        return free;
    }

    /** Grants a request that did not wait. */
    void hold(int owner, long name, int target) {
        if (wouldPass(owner, name, target)) {
            passes.merge(name, 1, Integer::sum);
        }
        holdersOf(name).put(owner, target);
    }

    void enqueue(int owner, long name, int target, boolean instant) {
        int held = heldMode(owner, name);
        List<Request> queue = queueOf(name);
        if (queue.isEmpty()) {
            passes.put(name, 0);
        }
        int place = queue.size();
        boolean entitled = false;
        if (held != LockMode.NONE) {
            place = placeBehindBlockers(queue, target, held);
            entitled = place == 0;
        }
        if (entitled) {
            place = (int) queue.stream().filter(Request::entitled).count();
        }
        queue.add(place, new Request(owner, target, held, instant, entitled, false, 0));
        waitsAt.put(owner, name);
    }

    void withdraw(int owner) {
        long name = waitsAt.remove(owner);
        queueOf(name).removeIf(request -> request.owner == owner);
        settle(name);
    }

    /** Lets an owner that was invited take the lock, if it still can. */
    void claim(int owner) {
        long name = waitsAt.get(owner);
        List<Request> queue = queueOf(name);
        int place = 0;
        while (queue.get(place).owner != owner) {
            place++;
        }
        Request request = queue.get(place);
        if (blockersAt(name, place).isEmpty()) {
            queue.remove(place);
            waitsAt.remove(owner);
            passes.put(name, 0);
            holdersOf(name).put(owner, request.target);
            depend(owner, name, request.target);
        } else {
            queue.set(place, request.withInvitation(false, request.vainClaims + 1));
        }
        settle(name);
    }

    void release(int owner, long name) {
        holdersOf(name).remove(owner);
        settle(name);
    }

    void releaseAll(int owner, long commitLsn) {
        for (long name : List.copyOf(holders.keySet())) {
            int mode = heldMode(owner, name);
            if (commitLsn != 0 && LockMode.permitsWriting(mode)) {
                boolean intention = LockName.isTable(name) && LockMode.keyPart(mode) != LockMode.X;
                (intention ? intentionLsns : writeLsns).merge(name, commitLsn, Math::max);
            }
            if (mode != LockMode.NONE) {
                release(owner, name);
            }
        }
    }

    private void depend(int owner, long name, int mode) {
        dependsOn.merge(owner, writeLsns.getOrDefault(name, 0L), Math::max);
        if (!LockMode.isCompatible(mode, LockMode.IX)) {
            dependsOn.merge(owner, intentionLsns.getOrDefault(name, 0L), Math::max);
        }
    }

    private void settle(long name) {
        List<Request> queue = queueOf(name);
        boolean changed = true;
        while (changed) {
            changed = false;
            for (int i = 0; i < queue.size() && !changed; i++) {
                Request request = queue.get(i);
                boolean free = blockersAt(name, i).isEmpty();
                if (free && request.held == LockMode.NONE && !request.instant) {
                    queue.set(i, request.withInvitation(true, request.vainClaims));
                } else if (free) {
                    queue.remove(i);
                    waitsAt.remove(request.owner);
                    if (!request.instant) {
                        holdersOf(name).put(request.owner, request.target);
                    }
                    depend(request.owner, name, request.target);
                    changed = true;
                }
            }
        }
    }

    private Set<Integer> blockersAt(long name, int place) {
        Request request = queueOf(name).get(place);
        Set<Integer> blockers = new HashSet<>();
        holdersOf(name).forEach((holder, mode) -> {
            if (holder != request.owner && !LockMode.isCompatible(request.target, mode)) {
                blockers.add(holder);
            }
        });
        for (Request before : queueOf(name).subList(0, place)) {
            if (!request.entitled
                    && !LockMode.isCompatible(request.target, before.target)
                    && LockMode.isCompatible(request.held, before.target)) {
                blockers.add(before.owner);
            }
        }
        return blockers;
    }

    /** For every waiting owner, whom it waits for. */
    Map<Integer, Set<Integer>> waitsFor() {
        Map<Integer, Set<Integer>> edges = new HashMap<>();
        queues.forEach((name, queue) -> {
            for (int i = 0; i < queue.size(); i++) {
                edges.put(queue.get(i).owner, blockersAt(name, i));
            }
        });
        return edges;
    }

    /** Everybody for whom an owner waits, directly or through others. */
    static Set<Integer> closure(Map<Integer, Set<Integer>> edges, int owner) {
        Set<Integer> closure = new HashSet<>();
        List<Integer> open = new ArrayList<>(List.of(owner));
        while (!open.isEmpty()) {
            for (int blocker : edges.getOrDefault(open.removeLast(), Set.of())) {
                if (closure.add(blocker)) {
                    open.add(blocker);
                }
            }
        }
        return closure;
    }

    /** Whether a cycle leads through the owner and otherwise only through some of the given ones. */
    static boolean isOnCycle(Map<Integer, Set<Integer>> edges, int owner, Set<Integer> among) {
        Set<Integer> seen = new HashSet<>();
        List<Integer> open = new ArrayList<>(edges.getOrDefault(owner, Set.of()));
        while (!open.isEmpty()) {
            int next = open.removeLast();
            if (next == owner) {
                return true;
            }
            if (among.contains(next) && seen.add(next)) {
                open.addAll(edges.getOrDefault(next, Set.of()));
            }
        }
        return false;
    }
}
