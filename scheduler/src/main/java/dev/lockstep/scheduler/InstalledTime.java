package dev.lockstep.scheduler;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ServiceLoader;
import java.util.concurrent.locks.LockSupport;

/**
 * The time by which scheduler and engine wait, sample and give up: the one {@link TimeSource} of this process, looked
 * for when this class is initialized, or the machine's. Without one, which is the rule, compiled code calls the
 * machine's clock directly. Limits of waits, such as those of {@link Waiter}, are points in this time.
 *
 * <p>Thread-safety: all methods by any thread.
 */
public final class InstalledTime {
    /** System property that names the class of the source to install, one of those offered as services. */
    public static final String PROPERTY = "dev.lockstep.scheduler.time";

    private static final TimeSource SOURCE = find(System.getProperty(PROPERTY));

    private InstalledTime() {}

    /** Made when it is asked for first, which only a scheduler does whose teams pay: it takes a while. */
    private static final class Threads {
        private static final ThreadMXBean BEAN = ManagementFactory.getThreadMXBean();
        private static final boolean TELL_CPU = BEAN.isCurrentThreadCpuTimeSupported() && BEAN.isThreadCpuTimeEnabled();
    }

    /** The present time in nanoseconds; only differences mean something. As {@link System#nanoTime()} by default. */
    public static long nanoTime() {
        return SOURCE == null ? System.nanoTime() : SOURCE.nanoTime();
    }

    /**
     * The processor time that the calling platform thread has had so far, in nanoseconds; only differences mean
     * something. The time as such where the JVM does not tell, and as the source says where there is one.
     */
    static long threadCpuNanos() {
        if (SOURCE != null) {
            return SOURCE.threadCpuNanos();
        }
        return Threads.TELL_CPU ? Threads.BEAN.getCurrentThreadCpuTime() : System.nanoTime();
    }

    /**
     * Parks the calling thread until it is unparked, is interrupted, or a time has passed; may return early. As
     * {@link LockSupport#parkNanos(Object, long)} by default.
     *
     * @param blocker responsible for the park, or {@code null}
     */
    public static void parkNanos(Object blocker, long nanos) {
        if (SOURCE == null) {
            LockSupport.parkNanos(blocker, nanos);
        } else {
            SOURCE.parkNanos(blocker, nanos);
        }
    }

    private static TimeSource find(String className) {
        if (className == null || className.isEmpty()) {
            return null;
        }
        return ServiceLoader.load(TimeSource.class, ClassLoader.getSystemClassLoader()).stream()
                .filter(offered -> offered.type().getName().equals(className))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no such source of time is offered as a service: "
                        + PROPERTY + "=" + className
                        + "; remedy: put the module or jar that offers it on the path, or leave the property out"))
                .get();
    }
}
