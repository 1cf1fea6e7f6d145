/* Who may read and write a line: MESI over the directory, and all ways a line is taken out of a cache from outside. */
#ifndef LOCKSTEP_SIMULATOR_COHERENCE_H
#define LOCKSTEP_SIMULATOR_COHERENCE_H

#include "lifetime.h"

/* A modified copy elsewhere that answers a request. */
struct supply {
    bool dirty;
    uint32_t node;
};

enum collect { COLLECT_LOAD, COLLECT_STORE, COLLECT_FETCH };

/*
 * Takes from all others what stands in the way of a request: the right to write, and for a store every copy. Modified
 * data is written back to the first level shared with the requester, or handed over to a store. A fetch takes the right
 * to write from its own core too.
 */
void coherence_collect(struct model *model, struct processor *processor, struct line *line, enum collect collect,
                       struct supply *supply);

/* Whether no cache outside a core's chain holds any of the line. */
static inline bool coherence_alone(const struct core *core, const struct line *line) {
    uint64_t elsewhere = line->holders[LEVEL_L1I];
    for (int level = LEVEL_L1D; level < LEVELS; level++) {
        elsewhere |= line->holders[level] & ~((uint64_t) 1 << core->copy[level]);
    }
    return elsewhere == 0;
}

/* Modified data goes to the first level of a core's chain, from this level on, that holds and keeps it. */
void coherence_write(struct model *model, struct processor *processor, const struct core *core, struct line *line,
                     int from, uint64_t address);

/* All that lies above a line of an outer level leaves; whether any of it was modified. */
bool coherence_recall(struct model *model, int level, uint32_t copy, struct line *line, uint64_t address);

/* The line of an L1-D slot leaves, to another core's store or not. Modified data is the caller's to save. */
void coherence_drop_data(struct model *model, struct core *core, uint32_t slot, bool invalidated);

/* A part of the line has left this cache. */
void coherence_part_left(struct model *model, struct line *line, int level, uint32_t copy);

/* A core is about to write the line: other cores' observing caches lose it. */
void coherence_tell_observers(struct model *model, const struct core *core, const struct line *line);

#endif
