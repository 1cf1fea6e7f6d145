#include "branches.h"

#include <stdlib.h>

#define COUNTER_TAKEN 2
#define COUNTER_MAX 3

/* Bits of a target that go into the history of indirect branches, and how far each further one moves it. */
#define PATH_TARGET_BITS 16
#define PATH_SHIFT 3

/* Odd, with bits spread evenly: the golden ratio of 64 bits. */
#define SPREAD 0x9e3779b97f4a7c15ULL

struct target {
    uint64_t from;
    uint64_t to;
};

struct branches {
    struct branch_sizes sizes;
    uint8_t *counters;
    /* By set, the ways of a set from the one used last to the one used first. */
    struct target *targets;
    uint64_t *indirect;
    /* A ring: what is pushed on a full stack replaces the oldest. */
    uint64_t *returns;
    uint32_t return_top;
    uint32_t return_count;
    uint64_t directions;
    uint64_t path;
};

static bool is_power_of_two(unsigned long value) {
    return value > 0 && (value & (value - 1)) == 0;
}

bool branches_parse(const char *text, struct branch_sizes *sizes) {
    uint32_t *fields[] = {&sizes->counters, &sizes->targets, &sizes->indirect, &sizes->returns};
    const size_t count = sizeof fields / sizeof fields[0];
    for (size_t i = 0; i < count; i++) {
        char *end;
        unsigned long value = strtoul(text, &end, 10);
        bool separated = *end == (i + 1 < count ? ':' : 0);
        bool fits = value >= 1 && value <= BRANCH_ENTRIES_MAX && (i + 1 == count || is_power_of_two(value));
        if (end == text || *text == '-' || !separated || !fits) {
            return false;
        }
        *fields[i] = (uint32_t) value;
        text = end + 1;
    }
    return sizes->targets >= BRANCH_TARGET_WAYS;
}

struct branches *branches_create(const struct branch_sizes *sizes) {
    struct branches *branches = calloc(1, sizeof *branches);
    if (branches == NULL) {
        return NULL;
    }
    branches->sizes = *sizes;
    branches->counters = calloc(sizes->counters, sizeof *branches->counters);
    branches->targets = calloc(sizes->targets, sizeof *branches->targets);
    branches->indirect = calloc(sizes->indirect, sizeof *branches->indirect);
    branches->returns = calloc(sizes->returns, sizeof *branches->returns);
    if (branches->counters == NULL || branches->targets == NULL || branches->indirect == NULL
        || branches->returns == NULL) {
        branches_free(branches);
        return NULL;
    }
    return branches;
}

void branches_free(struct branches *branches) {
    if (branches != NULL) {
        free(branches->counters);
        free(branches->targets);
        free(branches->indirect);
        free(branches->returns);
        free(branches);
    }
}

/* A place in a table of a power of two entries. */
static uint32_t place(uint64_t key, uint32_t entries) {
    return (uint32_t) (key * SPREAD >> 32) & (entries - 1);
}

static bool direction(struct branches *branches, struct branch_counts *counts, uint64_t from, bool taken) {
    uint64_t history = branches->directions & (branches->sizes.counters - 1);
    uint8_t *counter = &branches->counters[place(from, branches->sizes.counters) ^ history];
    bool wrong = (*counter >= COUNTER_TAKEN) != taken;
    counts->conditional++;
    counts->conditional_wrong += wrong;
    if (taken && *counter < COUNTER_MAX) {
        ++*counter;
    } else if (!taken && *counter > 0) {
        --*counter;
    }
    branches->directions = branches->directions << 1 | taken;
    return wrong;
}

static void target(struct branches *branches, struct branch_counts *counts, uint64_t from, uint64_t to) {
    uint32_t sets = branches->sizes.targets / BRANCH_TARGET_WAYS;
    struct target *set = &branches->targets[place(from, sets) * BRANCH_TARGET_WAYS];
    uint32_t way = 0;
    while (way < BRANCH_TARGET_WAYS - 1 && set[way].from != from) {
        way++;
    }
    counts->taken++;
    counts->target_unknown += set[way].from != from || set[way].to != to;
    for (; way > 0; way--) {
        set[way] = set[way - 1];
    }
    set[0] = (struct target) {from, to};
}

static bool indirect(struct branches *branches, struct branch_counts *counts, uint64_t from, uint64_t to) {
    uint64_t *guess = &branches->indirect[place(from ^ branches->path, branches->sizes.indirect)];
    bool wrong = *guess != to;
    counts->indirect++;
    counts->indirect_wrong += wrong;
    *guess = to;
    branches->path = branches->path << PATH_SHIFT ^ (to & ((1u << PATH_TARGET_BITS) - 1));
    return wrong;
}

static void push(struct branches *branches, uint64_t next) {
    branches->return_top = (branches->return_top + 1) % branches->sizes.returns;
    branches->returns[branches->return_top] = next;
    if (branches->return_count < branches->sizes.returns) {
        branches->return_count++;
    }
}

static bool pop(struct branches *branches, struct branch_counts *counts, uint64_t to) {
    bool known = branches->return_count > 0 && branches->returns[branches->return_top] == to;
    counts->returns++;
    counts->returns_wrong += !known;
    if (branches->return_count > 0) {
        branches->return_count--;
        branches->return_top = (branches->return_top + branches->sizes.returns - 1) % branches->sizes.returns;
    }
    return !known;
}

bool branches_executed(
    struct branches *branches, struct branch_counts *counts, enum branch_kind kind, uint64_t from, uint64_t next,
    uint64_t to) {
    switch (kind) {
        case BRANCH_CONDITIONAL:
            if (to != next) {
                target(branches, counts, from, to);
            }
            return direction(branches, counts, from, to != next);
        case BRANCH_CALL:
            push(branches, next);
            target(branches, counts, from, to);
            return false;
        case BRANCH_JUMP:
            target(branches, counts, from, to);
            return false;
        case BRANCH_INDIRECT_CALL:
            push(branches, next);
            return indirect(branches, counts, from, to);
        case BRANCH_INDIRECT_JUMP:
            return indirect(branches, counts, from, to);
        case BRANCH_RETURN:
            return pop(branches, counts, to);
        case BRANCH_NONE:
            return false;
    }
    return false;
}
