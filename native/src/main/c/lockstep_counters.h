/*
 * What Java cannot ask of the operating system: pinning of a thread and the geometry of the caches.
 *
 * Functions return 0 or an errno value unless they say otherwise; none of them allocates, prints or keeps state, so
 * every one may be called from any thread. Java's side is dev.lockstep.counters.NativeFunctions.
 */
#ifndef LOCKSTEP_COUNTERS_H
#define LOCKSTEP_COUNTERS_H

/* Raised whenever a signature or the meaning of a value changes that Java calls, here or in the headers beside. */
#define LOCKSTEP_COUNTERS_ABI 6

/* Caches, as the enum CacheLevel numbers them. */
#define LOCKSTEP_CACHE_L1_INSTRUCTION 0
#define LOCKSTEP_CACHE_L1_DATA 1
#define LOCKSTEP_CACHE_L2 2
#define LOCKSTEP_CACHE_L3 3

/* Attributes of a cache. */
#define LOCKSTEP_CACHE_BYTES 0
#define LOCKSTEP_CACHE_WAYS 1
#define LOCKSTEP_CACHE_LINE_BYTES 2

/* The value of LOCKSTEP_COUNTERS_ABI this library was compiled with. */
int lockstep_abi(void);

/* Pins the calling thread to one processor, numbered from 0. ENOSYS where the system cannot. */
int lockstep_pin_thread(int processor);

/* One attribute of one cache as the system reports it; 0 where it does not know, or has no such cache. */
long lockstep_cache(int cache, int attribute);

#endif
