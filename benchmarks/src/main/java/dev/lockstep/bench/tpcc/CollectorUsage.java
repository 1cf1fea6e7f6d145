package dev.lockstep.bench.tpcc;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.Map;
import java.util.TreeMap;

/** What the garbage collectors have done, from the JVM's own counters. */
final class CollectorUsage {
    private CollectorUsage() {}

    /** Since the JVM started, by collector. */
    static Map<String, CollectorReport> now() {
        Map<String, CollectorReport> usage = new TreeMap<>();
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
            usage.put(bean.getName(), new CollectorReport(bean.getCollectionCount(), bean.getCollectionTime()));
        }
        return usage;
    }

    /** From one moment to another. */
    static Map<String, CollectorReport> between(
            Map<String, CollectorReport> before, Map<String, CollectorReport> after) {
        Map<String, CollectorReport> used = new TreeMap<>();
        CollectorReport none = new CollectorReport(0, 0);
        after.forEach((name, later) -> {
            CollectorReport earlier = before.getOrDefault(name, none);
            used.put(
                    name,
                    new CollectorReport(
                            later.collections() - earlier.collections(), later.millis() - earlier.millis()));
        });
        return used;
    }

    /** Sum of the peaks of all heap pools, which is at least the peak of their sum. */
    static long heapUsedPeakBytes() {
        return ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                .map(MemoryPoolMXBean::getPeakUsage)
                .mapToLong(usage -> usage == null ? 0 : usage.getUsed())
                .sum();
    }
}
