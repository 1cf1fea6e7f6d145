#include "coherence.h"

#include "hierarchy.h"

/* Parts are visited by their addresses, from the first of the line to before its end. */
static uint64_t line_address(const struct model *model, const struct line *line) {
    return line->number << model->coherence_shift;
}

static uint64_t line_last(const struct model *model, const struct line *line) {
    return line_address(model, line) + ((uint64_t) 1 << model->coherence_shift) - 1;
}

static uint32_t find_data(const struct model *model, const struct core *core, uint64_t address) {
    uint64_t number = address >> model->l1d_shift;
    return cache_find(&core->l1d, number, cache_set(&core->l1d, number));
}

static uint32_t find_outer(const struct model *model, int level, uint32_t copy, uint64_t address) {
    const struct cache *cache = &model->outer[level][copy].cache;
    return cache_find(cache, address >> model->level_shift[level], hierarchy_set(model, level, cache, address));
}

/* What a core loses is counted for its first hardware thread. */
static struct model_level_counts *loser(struct model *model, uint32_t core, int level) {
    return &model->processor[core * model->machine.smt].tally->counts.level[level];
}

void coherence_write(struct model *model, struct processor *processor, const struct core *core, struct line *line,
                     int from, uint64_t address) {
    for (int level = from; level < LEVELS; level++) {
        uint32_t copy = core->copy[level];
        uint32_t slot = model->copies[level] == 0 ? CACHE_NONE : find_outer(model, level, copy, address);
        if (slot == CACHE_NONE) {
            continue;
        }
        if (!model->machine.cache[level].write_through) {
            model->outer[level][copy].slots[slot].state |= STATE_MODIFIED;
            line->modified[level] = (int8_t) copy;
            return;
        }
        processor->tally->counts.level[level].writebacks++;
    }
}

static bool part_held(const struct model *model, const struct line *line, int level, uint32_t copy, uint64_t address) {
    (void) line;
    if (level >= LEVEL_L2) {
        return find_outer(model, level, copy, address) != CACHE_NONE;
    }
    if (level == LEVEL_L1D) {
        return find_data(model, &model->core[copy], address) != CACHE_NONE;
    }
    const struct cache *l1i = &model->core[copy].l1i;
    uint64_t number = address >> model->l1i_shift;
    return cache_find(l1i, number, cache_set(l1i, number)) != CACHE_NONE;
}

void coherence_part_left(struct model *model, struct line *line, int level, uint32_t copy) {
    uint64_t step = (uint64_t) 1 << model->level_shift[level];
    uint64_t last = line_last(model, line);
    if (model->level_shift[level] < model->coherence_shift) {
        for (uint64_t address = line_address(model, line); address <= last; address += step) {
            if (part_held(model, line, level, copy, address)) {
                return;
            }
        }
    }
    line->holders[level] &= ~((uint64_t) 1 << copy);
    if (line->modified[level] == (int) copy) {
        line->modified[level] = NOBODY;
    }
}

void coherence_drop_data(struct model *model, struct core *core, uint32_t slot, bool invalidated) {
    struct line *line = core->l1d_lines[slot];
    uint64_t number = core->l1d.tags[slot];
    if (core->l1d_written[slot] != 0) {
        lifetime_publish(model, core, line, core->l1d_written[slot]);
        core->l1d_written[slot] = 0;
    }
    lifetime_end(model, LEVEL_L1D, &core->l1d_lives[slot]);
    lifetime_lost(model, line, LEVEL_L1D, core->number, number << model->l1d_shift, invalidated);
    if (invalidated && model->split) {
        cache_remove_line(&core->l1d_shadow, number);
    }
    cache_remove(&core->l1d, slot);
    coherence_part_left(model, line, LEVEL_L1D, core->number);
}

/* Likewise for a copy of an outer level. */
static void drop_outer(struct model *model, int level, uint32_t copy, uint32_t slot, bool invalidated) {
    struct outer *outer = &model->outer[level][copy];
    struct line *line = outer->slots[slot].line;
    uint64_t number = outer->cache.tags[slot];
    lifetime_end(model, level, &outer->slots[slot].life);
    lifetime_lost(model, line, level, copy, number << model->level_shift[level], invalidated);
    if (invalidated && model->split) {
        cache_remove_line(&outer->shadow, number);
    }
    cache_remove(&outer->cache, slot);
    coherence_part_left(model, line, level, copy);
}

static uint64_t bits_of_cores(const struct model *model, int level, uint32_t copy) {
    uint32_t cores = model->machine.cache[level].cores;
    uint64_t ones = cores == 64 ? UINT64_MAX : ((uint64_t) 1 << cores) - 1;
    return ones << (copy * cores);
}

