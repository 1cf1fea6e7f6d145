#include "blocks.h"

#include <stdlib.h>
#include <string.h>

/* One chunk holds some thousand blocks. */
#define CHUNK_BYTES (1 << 20)

/* Of every record. */
#define ALIGNMENT_BYTES 16

struct chunk {
    struct chunk *older;
    size_t used;
    _Alignas(ALIGNMENT_BYTES) unsigned char bytes[CHUNK_BYTES];
};

static pthread_mutex_t latch = PTHREAD_MUTEX_INITIALIZER;
static struct chunk *newest;
static uint64_t total;
static uint64_t flushes;

/* The latch is held. */
static void *take(size_t bytes) {
    size_t rounded = (bytes + ALIGNMENT_BYTES - 1) / ALIGNMENT_BYTES * ALIGNMENT_BYTES;
    if (newest == NULL || newest->used + rounded > CHUNK_BYTES) {
        struct chunk *chunk = malloc(sizeof *chunk);
        if (chunk == NULL) {
            return NULL;
        }
        chunk->older = newest;
        chunk->used = 0;
        newest = chunk;
    }
    void *record = newest->bytes + newest->used;
    newest->used += rounded;
    memset(record, 0, rounded);
    return record;
}

struct block *blocks_add(size_t count) {
    pthread_mutex_lock(&latch);
    /* A block of QEMU has at most 512 instructions, so a record fits a chunk. */
    struct block *block = take(sizeof *block + count * sizeof block->sites[0]);
    total++;
    pthread_mutex_unlock(&latch);
    return block;
}

struct atomic_site *blocks_atomic(const struct block *block, uint64_t address, uint32_t remaining) {
    pthread_mutex_lock(&latch);
    struct atomic_site *site = take(sizeof *site);
    pthread_mutex_unlock(&latch);
    if (site != NULL) {
        site->block = block;
        site->address = address;
        site->remaining = remaining;
    }
    return site;
}

void blocks_clear(void) {
    pthread_mutex_lock(&latch);
    while (newest != NULL) {
        struct chunk *chunk = newest;
        newest = chunk->older;
        free(chunk);
    }
    flushes++;
    pthread_mutex_unlock(&latch);
}

uint64_t blocks_total(void) {
    return total;
}

uint64_t blocks_flushes(void) {
    return flushes;
}
