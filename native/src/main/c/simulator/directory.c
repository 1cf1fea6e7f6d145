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
/* A sweep that frees less than this part of the lines would soon be followed by the next: the memory is too small. */
#define FORGOTTEN_PART_MIN 8

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
    model->memory_bytes += BUCKETS_AT_FIRST * sizeof *directory->buckets;
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

static void grow(struct model *model) {
    struct directory *directory = &model->directory;
    uint64_t count = directory->bucket_count * 2;
    uint64_t more_bytes = directory->bucket_count * sizeof *directory->buckets;
    struct line **buckets = memory_allows(model, more_bytes) ? memory_create(count, sizeof *buckets) : NULL;
    if (buckets == NULL) {
        /* Longer chains cost time, nothing else. */
        return;
    }
    model->memory_bytes += more_bytes;
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

static bool is_held(const struct line *line) {
    uint64_t holders = 0;
    for (int level = LEVEL_L1I; level < LEVELS; level++) {
        holders |= line->holders[level];
    }
    return holders != 0;
}

/* Forgets lines that no cache holds. Returns whether they were worth it. */
static bool forget(struct model *model) {
    struct directory *directory = &model->directory;
    if (model->classes || model->exhausted) {
        return false;
    }
    uint64_t before = directory->lines;
    for (uint64_t i = 0; i < directory->bucket_count; i++) {
        struct line **link = &directory->buckets[i];
        while (*link != NULL) {
            struct line *line = *link;
            if (is_held(line)) {
                link = &line->next;
            } else {
                *link = line->next;
                line->next = directory->forgotten;
                directory->forgotten = line;
                directory->lines--;
            }
        }
    }
    return (before - directory->lines) * FORGOTTEN_PART_MIN >= before;
}

static struct line *allocate(struct model *model) {
    struct directory *directory = &model->directory;
    bool full = directory->chunk_used + directory->line_bytes > CHUNK_BYTES;
    if (full && directory->forgotten == NULL && !memory_allows(model, CHUNK_BYTES) && !forget(model)) {
        model->exhausted = true;
    }
    if (directory->forgotten != NULL) {
        struct line *line = directory->forgotten;
        directory->forgotten = line->next;
        return line;
    }
    if (full) {
        char *chunk = memory_allows(model, CHUNK_BYTES) ? memory_create(1, CHUNK_BYTES) : NULL;
        if (chunk == NULL) {
            model->exhausted = true;
            return NULL;
        }
        model->memory_bytes += CHUNK_BYTES;
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
            grow(model);
        }
        struct line **head = &directory->buckets[bucket_of(number, directory->bucket_count)];
        line->next = *head;
        *head = line;
    }
    return line;
}
