package dev.lockstep.bench.flame;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The part of a program that a sample counts for: the package of the innermost frame that belongs to a program, so that
 * what the JDK does for it counts for the caller.
 */
final class Layer {
    static final String KERNEL = "kernel";
    static final String OTHER = "other";

    private static final String LOCKSTEP = "dev/lockstep/";
    private static final String ENGINE = "engine";
    private static final String DRIVER = "driver";

    /** Packages of the module of the workload that are engines; the others drive them. */
    private static final Set<String> ENGINES = Set.of("plain", "ordered");

    private static final List<String> JDK = List.of("java/", "javax/", "jdk/", "sun/", "com/sun/");

    /** The outermost functions of the JVM's own threads, by their beginnings. */
    private static final Map<String, String> JVM_THREADS = Map.of(
            "CompileBroker::", "JIT",
            "WorkerThread::", "GC",
            "ConcurrentGCThread::", "GC",
            "G1", "GC",
            "VMThread::", "JVM");

    private Layer() {}

    /**
     * The layer of a sample.
     *
     * @param frames the outermost first, Java's as {@code package/Class.method} with a suffix
     * @param inKernel whether the innermost one is the kernel's
     */
    static String of(List<String> frames, boolean inKernel) {
        if (inKernel) {
            return KERNEL;
        }
        for (String frame : frames.reversed()) {
            if (isOfProgram(frame)) {
                return ofProgram(frame);
            }
        }
        return frames.stream()
                .flatMap(frame -> JVM_THREADS.entrySet().stream()
                        .filter(thread -> frame.startsWith(thread.getKey()))
                        .map(Map.Entry::getValue))
                .findFirst()
                .orElse(OTHER);
    }

    /** Java's frames alone have packages. */
    private static boolean isOfProgram(String frame) {
        return frame.indexOf('/') > 0 && frame.contains("_[") && JDK.stream().noneMatch(frame::startsWith);
    }

    private static String ofProgram(String frame) {
        String[] names = frame.split("/", -1);
        if (!frame.startsWith(LOCKSTEP)) {
            // Of another engine its name: org/h2, org/apache/derby.
            return names[1].equals("apache") && names.length > 2 ? names[2] : names[1];
        }
        String module = names[2];
        // After the module a package, or a class of the module's own one.
        String inner = names.length > 4 ? names[3] : "";
        return switch (module) {
            case ENGINE -> inner.isEmpty() ? ENGINE : inner;
            case "tpcc" -> ENGINES.contains(inner) ? inner : DRIVER;
            case "bench" -> DRIVER;
            default -> module;
        };
    }
}
