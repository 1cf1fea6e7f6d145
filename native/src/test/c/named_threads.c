/*
 * Three threads, one after the other, that each load words of memory: a client, a carrier and one of the engine's, as
 * their names say. Argument: words that each loads, in the phase of what is measured.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "lockstep_marker.h"

static const char *const NAMES[] = {"terminal-0", "lockstep-carrie", "lockstep-log-wr"};
static long words;
static volatile uint64_t word;

static void *work(void *name) {
    prctl(PR_SET_NAME, name);
    for (long left = words; left > 0; left--) {
        (void) word;
    }
    return NULL;
}

int main(int count, char **arguments) {
    words = count == 2 ? atol(arguments[1]) : 0;
    lockstep_phase_begin(LOCKSTEP_PHASE_MEASURED);
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, work, (void *) (uintptr_t) NAMES[i]) != 0) {
            fprintf(stderr, "no thread\n");
            return 1;
        }
        pthread_join(thread, NULL);
    }
    lockstep_phase_end(LOCKSTEP_PHASE_MEASURED);
    return 0;
}
