#include "cache.h"

#include <stdlib.h>

#include "memory.h"

static uint32_t bucket_of(const struct cache *cache, uint64_t line) {
    /* 2^64 divided by the golden ratio: spreads consecutive lines over all buckets. */
    return (uint32_t) ((line * 0x9E3779B97F4A7C15u) >> 32) & (cache->buckets - 1);
}

static int create_index(struct cache *cache) {
    uint32_t buckets = 1;
    while (buckets < cache->slots) {
        buckets <<= 1;
    }
    cache->heads = memory_create(buckets, sizeof *cache->heads);
    cache->chain = memory_create(cache->slots, sizeof *cache->chain);
    cache->before = memory_create(cache->slots, sizeof *cache->before);
    cache->after = memory_create(cache->slots, sizeof *cache->after);
    if (cache->heads == NULL || cache->chain == NULL || cache->before == NULL || cache->after == NULL) {
        return -1;
    }
    cache->buckets = buckets;
    for (uint32_t bucket = 0; bucket < buckets; bucket++) {
        cache->heads[bucket] = CACHE_NONE;
    }
    for (uint32_t slot = 0; slot < cache->slots; slot++) {
        cache->before[slot] = slot == 0 ? CACHE_NONE : slot - 1;
        cache->after[slot] = slot == cache->slots - 1 ? CACHE_NONE : slot + 1;
    }
    cache->newest = 0;
    cache->oldest = cache->slots - 1;
    return 0;
}

/* All ways, each in the place of its number. */
#define FIRST_ORDER 0xFEDCBA9876543210u

int cache_create(struct cache *cache, uint32_t lines, uint32_t ways) {
    *cache = (struct cache) {.ways = ways, .sets = lines / ways};
    cache->set_mask = (cache->sets & (cache->sets - 1)) == 0 ? cache->sets - 1 : 0;
    cache->ordered = ways <= CACHE_ORDERED_WAYS_MAX;
    cache->stride = ways + cache->ordered;
    cache->slots = cache->sets * cache->stride;
    cache->tags = memory_create(cache->slots, sizeof *cache->tags);
    if (cache->tags == NULL) {
        return -1;
    }
    for (uint32_t slot = 0; slot < cache->slots; slot++) {
        bool order = cache->ordered != 0 && slot % cache->stride == 0;
        cache->tags[slot] = order ? FIRST_ORDER : CACHE_EMPTY;
    }
    if (cache->ordered != 0) {
        return 0;
    }
    if (cache->sets == 1 && ways > CACHE_SEARCHED_WAYS_MAX) {
        return create_index(cache);
    }
    cache->stamps = memory_create(cache->slots, sizeof *cache->stamps);
    return cache->stamps == NULL ? -1 : 0;
}

void cache_release(struct cache *cache) {
    free(cache->tags);
    free(cache->stamps);
    free(cache->heads);
    free(cache->chain);
    free(cache->before);
    free(cache->after);
    *cache = (struct cache) {.tags = NULL};
}

uint32_t cache_search(const struct cache *cache, uint64_t line, uint32_t set) {
    if (cache->buckets != 0) {
        uint32_t slot = cache->heads[bucket_of(cache, line)];
        while (slot != CACHE_NONE && cache->tags[slot] != line) {
            slot = cache->chain[slot];
        }
        return slot;
    }
    uint32_t first = set * cache->stride + cache->ordered;
    const uint64_t *tags = cache->tags + first;
    for (uint32_t way = 0; way < cache->ways; way++) {
        if (tags[way] == line) {
            return first + way;
        }
    }
    return CACHE_NONE;
}

static void unlink_slot(struct cache *cache, uint32_t slot) {
    uint32_t before = cache->before[slot];
    uint32_t after = cache->after[slot];
    *(before == CACHE_NONE ? &cache->newest : &cache->after[before]) = after;
    *(after == CACHE_NONE ? &cache->oldest : &cache->before[after]) = before;
}

