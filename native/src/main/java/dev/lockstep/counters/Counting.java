package dev.lockstep.counters;

import com.sun.jna.Pointer;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;

/**
 * Counters that run, from {@link HardwareCounters#start} until {@link #stop} or {@link #close}. Belongs to the thread
 * that started it: others are refused. A reading costs about a microsecond, most of it for the way to C and back.
 */
public final class Counting implements AutoCloseable {
    private final NativeFunctions functions;
    private final HardwareCounters counters;
    private final Set<CounterEvent> events;
    private final boolean multiplexed;
    private final Thread owner = Thread.currentThread();
    private final long[] values = new long[CounterEvent.values().length];

    /** Null once it has been stopped. */
    private Pointer counting;

    Counting(NativeFunctions functions, HardwareCounters counters, Set<CounterEvent> events, Pointer counting) {
        this.functions = functions;
        this.counters = counters;
        this.events = events;
        this.counting = counting;
        this.multiplexed = functions.lockstep_papi_multiplexed(counting) != 0;
    }

    /** Whether the events take turns on too few counters, see {@link CounterValues#multiplexed}. */
    public boolean multiplexed() {
        return multiplexed;
    }

    /**
     * What was counted since the start; counting goes on.
     *
     * @throws IllegalStateException on another thread than the one that started it, or after the end
     * @throws CounterException when PAPI refuses
     */
    public CounterValues read() {
        check();
        counters.check("read", functions.lockstep_papi_read(counting, values));
        return counted();
    }

    /**
     * What was counted since the start, which ends here.
     *
     * @throws IllegalStateException on another thread than the one that started it, or after the end
     * @throws CounterException when PAPI refuses; the counting is over all the same
     */
    public CounterValues stop() {
        check();
        Pointer stopped = counting;
        counting = null;
        counters.check("stop", functions.lockstep_papi_stop(stopped, values));
        return counted();
    }

    /** Stops if it has not been stopped. */
    @Override
    public void close() {
        if (counting != null) {
            stop();
        }
    }

    private void check() {
        if (Thread.currentThread() != owner) {
            throw new IllegalStateException("A counting belongs to the thread that started it: owner=" + owner
                    + " thread=" + Thread.currentThread() + "; start one in each thread");
        }
        if (counting == null) {
            throw new IllegalStateException("The counting is over: owner=" + owner + "; start another");
        }
    }

    private CounterValues counted() {
        Map<CounterEvent, Long> counts = new EnumMap<>(CounterEvent.class);
        for (CounterEvent event : events) {
            counts.put(event, values[event.number()]);
        }
        return new CounterValues(counts, multiplexed);
    }
}
