package dev.lockstep.counters;

import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.PointerByReference;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * The processor's own counters, read through PAPI, which is opened at run time. {@link #open} answers with the counters
 * or with every reason why there are none. Thread-safe; counts are those of one platform thread, in user mode.
 *
 * <pre>{@code
 * try (Counting counting = counters.start(EnumSet.of(INSTRUCTIONS, L1_INSTRUCTION_MISSES))) {
 *     ... // the region
 *     CounterValues values = counting.stop();
 * }
 * }</pre>
 */
public final class HardwareCounters {
    /** The system property that names PAPI's library, a file or what the system's loader finds. */
    public static final String LIBRARY_PROPERTY = "lockstep.papi.library";

    /** Ample for the texts of PAPI, which are at most a line long. */
    private static final int TEXT_BYTES = 512;

    /** PAPI is opened once by one thread at a time: its initialization is not thread-safe. */
    private static final ReentrantLock OPENING = new ReentrantLock();

    private final NativeFunctions functions;
    private final Pointer papi;
    private final Map<CounterEvent, String> countable = new EnumMap<>(CounterEvent.class);
    private final Map<CounterEvent, String> uncountable = new EnumMap<>(CounterEvent.class);

    private HardwareCounters(NativeFunctions functions, Pointer papi) {
        this.functions = functions;
        this.papi = papi;
        byte[] text = new byte[TEXT_BYTES];
        for (CounterEvent event : CounterEvent.values()) {
            int code = functions.lockstep_papi_event(papi, event.number(), text, text.length);
            (code == 0 ? countable : uncountable).put(event, string(text));
        }
    }

    /** What {@link #open} found. */
    public sealed interface Result {
        /**
         * There are counters.
         *
         * @param counters the counters
         */
        record Available(HardwareCounters counters) implements Result {}

        /**
         * There are none.
         *
         * @param obstacles all that stands in the way, at least one
         */
        record Missing(List<CounterObstacle> obstacles) implements Result {
            /** Copies the list. */
            public Missing {
                obstacles = List.copyOf(obstacles);
            }
        }
    }

    /** Opens PAPI by the property {@value #LIBRARY_PROPERTY}, or else by its usual names. Never throws. */
    public static Result open() {
        return open(System.getProperty(LIBRARY_PROPERTY), Kernel::ask);
    }

    /**
     * Opens PAPI.
     *
     * @param library its file; null for its usual names
     * @param kernel asks what the kernel says of counters, where PAPI has none
     */
    static Result open(String library, Function<NativeFunctions, Kernel> kernel) {
        return switch (NativeLibrary.load()) {
            case NativeLibrary.Result.Missing(String reason) ->
                new Result.Missing(List.of(new CounterObstacle(CounterObstacle.Kind.NATIVE_PART_MISSING, reason)));
            case NativeLibrary.Result.Available(NativeLibrary loaded) -> open(loaded.functions(), library, kernel);
        };
    }

    private static Result open(NativeFunctions functions, String library, Function<NativeFunctions, Kernel> kernel) {
        IntByReference status = new IntByReference();
        IntByReference code = new IntByReference();
        byte[] text = new byte[TEXT_BYTES];
        Pointer papi;
        OPENING.lock();
        try {
            papi = functions.lockstep_papi_open(library, status, code, text, text.length);
        } finally {
            OPENING.unlock();
        }
        if (papi != null) {
            return new Result.Available(new HardwareCounters(functions, papi));
        }
        return new Result.Missing(
                Obstacles.of(library, status.getValue(), code.getValue(), string(text), kernel.apply(functions)));
    }

    /** The events that can be counted here, each with PAPI's name of what counts it. */
    public Map<CounterEvent, String> countable() {
        return Collections.unmodifiableMap(countable);
    }

    /** The events that cannot, each with what PAPI says about it. */
    public Map<CounterEvent, String> uncountable() {
        return Collections.unmodifiableMap(uncountable);
    }

    /** Counters of a processor, each for one event at a time; 0 where PAPI does not know. */
    public int countersOfProcessor() {
        return functions.lockstep_papi_counters(papi);
    }

    /** PAPI's version, like {@code 7.0.0}. */
    public String papiVersion() {
        int version = functions.lockstep_papi_version(papi);
        return (version >>> 24) + "." + (version >>> 16 & 0xff) + "." + (version >>> 8 & 0xff);
    }

    /**
     * Counts on the calling thread from now on. PAPI allows one counting a thread at a time.
     *
     * @param events at least one, all of them {@link #countable}; more than the processor has counters for take turns,
     *     see {@link Counting#multiplexed}
     * @throws IllegalArgumentException when no event is named, or one that cannot be counted here
     * @throws IllegalStateException on a virtual thread, whose carrier would be counted in its place
     * @throws CounterException when PAPI refuses
     */
    public Counting start(Set<CounterEvent> events) {
        if (events.isEmpty()) {
            throw new IllegalArgumentException(
                    "No event to count: events=[]; name at least one of " + countable.keySet());
        }
        if (Thread.currentThread().isVirtual()) {
            throw new IllegalStateException("A virtual thread cannot be counted: thread=" + Thread.currentThread()
                    + "; count its carrier, or a platform thread");
        }
        int mask = 0;
        for (CounterEvent event : events) {
            if (!countable.containsKey(event)) {
                throw new IllegalArgumentException("An event that cannot be counted here: event=" + event + " papi=\""
                        + uncountable.get(event) + "\"; choose among " + countable.keySet());
            }
            mask |= 1 << event.number();
        }
        PointerByReference counting = new PointerByReference();
        check("start(events=" + events + ")", functions.lockstep_papi_start(papi, mask, counting));
        return new Counting(functions, this, EnumSet.copyOf(events), counting.getValue());
    }

    /**
     * Counts a region: what the calling thread does in it, the counting's own start and end included (some thousand
     * instructions).
     *
     * @throws IllegalArgumentException as {@link #start}
     * @throws IllegalStateException as {@link #start}
     * @throws CounterException when PAPI refuses
     */
    public CounterValues count(Set<CounterEvent> events, Runnable region) {
        try (Counting counting = start(events)) {
            region.run();
            return counting.stop();
        }
    }

    /** Throws what PAPI says of a code, if it is one of an error. */
    void check(String call, int code) {
        if (code < 0) {
            byte[] text = new byte[TEXT_BYTES];
            functions.lockstep_papi_error(papi, code, text, text.length);
            throw new CounterException(call, code, string(text), Obstacles.remedy(code));
        }
    }

    private static String string(byte[] text) {
        int end = 0;
        while (end < text.length && text[end] != 0) {
            end++;
        }
        return new String(text, 0, end, StandardCharsets.UTF_8);
    }
}
