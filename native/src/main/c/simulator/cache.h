/*
 * One copy of a cache: which lines it holds, in which order they were used. What else is known of a line lies in arrays
 * of the owner's, by slot: a line keeps its slot as long as it stays.
 *
 * Invariants
 * - a line is in at most one slot, of the set its caller always names for it
 * - an empty slot has the tag CACHE_EMPTY and is replaced before any other slot of its set
 * - recent[set] is the way of the set's most recently used line, if that line is still there
 * - a cache of one set with more than CACHE_SEARCHED_WAYS_MAX ways is indexed: heads and chain hold all its lines by
 *   hash, before and after all its slots by use; any other cache orders the ways of a set by stamp
 */
#ifndef LOCKSTEP_SIMULATOR_CACHE_H
#define LOCKSTEP_SIMULATOR_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#define CACHE_EMPTY UINT64_MAX
#define CACHE_NONE UINT32_MAX
/* Up to here comparing the tags one after the other costs no more than a look-up by hash. */
#define CACHE_SEARCHED_WAYS_MAX 32

struct cache {
    uint64_t *tags;
    uint64_t *stamps;
    uint16_t *recent;
    uint64_t tick;
    uint32_t sets;
    /* sets - 1 where that is a mask, else 0. */
    uint32_t set_mask;
    uint32_t ways;
    uint32_t lines;
    /* 0: not indexed. */
    uint32_t buckets;
    uint32_t *heads;
    uint32_t *chain;
    uint32_t *before;
    uint32_t *after;
    uint32_t newest;
    uint32_t oldest;
};

/* Returns -1 where there is no memory; cache_release may be called then, and twice. */
int cache_create(struct cache *cache, uint32_t lines, uint32_t ways);

void cache_release(struct cache *cache);

uint32_t cache_search(const struct cache *cache, uint64_t line, uint32_t set);

void cache_touch_indexed(struct cache *cache, uint32_t slot);

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
    uint32_t slot = cache->buckets != 0 ? cache->newest : set * cache->ways + cache->recent[set];
    return cache->tags[slot] == line ? slot : cache_search(cache, line, set);
}

/* Makes the line of a slot the most recently used of its set. */
static inline void cache_touch(struct cache *cache, uint32_t slot, uint32_t set) {
    if (cache->buckets != 0) {
        if (slot != cache->newest) {
            cache_touch_indexed(cache, slot);
        }
    } else {
        cache->stamps[slot] = ++cache->tick;
        cache->recent[set] = (uint16_t) (slot - set * cache->ways);
    }
}

#endif
