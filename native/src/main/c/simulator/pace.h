/*
 * Keeps simulated processors in step. Simulated processors share the few real ones, and the system lets a thread run
 * for milliseconds; lines that two processors share would then change hands as often as the system switches threads,
 * not as often as the program asks; so would the L1s that the hardware threads of a core share. So clocks are divided
 * into rounds of a quantum, and in each round every processor runs to its end, one at a time, in the order of their
 * last atomic instructions: no processor is ever more than a quantum (and a block) ahead of another. Who runs depends
 * on clocks alone, so that a run can be repeated; letting as many run as there are real processors was faster by half,
 * and repeated worse.
 *
 * A processor takes part while it runs (pace_join to pace_leave), not while its thread is in a system call. One that
 * joins starts at the clock of the slowest that takes part, or at its own if that is later, so it neither waits for the
 * time it was away nor makes the others wait; where none takes part, at the clock that the last one left at.
 *
 * QEMU stops all virtual processors for some operations (atomic accesses it cannot do otherwise, a flush of
 * translations) and waits for each to reach the end of a block. A processor that waits here does not reach it, so every
 * wait ends after PACE_WAIT_NANOS_MAX, is counted, and the processor executes one block before it waits again: enough
 * for QEMU, and far too little to run away.
 *
 * Thread-safe. A slot is used by one thread at a time; the caller sees to that.
 */
#ifndef LOCKSTEP_PACE_H
#define LOCKSTEP_PACE_H

#include <stdbool.h>
#include <stdint.h>

/* Longer than a busy system keeps the processor that runs from running, so that it ends only waits that QEMU ends. */
#define PACE_WAIT_NANOS_MAX 20000000

struct pace;

struct pace_counts {
    /* Times a processor waited for its turn. */
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

/* A processor takes part from now on; pace_advance lets it run. Returns the clock it starts at. */
uint64_t pace_join(struct pace *pace, uint32_t processor);

/* A processor takes part no more, from this clock on. */
void pace_leave(struct pace *pace, uint32_t processor, uint64_t clock);

/*
 * Tells how far a processor that takes part has come, and waits until it may run. Returns the clock up to which it may
 * go on before it asks again; when the wait ended by its bound that is the clock it has, so that it asks again at once.
 *
 * atomic_at: clock of the last atomic instruction that it executed; any that repeats if it has none.
 */
uint64_t pace_advance(struct pace *pace, uint32_t processor, uint64_t clock, uint64_t atomic_at);

/* What has been counted so far. */
struct pace_counts pace_counts(struct pace *pace);

#endif
