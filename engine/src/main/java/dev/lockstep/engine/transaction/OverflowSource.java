package dev.lockstep.engine.transaction;

/**
 * Something that has told a snapshot the stub of an overflow chain, and keeps the value when the chain is given back.
 */
public abstract class OverflowSource {
    private volatile byte[] overflow;

    OverflowSource() {}

    /** The value of the chain; null while the chain itself is still there. */
    public final byte[] overflowVolatile() {
        return overflow;
    }

    /** Keeps the value of the chain, which is about to be given back; false where one was kept before. */
    final boolean keepOverflow(byte[] value) {
        if (overflow != null) {
            return false;
        }
        overflow = value;
        return true;
    }
}
