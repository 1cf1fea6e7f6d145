/*
 * The compilation level of a method compiled by HotSpot, which JVMTI does not tell. It stands in the descriptor in
 * front of the code, whose layout the JVM describes to debuggers by exported tables (gHotSpotVMStructs); what those
 * tables do not name, on another JVM, is answered by COMPILE_LEVEL_UNKNOWN. Used by one thread at a time.
 */
#ifndef LOCKSTEP_COMPILE_LEVEL_H
#define LOCKSTEP_COMPILE_LEVEL_H

#include <stdbool.h>
#include <stdint.h>

#define COMPILE_LEVEL_UNKNOWN (-1)

/* 1 to 3: C1, without profile, with counters, with full profile. */
#define COMPILE_LEVEL_C2 4

struct compile_level {
    int level;
    /* The number under which the JVM prints the compilation, 0 if unknown. */
    int compile_id;
};

/* Reads the JVM's tables; false where they do not say enough. */
bool compile_level_open(void);

/* Of the method whose code begins at this address, which the JVM reports right now. */
struct compile_level compile_level_of(const void *code);

#endif
