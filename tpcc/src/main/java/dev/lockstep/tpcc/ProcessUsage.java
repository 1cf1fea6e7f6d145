package dev.lockstep.tpcc;

import dev.lockstep.scheduler.InstalledTime;
import java.lang.management.ManagementFactory;

/**
 * What the process has used up to a moment.
 *
 * @param nanoTime the moment, by {@link InstalledTime#nanoTime}
 * @param cpuNanos processor time of all threads, or -1 if unknown
 * @param allocatedBytes heap allocated by all platform threads, the carriers of virtual ones included, or -1 if unknown
 */
record ProcessUsage(long nanoTime, long cpuNanos, long allocatedBytes) {
    static ProcessUsage now() {
        long cpuNanos = -1;
        if (ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean system) {
            cpuNanos = system.getProcessCpuTime();
        }
        long allocatedBytes = -1;
        if (ManagementFactory.getThreadMXBean() instanceof com.sun.management.ThreadMXBean threads
                && threads.isThreadAllocatedMemorySupported()
                && threads.isThreadAllocatedMemoryEnabled()) {
            allocatedBytes = threads.getTotalThreadAllocatedBytes();
        }
        return new ProcessUsage(InstalledTime.nanoTime(), cpuNanos, allocatedBytes);
    }

    /** What was used since an earlier moment. */
    ProcessUsage since(ProcessUsage earlier) {
        return new ProcessUsage(
                nanoTime - earlier.nanoTime,
                cpuNanos < 0 ? -1 : cpuNanos - earlier.cpuNanos,
                allocatedBytes < 0 ? -1 : allocatedBytes - earlier.allocatedBytes);
    }
}
