/** Native helpers for counting, pinning and cache geometry. Knows nothing of storage. */
module dev.lockstep.counters {
    requires com.sun.jna;
}
