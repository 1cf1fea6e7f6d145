/*
 * Numbers for methods and for chains of inlined methods, so that each is described once. Used by one thread at a time.
 */
#ifndef LOCKSTEP_NAMES_H
#define LOCKSTEP_NAMES_H

#include <stdint.h>

/* A table from three words to a number from 1, in order of arrival. */
struct names {
    struct name *entries;
    uint32_t capacity;
    uint32_t count;
};

struct name {
    uintptr_t first;
    uint32_t second;
    uint32_t third;
    uint32_t number;
};

/* The number of these words, a new one if they are new, which *added tells; 0 without memory. */
uint32_t names_number(struct names *names, uintptr_t first, uint32_t second, uint32_t third, int *added);

#endif
