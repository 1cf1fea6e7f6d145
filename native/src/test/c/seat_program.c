/*
 * Two threads on one simulated core, of which one counts and the other waits for that: in a phase it counts so far. It
 * prints how many counts there were in the phase.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>

#include "lockstep_marker.h"

#define BEFORE 3000000
#define WITHIN 100000

static volatile long counted;
static volatile int begun;
static volatile int stop;

/* By its name a carrier, which is counted apart. */
static void *count(void *unused) {
    prctl(PR_SET_NAME, "x-carrier-1");
    begun = 1;
    for (long i = 0; !stop;) {
        counted = ++i;
    }
    return unused;
}

static void wait_for(long more) {
    long target = counted + more;
    while (counted < target) {
    }
}

int main(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, count, NULL) != 0) {
        return 1;
    }
    while (!begun) {
    }
    wait_for(BEFORE);
    long before = counted;
    lockstep_phase_begin(1);
    wait_for(WITHIN);
    long within = counted - before;
    /* The other one does no more in which it could notice the phase. */
    stop = 1;
    lockstep_phase_end(1);
    pthread_join(thread, NULL);
    printf("within=%ld\n", within);
    return 0;
}
