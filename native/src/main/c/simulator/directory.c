#include "directory.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

/* 512 KB of buckets: enough for the first few megabytes of data, and doubled whenever lines outnumber them. */
#define BUCKETS_AT_FIRST (1u << 16)
/* Two large pages of the host. */
#define CHUNK_BYTES ((size_t) 4 << 20)
/* What is asked of a line most often fits one line of the host's caches, so lines begin where one does. */
#define HOST_LINE_BYTES ((size_t) 64)

static void set_layout(struct model *model) {
    size_t at = sizeof(struct line);
    model->pending_bytes = model->coherence_shift <= 6 ? 2 : model->coherence_shift == 7 ? 4 : 8;
    if (model->classes) {
        for (int level = LEVEL_L1D; level < LEVELS; level++) {
            if (model->copies[level] == 0) {
                continue;
            }
            model->sublines_shift[level] = model->coherence_shift - model->level_shift[level];
            model->flags_offset[level] = (uint32_t) at;
            at += (size_t) model->copies[level] << model->sublines_shift[level];
        }
        at = (at + 7) & ~(size_t) 7;
        for (int level = LEVEL_L1D; level < LEVELS; level++) {
            if (level_shares(model, level)) {
                model->pending_offset[level] = (uint32_t) at;
                at += (size_t) model->copies[level] * model->pending_bytes;
            }
        }
    }
    model->directory.line_bytes = (at + HOST_LINE_BYTES - 1) & ~(HOST_LINE_BYTES - 1);
}

int directory_create(struct model *model) {
    set_layout(model);
    struct directory *directory = &model->directory;
    directory->bucket_count = BUCKETS_AT_FIRST;
    directory->buckets = memory_create(BUCKETS_AT_FIRST, sizeof *directory->buckets);
    directory->spare = malloc(directory->line_bytes);
    directory->chunk_used = CHUNK_BYTES;
    return directory->buckets == NULL || directory->spare == NULL ? -1 : 0;
}

void directory_release(struct model *model) {
    struct directory *directory = &model->directory;
    char *chunk = directory->chunk;
    while (chunk != NULL) {
        char *before;
        memcpy(&before, chunk, sizeof before);
        free(chunk);
        chunk = before;
    }
    free(directory->buckets);
    free(directory->spare);
}

static uint64_t bucket_of(uint64_t number, uint64_t bucket_count) {
    return (number * 0x9E3779B97F4A7C15u) >> 24 & (bucket_count - 1);
}

void directory_prefetch(const struct model *model, uint64_t number) {
    const struct directory *directory = &model->directory;
    __builtin_prefetch(&directory->buckets[bucket_of(number, directory->bucket_count)]);
}

static void grow(struct directory *directory) {
    uint64_t count = directory->bucket_count * 2;
    struct line **buckets = memory_create(count, sizeof *buckets);
    if (buckets == NULL) {
        /* Longer chains cost time, nothing else. */
        return;
    }
    for (uint64_t i = 0; i < directory->bucket_count; i++) {
        struct line *line = directory->buckets[i];
        while (line != NULL) {
            struct line *next = line->next;
            struct line **head = &buckets[bucket_of(line->number, count)];
            line->next = *head;
            *head = line;
            line = next;
        }
    }
    free(directory->buckets);
    directory->buckets = buckets;
    directory->bucket_count = count;
}

static struct line *allocate(struct model *model) {
    struct directory *directory = &model->directory;
    if (directory->chunk_used + directory->line_bytes > CHUNK_BYTES) {
        char *chunk = memory_create(1, CHUNK_BYTES);
        if (chunk == NULL) {
            model->exhausted = true;
            return NULL;
        }
        memcpy(chunk, &directory->chunk, sizeof directory->chunk);
        directory->chunk = chunk;
        directory->chunk_used = HOST_LINE_BYTES;
    }
    struct line *line = (struct line *) (void *) (directory->chunk + directory->chunk_used);
    directory->chunk_used += directory->line_bytes;
    return line;
}

struct line *directory_line(struct model *model, uint64_t number) {
    struct directory *directory = &model->directory;
    struct line *line = directory->buckets[bucket_of(number, directory->bucket_count)];
    while (line != NULL && line->number != number) {
        line = line->next;
    }
    if (line != NULL) {
        __builtin_prefetch(line + 1);
        return line;
    }
    line = allocate(model);
    bool stored = line != NULL;
    line = stored ? line : directory->spare;
    memset(line, 0, directory->line_bytes);
    line->number = number;
    line->owner = NOBODY;
    memset(line->modified, NOBODY, sizeof line->modified);
    if (stored) {
        if (directory->lines++ == directory->bucket_count) {
            grow(directory);
        }
        struct line **head = &directory->buckets[bucket_of(number, directory->bucket_count)];
        line->next = *head;
        *head = line;
    }
    return line;
}
