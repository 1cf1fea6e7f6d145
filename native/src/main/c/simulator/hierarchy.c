#include "hierarchy.h"

#include "coherence.h"
#include "memory.h"
#include "model_parts.h"

#include <stdlib.h>

/* One line asked for. */
struct request {
    struct model *model;
    struct processor *processor;
    struct core *core;
    struct line *line;
    uint64_t address;
    enum purpose purpose;
    /* The level a prefetch is for. */
    int target;
    bool fetch;
    struct supply supply;
};

static int create_copy(const struct model *model, int level, struct outer *outer) {
    const struct machine_geometry *geometry = &model->machine.cache[level].geometry;
    uint32_t lines = geometry_lines(geometry);
    if (lines == 0) {
        return 0;
    }
    if (cache_create(&outer->cache, lines, geometry->ways) != 0
            || (model->split && cache_create(&outer->shadow, lines, lines) != 0)) {
        return -1;
    }
    outer->slots = memory_create(outer->cache.slots, sizeof *outer->slots);
    return outer->slots == NULL ? -1 : 0;
}

int hierarchy_create(struct model *model, uint32_t *depths) {
    for (int level = LEVEL_L2; level < LEVELS; level++) {
        uint32_t first_depths = *depths;
        const struct machine_cache *cache = &model->machine.cache[level];
        uint32_t copies = model->machine.cores / cache->cores;
        model->outer[level] = calloc(copies, sizeof *model->outer[level]);
        if (model->outer[level] == NULL) {
            return -1;
        }
        for (uint32_t copy = 0; copy < copies; copy++) {
            uint32_t at = first_depths;
            if (create_copy(model, level, &model->outer[level][copy]) != 0
                    || model_create_stacks(model, &model->outer[level][copy].stacks, level, false, &at) != 0) {
                return -1;
            }
            *depths = at > *depths ? at : *depths;
        }
    }
    return 0;
}

void hierarchy_release(struct model *model) {
    for (int level = LEVEL_L2; level < LEVELS; level++) {
        for (uint32_t copy = 0; model->outer[level] != NULL
                && copy < model->machine.cores / model->machine.cache[level].cores; copy++) {
            struct outer *outer = &model->outer[level][copy];
            cache_release(&outer->cache);
            cache_release(&outer->shadow);
            free(outer->slots);
            stack_release(&outer->stacks);
        }
        free(model->outer[level]);
    }
}

bool hierarchy_shadow(struct cache *shadow, uint64_t line, bool allocate) {
    uint32_t slot = cache_find(shadow, line, 0);
    bool held = slot != CACHE_NONE;
    if (held) {
        cache_touch(shadow, slot, 0);
    } else if (allocate) {
        cache_put(shadow, line, 0, cache_victim(shadow, 0));
    }
    return held;
}

/* Makes a line of an outer level leave. */
static void evict(struct request *request, int level, struct outer *outer, uint32_t copy, uint32_t slot) {
    struct model *model = request->model;
    struct line *line = outer->slots[slot].line;
    uint64_t address = outer->cache.tags[slot] << model->level_shift[level];
    bool modified = (outer->slots[slot].state & STATE_MODIFIED) != 0;
    if (model->machine.cache[level].inclusive) {
        modified |= coherence_recall(model, level, copy, line, address);
    }
    lifetime_end(model, level, &outer->slots[slot].life);
    lifetime_lost(model, line, level, copy, address, false);
    cache_remove(&outer->cache, slot);
    coherence_part_left(model, line, level, copy);
    if (modified) {
        request->processor->tally->counts.level[level].writebacks++;
        const struct core *core = &model->core[copy * model->machine.cache[level].cores];
        coherence_write(model, request->processor, core, line, level + 1, address);
    }
}

/* Puts the line asked for into an outer level that lacks it. */
static void allocate(struct request *request, int level, bool conflict) {
    struct model *model = request->model;
    uint32_t copy = request->core->copy[level];
    struct outer *outer = &model->outer[level][copy];
    uint32_t set = hierarchy_set(model, level, &outer->cache, request->address);
    uint32_t slot = cache_victim(&outer->cache, set);
    if (outer->cache.tags[slot] != CACHE_EMPTY) {
        evict(request, level, outer, copy, slot);
        slot = cache_victim(&outer->cache, set);
    }
    cache_put(&outer->cache, request->address >> model->level_shift[level], set, slot);
    bool prefetched = request->purpose == PURPOSE_PREFETCH && request->target == level;
    outer->slots[slot].state = prefetched ? STATE_PREFETCHED : 0;
    outer->slots[slot].line = request->line;
    request->line->holders[level] |= (uint64_t) 1 << copy;
    struct miss miss = {request->processor, request->line, request->address, level, copy, request->purpose,
            request->fetch, request->supply.dirty, conflict};
    lifetime_begin(model, &miss, &outer->slots[slot].life);
}

