package dev.lockstep.counters;

import com.sun.jna.Library;
import com.sun.jna.NativeLong;

/** The functions of {@code lockstep_counters.h}, which documents them, under the names that C gives them. */
interface NativeFunctions extends Library {
    /** The value of {@code LOCKSTEP_COUNTERS_ABI} that this class was written for. */
    int ABI = 1;

    int CACHE_BYTES = 0;
    int CACHE_WAYS = 1;
    int CACHE_LINE_BYTES = 2;

    int lockstep_abi();

    int lockstep_pin_thread(int processor);

    NativeLong lockstep_cache(int cache, int attribute);
}
