/*
 * Executes operation 3 several times, marked by stores to a page: the first time it loads one word, then two, and so
 * on. Argument: how often, in the phase of what is measured; twice before it, in another phase and in none,
 * which is not to be traced.
 */
#include <stdint.h>
#include <stdlib.h>

#include "lockstep_marker.h"

static volatile uint8_t page[LOCKSTEP_OPERATIONS];
static volatile uint64_t word;

/* In functions of their own, so that blocks end. */
__attribute__((noinline)) static void mark(long operation) {
    page[operation] = 0;
}

__attribute__((noinline)) static void load(long words) {
    for (long left = words; left > 0; left--) {
        (void) word;
    }
}

int main(int count, char **arguments) {
    long executions = count == 2 ? atol(arguments[1]) : 0;
    lockstep_mark(LOCKSTEP_MARKER_OPERATION_PAGE, (long) (uintptr_t) page, 0, 0);
    mark(3);
    load(1000);
    mark(0);
    lockstep_phase_begin(LOCKSTEP_PHASE_MEASURED + 1);
    mark(3);
    load(1000);
    mark(0);
    lockstep_phase_end(LOCKSTEP_PHASE_MEASURED + 1);
    lockstep_phase_begin(LOCKSTEP_PHASE_MEASURED);
    for (long i = 1; i <= executions; i++) {
        mark(3);
        load(i);
        mark(0);
    }
    lockstep_phase_end(LOCKSTEP_PHASE_MEASURED);
    return 0;
}
