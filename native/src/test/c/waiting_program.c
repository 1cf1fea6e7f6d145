/*
 * Loads by code that is executed before the first phase, and then in it, and by code that is executed first between two
 * phases, and then in the second one.
 */
#include "lockstep_marker.h"

#define LOADS 20000

static volatile long word;

static __attribute__((noinline)) void load_early(void) {
    for (int i = 0; i < LOADS; i++) {
        (void) word;
    }
}

static __attribute__((noinline)) void load(void) {
    for (int i = 0; i < LOADS; i++) {
        (void) word;
    }
}

int main(void) {
    load_early();
    lockstep_phase_begin(1);
    load_early();
    lockstep_phase_end(1);
    load();
    lockstep_phase_begin(2);
    load();
    lockstep_phase_end(2);
    return 0;
}
