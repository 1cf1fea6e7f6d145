package dev.lockstep.counters;

import dev.lockstep.counters.CounterObstacle.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Says why there are no counters, and what would help. */
final class Obstacles {
    /** The statuses of {@code lockstep_papi.h}. */
    static final int MISSING = 1;

    static final int UNFIT = 2;
    static final int REFUSED = 3;
    static final int NO_EVENTS = 4;
    static final int STANDS_STILL = 5;

    /** Codes of PAPI. */
    static final int PAPI_ECNFLCT = -8;

    static final int PAPI_EISRUN = -10;
    static final int PAPI_EPERM = -15;

    /** The highest setting of perf_event_paranoid at which a process may count its own user mode. */
    private static final int PARANOID_MAX = 2;

    private static final String SIMULATE = "or count in the simulator: ./lockstep simulate";

    private Obstacles() {}

    /** What stands in the way, the library first. */
    static List<CounterObstacle> of(String library, int status, int code, String text, Kernel kernel) {
        List<CounterObstacle> obstacles = new ArrayList<>();
        ofLibrary(library, status, text).ifPresent(obstacles::add);
        Optional<CounterObstacle> ofKernel =
                code == PAPI_EPERM ? Optional.of(permission("papi=" + code, kernel)) : ofKernel(kernel);
        ofKernel.ifPresent(obstacles::add);
        if (obstacles.isEmpty()) {
            obstacles.add(ofPapi(status, code, text));
        }
        return obstacles;
    }

    private static Optional<CounterObstacle> ofLibrary(String library, int status, String text) {
        if (status == MISSING) {
            return Optional.of(new CounterObstacle(
                    Kind.LIBRARY_MISSING,
                    "PAPI is not there: library=" + (library == null ? "libpapi.so" : library) + " loader=\"" + text
                            + "\"; install it (Debian and Ubuntu: apt-get install papi-tools) or name its file in -D"
                            + HardwareCounters.LIBRARY_PROPERTY + "=FILE."));
        }
        if (status == UNFIT) {
            return Optional.of(new CounterObstacle(
                    Kind.LIBRARY_UNFIT,
                    "The library is not a PAPI that is known here: library="
                            + (library == null ? "libpapi.so" : library) + " missing=\"" + text
                            + "\"; use PAPI 6 or 7."));
        }
        return Optional.empty();
    }

    private static Optional<CounterObstacle> ofKernel(Kernel kernel) {
        return switch (kernel.answer()) {
            case FORBIDDEN -> Optional.of(permission("errno=" + kernel.errno(), kernel));
            case NO_COUNTERS -> Optional.of(notExposed("errno=" + kernel.errno(), kernel));
            case NO_CALL ->
                Optional.of(new CounterObstacle(
                        Kind.NOT_EXPOSED,
                        "The system has no call for counters: call=perf_event_open errno=" + kernel.errno()
                                + "; run on Linux with CONFIG_PERF_EVENTS, outside a container that hides the call, "
                                + SIMULATE + "."));
            case BUSY ->
                Optional.of(new CounterObstacle(
                        Kind.IN_USE,
                        "Another program holds the counters: call=perf_event_open errno=" + kernel.errno()
                                + "; end the other profiler, " + SIMULATE + "."));
            case COUNTS, FAILED -> Optional.empty();
        };
    }

    private static CounterObstacle ofPapi(int status, int code, String text) {
        return switch (status) {
            case STANDS_STILL ->
                new CounterObstacle(
                        Kind.NOT_EXPOSED,
                        "The counters stand still: event=" + text + " count=0; run where the processor's counters are"
                                + " real, " + SIMULATE + ".");
            case NO_EVENTS ->
                new CounterObstacle(
                        Kind.REFUSED,
                        "PAPI can count none of the events though the kernel has counters: code=" + code + " papi=\""
                                + text + "\"; see what papi_component_avail says, and use a PAPI that knows this"
                                + " processor.");
            default ->
                new CounterObstacle(
                        code == PAPI_ECNFLCT ? Kind.IN_USE : Kind.REFUSED,
                        "PAPI does not count: code=" + code + " papi=\"" + text + "\"; " + remedy(code) + ".");
        };
    }

    private static CounterObstacle notExposed(String answer, Kernel kernel) {
        return new CounterObstacle(
                Kind.NOT_EXPOSED,
                "The processor's counters are not exposed to this system: call=perf_event_open " + answer
                        + " virtualMachine=" + kernel.hypervisor() + "; "
                        + (kernel.hypervisor()
                                ? "run on the machine itself or in a virtual machine that has a virtual PMU (KVM: -cpu"
                                        + " host,pmu=on), "
                                : "use a kernel that knows this processor's counters, ")
                        + SIMULATE + ".");
    }

    private static CounterObstacle permission(String answer, Kernel kernel) {
        boolean paranoid = kernel.paranoid().isPresent() && kernel.paranoid().getAsInt() > PARANOID_MAX;
        return new CounterObstacle(
                Kind.PERMISSION,
                "This process may not use the counters: call=perf_event_open " + answer + " perf_event_paranoid="
                        + (kernel.paranoid().isPresent() ? kernel.paranoid().getAsInt() : "unknown") + "; "
                        + (paranoid
                                ? "sysctl kernel.perf_event_paranoid=2, or give the process CAP_PERFMON, "
                                : "in a container allow the call (docker run --cap-add PERFMON, or a seccomp profile"
                                        + " with perf_event_open), ")
                        + SIMULATE + ".");
    }

    /** What helps against a code of PAPI, in a few words. */
    static String remedy(int code) {
        return switch (code) {
            case PAPI_EISRUN -> "stop the counting that runs on this thread first";
            case PAPI_ECNFLCT -> "count fewer events at once, or end the other profiler that holds counters";
            case PAPI_EPERM -> "see kernel.perf_event_paranoid, which must be 2 or less";
            default -> "see what papi_avail says about this machine";
        };
    }
}
