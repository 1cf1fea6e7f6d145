/* What model.c does for the parts below it. */
#ifndef LOCKSTEP_SIMULATOR_MODEL_PARTS_H
#define LOCKSTEP_SIMULATOR_MODEL_PARTS_H

#include "model_internal.h"

/*
 * The observing caches of one level of one core or copy of an outer level. With driving, the L1-I itself comes first.
 * Every core's stacks count at the same depths.
 */
int model_create_stacks(struct model *model, struct stack_families *families, int level, bool driving,
                        uint32_t *depths);

/* One entry of a page table is read through L1-D. */
void model_walk_access(struct model *model, struct processor *processor, uint64_t address);

/* The line of an address comes into a cache, unless it is there. */
void model_prefetch(struct model *model, struct processor *processor, int level, uint64_t address);

#endif