/* The first-level lines of one core from an address on leave by back-invalidation. */
static bool recall_core(struct model *model, struct core *core, struct line *line, uint64_t address, uint64_t last) {
    bool modified = false;
    uint64_t bit = (uint64_t) 1 << core->number;
    for (uint64_t at = address; (line->holders[LEVEL_L1D] & bit) != 0 && at <= last; at += 1u << model->l1d_shift) {
        uint32_t slot = find_data(model, core, at);
        if (slot != CACHE_NONE) {
            modified |= (core->l1d_states[slot] & STATE_MODIFIED) != 0;
            coherence_drop_data(model, core, slot, false);
            loser(model, core->number, LEVEL_L1D)->back_invalidations++;
        }
    }
    for (uint64_t at = address; (line->holders[LEVEL_L1I] & bit) != 0 && at <= last; at += 1u << model->l1i_shift) {
        if (hierarchy_drop_instruction(model, core, at)) {
            loser(model, core->number, LEVEL_L1I)->back_invalidations++;
        }
    }
    return modified;
}

bool coherence_recall(struct model *model, int level, uint32_t copy, struct line *line, uint64_t address) {
    bool modified = false;
    uint64_t last = address + ((uint64_t) 1 << model->level_shift[level]) - 1;
    uint64_t cores = bits_of_cores(model, level, copy);
    for (uint64_t left = (line->holders[LEVEL_L1D] | line->holders[LEVEL_L1I]) & cores; left != 0; left &= left - 1) {
        modified |= recall_core(model, &model->core[__builtin_ctzll(left)], line, address, last);
    }
    if (level != LEVEL_LLC || model->copies[LEVEL_L2] == 0) {
        return modified;
    }
    for (uint64_t left = line->holders[LEVEL_L2]; left != 0; left &= left - 1) {
        uint32_t inner = (uint32_t) __builtin_ctzll(left);
        uint32_t first_core = inner * model->machine.cache[LEVEL_L2].cores;
        for (uint64_t at = address; (cores >> first_core & 1) != 0 && at <= last;
                at += 1u << model->level_shift[LEVEL_L2]) {
            uint32_t slot = find_outer(model, LEVEL_L2, inner, at);
            if (slot != CACHE_NONE) {
                modified |= (model->outer[LEVEL_L2][inner].slots[slot].state & STATE_MODIFIED) != 0;
                drop_outer(model, LEVEL_L2, inner, slot, false);
                loser(model, first_core, LEVEL_L2)->back_invalidations++;
            }
        }
    }
    return modified;
}

/* The first outer level whose copy two cores share; LEVELS for memory. */
static int meeting(const struct model *model, const struct core *one, const struct core *other) {
    int level = LEVEL_L2;
    while (level < LEVELS && (model->copies[level] == 0 || one->copy[level] != other->copy[level])) {
        level++;
    }
    return level;
}

/* The core with the right to write gives it up, and its modified data. */
static void surrender(struct model *model, struct processor *processor, struct line *line, enum collect collect,
                      struct supply *supply) {
    struct core *owner = &model->core[line->owner];
    bool own = owner == processor->core;
    int to = own ? LEVEL_L2 : meeting(model, owner, processor->core);
    line->owner = NOBODY;
    if ((line->holders[LEVEL_L1D] >> owner->number & 1) == 0) {
        return;
    }
    uint64_t last = line_last(model, line);
    for (uint64_t address = line_address(model, line); address <= last; address += 1u << model->l1d_shift) {
        uint32_t slot = find_data(model, owner, address);
        if (slot == CACHE_NONE) {
            continue;
        }
        if (owner->l1d_written[slot] != 0) {
            lifetime_publish(model, owner, line, owner->l1d_written[slot]);
            owner->l1d_written[slot] = 0;
        }
        if ((owner->l1d_states[slot] & STATE_MODIFIED) != 0) {
            if (!own) {
                *supply = (struct supply) {true, owner->node};
            }
            if (collect != COLLECT_STORE) {
                processor->tally->counts.level[LEVEL_L1D].writebacks++;
                coherence_write(model, processor, owner, line, to, address);
            }
        }
        owner->l1d_states[slot] &= (uint8_t) ~STATE_MODIFIED;
    }
}

