/*
 * Observing caches: many geometries fed by one stream of lines, at little more than the cost of one.
 *
 * All caches with the same number of sets share one stack a set: its lines in the order of their last use, as deep as
 * the most associative of them. The depth at which a line is found says which of the caches would have missed it, so
 * only depths are counted. A line on top of its stack in a cache with few sets is on top in every cache whose number of
 * sets is a multiple of that, where nothing would change: so caches go by ascending sets, and most lines end at the
 * first. (Mattson et al. 1970; Hill and Smith 1989.)
 *
 * Invariants
 * - a stack holds a line at most once; an empty place is a line that was invalidated, and stays at its depth until a
 *   line moves down into it, so that smaller caches do not get lines back that they had replaced
 * - family->last is on top of its stack in every group, or STACK_EMPTY
 */
#ifndef LOCKSTEP_SIMULATOR_STACK_H
#define LOCKSTEP_SIMULATOR_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "machine.h"

/* No line has this number: lines are addresses divided by at least 16. */
#define STACK_EMPTY UINT64_MAX

struct stack_group {
    uint64_t *stacks;
    uint32_t sets;
    uint32_t set_mask;
    uint32_t ways;
    /* Whether a line on top of its stack here is on top in all groups that follow. */
    bool refined;
    /* Where the counts of depths 1 to ways begin. */
    uint32_t depths;
};

/* The groups with one line size. */
struct stack_family {
    uint64_t last;
    uint32_t line_shift;
    uint32_t groups;
    struct stack_group *group;
};

struct stack_families {
    uint32_t families;
    struct stack_family *family;
};

/* Where the misses of one geometry are found. */
struct stack_place {
    uint32_t depths;
    uint32_t ways;
    uint32_t depth_count;
};

/*
 * Families for the geometries given. *depths is the first free count of depths, and moved on; places[i] tells where
 * geometry i counts. Returns -1 where there is no memory; stack_release may be called then, and twice.
 */
int stack_create(struct stack_families *families, const struct machine_geometry *geometries, uint32_t count,
                 uint32_t *depths, struct stack_place *places);

void stack_release(struct stack_families *families);

/* The stack of a line. */
static inline uint64_t *stack_of(const struct stack_group *group, uint64_t line) {
    uint32_t set = group->set_mask != 0 || group->sets == 1 ? (uint32_t) line & group->set_mask
                                                            : (uint32_t) (line % group->sets);
    return group->stacks + (size_t) set * group->ways;
}

/* One touch of a line in all groups. Returns false where it was on top of its stack in all. */
bool stack_touch_all(struct stack_family *family, uint64_t line, uint64_t *depths);

/* One touch of a line that is not family->last; returns as stack_touch_all. */
static inline bool stack_touch(struct stack_family *family, uint64_t line, uint64_t *depths) {
    family->last = line;
    const struct stack_group *group = family->group;
    return (!group->refined || *stack_of(group, line) != line) && stack_touch_all(family, line, depths);
}

/* All lines of a range of addresses leave, from the line of first to the line of last. */
void stack_invalidate(struct stack_families *families, uint64_t first, uint64_t last);

static inline uint64_t stack_misses(const struct stack_place *place, const uint64_t *depths) {
    uint64_t misses = 0;
    for (uint32_t depth = place->ways; depth <= place->depth_count; depth++) {
        misses += depths[place->depths + depth - 1];
    }
    return misses;
}

/* All lines from the line of first to the line of last. Returns false where all were on top of all their stacks. */
static inline bool stack_range(struct stack_families *families, uint64_t first, uint64_t last, uint64_t *depths) {
    bool below = false;
    for (uint32_t i = 0; i < families->families; i++) {
        struct stack_family *family = &families->family[i];
        uint64_t end = last >> family->line_shift;
        for (uint64_t line = first >> family->line_shift; line <= end; line++) {
            if (line != family->last) {
                below |= stack_touch(family, line, depths);
            }
        }
    }
    return below;
}

#endif
