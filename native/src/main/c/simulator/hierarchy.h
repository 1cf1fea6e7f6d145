/* What happens beyond a hit in L1 on a shared machine: outer levels, rights to lines, and the lines that leave. */
#ifndef LOCKSTEP_SIMULATOR_HIERARCHY_H
#define LOCKSTEP_SIMULATOR_HIERARCHY_H

#include "lifetime.h"
#include "pages.h"

/* The set of an address in a cache of an outer level. */
static inline uint32_t hierarchy_set(const struct model *model, int level, const struct cache *cache,
                                     uint64_t address) {
    return cache_set(cache, pages_physical(model, address) >> model->level_shift[level]);
}

int hierarchy_create(struct model *model, uint32_t *depths);

void hierarchy_release(struct model *model);

/* Brings the line of an address, which is not there, into a core's L1-I. */
void hierarchy_fetch(struct model *model, struct processor *processor, uint64_t address, enum purpose purpose);

/*
 * Answers a load, store or update of bytes from first to last, all in one L1-D line that is not there, and brings it
 * there unless the cache is write-through and this is a store. conflict: a fully associative cache would hold it.
 */
void hierarchy_miss(struct model *model, struct processor *processor, uint64_t first, uint64_t last, int kind,
                    enum purpose purpose, bool conflict);

/* The same where the line is in the slot given, and more is to be done than to touch it. */
void hierarchy_hit(struct model *model, struct processor *processor, uint32_t slot, uint64_t first, uint64_t last,
                   int kind);

/* Brings the line of an address into a core's copy of an outer level, unless it is there. */
void hierarchy_prefetch(struct model *model, struct processor *processor, int level, uint64_t address);

/* Takes the L1-I line of an address out of a core's L1-I, if it is there. */
bool hierarchy_drop_instruction(struct model *model, struct core *core, uint64_t address);

/* The shadow of one cache sees an access to a line; whether it held it. */
bool hierarchy_shadow(struct cache *shadow, uint64_t line, bool allocate);

#endif
