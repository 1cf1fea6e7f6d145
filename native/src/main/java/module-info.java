/** Native helpers for counting, pinning and cache geometry. Knows nothing of storage. */
module dev.lockstep.counters {
    requires com.sun.jna;

    exports dev.lockstep.counters;

    // JNA makes the proxy behind NativeFunctions, which is not public.
    opens dev.lockstep.counters to
            com.sun.jna;
}
