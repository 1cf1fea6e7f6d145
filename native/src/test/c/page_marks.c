/*
 * Marks operations by stores to a page: loads words in operation 3, as many again in operation 4095, and stores bytes
 * beside the page, which mark nothing. Argument: words that each loads, in the phase of what is measured.
 */
#include <stdint.h>
#include <stdlib.h>

#include "lockstep_marker.h"

/* The page between two others, so that bytes beside it are the program's too. */
static volatile uint8_t bytes[3 * LOCKSTEP_OPERATIONS];
static volatile uint64_t word;

static void load(long words) {
    for (long left = words; left > 0; left--) {
        (void) word;
    }
}

/* In a function of its own, so that its block ends. */
__attribute__((noinline)) static void store(long at) {
    bytes[LOCKSTEP_OPERATIONS + at] = 0;
}

int main(int count, char **arguments) {
    long words = count == 2 ? atol(arguments[1]) : 0;
    lockstep_mark(LOCKSTEP_MARKER_OPERATION_PAGE, (long) (uintptr_t) (bytes + LOCKSTEP_OPERATIONS), 0, 0);
    lockstep_phase_begin(LOCKSTEP_PHASE_MEASURED);
    store(3);
    load(words);
    store(-1);
    store(LOCKSTEP_OPERATIONS);
    load(words);
    store(LOCKSTEP_OPERATIONS - 1);
    load(words);
    store(0);
    load(words);
    lockstep_phase_end(LOCKSTEP_PHASE_MEASURED);
    return 0;
}
