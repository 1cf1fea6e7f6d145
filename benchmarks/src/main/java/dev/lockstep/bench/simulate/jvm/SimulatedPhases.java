package dev.lockstep.bench.simulate.jvm;

import com.sun.management.HotSpotDiagnosticMXBean;
import dev.lockstep.counters.Markers;
import dev.lockstep.counters.RegionKind;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Marks phases in a simulated JVM, which first tells the simulator in pages of which size its memory lies.
 *
 * <p>A range is in large pages where the system says that it is. It is taken to be, too, where this process has asked
 * for them by an option that the system would follow, because the emulator passes advice about pages on to nobody, so
 * that a simulated process never has them: {@code -XX:+UseTransparentHugePages} for heap and code,
 * {@code GLIBC_TUNABLES=glibc.malloc.hugetlb=1} for the pool. Thread-safe.
 */
public final class SimulatedPhases {
    private static final Path ADVICE = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");
    private static final String POOL_OPTION = "glibc.malloc.hugetlb=1";
    private static final AtomicBoolean JVM_TOLD = new AtomicBoolean();

    private SimulatedPhases() {}

    /**
     * The process enters a phase. The first call tells of the JVM's memory, if {@link #tellJvm} has not; pools tell of
     * themselves when they are made, see {@link BoundMachine}.
     *
     * @param phase 1 to {@link Markers#PHASE_MAX}
     */
    public static void begin(int phase) {
        if (Markers.isSimulated()) {
            BoundMachine.tellFreed();
        }
        tellJvm();
        Markers.phaseBegin(phase);
    }

    /**
     * Tells of the JVM's memory, once. On a simulated processor that takes seconds, so better before a phase is due.
     */
    public static void tellJvm() {
        if (Markers.isSimulated() && JVM_TOLD.compareAndSet(false, true)) {
            MappedPages pages = MappedPages.read();
            for (JvmMemory.Range range : JvmMemory.ranges()) {
                tell(range.kind(), range.address(), range.bytes(), Markers.NODE_OF_FIRST_TOUCH, pages);
            }
        }
    }

    /** Tells of one range. */
    static void tell(RegionKind kind, long address, long bytes, int node, MappedPages pages) {
        long kernelBytes = pages.pageBytes(address, bytes);
        long pageBytes = kernelBytes == MappedPages.SMALL_BYTES && asksForLargePages(kind)
                ? MappedPages.LARGE_BYTES
                : kernelBytes;
        Markers.region(kind, address, bytes, pageBytes, node);
    }

    /** Whether an option of this process asks for large pages there, and the system follows such advice. */
    static boolean asksForLargePages(RegionKind kind) {
        boolean asked =
                switch (kind) {
                    case HEAP, CODE_CACHE ->
                        Boolean.parseBoolean(ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                                .getVMOption("UseTransparentHugePages")
                                .getValue());
                    case BUFFER_POOL ->
                        System.getenv().getOrDefault("GLIBC_TUNABLES", "").contains(POOL_OPTION);
                    case METASPACE, OTHER -> false;
                };
        return asked && isAdviceFollowed();
    }

    private static boolean isAdviceFollowed() {
        try {
            return Files.isReadable(ADVICE) && !Files.readString(ADVICE).contains("[never]");
        } catch (IOException e) {
            // Not told is as good as never.
            return false;
        }
    }
}
