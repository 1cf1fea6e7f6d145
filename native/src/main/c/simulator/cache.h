/*
 * One copy of a cache: which lines it holds, in which order they were used. What else is known of a line lies in arrays
 * of the owner's, by slot: a line keeps its slot as long as it stays.
 *
 * Sets of up to CACHE_ORDERED_WAYS_MAX ways lie in tags as blocks of one word and the tags of the ways: the word names
 * the ways by their last use, four bits each, most recent lowest. So the slots of a set follow each other, and slot
 * numbers leave out one for each word. Larger sets have no word, but stamps; and a cache that is one set of more than
 * CACHE_SEARCHED_WAYS_MAX ways is indexed: heads and chain hold its lines by hash, before and after its slots by use.
 *
 * Invariants
 * - a line is in at most one slot, of the set its caller always names for it
 * - an empty slot has the tag CACHE_EMPTY and is replaced before any other slot of its set: its way stands behind all
 *   that hold a line, or has stamp 0, or is among the oldest
 */
#ifndef LOCKSTEP_SIMULATOR_CACHE_H
#define LOCKSTEP_SIMULATOR_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#define CACHE_EMPTY UINT64_MAX
#define CACHE_NONE UINT32_MAX
/* As many ways as a word has places of four bits. */
#define CACHE_ORDERED_WAYS_MAX 16
/* Up to here comparing the tags one after the other costs no more than a look-up by hash. */
#define CACHE_SEARCHED_WAYS_MAX 32
#define CACHE_WAY_BITS 4
#define CACHE_WAY_MASK 15u

struct cache {
    uint64_t *tags;
    uint32_t sets;
    /* sets - 1 where that is a mask, else 0. */
    uint32_t set_mask;
    uint32_t ways;
    /* Slot numbers from set to set. */
    uint32_t stride;
    /* 1 where there are words of order, else 0: the first slot of a set's block. */
    uint32_t ordered;
    /* All slot numbers are below. */
    uint32_t slots;
    /* 0: not indexed. */
    uint32_t buckets;
    uint32_t newest;
    uint32_t oldest;
    uint64_t *stamps;
    uint64_t tick;
    uint32_t *heads;
    uint32_t *chain;
    uint32_t *before;
    uint32_t *after;
};

/* Returns -1 where there is no memory; cache_release may be called then, and twice. */
int cache_create(struct cache *cache, uint32_t lines, uint32_t ways);

void cache_release(struct cache *cache);

uint32_t cache_search(const struct cache *cache, uint64_t line, uint32_t set);

/* Where the ways are not ordered by a word. */
void cache_touch_unordered(struct cache *cache, uint32_t slot);

/* The slot that the next line of this set goes to; its line, if any, is still in it. */
uint32_t cache_victim(const struct cache *cache, uint32_t set);

/* Puts a line into a slot of its set that is empty or whose line is to go, as the most recently used. */
void cache_put(struct cache *cache, uint64_t line, uint32_t set, uint32_t slot);

void cache_remove(struct cache *cache, uint32_t slot);

/* Removes a line of a cache of one set, if it is there. */
void cache_remove_line(struct cache *cache, uint64_t line);

/* The set of a line, by the number it is indexed with. */
static inline uint32_t cache_set(const struct cache *cache, uint64_t index) {
    return cache->set_mask != 0 || cache->sets == 1 ? (uint32_t) index & cache->set_mask
                                                    : (uint32_t) (index % cache->sets);
}

/* The slot of a line, or CACHE_NONE. */
static inline uint32_t cache_find(const struct cache *cache, uint64_t line, uint32_t set) {
    uint32_t slot = cache->newest;
    if (cache->ordered != 0) {
        uint32_t block = set * cache->stride;
        slot = block + 1 + ((uint32_t) cache->tags[block] & CACHE_WAY_MASK);
    }
    return cache->tags[slot] == line ? slot : cache_search(cache, line, set);
}

/* The place of a way in a word of order, as a shift. */
static inline uint32_t cache_place(uint64_t order, uint32_t way) {
    uint64_t ones = 0x1111111111111111u;
    uint64_t differing = order ^ way * ones;
    /* The lowest four bits that are zero leave their highest bit set. */
    return (uint32_t) __builtin_ctzll((differing - ones) & ~differing & ones << 3) & ~3u;
}

/* Makes the line of a slot the most recently used of its set. */
static inline void cache_touch(struct cache *cache, uint32_t slot, uint32_t set) {
    if (cache->ordered == 0) {
        if (slot != cache->newest) {
            cache_touch_unordered(cache, slot);
        }
        return;
    }
    uint64_t *order = &cache->tags[set * cache->stride];
    uint32_t way = slot - set * cache->stride - 1;
    if ((*order & CACHE_WAY_MASK) != way) {
        uint64_t newer = ((uint64_t) 1 << cache_place(*order, way)) - 1;
        *order = (*order & ~(newer << CACHE_WAY_BITS | CACHE_WAY_MASK)) | (*order & newer) << CACHE_WAY_BITS | way;
    }
}

#endif
