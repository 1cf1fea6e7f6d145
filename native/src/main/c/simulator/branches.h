/*
 * Branch prediction of one simulated processor: directions by gshare, targets of taken branches by a branch target
 * buffer, targets of indirect jumps and calls by their history, returns by a stack. Only branches that were executed
 * are seen, so nothing is mispredicted on a wrong path.
 *
 * Used by one thread at a time, the one that sits on the processor.
 */
#ifndef LOCKSTEP_BRANCHES_H
#define LOCKSTEP_BRANCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode.h"

/* Entries of any table at most. */
#define BRANCH_ENTRIES_MAX (1u << 24)

#define BRANCH_TARGET_WAYS 4

struct branch_sizes {
    /* Two-bit counters, a power of two; the history has as many bits as their number needs. */
    uint32_t counters;
    /* Entries of the branch target buffer, a power of two from BRANCH_TARGET_WAYS. */
    uint32_t targets;
    /* Entries of the predictor of indirect targets, a power of two. */
    uint32_t indirect;
    /* Return addresses, 1 or more. */
    uint32_t returns;
};

struct branch_counts {
    uint64_t conditional;
    uint64_t conditional_wrong;
    /* Taken direct branches, and the ones whose target the buffer did not have. */
    uint64_t taken;
    uint64_t target_unknown;
    /* Indirect jumps and calls. */
    uint64_t indirect;
    uint64_t indirect_wrong;
    uint64_t returns;
    uint64_t returns_wrong;
};

struct branches;

/* Reads COUNTERS:TARGETS:INDIRECT:RETURNS. Returns false where it is no such thing. */
bool branches_parse(const char *text, struct branch_sizes *sizes);

/* NULL when no memory is left. */
struct branches *branches_create(const struct branch_sizes *sizes);

void branches_free(struct branches *branches);

/*
 * A branch was executed.
 *
 * from: where its last instruction begins; next: the address behind it; to: where execution went on. Returns whether
 * its direction, its indirect target or its return was mispredicted; a target that the buffer does not have is none.
 */
bool branches_executed(
    struct branches *branches, struct branch_counts *counts, enum branch_kind kind, uint64_t from, uint64_t next,
    uint64_t to);

#endif
