#if defined(__linux__)
#define _GNU_SOURCE
#include <sched.h>
#endif

#include <errno.h>
#include <unistd.h>

#include "lockstep_counters.h"

int lockstep_abi(void) {
    return LOCKSTEP_COUNTERS_ABI;
}

int lockstep_pin_thread(int processor) {
#if defined(__linux__)
    if (processor < 0 || processor >= CPU_SETSIZE) {
        return EINVAL;
    }
    cpu_set_t processors;
    CPU_ZERO(&processors);
    CPU_SET(processor, &processors);
    /* 0 names the calling thread. */
    return sched_setaffinity(0, sizeof processors, &processors) == 0 ? 0 : errno;
#else
    (void) processor;
    return ENOSYS;
#endif
}

#if defined(_SC_LEVEL1_ICACHE_SIZE)
static const int SYSCONF_NAMES[4][3] = {
    {_SC_LEVEL1_ICACHE_SIZE, _SC_LEVEL1_ICACHE_ASSOC, _SC_LEVEL1_ICACHE_LINESIZE},
    {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL1_DCACHE_ASSOC, _SC_LEVEL1_DCACHE_LINESIZE},
    {_SC_LEVEL2_CACHE_SIZE, _SC_LEVEL2_CACHE_ASSOC, _SC_LEVEL2_CACHE_LINESIZE},
    {_SC_LEVEL3_CACHE_SIZE, _SC_LEVEL3_CACHE_ASSOC, _SC_LEVEL3_CACHE_LINESIZE},
};
#endif

long lockstep_cache(int cache, int attribute) {
    if (cache < LOCKSTEP_CACHE_L1_INSTRUCTION || cache > LOCKSTEP_CACHE_L3 || attribute < LOCKSTEP_CACHE_BYTES
            || attribute > LOCKSTEP_CACHE_LINE_BYTES) {
        return 0;
    }
#if defined(_SC_LEVEL1_ICACHE_SIZE)
    long value = sysconf(SYSCONF_NAMES[cache][attribute]);
    return value > 0 ? value : 0;
#else
    return 0;
#endif
}