static void count_outer_miss(struct request *request, int level) {
    struct model_counts *counts = &request->processor->tally->counts;
    if (request->purpose == PURPOSE_DEMAND) {
        counts->level[level].misses++;
        counts->level[level].dirty_misses += request->supply.dirty;
    } else if (request->purpose == PURPOSE_WALK) {
        *(level == LEVEL_L2 ? &counts->walk.l2_misses : &counts->walk.llc_misses) += 1;
    }
}

/* Looks a line up in one outer level; whether it is there. */
static bool look_up(struct request *request, int level, bool *conflict) {
    struct model *model = request->model;
    struct outer *outer = &model->outer[level][request->core->copy[level]];
    struct model_level_counts *counts = &request->processor->tally->counts.level[level];
    uint64_t number = request->address >> model->level_shift[level];
    uint32_t set = hierarchy_set(model, level, &outer->cache, request->address);
    uint32_t slot = cache_find(&outer->cache, number, set);
    *conflict = model->split && hierarchy_shadow(&outer->shadow, number, true);
    bool demand = request->purpose == PURPOSE_DEMAND;
    counts->accesses += demand;
    if (slot == CACHE_NONE) {
        count_outer_miss(request, level);
        return false;
    }
    cache_touch(&outer->cache, slot, set);
    if (demand && (outer->slots[slot].state & STATE_PREFETCHED) != 0) {
        outer->slots[slot].state &= (uint8_t) ~STATE_PREFETCHED;
        counts->prefetches_useful++;
    }
    return true;
}

/* The observers of an outer level see one line of a level below. */
static void observe(struct request *request, int level, uint32_t shift) {
    struct outer *outer = &request->model->outer[level][request->core->copy[level]];
    if (request->purpose == PURPOSE_DEMAND && outer->stacks.families != 0) {
        uint64_t first = request->address >> shift << shift;
        stack_range(&outer->stacks, first, first + ((uint64_t) 1 << shift) - 1, request->processor->tally->depths);
    }
}

/* The last level's see what misses in the L2, or in the L1s where there is none, and what write-through sends on. */
static void observe_llc(struct request *request) {
    const struct model *model = request->model;
    uint32_t l1_shift = request->fetch ? model->l1i_shift : model->l1d_shift;
    observe(request, LEVEL_LLC, model->copies[LEVEL_L2] != 0 ? model->level_shift[LEVEL_L2] : l1_shift);
}

/* The level from this one outwards that holds the line, LEVELS for none; the levels before it get it. */
static int supply_from(struct request *request, int from) {
    bool conflict[LEVELS] = {false};
    int hit = from;
    for (; hit < LEVELS; hit++) {
        if (hit == LEVEL_LLC) {
            observe_llc(request);
        }
        if (request->model->copies[hit] != 0 && look_up(request, hit, &conflict[hit])) {
            break;
        }
    }
    for (int level = hit - 1; level >= from; level--) {
        if (request->model->copies[level] != 0) {
            allocate(request, level, conflict[level]);
        }
    }
    if (hit > LEVEL_L2 && from == LEVEL_L2 && request->model->machine.next_line[LEVEL_L2]
            && request->purpose == PURPOSE_DEMAND) {
        request->processor->l2_missed = true;
    }
    return hit;
}

/* Counts where the answer came from; hit is the level, or LEVELS. The cycles it took. */
static uint32_t count_supply(struct request *request, int hit) {
    struct model *model = request->model;
    const struct machine *machine = &model->machine;
    struct model_counts *counts = &request->processor->tally->counts;
    bool demand = request->purpose == PURPOSE_DEMAND;
    uint32_t home = pages_home(model, request->address, request->core->node);
    if (request->supply.dirty) {
        bool remote = request->supply.node != request->core->node;
        counts->transfers_remote += demand && remote;
        counts->transfers_local += demand && !remote;
        return remote ? machine->latency_transfer_remote_cycles : machine->latency_transfer_cycles;
    }
    if (hit == LEVELS) {
        bool remote = home != request->core->node;
        counts->memory_remote += demand && remote;
        counts->memory_local += demand && !remote;
        return remote ? machine->latency_memory_remote_cycles : machine->latency_memory_cycles;
    }
    return hit == LEVEL_L2 ? machine->latency_l2_cycles : machine->latency_llc_cycles;
}

