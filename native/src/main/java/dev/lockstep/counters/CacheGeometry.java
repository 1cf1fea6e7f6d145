package dev.lockstep.counters;

/**
 * The geometry of one cache as the operating system reports it. Immutable.
 *
 * @param bytes size of the cache in bytes, at least 1
 * @param ways associativity; 0 where the system does not report it
 * @param lineBytes size of a cache line in bytes; 0 where the system does not report it
 */
public record CacheGeometry(long bytes, int ways, int lineBytes) {
    /** Refuses a cache without a size. */
    public CacheGeometry {
        if (bytes <= 0 || ways < 0 || lineBytes < 0) {
            throw new IllegalArgumentException("Not the geometry of a cache: bytes=" + bytes + " ways=" + ways
                    + " lineBytes=" + lineBytes + "; a cache has at least 1 byte, and 0 stands for an unknown value");
        }
    }
}
