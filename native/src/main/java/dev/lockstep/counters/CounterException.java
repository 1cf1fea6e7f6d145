package dev.lockstep.counters;

/** A counter that could not be started, read or stopped. */
public final class CounterException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int code;

    CounterException(String call, int code, String said, String remedy) {
        super(call + " failed: code=" + code + " papi=\"" + said + "\"; " + remedy);
        this.code = code;
    }

    /** PAPI's code, below 0. */
    public int code() {
        return code;
    }
}
