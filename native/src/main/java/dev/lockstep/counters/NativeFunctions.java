package dev.lockstep.counters;

import com.sun.jna.Library;
import com.sun.jna.NativeLong;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.PointerByReference;

/**
 * The functions of {@code lockstep_counters.h}, {@code lockstep_marker.h} and {@code lockstep_papi.h}, which document
 * them, under the names that C gives them.
 */
interface NativeFunctions extends Library {
    /** The value of {@code LOCKSTEP_COUNTERS_ABI} that this class was written for. */
    int ABI = 6;

    int CACHE_BYTES = 0;
    int CACHE_WAYS = 1;
    int CACHE_LINE_BYTES = 2;

    int lockstep_abi();

    int lockstep_pin_thread(int processor);

    NativeLong lockstep_cache(int cache, int attribute);

    Pointer lockstep_operation_page();

    Pointer lockstep_papi_open(String library, IntByReference status, IntByReference code, byte[] text, int textBytes);

    int lockstep_papi_counters(Pointer papi);

    int lockstep_papi_version(Pointer papi);

    int lockstep_papi_event(Pointer papi, int event, byte[] text, int textBytes);

    void lockstep_papi_error(Pointer papi, int code, byte[] text, int textBytes);

    int lockstep_papi_start(Pointer papi, int events, PointerByReference counting);

    int lockstep_papi_multiplexed(Pointer counting);

    int lockstep_papi_read(Pointer counting, long[] counts);

    int lockstep_papi_stop(Pointer counting, long[] counts);

    int lockstep_perf_probe(IntByReference error);
}
