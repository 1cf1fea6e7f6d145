package dev.lockstep.counters;

import com.sun.jna.Library;
import com.sun.jna.NativeLong;
import com.sun.jna.Pointer;

/**
 * The functions of {@code lockstep_counters.h} and {@code lockstep_marker.h}, which document them, under the names that
 * C gives them.
 */
interface NativeFunctions extends Library {
    /** The value of {@code LOCKSTEP_COUNTERS_ABI} that this class was written for. */
    int ABI = 2;

    int CACHE_BYTES = 0;
    int CACHE_WAYS = 1;
    int CACHE_LINE_BYTES = 2;

    int lockstep_abi();

    int lockstep_pin_thread(int processor);

    NativeLong lockstep_cache(int cache, int attribute);

    Pointer lockstep_operation_functions();
}
