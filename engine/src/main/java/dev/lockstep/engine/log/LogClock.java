package dev.lockstep.engine.log;

import dev.lockstep.scheduler.InstalledTime;
import java.util.concurrent.locks.LockSupport;

/** The log's source of time, and how its writer passes it; tests put their own in its place. */
public interface LogClock {
    /** As a time to park: until unparked. */
    long UNTIL_SIGNALLED = Long.MAX_VALUE;

    /** The clock of the machine. */
    LogClock SYSTEM = new LogClock() {
        @Override
        public long nanoTime() {
            return InstalledTime.nanoTime();
        }

        @Override
        public void park(long nanos) {
            if (nanos == UNTIL_SIGNALLED) {
                LockSupport.park(this);
            } else {
                InstalledTime.parkNanos(this, nanos);
            }
        }
    };

    /** The present time in nanoseconds; only differences mean something. */
    long nanoTime();

    /**
     * Parks the calling thread until it is unparked or the time has passed; may return early.
     *
     * @param nanos how long, or {@link #UNTIL_SIGNALLED}
     */
    void park(long nanos);
}
