package dev.lockstep.scheduler;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Several probes in the place of one, told in order.
 *
 * <p>Invariants: an operation has one number here and one of each probe, which never change; {@code numbers} grows by
 * copies, and holds a number before anybody is given it.
 */
final class ProbeSeries implements OperationProbe {
    private final OperationProbe[] probes;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Integer> byName = new HashMap<>();

    /** By own number, which begins at 1, and by probe. */
    private volatile int[][] numbers = {{}};

    ProbeSeries(List<OperationProbe> probes) {
        this.probes = probes.toArray(OperationProbe[]::new);
    }

    @Override
    public int number(String name) {
        lock.lock();
        try {
            Integer known = byName.get(name);
            if (known != null) {
                return known;
            }
            int[][] more = Arrays.copyOf(numbers, numbers.length + 1);
            more[numbers.length] =
                    Arrays.stream(probes).mapToInt(probe -> probe.number(name)).toArray();
            numbers = more;
            byName.put(name, more.length - 1);
            return more.length - 1;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void begin(SThread sThread, int number) {
        int[] each = numbers[number];
        for (int i = 0; i < probes.length; i++) {
            probes[i].begin(sThread, each[i]);
        }
    }

    @Override
    public void end(SThread sThread) {
        for (OperationProbe probe : probes) {
            probe.end(sThread);
        }
    }

    @Override
    public void left(SThread sThread) {
        for (OperationProbe probe : probes) {
            probe.left(sThread);
        }
    }

    @Override
    public void resumed(SThread sThread) {
        for (OperationProbe probe : probes) {
            probe.resumed(sThread);
        }
    }

    @Override
    public void entered(SThread sThread) {
        for (OperationProbe probe : probes) {
            probe.entered(sThread);
        }
    }

    @Override
    public void returned(SThread sThread) {
        for (OperationProbe probe : probes) {
            probe.returned(sThread);
        }
    }

    @Override
    public void doesWorkOf(SThread sThread, SThread owner, int number) {
        int[] each = numbers[number];
        for (int i = 0; i < probes.length; i++) {
            probes[i].doesWorkOf(sThread, owner, each[i]);
        }
    }

    @Override
    public void doesSharedWork(SThread sThread) {
        for (OperationProbe probe : probes) {
            probe.doesSharedWork(sThread);
        }
    }

    @Override
    public void operatorCalled(SThread sThread, int number) {
        int[] each = numbers[number];
        for (int i = 0; i < probes.length; i++) {
            probes[i].operatorCalled(sThread, each[i]);
        }
    }

    @Override
    public void operatorReturned(SThread sThread, int caller) {
        int[] each = numbers[caller];
        for (int i = 0; i < probes.length; i++) {
            probes[i].operatorReturned(sThread, caller == 0 ? 0 : each[i]);
        }
    }
}
