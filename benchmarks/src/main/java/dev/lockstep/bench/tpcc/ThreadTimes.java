package dev.lockstep.bench.tpcc;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** Processor time of this JVM's threads, from its own counters. */
final class ThreadTimes {
    /** What is not a thread of Java: compilers, collectors, and threads that have ended meanwhile. */
    static final String OTHERS = "JVM";

    private ThreadTimes() {}

    /** Nanoseconds since each thread started, summed by name without the numbers in it; virtual threads have none. */
    static Map<String, Long> now() {
        Map<String, Long> nanos = new TreeMap<>();
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        if (threads.isThreadCpuTimeSupported() && threads.isThreadCpuTimeEnabled()) {
            for (ThreadInfo thread : threads.getThreadInfo(threads.getAllThreadIds())) {
                long used = thread == null ? -1 : threads.getThreadCpuTime(thread.getThreadId());
                if (used >= 0) {
                    nanos.merge(group(thread.getThreadName()), used, Long::sum);
                }
            }
        }
        return nanos;
    }

    private static String group(String name) {
        String group = name.replaceAll("[-# ]*[0-9]+", "");
        return group.isEmpty() ? name : group;
    }

    /**
     * From one moment to another.
     *
     * @param microsOfAll of the whole process for each transaction
     * @return microseconds for each transaction by name, those that are at least a thousandth of all
     */
    static Map<String, Double> between(
            Map<String, Long> before, Map<String, Long> after, long transactions, double microsOfAll) {
        Map<String, Double> micros = new TreeMap<>();
        if (transactions > 0 && microsOfAll > 0) {
            double known = 0;
            for (Map.Entry<String, Long> entry : after.entrySet()) {
                long nanos = Math.max(0, entry.getValue() - before.getOrDefault(entry.getKey(), 0L));
                double each = (double) nanos / TimeUnit.MICROSECONDS.toNanos(1) / transactions;
                known += each;
                if (each >= microsOfAll / 1000) {
                    micros.put(entry.getKey(), each);
                }
            }
            micros.put(OTHERS, Math.max(0, microsOfAll - known));
        }
        return micros;
    }
}