/* What a processor waits for whose request was answered there. */
static int cause_of(const struct request *request, int hit) {
    if (request->purpose == PURPOSE_WALK) {
        return STALL_TRANSLATION;
    }
    if (request->supply.dirty) {
        return request->fetch ? STALL_FETCH_CACHE : STALL_DATA_CACHE;
    }
    switch (hit) {
        case LEVEL_L2: return request->fetch ? STALL_FETCH_L2 : STALL_DATA_L2;
        case LEVEL_LLC: return request->fetch ? STALL_FETCH_LLC : STALL_DATA_LLC;
        default: return request->fetch ? STALL_FETCH_MEMORY : STALL_DATA_MEMORY;
    }
}

static void account_supply(struct request *request, int hit) {
    if (request->purpose != PURPOSE_PREFETCH) {
        stall(request->processor, cause_of(request, hit), count_supply(request, hit));
    }
}

/* All that a miss will look at is independent, so the host fetches it side by side. */
static void prefetch_tables(const struct model *model, const struct core *core, uint64_t address) {
    directory_prefetch(model, address >> model->coherence_shift);
    for (int level = LEVEL_L2; level < LEVELS; level++) {
        if (model->copies[level] != 0) {
            const struct cache *cache = &model->outer[level][core->copy[level]].cache;
            const uint64_t *block = &cache->tags[hierarchy_set(model, level, cache, address) * cache->stride];
            __builtin_prefetch(block);
            __builtin_prefetch(block + 8);
            __builtin_prefetch(block + 16);
        }
    }
}

static struct request begin(struct model *model, struct processor *processor, uint64_t address, enum purpose purpose) {
    prefetch_tables(model, processor->core, address);
    struct request request = {
        .model = model,
        .processor = processor,
        .core = processor->core,
        .line = directory_line(model, address >> model->coherence_shift),
        .address = address,
        .purpose = purpose,
        .target = LEVELS,
    };
    request.line->touched |= (uint64_t) 1 << processor->core->number;
    return request;
}

/* The L2 observers of a core see what misses in its L1s, and the stores that a write-through L1-D sends on. */
static void observe_l2(struct request *request, uint32_t shift) {
    observe(request, LEVEL_L2, shift);
}

void hierarchy_fetch(struct model *model, struct processor *processor, uint64_t address, enum purpose purpose) {
    struct request request = begin(model, processor, address, purpose);
    struct core *core = request.core;
    struct model_level_counts *counts = &processor->tally->counts.level[LEVEL_L1I];
    request.fetch = true;
    request.target = LEVEL_L1I;
    if (model->coherent) {
        coherence_collect(model, processor, request.line, COLLECT_FETCH, &request.supply);
    }
    if (purpose == PURPOSE_DEMAND) {
        counts->misses++;
        counts->dirty_misses += request.supply.dirty;
        if (model->classes) {
            counts->classes[MISS_INSTRUCTION]++;
            counts->dirty[MISS_INSTRUCTION] += request.supply.dirty;
        }
    }
    observe_l2(&request, model->l1i_shift);
    account_supply(&request, supply_from(&request, LEVEL_L2));
    uint64_t number = address >> model->l1i_shift;
    uint32_t set = cache_set(&core->l1i, number);
    uint32_t slot = cache_victim(&core->l1i, set);
    if (core->l1i.tags[slot] != CACHE_EMPTY) {
        struct line *old = core->l1i_lines[slot];
        cache_remove(&core->l1i, slot);
        coherence_part_left(model, old, LEVEL_L1I, core->number);
    }
    cache_put(&core->l1i, number, set, slot);
    core->l1i_states[slot] = purpose == PURPOSE_PREFETCH ? STATE_PREFETCHED : 0;
    core->l1i_lines[slot] = request.line;
    request.line->holders[LEVEL_L1I] |= (uint64_t) 1 << core->number;
}

/* Makes the line of an L1-D slot leave to make room. */
static void evict_l1d(struct request *request, uint32_t slot) {
    struct model *model = request->model;
    struct core *core = request->core;
    struct line *line = core->l1d_lines[slot];
    uint64_t address = core->l1d.tags[slot] << model->l1d_shift;
    bool modified = (core->l1d_states[slot] & STATE_MODIFIED) != 0;
    coherence_drop_data(model, core, slot, false);
    if (modified) {
        request->processor->tally->counts.level[LEVEL_L1D].writebacks++;
        coherence_write(model, request->processor, core, line, LEVEL_L2, address);
    }
}

