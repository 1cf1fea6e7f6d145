/* Repeated string instructions before a phase and in it. */
#include "lockstep_marker.h"

#define TIMES 10
#define BYTES 100000

static char bytes[BYTES];

static __attribute__((noinline)) void fill(void) {
    for (int i = 0; i < TIMES; i++) {
        void *to = bytes;
        unsigned long count = BYTES;
        __asm__ volatile("rep stosb" : "+D"(to), "+c"(count) : "a"(0) : "memory");
    }
}

int main(void) {
    fill();
    lockstep_phase_begin(1);
    fill();
    lockstep_phase_end(1);
    return 0;
}
