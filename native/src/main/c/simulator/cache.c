#include "cache.h"

#include <stdlib.h>

static uint32_t bucket_of(const struct cache *cache, uint64_t line) {
    /* 2^64 divided by the golden ratio: spreads consecutive lines over all buckets. */
    return (uint32_t) ((line * 0x9E3779B97F4A7C15u) >> 32) & (cache->buckets - 1);
}

static int create_index(struct cache *cache) {
    uint32_t buckets = 1;
    while (buckets < cache->lines) {
        buckets <<= 1;
    }
    cache->heads = malloc(buckets * sizeof *cache->heads);
    cache->chain = malloc(cache->lines * sizeof *cache->chain);
    cache->before = malloc(cache->lines * sizeof *cache->before);
    cache->after = malloc(cache->lines * sizeof *cache->after);
    if (cache->heads == NULL || cache->chain == NULL || cache->before == NULL || cache->after == NULL) {
        return -1;
    }
    cache->buckets = buckets;
    for (uint32_t bucket = 0; bucket < buckets; bucket++) {
        cache->heads[bucket] = CACHE_NONE;
    }
    for (uint32_t slot = 0; slot < cache->lines; slot++) {
        cache->before[slot] = slot == 0 ? CACHE_NONE : slot - 1;
        cache->after[slot] = slot == cache->lines - 1 ? CACHE_NONE : slot + 1;
    }
    cache->newest = 0;
    cache->oldest = cache->lines - 1;
    return 0;
}

int cache_create(struct cache *cache, uint32_t lines, uint32_t ways) {
    *cache = (struct cache) {.lines = lines, .ways = ways, .sets = lines / ways};
    cache->set_mask = (cache->sets & (cache->sets - 1)) == 0 ? cache->sets - 1 : 0;
    cache->tags = malloc(lines * sizeof *cache->tags);
    cache->stamps = calloc(lines, sizeof *cache->stamps);
    cache->recent = calloc(cache->sets, sizeof *cache->recent);
    if (cache->tags == NULL || cache->stamps == NULL || cache->recent == NULL) {
        return -1;
    }
    for (uint32_t slot = 0; slot < lines; slot++) {
        cache->tags[slot] = CACHE_EMPTY;
    }
    return cache->sets == 1 && ways > CACHE_SEARCHED_WAYS_MAX ? create_index(cache) : 0;
}

void cache_release(struct cache *cache) {
    free(cache->tags);
    free(cache->stamps);
    free(cache->recent);
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
    uint32_t first = set * cache->ways;
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

void cache_touch_indexed(struct cache *cache, uint32_t slot) {
    if (slot == cache->newest) {
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
    uint32_t victim = set * cache->ways;
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
    cache_touch(cache, slot, set);
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
    cache->tags[slot] = CACHE_EMPTY;
    /* Below any stamp in use. */
    cache->stamps[slot] = 0;
}

void cache_remove_line(struct cache *cache, uint64_t line) {
    uint32_t slot = cache_find(cache, line, 0);
    if (slot != CACHE_NONE) {
        cache_remove(cache, slot);
    }
}
