package dev.lockstep.counters;

/** A native call that the operating system refused. */
public final class NativeCallException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int errno;

    NativeCallException(String call, int errno, String remedy) {
        super(call + " failed: errno=" + errno + "; " + remedy);
        this.errno = errno;
    }

    /** The system's error number. */
    public int errno() {
        return errno;
    }
}
