#include "lifetime.h"

#include "hierarchy.h"

static void count(struct model *model, int level, const struct life *life, int class) {
    struct tally *tally = model->processor[life->processor].tallies[life->account];
    struct model_level_counts *counts = &tally->counts.level[level];
    counts->classes[class]++;
    counts->dirty[class] += (life->state & LIFE_DIRTY) != 0;
}

void lifetime_begin(struct model *model, const struct miss *miss, struct life *life) {
    if (!model->classes) {
        return;
    }
    uint8_t *flags = line_flags(model, miss->line, miss->level, miss->copy, miss->address);
    bool shares = level_shares(model, miss->level);
    uint64_t part = words_of_part(model, model->level_shift[miss->level], miss->address);
    uint64_t pending = shares ? line_pending(model, miss->line, miss->level, miss->copy) : 0;
    struct life begun = {
        .account = (uint16_t) miss->processor->account,
        .processor = (uint8_t) miss->processor->number,
        .state = miss->dirty ? LIFE_DIRTY : 0,
    };
    bool first = (*flags & FLAG_EVER) == 0;
    if (first && (pending & part) != 0) {
        /* All that was written before comes with the line. */
        pending &= ~part;
        line_set_pending(model, miss->line, miss->level, miss->copy, pending);
    }
    bool counted = true;
    if (miss->purpose == PURPOSE_DEMAND) {
        if (miss->fetch) {
            count(model, miss->level, &begun, MISS_INSTRUCTION);
        } else if (first) {
            count(model, miss->level, &begun, MISS_COLD);
        } else {
            int class = (*flags & FLAG_INVALIDATED) != 0 ? MISS_FALSE_SHARING
                    : miss->conflict ? MISS_CONFLICT : MISS_CAPACITY;
            counted = life == NULL || (pending & part) == 0;
            if (counted) {
                count(model, miss->level, &begun, class);
            }
            begun.state |= (uint8_t) class;
        }
    }
    *flags = (uint8_t) ((*flags | FLAG_EVER) & ~FLAG_INVALIDATED);
    if (life != NULL) {
        if ((pending & part) != 0) {
            begun.state |= counted ? LIFE_OPEN | LIFE_COUNTED : LIFE_OPEN;
        } else {
            begun.state = 0;
        }
        *life = begun;
    }
}

void lifetime_end(struct model *model, int level, struct life *life) {
    if ((life->state & (LIFE_OPEN | LIFE_COUNTED)) == LIFE_OPEN) {
        count(model, level, life, life->state & LIFE_CLASS);
    }
    life->state = 0;
}

void lifetime_lost(const struct model *model, struct line *line, int level, uint32_t copy, uint64_t address,
                   bool invalidated) {
    if (model->classes && invalidated) {
        *line_flags(model, line, level, copy, address) |= FLAG_INVALIDATED;
    }
}

void lifetime_publish(struct model *model, struct core *core, struct line *line, uint64_t words) {
    if (!model->classes || !model->coherent) {
        return;
    }
    uint64_t others = line->touched & ~((uint64_t) 1 << core->number);
    if (others == 0) {
        return;
    }
    for (int level = LEVEL_L1D; level < LEVELS; level++) {
        if (!level_shares(model, level)) {
            continue;
        }
        for (uint64_t left = others; left != 0; left &= left - 1) {
            uint32_t copy = model->core[__builtin_ctzll(left)].copy[level];
            line_set_pending(model, line, level, copy, line_pending(model, line, level, copy) | words);
        }
        uint32_t own = core->copy[level];
        line_set_pending(model, line, level, own, line_pending(model, line, level, own) & ~words);
    }
}

/* The lifetime at one level that an access through this L1-D slot belongs to, or 0. */
static struct life *life_of(struct model *model, struct core *core, uint32_t slot, int level, uint64_t address) {
    if (level == LEVEL_L1D) {
        return &core->l1d_lives[slot];
    }
    struct outer *outer = &model->outer[level][core->copy[level]];
    uint32_t at = cache_find(&outer->cache, address >> model->level_shift[level],
            hierarchy_set(model, level, &outer->cache, address));
    return at == CACHE_NONE ? NULL : &outer->slots[at].life;
}

bool lifetime_watched(const struct model *model, const struct core *core, const struct line *line, uint64_t address) {
    if (!model->classes) {
        return false;
    }
    uint64_t words = words_of_part(model, model->l1d_shift, address);
    for (int level = LEVEL_L1D; level < LEVELS; level++) {
        if (level_shares(model, level) && (line_pending(model, line, level, core->copy[level]) & words) != 0) {
            return true;
        }
    }
    return false;
}

void lifetime_access(struct model *model, struct core *core, struct line *line, uint32_t slot, uint64_t address,
                     uint64_t words, int kind) {
    for (int level = LEVEL_L1D; level < LEVELS; level++) {
        if (!level_shares(model, level)) {
            continue;
        }
        uint32_t copy = core->copy[level];
        uint64_t pending = line_pending(model, line, level, copy);
        if ((pending & words) == 0) {
            continue;
        }
        struct life *life = kind == MODEL_STORE ? NULL : life_of(model, core, slot, level, address);
        if (life != NULL && (life->state & LIFE_OPEN) != 0) {
            if ((life->state & LIFE_COUNTED) == 0) {
                count(model, level, life, MISS_TRUE_SHARING);
            }
            life->state = 0;
            pending &= ~words_of_part(model, model->level_shift[level], address);
        }
        if (kind != MODEL_LOAD) {
            pending &= ~words;
        }
        line_set_pending(model, line, level, copy, pending);
    }
    if (!lifetime_watched(model, core, line, address)) {
        core->l1d_states[slot] &= (uint8_t) ~STATE_WATCHED;
    }
}

void lifetime_close(struct model *model, int level, struct life *life) {
    if ((life->state & (LIFE_OPEN | LIFE_COUNTED)) == LIFE_OPEN) {
        count(model, level, life, life->state & LIFE_CLASS);
        life->state |= LIFE_COUNTED;
    }
}
