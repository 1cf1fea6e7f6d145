/*
 * What the parts of the model share. A machine whose cores share nothing ("private") has no directory, no outer levels
 * and no lifetimes: its L1s are all there is, and a core's events touch that core's memory only.
 */
#ifndef LOCKSTEP_SIMULATOR_MODEL_INTERNAL_H
#define LOCKSTEP_SIMULATOR_MODEL_INTERNAL_H

#include <pthread.h>

#include "cache.h"
#include "model.h"
#include "stack.h"

/* States of a slot. In L1-D MESI's M is MODIFIED; E and S are neither, and told apart by the line's owner. In outer
 * levels only MODIFIED and PREFETCHED are used; in L1-I only PREFETCHED. */
#define STATE_MODIFIED 2u
/* A word of the line may yet decide the class of a miss: each access looks. */
#define STATE_WATCHED 4u
#define STATE_PREFETCHED 8u

/* The counts of one processor and account. */
struct tally {
    struct model_counts counts;
    /* Of the observers' stacks; see stack.h. */
    uint64_t depths[];
};

/* The undecided miss that began a line's stay in a slot. */
struct life {
    uint16_t account;
    uint8_t processor;
    uint8_t state;
};

#define LIFE_OPEN 0x80u
#define LIFE_DIRTY 0x40u
/* Open, but nothing to count: a fetch or a prefetch brought the line. */
#define LIFE_COUNTED 0x20u
#define LIFE_CLASS 0x0fu

struct line;

struct tlb {
    struct cache cache;
    bool present;
};

struct stream {
    uint64_t line;
    uint64_t ahead;
    uint64_t used;
    int32_t step;
};

/*
 * What the shortest way through an access needs: the line is the most recently used of its set, and nothing but counts
 * changes.
 */
struct quick {
    const uint64_t *tags;
    const uint8_t *states;
    uint32_t mask;
    uint32_t stride;
    uint32_t shift;
    bool data;
    bool fetch;
};

struct core {
    struct quick quick;
    /* The pages translated last, on top of their sets: one compare skips the look-up. Without a buffer, all pages. */
    uint64_t data_page;
    uint64_t data_page_bytes;
    uint64_t instruction_page;
    uint64_t instruction_page_bytes;
    uint32_t number;
    uint32_t node;
    /* The copy of each level that serves this core. */
    uint32_t copy[LEVELS];
    /* The L1-I line fetched last, where there is a slotted L1-I. */
    uint64_t fetched;
    struct cache l1i;
    struct cache l1d;
    uint8_t *l1i_states;
    struct line **l1i_lines;
    uint8_t *l1d_states;
    /* Words of the whole coherence line stored to since the others last learned of it. */
    uint64_t *l1d_written;
    struct line **l1d_lines;
    struct life *l1d_lives;
    struct cache l1d_shadow;
    struct stack_families instruction_stacks;
    struct stack_families data_stacks;
    struct tlb itlb;
    struct tlb dtlb;
    struct tlb stlb;
    struct stream streams[MACHINE_STREAMS_MAX];
    uint64_t stream_tick;
} __attribute__((aligned(128)));

struct processor {
    struct tally *tally;
    struct core *core;
    uint64_t clock;
    /* The clock when charging to this tally began. */
    uint64_t charged;
    /* The misses a stacked L1-I had in this tally then. */
    uint64_t charged_misses;
    uint32_t account;
    uint32_t number;
    /* The access under way missed in L2; the prefetcher clears it. */
    bool l2_missed;
    struct tally **tallies;
} __attribute__((aligned(128)));

struct outer_slot {
    struct line *line;
    struct life life;
    uint8_t state;
};

/* One copy of an outer level. */
struct outer {
    struct cache cache;
    struct outer_slot *slots;
    struct cache shadow;
    /* L2 only. */
    struct stack_families stacks;
};

struct region {
    uint64_t first;
    /* One past the last byte. */
    uint64_t end;
    uint32_t page_shift;
    /* Or NODE_OF_FIRST_TOUCH. */
    int node;
};

struct homes {
    /* Page numbers plus 1; 0 is free. */
    uint64_t *pages;
    uint8_t *nodes;
    uint64_t slots;
    uint64_t used;
};

struct directory {
    struct line **buckets;
    uint64_t bucket_count;
    uint64_t lines;
    /* Chunks of lines, each with the address of the chunk before it in front. */
    char *chunk;
    size_t chunk_used;
    size_t line_bytes;
    /* Forgotten lines, for new ones. */
    struct line *forgotten;
    /* Stands in when no memory is left. */
    struct line *spare;
};

struct model {
    struct machine machine;
    bool shared;
    bool coherent;
    bool classes;
    bool split;
    /* Whether L1-I is counted by the stacks alone: nothing needs to know which lines it holds. */
    bool stacked_l1i;
    bool l1d_present;
    bool l1d_through;
    bool translated;
    bool data_observed;
    int stream_level;
    uint32_t l1i_shift;
    uint32_t l1d_shift;
    uint32_t depth_count;
    uint32_t processors;
    struct stack_place l1i_place;
    struct stack_place observer_places[MACHINE_OBSERVERS_MAX];
    struct processor *processor;
    struct core *core;
    pthread_mutex_t lock;

    /* Shared machines only. */
    uint32_t level_shift[LEVELS];
    /* 0: there is no such level. */
    uint32_t copies[LEVELS];
    struct outer *outer[LEVELS];
    uint32_t coherence_shift;
    struct directory directory;
    struct homes homes;
    /* Offsets into a line, by level. */
    uint32_t flags_offset[LEVELS];
    uint32_t pending_offset[LEVELS];
    uint32_t sublines_shift[LEVELS];
    uint32_t pending_bytes;

    struct region *regions;
    uint32_t region_count;
    /* Of the directory and of homes; at most machine.memory_bytes. */
    uint64_t memory_bytes;
    bool exhausted;
};

static inline uint32_t geometry_lines(const struct machine_geometry *geometry) {
    return geometry->bytes == 0 ? 0 : (uint32_t) (geometry->bytes / geometry->line_bytes);
}

/* Whether so much more may be taken. */
static inline bool memory_allows(const struct model *model, uint64_t bytes) {
    return model->memory_bytes + bytes <= model->machine.memory_bytes;
}

/* Adds stalled cycles to a processor's clock, and to those of their cause. */
static inline void stall(struct processor *processor, int cause, uint32_t cycles) {
    processor->clock += cycles;
    processor->tally->counts.stalls[cause] += cycles;
}

#endif