/* An outer copy elsewhere that may be modified becomes clean. */
static void clean_copy(struct model *model, struct processor *processor, struct line *line, int level,
                       enum collect collect, struct supply *supply) {
    uint32_t copy = (uint32_t) line->modified[level];
    struct outer *outer = &model->outer[level][copy];
    const struct core *core = &model->core[copy * model->machine.cache[level].cores];
    int to = meeting(model, core, processor->core);
    line->modified[level] = NOBODY;
    uint64_t last = line_last(model, line);
    for (uint64_t address = line_address(model, line); address <= last;
            address += 1u << model->level_shift[level]) {
        uint32_t slot = find_outer(model, level, copy, address);
        if (slot == CACHE_NONE || (outer->slots[slot].state & STATE_MODIFIED) == 0) {
            continue;
        }
        outer->slots[slot].state &= (uint8_t) ~STATE_MODIFIED;
        if (!supply->dirty) {
            *supply = (struct supply) {true, core->node};
        }
        if (collect != COLLECT_STORE) {
            processor->tally->counts.level[level].writebacks++;
            coherence_write(model, processor, core, line, to, address);
        }
    }
}

static void invalidate_core(struct model *model, struct processor *processor, struct line *line, uint32_t number) {
    struct core *core = &model->core[number];
    uint64_t last = line_last(model, line);
    uint64_t bit = (uint64_t) 1 << number;
    if (core != processor->core && (line->holders[LEVEL_L1D] & bit) != 0) {
        for (uint64_t address = line_address(model, line); address <= last; address += 1u << model->l1d_shift) {
            uint32_t slot = find_data(model, core, address);
            if (slot != CACHE_NONE) {
                coherence_drop_data(model, core, slot, true);
                loser(model, number, LEVEL_L1D)->invalidations++;
            }
        }
        processor->tally->counts.invalidations_sent++;
    }
    if ((line->holders[LEVEL_L1I] & bit) != 0) {
        for (uint64_t address = line_address(model, line); address <= last; address += 1u << model->l1i_shift) {
            if (hierarchy_drop_instruction(model, core, address)) {
                loser(model, number, LEVEL_L1I)->invalidations++;
            }
        }
        processor->tally->counts.invalidations_sent++;
    }
}

/* No cache outside the requester's chain keeps any of the line. */
static void invalidate_others(struct model *model, struct processor *processor, struct line *line) {
    const struct core *core = processor->core;
    for (uint64_t left = line->holders[LEVEL_L1D] | line->holders[LEVEL_L1I]; left != 0; left &= left - 1) {
        invalidate_core(model, processor, line, (uint32_t) __builtin_ctzll(left));
    }
    uint64_t last = line_last(model, line);
    for (int level = LEVEL_L2; level < LEVELS; level++) {
        uint64_t own = (uint64_t) 1 << core->copy[level];
        for (uint64_t left = line->holders[level] & ~own; left != 0; left &= left - 1) {
            uint32_t copy = (uint32_t) __builtin_ctzll(left);
            for (uint64_t address = line_address(model, line); address <= last;
                    address += 1u << model->level_shift[level]) {
                uint32_t slot = find_outer(model, level, copy, address);
                if (slot != CACHE_NONE) {
                    drop_outer(model, level, copy, slot, true);
                    loser(model, copy * model->machine.cache[level].cores, level)->invalidations++;
                }
            }
            processor->tally->counts.invalidations_sent++;
        }
    }
}

void coherence_collect(struct model *model, struct processor *processor, struct line *line, enum collect collect,
                       struct supply *supply) {
    const struct core *core = processor->core;
    if (line->owner != NOBODY && (line->owner != (int) core->number || collect == COLLECT_FETCH)) {
        surrender(model, processor, line, collect, supply);
    }
    for (int level = LEVEL_L2; level < LEVELS; level++) {
        if (line->modified[level] != NOBODY && line->modified[level] != (int) core->copy[level]) {
            clean_copy(model, processor, line, level, collect, supply);
        }
    }
    if (collect == COLLECT_STORE) {
        invalidate_others(model, processor, line);
    }
}

void coherence_tell_observers(struct model *model, const struct core *core, const struct line *line) {
    if (!model->data_observed || !model->coherent) {
        return;
    }
    uint64_t first = line_address(model, line);
    uint64_t last = line_last(model, line);
    for (uint32_t i = 0; i < model->machine.cores; i++) {
        if (i != core->number) {
            stack_invalidate(&model->core[i].data_stacks, first, last);
        }
    }
    for (int level = LEVEL_L2; level < LEVELS; level++) {
        uint32_t copies = model->machine.cores / model->machine.cache[level].cores;
        for (uint32_t copy = 0; copy < copies; copy++) {
            if (copy != core->copy[level]) {
                stack_invalidate(&model->outer[level][copy].stacks, first, last);
            }
        }
    }
}
