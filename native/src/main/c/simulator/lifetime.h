/* Lifetimes of lines in caches, and the classes of the misses that began them: the rules are in model.h. */
#ifndef LOCKSTEP_SIMULATOR_LIFETIME_H
#define LOCKSTEP_SIMULATOR_LIFETIME_H

#include "directory.h"

/* Why a line is asked for. */
enum purpose { PURPOSE_DEMAND, PURPOSE_WALK, PURPOSE_PREFETCH };

struct miss {
    struct processor *processor;
    struct line *line;
    uint64_t address;
    int level;
    uint32_t copy;
    enum purpose purpose;
    bool fetch;
    bool dirty;
    bool conflict;
};

/* A line comes into a cache copy. With life 0 it does not stay: the miss is classed at once. */
void lifetime_begin(struct model *model, const struct miss *miss, struct life *life);

/* The line leaves. */
void lifetime_end(struct model *model, int level, struct life *life);

/* Its part was lost to another core's store, or not. */
void lifetime_lost(const struct model *model, struct line *line, int level, uint32_t copy, uint64_t address,
                   bool invalidated);

/* Words a core has stored to are news to all caches but its own. */
void lifetime_publish(struct model *model, struct core *core, struct line *line, uint64_t words);

/* Whether accesses of a core to the L1-D line of an address may still decide a miss: it holds unread news. */
bool lifetime_watched(const struct model *model, const struct core *core, const struct line *line, uint64_t address);

/* An access to these words, in a watched slot. */
void lifetime_access(struct model *model, struct core *core, struct line *line, uint32_t slot, uint64_t address,
                     uint64_t words, int kind);

/* The miss gets its class, and the line stays. */
void lifetime_close(struct model *model, int level, struct life *life);

#endif
