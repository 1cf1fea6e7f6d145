package dev.lockstep.scheduler;

import java.util.Arrays;
import java.util.List;
import java.util.ServiceLoader;

/**
 * The one {@link OperationProbe} of this process, looked for when this class is initialized. Where there is none, which
 * is the rule, the constant is {@code null} and compiled code holds nothing of what is below. All methods may be called
 * by any thread.
 */
public final class InstalledProbe {
    /**
     * System property that names the class of the probe to install, one of those offered as services; or several, with
     * commas between them, which are told in this order.
     */
    public static final String PROPERTY = "dev.lockstep.scheduler.probe";

    private static final OperationProbe PROBE = find(System.getProperty(PROPERTY));

    private InstalledProbe() {}

    /** Returns whether there is one; a constant once compiled. */
    public static boolean isPresent() {
        return PROBE != null;
    }

    /** Returns the number under which an operation or an operator is told, 0 if there is no probe. */
    public static int number(String name) {
        return PROBE == null ? 0 : PROBE.number(name);
    }

    /**
     * Tells that an operation begins.
     *
     * @param sThread whose, or {@code null} on another thread
     * @param number from {@link #number}
     */
    public static void begin(SThread sThread, int number) {
        if (PROBE != null) {
            PROBE.begin(sThread, number);
        }
    }

    /**
     * Tells that an operation begins which may have a list. Not needed beside {@link SThread#beginOperation}, which
     * tells by itself.
     *
     * @param sThread whose, or {@code null} on another thread
     * @param scheduler where the operation is registered, or {@code null} if it has its number from {@link #number}
     */
    public static void begin(SThread sThread, Scheduler scheduler, int operation) {
        if (PROBE != null) {
            PROBE.begin(sThread, scheduler == null ? operation : scheduler.probeNumber(operation));
        }
    }

    /** Tells that the operation ends. */
    public static void end(SThread sThread) {
        if (PROBE != null) {
            PROBE.end(sThread);
        }
    }

    /**
     * Tells that the thread gives up its carrier. Not needed where the scheduler suspends an S-thread, and of no use on
     * a platform thread.
     *
     * @param sThread the caller, or {@code null} on another virtual thread
     */
    public static void left(SThread sThread) {
        if (PROBE != null) {
            PROBE.left(sThread);
        }
    }

    /**
     * Tells that the thread goes on after {@link #left}.
     *
     * @param sThread the caller, or {@code null} on another virtual thread
     */
    public static void resumed(SThread sThread) {
        if (PROBE != null) {
            PROBE.resumed(sThread);
        }
    }

    /**
     * Tells that the calling S-thread does a stage of the work of another from here on. To be told by a {@link
     * StagedWork} that runs together with others.
     *
     * @param owner whose work it is, one that waits in the operation that it has begun; or the caller, who has begun it
     *     too
     */
    public static void doesWorkOf(SThread owner) {
        if (PROBE != null) {
            PROBE.doesWorkOf(SThread.current(), owner, owner.scheduler.probeNumber(owner.operation));
        }
    }

    /** Tells that the calling S-thread, a leader or a helper, does something for all its works from here on. */
    public static void doesSharedWork() {
        if (PROBE != null) {
            PROBE.doesSharedWork(SThread.current());
        }
    }

    /**
     * Tells that an operator of a plan is called.
     *
     * @param sThread whose plan it is, or {@code null} on another thread
     * @param number from {@link #number}
     */
    public static void operatorCalled(SThread sThread, int number) {
        if (PROBE != null) {
            PROBE.operatorCalled(sThread, number);
        }
    }

    /**
     * Tells that the operator returns which was called last.
     *
     * @param sThread whose plan it is, or {@code null} on another thread
     * @param caller the operator that had called it, from {@link #number}; 0 if none had
     */
    public static void operatorReturned(SThread sThread, int caller) {
        if (PROBE != null) {
            PROBE.operatorReturned(sThread, caller);
        }
    }

    static void entered(SThread sThread) {
        if (PROBE != null) {
            PROBE.entered(sThread);
        }
    }

    static void returned(SThread sThread) {
        if (PROBE != null) {
            PROBE.returned(sThread);
        }
    }

    private static OperationProbe find(String classNames) {
        if (classNames == null || classNames.isEmpty()) {
            return null;
        }
        List<OperationProbe> probes = Arrays.stream(classNames.split(",", -1))
                .map(InstalledProbe::offered)
                .toList();
        return probes.size() == 1 ? probes.getFirst() : new ProbeSeries(probes);
    }

    private static OperationProbe offered(String className) {
        return ServiceLoader.load(OperationProbe.class, ClassLoader.getSystemClassLoader()).stream()
                .filter(offered -> offered.type().getName().equals(className))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no such operation probe is offered as a service: "
                        + PROPERTY + "=" + className
                        + "; remedy: put the module or jar that offers it on the path, or leave the property out"))
                .get();
    }
}
