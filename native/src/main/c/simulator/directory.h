/*
 * What is known of every line that was ever touched: which caches hold it, who may write it, and what decides the
 * classes of its misses. A line here is a coherence line, as long as the machine's longest data line; a cache with
 * shorter lines holds parts of it.
 *
 * Invariants
 * - a cache that holds a part of the line has its bit in holders; the bit goes with the last part
 * - where owner is a core, no cache outside that core's own chain (its L1-D, its L2 copy, its last-level copy) holds
 *   any part of the line, and no L1-I does; owner may be stale where that core no longer holds the line
 * - modified[level] is the only copy of that outer level that may hold modified parts; only owner's L1-D may
 * - lines are never moved, and forgotten only by directory_line, where no cache holds them and misses are not classed:
 *   then nothing asks what was before
 *
 * Layout, behind struct line: for each data level, a byte of FLAG_ bits for each copy and part; then, for each data
 * level with more than one copy, the words written by others and not yet read, 2, 4 or 8 bytes for each copy.
 */
#ifndef LOCKSTEP_SIMULATOR_DIRECTORY_H
#define LOCKSTEP_SIMULATOR_DIRECTORY_H

#include "model_internal.h"

/* This copy has held the part. */
#define FLAG_EVER 1u
/* It lost it to another core's store. */
#define FLAG_INVALIDATED 2u

#define NOBODY (-1)

struct line {
    /* 64 bytes in all, without what lies behind. */
    uint64_t number;
    struct line *next;
    uint64_t holders[LEVELS];
    /* Cores that ever asked for a part. */
    uint64_t touched;
    int8_t owner;
    int8_t modified[LEVELS];
};

/* Sets the layout from the model's levels and copies, and makes an empty directory. -1 where there is no memory. */
int directory_create(struct model *model);

void directory_release(struct model *model);

/* The next directory_line is for this number: the host may fetch what it takes. */
void directory_prefetch(const struct model *model, uint64_t number);

/*
 * Never NULL: without memory a stand-in, with model->exhausted set. Forgets other lines when there is no room, so no
 * line but those in caches may be in use.
 */
struct line *directory_line(struct model *model, uint64_t number);

static inline uint8_t *line_flags(const struct model *model, struct line *line, int level, uint32_t copy,
                                  uint64_t address) {
    uint32_t parts_shift = model->sublines_shift[level];
    uint32_t part = (uint32_t) (address >> (model->coherence_shift - parts_shift)) & ((1u << parts_shift) - 1);
    return (uint8_t *) line + model->flags_offset[level] + (copy << parts_shift) + part;
}

/* Words written by others that this copy has not read. Only for levels with more than one copy. */
static inline uint64_t line_pending(const struct model *model, const struct line *line, int level, uint32_t copy) {
    const char *at = (const char *) line + model->pending_offset[level] + copy * model->pending_bytes;
    switch (model->pending_bytes) {
        case 2:
            return *(const uint16_t *) (const void *) at;
        case 4:
            return *(const uint32_t *) (const void *) at;
        default:
            return *(const uint64_t *) (const void *) at;
    }
}

static inline void line_set_pending(const struct model *model, struct line *line, int level, uint32_t copy,
                                    uint64_t words) {
    char *at = (char *) line + model->pending_offset[level] + copy * model->pending_bytes;
    switch (model->pending_bytes) {
        case 2:
            *(uint16_t *) (void *) at = (uint16_t) words;
            break;
        case 4:
            *(uint32_t *) (void *) at = (uint32_t) words;
            break;
        default:
            *(uint64_t *) (void *) at = words;
            break;
    }
}

/* Whether copies of this level can take lines from each other. */
static inline bool level_shares(const struct model *model, int level) {
    return model->coherent && model->copies[level] > 1;
}

/* The words of the coherence line from one address to another in it. */
static inline uint64_t words_between(const struct model *model, uint64_t first, uint64_t last) {
    uint64_t mask = ((uint64_t) 1 << model->coherence_shift) - 1;
    uint32_t from = (uint32_t) ((first & mask) >> 2);
    uint32_t to = (uint32_t) ((last & mask) >> 2);
    return (((uint64_t) 2 << (to - from)) - 1) << from;
}

/* The words of the part of a level that holds this address. */
static inline uint64_t words_of_part(const struct model *model, uint32_t shift, uint64_t address) {
    uint64_t first = address >> shift << shift;
    return words_between(model, first, first + ((uint64_t) 1 << shift) - 1);
}

#endif
