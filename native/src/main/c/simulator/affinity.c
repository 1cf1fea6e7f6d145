#define _GNU_SOURCE
#include "affinity.h"

#include <stdatomic.h>

/* Where threads are held; below 0 before the first one. */
static _Atomic int chosen = -1;

/* The real processor to hold at, which is that of the thread that asks first. */
static int choose(void) {
    int none = -1;
    if (atomic_load(&chosen) < 0) {
        (void) atomic_compare_exchange_strong(&chosen, &none, sched_getcpu());
    }
    return atomic_load(&chosen);
}

void affinity_hold(struct affinity *affinity) {
    cpu_set_t one;
    int processor = choose();
    /* Fails on machines of more processors than the set has room for, where nothing is held. */
    if (processor < 0 || processor >= CPU_SETSIZE || sched_getaffinity(0, sizeof affinity->own, &affinity->own) != 0
        || !CPU_ISSET(processor, &affinity->own)) {
        return;
    }
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    affinity->held = CPU_COUNT(&affinity->own) > 1 && sched_setaffinity(0, sizeof one, &one) == 0;
}

void affinity_release(struct affinity *affinity) {
    if (affinity->held) {
        /* What the thread had before it may have again; the machine may have taken a processor away since. */
        (void) sched_setaffinity(0, sizeof affinity->own, &affinity->own);
        affinity->held = false;
    }
}
