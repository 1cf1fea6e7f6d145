#if defined(__linux__)
#define _GNU_SOURCE
#endif

#include <stddef.h>

#include "lockstep_marker.h"

long lockstep_marker(long kind, long a, long b, long c) {
    if (kind == LOCKSTEP_MARKER_CLOCK) {
        volatile int64_t clock = 0;
        (void) lockstep_mark(kind, (long) (uintptr_t) &clock, 0, 0);
        return (long) clock;
    }
    return lockstep_mark(kind, a, b, c);
}

void lockstep_phase(long phase, long begins) {
    if (begins) {
        lockstep_phase_begin((int) phase);
    } else {
        lockstep_phase_end((int) phase);
    }
}

#if defined(__x86_64__) && defined(__linux__)
/* One page, so that it shares none with what a program stores for other reasons. */
#define PAGE_BYTES 4096

_Static_assert(LOCKSTEP_OPERATIONS <= PAGE_BYTES, "an operation has no byte of the page");

static uint8_t operation_page[PAGE_BYTES] __attribute__((aligned(PAGE_BYTES)));

void *lockstep_operation_page(void) {
    return operation_page;
}
#else
void *lockstep_operation_page(void) {
    return NULL;
}
#endif
