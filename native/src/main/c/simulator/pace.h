/*
 * Keeps simulated processors in step. Simulated processors share the few real ones, and the system lets a thread run for
 * milliseconds; lines that two processors share would then change hands as often as the system switches threads, not as
 * often as the program asks. So a processor whose clock is more than a quantum ahead of the slowest running one waits.
 *
 * A processor takes part while it runs (pace_join to pace_leave), not while its thread is in a system call. One that
 * joins starts at the clock of the slowest that runs, or at its own if that is later, so it neither waits for the time
 * it was away nor makes the others wait.
 *
 * QEMU stops all virtual processors for some operations (atomic accesses it cannot do otherwise, a flush of
 * translations) and waits for each to reach the end of a block. A processor that waits here does not reach it, so every
 * wait ends after PACE_WAIT_NANOS_MAX, is counted, and the processor executes one block before it waits again: enough
 * for QEMU, and far too little to run away.
 *
 * The slowest running processor never waits, so some processor always runs.
 *
 * Thread-safe. A slot is used by one thread at a time; the caller sees to that.
 */
#ifndef LOCKSTEP_PACE_H
#define LOCKSTEP_PACE_H

#include <stdbool.h>
#include <stdint.h>

/* Half a millisecond: a hundred times what a quantum takes, and short beside what QEMU stops the world for. */
#define PACE_WAIT_NANOS_MAX 500000

struct pace;

struct pace_counts {
    /* Times a processor waited for slower ones. */
    uint64_t waits;
    /* Of these, the ones that ended by their bound. */
    uint64_t waits_bounded;
    /* Furthest a processor was ahead of the slowest when it asked, in instructions. */
    uint64_t lead_max;
};

/*
 * For a number of processors, 1 or more.
 *
 * quantum: instructions that a processor may be ahead, 1 or more.
 */
struct pace *pace_create(uint32_t processors, uint64_t quantum);

void pace_free(struct pace *pace);

/* A processor runs from now on. Returns the clock it starts at: the slowest running one's, or its own if later. */
uint64_t pace_join(struct pace *pace, uint32_t processor);

/* A processor stops running, at this clock. */
void pace_leave(struct pace *pace, uint32_t processor, uint64_t clock);

/*
 * Tells how far a processor that takes part has come, and waits while it is too far ahead. Returns the clock up to which
 * it may go on before it asks again; when the wait ended by its bound that is the clock it has, so that it asks again at
 * once.
 */
uint64_t pace_advance(struct pace *pace, uint32_t processor, uint64_t clock);

/* What has been counted so far. */
struct pace_counts pace_counts(struct pace *pace);

#endif