void cache_touch_unordered(struct cache *cache, uint32_t slot) {
    if (cache->buckets == 0) {
        cache->stamps[slot] = ++cache->tick;
        cache->newest = slot;
        return;
    }
    unlink_slot(cache, slot);
    cache->before[slot] = CACHE_NONE;
    cache->after[slot] = cache->newest;
    cache->before[cache->newest] = slot;
    cache->newest = slot;
}

uint32_t cache_victim(const struct cache *cache, uint32_t set) {
    if (cache->buckets != 0) {
        return cache->oldest;
    }
    uint32_t victim = set * cache->stride;
    if (cache->ordered != 0) {
        return victim + 1 + (uint32_t) (cache->tags[victim] >> (cache->ways - 1) * CACHE_WAY_BITS & CACHE_WAY_MASK);
    }
    uint64_t least = cache->stamps[victim];
    for (uint32_t slot = victim + 1, end = victim + cache->ways; slot < end; slot++) {
        uint64_t stamp = cache->stamps[slot];
        victim = stamp < least ? slot : victim;
        least = stamp < least ? stamp : least;
    }
    return victim;
}

static void leave_chain(struct cache *cache, uint32_t slot) {
    uint32_t *link = &cache->heads[bucket_of(cache, cache->tags[slot])];
    while (*link != slot) {
        link = &cache->chain[*link];
    }
    *link = cache->chain[slot];
}

void cache_put(struct cache *cache, uint64_t line, uint32_t set, uint32_t slot) {
    if (cache->buckets != 0) {
        if (cache->tags[slot] != CACHE_EMPTY) {
            leave_chain(cache, slot);
        }
        uint32_t *head = &cache->heads[bucket_of(cache, line)];
        cache->chain[slot] = *head;
        *head = slot;
    }
    cache->tags[slot] = line;
    if (cache->ordered == 0 && cache->buckets == 0) {
        /* Even where it is the newest slot: it may have been emptied since. */
        cache_touch_unordered(cache, slot);
    } else {
        cache_touch(cache, slot, set);
    }
}

/* Makes the way of a slot the first to go. */
static void put_last(struct cache *cache, uint32_t slot) {
    uint64_t *order = &cache->tags[slot / cache->stride * cache->stride];
    uint64_t way = slot % cache->stride - 1;
    uint32_t place = cache_place(*order, (uint32_t) way);
    uint32_t last = (cache->ways - 1) * CACHE_WAY_BITS;
    /* All that stand between move up by one place. */
    for (; place < last; place += CACHE_WAY_BITS) {
        uint64_t next = *order >> (place + CACHE_WAY_BITS) & CACHE_WAY_MASK;
        *order = (*order & ~((uint64_t) CACHE_WAY_MASK << place)) | next << place;
    }
    *order = (*order & ~((uint64_t) CACHE_WAY_MASK << last)) | way << last;
}

void cache_remove(struct cache *cache, uint32_t slot) {
    if (cache->tags[slot] == CACHE_EMPTY) {
        return;
    }
    if (cache->buckets != 0) {
        leave_chain(cache, slot);
        if (slot != cache->oldest) {
            unlink_slot(cache, slot);
            cache->after[slot] = CACHE_NONE;
            cache->before[slot] = cache->oldest;
            cache->after[cache->oldest] = slot;
            cache->oldest = slot;
        }
    }
    if (cache->ordered != 0) {
        put_last(cache, slot);
    } else if (cache->buckets == 0) {
        /* Below any stamp in use. */
        cache->stamps[slot] = 0;
    }
    cache->tags[slot] = CACHE_EMPTY;
}

void cache_remove_line(struct cache *cache, uint64_t line) {
    uint32_t slot = cache_find(cache, line, 0);
    if (slot != CACHE_NONE) {
        cache_remove(cache, slot);
    }
}