/* A store of a write-through L1-D goes to the first level that keeps it. The level that had the rest of the line. */
static int store_onward(struct request *request) {
    struct model *model = request->model;
    /* A level that keeps the store without a fetch stands for itself. */
    int from = LEVEL_L2;
    for (int level = LEVEL_L2; level < LEVELS; level++) {
        if (level == LEVEL_LLC) {
            observe_llc(request);
        }
        if (model->copies[level] == 0) {
            continue;
        }
        struct outer *outer = &model->outer[level][request->core->copy[level]];
        bool through = model->machine.cache[level].write_through;
        bool conflict;
        bool held = look_up(request, level, &conflict);
        if (!held && through) {
            struct miss miss = {request->processor, request->line, request->address, level,
                    request->core->copy[level], request->purpose, false, request->supply.dirty, conflict};
            lifetime_begin(model, &miss, NULL);
        } else if (!held) {
            from = supply_from(request, level + 1);
            allocate(request, level, conflict);
        }
        if (!through) {
            uint32_t set = hierarchy_set(model, level, &outer->cache, request->address);
            uint32_t slot = cache_find(&outer->cache, request->address >> model->level_shift[level], set);
            outer->slots[slot].state |= STATE_MODIFIED;
            request->line->modified[level] = (int8_t) request->core->copy[level];
            break;
        }
        request->processor->tally->counts.level[level].writebacks++;
    }
    return from;
}

/* A store to a write-through L1-D, whether the line is there or not. */
static void store_through(struct request *request, uint64_t first, uint64_t last) {
    struct model *model = request->model;
    request->processor->tally->counts.level[LEVEL_L1D].writebacks++;
    /* Stores wait in a buffer: what they bring counts, but takes no cycles. */
    (void) count_supply(request, store_onward(request));
    if (model->coherent) {
        request->line->owner = (int8_t) request->core->number;
        lifetime_publish(model, request->core, request->line, words_between(model, first, last));
        coherence_tell_observers(model, request->core, request->line);
    }
}

static void count_l1d_miss(struct request *request) {
    struct model_counts *counts = &request->processor->tally->counts;
    if (request->purpose == PURPOSE_DEMAND) {
        counts->level[LEVEL_L1D].misses++;
        counts->level[LEVEL_L1D].dirty_misses += request->supply.dirty;
    } else if (request->purpose == PURPOSE_WALK) {
        counts->walk.l1d_misses++;
    }
}

/* Puts the line asked for into the core's L1-D. */
static uint32_t allocate_l1d(struct request *request, bool conflict) {
    struct model *model = request->model;
    struct core *core = request->core;
    uint64_t number = request->address >> model->l1d_shift;
    uint32_t set = cache_set(&core->l1d, number);
    uint32_t slot = cache_victim(&core->l1d, set);
    if (core->l1d.tags[slot] != CACHE_EMPTY) {
        evict_l1d(request, slot);
        slot = cache_victim(&core->l1d, set);
    }
    cache_put(&core->l1d, number, set, slot);
    core->l1d_states[slot] = request->purpose == PURPOSE_PREFETCH ? STATE_PREFETCHED : 0;
    core->l1d_written[slot] = 0;
    core->l1d_lines[slot] = request->line;
    request->line->holders[LEVEL_L1D] |= (uint64_t) 1 << core->number;
    struct miss miss = {request->processor, request->line, request->address, LEVEL_L1D, core->number,
            request->purpose, false, request->supply.dirty, conflict};
    lifetime_begin(model, &miss, &core->l1d_lives[slot]);
    return slot;
}

/* The rights a slot has once no cache elsewhere is in the way. */
static void grant(struct request *request, uint32_t slot, bool stores) {
    struct model *model = request->model;
    if (model->coherent && (stores || coherence_alone(request->core, request->line))) {
        request->line->owner = (int8_t) request->core->number;
    }
    if (stores && !model->l1d_through) {
        request->core->l1d_states[slot] |= STATE_MODIFIED;
        coherence_tell_observers(model, request->core, request->line);
    }
}

