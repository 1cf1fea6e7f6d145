#include "stack.h"

#include <stdlib.h>

static uint32_t sets_of(const struct machine_geometry *geometry) {
    return (uint32_t) (geometry->bytes / geometry->line_bytes / geometry->ways);
}

/* The group of so many sets, put in its place if it is new. */
static struct stack_group *group_of(struct stack_family *family, uint32_t sets) {
    uint32_t at = 0;
    while (at < family->groups && family->group[at].sets < sets) {
        at++;
    }
    if (at == family->groups || family->group[at].sets != sets) {
        for (uint32_t i = family->groups; i > at; i--) {
            family->group[i] = family->group[i - 1];
        }
        uint32_t mask = (sets & (sets - 1)) == 0 ? sets - 1 : 0;
        family->group[at] = (struct stack_group) {.sets = sets, .set_mask = mask};
        family->groups++;
    }
    return &family->group[at];
}

static struct stack_family *family_of(struct stack_families *families, uint32_t line_bytes, uint32_t groups_max) {
    uint32_t shift = (uint32_t) __builtin_ctz(line_bytes);
    for (uint32_t i = 0; i < families->families; i++) {
        if (families->family[i].line_shift == shift) {
            return &families->family[i];
        }
    }
    struct stack_family *family = &families->family[families->families];
    *family = (struct stack_family) {.last = STACK_EMPTY, .line_shift = shift};
    family->group = calloc(groups_max, sizeof *family->group);
    if (family->group == NULL) {
        return NULL;
    }
    families->families++;
    return family;
}

static int create_stacks(struct stack_families *families, uint32_t *depths) {
    for (uint32_t i = 0; i < families->families; i++) {
        struct stack_family *family = &families->family[i];
        for (uint32_t j = 0; j < family->groups; j++) {
            struct stack_group *group = &family->group[j];
            size_t places = (size_t) group->sets * group->ways;
            group->stacks = malloc(places * sizeof *group->stacks);
            if (group->stacks == NULL) {
                return -1;
            }
            for (size_t k = 0; k < places; k++) {
                group->stacks[k] = STACK_EMPTY;
            }
            group->depths = *depths;
            *depths += group->ways;
            group->refined = true;
            for (uint32_t k = j + 1; k < family->groups; k++) {
                group->refined = group->refined && family->group[k].sets % group->sets == 0;
            }
        }
    }
    return 0;
}

int stack_create(struct stack_families *families, const struct machine_geometry *geometries, uint32_t count,
                 uint32_t *depths, struct stack_place *places) {
    *families = (struct stack_families) {0, NULL};
    if (count == 0) {
        return 0;
    }
    families->family = calloc(count, sizeof *families->family);
    if (families->family == NULL) {
        return -1;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct stack_family *family = family_of(families, geometries[i].line_bytes, count);
        if (family == NULL) {
            return -1;
        }
        struct stack_group *group = group_of(family, sets_of(&geometries[i]));
        group->ways = group->ways < geometries[i].ways ? geometries[i].ways : group->ways;
    }
    if (create_stacks(families, depths) != 0) {
        return -1;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct stack_group *group =
                group_of(family_of(families, geometries[i].line_bytes, count), sets_of(&geometries[i]));
        places[i] = (struct stack_place) {group->depths, geometries[i].ways, group->ways};
    }
    return 0;
}

void stack_release(struct stack_families *families) {
    for (uint32_t i = 0; i < families->families; i++) {
        for (uint32_t j = 0; j < families->family[i].groups; j++) {
            free(families->family[i].group[j].stacks);
        }
        free(families->family[i].group);
    }
    free(families->family);
    *families = (struct stack_families) {0, NULL};
}

/* The empty place at hole has taken the last line moved down; the line itself may still lie below. */
static uint32_t fill_hole(uint64_t *stack, uint32_t hole, uint32_t ways, uint64_t line) {
    for (uint32_t depth = hole + 1; depth < ways; depth++) {
        if (stack[depth] == line) {
            stack[depth] = STACK_EMPTY;
            return depth;
        }
    }
    return ways;
}

/* Puts the line on top; the depth it was found at, or ways. */
static inline uint32_t raise(uint64_t *stack, uint32_t ways, uint64_t line) {
    uint64_t moving = stack[0];
    stack[0] = line;
    if (moving == STACK_EMPTY) {
        return fill_hole(stack, 0, ways, line);
    }
    for (uint32_t depth = 1; depth < ways; depth++) {
        uint64_t here = stack[depth];
        stack[depth] = moving;
        if (here == line) {
            return depth;
        }
        if (here == STACK_EMPTY) {
            return fill_hole(stack, depth, ways, line);
        }
        moving = here;
    }
    return ways;
}

bool stack_touch_all(struct stack_family *family, uint64_t line, uint64_t *depths) {
    const struct stack_group *group = family->group;
    bool below = false;
    for (const struct stack_group *end = group + family->groups; group < end; group++) {
        uint64_t *stack = stack_of(group, line);
        if (stack[0] == line) {
            if (group->refined) {
                return below;
            }
        } else {
            depths[group->depths + raise(stack, group->ways, line) - 1]++;
            below = true;
        }
    }
    return below;
}

static void invalidate_line(struct stack_family *family, uint64_t line) {
    for (uint32_t i = 0; i < family->groups; i++) {
        const struct stack_group *group = &family->group[i];
        uint64_t *stack = stack_of(group, line);
        for (uint32_t depth = 0; depth < group->ways; depth++) {
            if (stack[depth] == line) {
                stack[depth] = STACK_EMPTY;
                break;
            }
        }
    }
}

void stack_invalidate(struct stack_families *families, uint64_t first, uint64_t last) {
    for (uint32_t i = 0; i < families->families; i++) {
        struct stack_family *family = &families->family[i];
        uint64_t end = last >> family->line_shift;
        for (uint64_t line = first >> family->line_shift; line <= end; line++) {
            invalidate_line(family, line);
            if (family->last == line) {
                family->last = STACK_EMPTY;
            }
        }
    }
}
