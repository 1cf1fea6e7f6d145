package dev.lockstep.scheduler;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The operations that have lists, by name and by number.
 *
 * <p>Invariants: numbers are given from 0 without gaps, a name keeps its number, and number {@link #SHARED} is the list
 * of all that came after {@link Scheduler#OPERATIONS_MAX} were given.
 *
 * <p>Thread-safety: all methods may be called by any thread.
 */
final class OperationRegistry {
    static final int SHARED = 0;
    static final String SHARED_NAME = "other operations";

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Integer> numbers = new HashMap<>();

    /**
     * By the kind of transaction, what was registered for its begin. Read without the lock and with no new string,
     * since a session asks whenever the kind of its transactions changes, which may be at each.
     */
    private final ConcurrentHashMap<String, Integer> begins = new ConcurrentHashMap<>();

    private final List<String> names = new CopyOnWriteArrayList<>();

    /** By number; filled before the number is given out. All 0 where there is no probe. */
    private final int[] probeNumbers = new int[Scheduler.OPERATIONS_MAX];

    /** Likewise; {@link PlacedSwitchPoints#NONE} for operations without such points. */
    private final int[] placedNumbers = new int[Scheduler.OPERATIONS_MAX];

    /** Members of a team; by number, filled before the number is given out. */
    private final int[] teamLimits = new int[Scheduler.OPERATIONS_MAX];

    private final SchedulerOptions options;

    OperationRegistry(SchedulerOptions options) {
        this.options = options;
        names.add(SHARED_NAME);
        numbers.put(SHARED_NAME, SHARED);
        probeNumbers[SHARED] = InstalledProbe.number(SHARED_NAME);
        teamLimits[SHARED] = options.teamLimits().smallest(options.teamLimit());
    }

    int register(String name) {
        return register(name, name);
    }

    /** The same for the begin of transactions of a kind, see {@link Scheduler#registerBegin}. */
    int registerBegin(String kind) {
        Integer known = begins.get(kind);
        if (known != null) {
            return known;
        }
        int number =
                kind.isEmpty() ? register(Scheduler.BEGIN) : register(Scheduler.BEGIN + ' ' + kind, Scheduler.BEGIN);
        if (number != SHARED) {
            begins.put(kind, number);
        }
        return number;
    }

    /** @param measuredAs the operation whose probe, switch points and data set it has */
    int register(String name, String measuredAs) {
        Objects.requireNonNull(name, "name");
        lock.lock();
        try {
            Integer known = numbers.get(name);
            if (known != null) {
                return known;
            }
            if (names.size() == Scheduler.OPERATIONS_MAX) {
                return SHARED;
            }
            int number = names.size();
            probeNumbers[number] = InstalledProbe.number(measuredAs);
            placedNumbers[number] = PlacedSwitchPoints.find(measuredAs);
            teamLimits[number] = options.teamLimits().membersMax(measuredAs, options.teamLimit());
            names.add(name);
            numbers.put(name, number);
            return number;
        } finally {
            lock.unlock();
        }
    }

    int count() {
        return names.size();
    }

    String name(int operation) {
        return names.get(operation);
    }

    int probeNumber(int operation) {
        return probeNumbers[operation];
    }

    int teamLimit(int operation) {
        return teamLimits[operation];
    }

    int placedNumber(int operation) {
        return placedNumbers[operation];
    }
}