/* What an access does to a slot that has all the rights it needs. */
static void use_slot(struct request *request, uint32_t slot, uint64_t first, uint64_t last, int kind) {
    struct model *model = request->model;
    struct core *core = request->core;
    uint64_t words = words_between(model, first, last);
    bool watched = (core->l1d_states[slot] & STATE_WATCHED) != 0;
    if (model->l1d_through) {
        /* What is stored is published by store_through. */
        if (watched && kind != MODEL_STORE) {
            lifetime_access(model, core, request->line, slot, first, words, MODEL_LOAD);
        }
        return;
    }
    if (watched) {
        lifetime_access(model, core, request->line, slot, first, words, kind);
    }
    if (kind != MODEL_LOAD) {
        core->l1d_written[slot] |= words;
    }
}

void hierarchy_miss(struct model *model, struct processor *processor, uint64_t first, uint64_t last, int kind,
                    enum purpose purpose, bool conflict) {
    struct request request = begin(model, processor, first, purpose);
    bool stores = kind != MODEL_LOAD;
    request.target = LEVEL_L1D;
    if (model->coherent && (!stores || !model->l1d_through || request.line->owner != (int) request.core->number)) {
        coherence_collect(model, processor, request.line, stores ? COLLECT_STORE : COLLECT_LOAD, &request.supply);
    }
    count_l1d_miss(&request);
    observe_l2(&request, model->l1d_shift);
    if (model->l1d_through && kind == MODEL_STORE) {
        struct miss miss = {processor, request.line, first, LEVEL_L1D, request.core->number, purpose, false,
                request.supply.dirty, conflict};
        lifetime_begin(model, &miss, NULL);
        store_through(&request, first, last);
        return;
    }
    account_supply(&request, supply_from(&request, LEVEL_L2));
    uint32_t slot = allocate_l1d(&request, conflict);
    if (lifetime_watched(model, request.core, request.line, first)) {
        request.core->l1d_states[slot] |= STATE_WATCHED;
    }
    grant(&request, slot, stores);
    if (purpose == PURPOSE_DEMAND) {
        use_slot(&request, slot, first, last, kind);
    }
    if (stores && model->l1d_through) {
        /* The transfer was counted with the miss. */
        request.supply.dirty = false;
        store_through(&request, first, last);
    }
}

void hierarchy_hit(struct model *model, struct processor *processor, uint32_t slot, uint64_t first, uint64_t last,
                   int kind) {
    struct core *core = processor->core;
    struct request request = {
        .model = model,
        .processor = processor,
        .core = core,
        .line = core->l1d_lines[slot],
        .address = first,
        .purpose = PURPOSE_DEMAND,
        .target = LEVELS,
    };
    uint8_t *state = &core->l1d_states[slot];
    if ((*state & STATE_PREFETCHED) != 0) {
        *state &= (uint8_t) ~STATE_PREFETCHED;
        processor->tally->counts.level[LEVEL_L1D].prefetches_useful++;
    }
    if (kind != MODEL_LOAD && (*state & STATE_MODIFIED) == 0) {
        bool owned = !model->coherent || request.line->owner == (int) core->number;
        if (!owned) {
            processor->tally->counts.upgrades++;
            stall(processor, STALL_UPGRADE, model->machine.latency_upgrade_cycles);
            coherence_collect(model, processor, request.line, COLLECT_STORE, &request.supply);
        }
        grant(&request, slot, true);
    }
    use_slot(&request, slot, first, last, kind);
    if (kind != MODEL_LOAD && model->l1d_through) {
        observe_l2(&request, model->l1d_shift);
        store_through(&request, first, last);
    }
}

void hierarchy_prefetch(struct model *model, struct processor *processor, int level, uint64_t address) {
    struct core *core = processor->core;
    struct outer *outer = &model->outer[level][core->copy[level]];
    uint32_t set = hierarchy_set(model, level, &outer->cache, address);
    if (cache_find(&outer->cache, address >> model->level_shift[level], set) != CACHE_NONE) {
        return;
    }
    struct request request = begin(model, processor, address, PURPOSE_PREFETCH);
    request.target = level;
    processor->tally->counts.level[level].prefetches++;
    if (model->coherent) {
        coherence_collect(model, processor, request.line, COLLECT_LOAD, &request.supply);
    }
    supply_from(&request, level);
}

bool hierarchy_drop_instruction(struct model *model, struct core *core, uint64_t address) {
    uint64_t number = address >> model->l1i_shift;
    uint32_t slot = cache_find(&core->l1i, number, cache_set(&core->l1i, number));
    if (slot == CACHE_NONE) {
        return false;
    }
    cache_remove(&core->l1i, slot);
    if (core->fetched == number) {
        core->fetched = CACHE_EMPTY;
    }
    if (model->shared) {
        coherence_part_left(model, core->l1i_lines[slot], LEVEL_L1I, core->number);
    }
    return true;
}
