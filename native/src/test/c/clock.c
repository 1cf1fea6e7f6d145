/* Prints the simulated clock before and after a loop of a hundred million instructions or so, in a phase or in none. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "lockstep_marker.h"

static volatile uint64_t words[1 << 10];

static int64_t clock_now(void) {
    int64_t cycles = 0;
    (void) lockstep_mark(LOCKSTEP_MARKER_CLOCK, (long) (uintptr_t) &cycles, 0, 0);
    return cycles;
}

static void *work(void *rounds) {
    for (long i = 0; i < *(long *) rounds; i++) {
        words[i & 1023] += (uint64_t) i;
    }
    return NULL;
}

static int64_t timed(long rounds) {
    int64_t begin = clock_now();
    (void) work(&rounds);
    return clock_now() - begin;
}

int main(int count, char **arguments) {
    long rounds = 1000000;
    printf("unfed %" PRId64 "\n", timed(rounds));
    int64_t before = clock_now();
    pthread_t thread;
    if (count > 1 && strcmp(arguments[1], "threads") == 0) {
        if (pthread_create(&thread, NULL, work, &rounds) != 0) {
            return 1;
        }
        (void) pthread_join(thread, NULL);
    }
    lockstep_phase_begin(LOCKSTEP_PHASE_MEASURED);
    printf("fed %" PRId64 "\n", timed(rounds));
    lockstep_phase_end(LOCKSTEP_PHASE_MEASURED);
    printf("outside %" PRId64 "\n", timed(rounds));
    printf("total %s\n", clock_now() >= before ? "grows" : "falls");
    return 0;
}
