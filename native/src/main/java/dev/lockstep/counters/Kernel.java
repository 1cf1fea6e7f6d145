package dev.lockstep.counters;

import com.sun.jna.ptr.IntByReference;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;

/**
 * What the kernel says of hardware counters when asked without PAPI for one of the calling thread's instructions.
 *
 * @param answer the kind of its answer
 * @param errno the system's error number; 0 when it gave a counter
 * @param paranoid its setting {@code kernel.perf_event_paranoid}; empty where there is none
 * @param hypervisor whether the processor says that it is a virtual one
 */
record Kernel(Answer answer, int errno, OptionalInt paranoid, boolean hypervisor) {
    private static final Path PARANOID = Path.of("/proc/sys/kernel/perf_event_paranoid");
    private static final Path PROCESSORS = Path.of("/proc/cpuinfo");

    /** The answers of {@code lockstep_papi.h}, in its order. */
    enum Answer {
        COUNTS,
        FORBIDDEN,
        NO_COUNTERS,
        NO_CALL,
        BUSY,
        FAILED
    }

    static Kernel ask(NativeFunctions functions) {
        IntByReference errno = new IntByReference();
        Answer answer = Answer.values()[functions.lockstep_perf_probe(errno)];
        return new Kernel(answer, errno.getValue(), readParanoid(PARANOID), readHypervisor(PROCESSORS));
    }

    static OptionalInt readParanoid(Path file) {
        try {
            return OptionalInt.of(Integer.parseInt(Files.readString(file).strip()));
        } catch (IOException | NumberFormatException e) {
            // Not Linux, or hidden in a container: the answer does without it.
            return OptionalInt.empty();
        }
    }

    static boolean readHypervisor(Path file) {
        try {
            return Files.readAllLines(file).stream()
                    .anyMatch(line -> line.startsWith("flags") && line.contains(" hypervisor"));
        } catch (IOException e) {
            return false;
        }
    }
}
