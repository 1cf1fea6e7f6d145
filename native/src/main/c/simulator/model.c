#include "model_internal.h"

#include <stdlib.h>
#include <string.h>

static bool has_outer(const struct machine *machine) {
    return machine->cache[LEVEL_L2].geometry.bytes != 0 || machine->cache[LEVEL_LLC].geometry.bytes != 0;
}

static bool observes(const struct machine *machine, int level) {
    for (uint32_t i = 0; i < machine->observers; i++) {
        if (machine->observer[i].level == level) {
            return true;
        }
    }
    return false;
}

/*
 * The observing caches of one level of one core or L2 copy. With driving, the L1-I itself comes first. Every core's
 * stacks count at the same depths.
 */
static int create_stacks(struct model *model, struct stack_families *families, int level, bool driving,
                         uint32_t *depths) {
    struct machine_geometry geometries[MACHINE_OBSERVERS_MAX + 1];
    struct stack_place places[MACHINE_OBSERVERS_MAX + 1];
    uint32_t count = 0;
    if (driving) {
        geometries[count++] = model->machine.cache[level].geometry;
    }
    for (uint32_t i = 0; i < model->machine.observers; i++) {
        if (model->machine.observer[i].level == level) {
            geometries[count++] = model->machine.observer[i].geometry;
        }
    }
    if (stack_create(families, geometries, count, depths, places) != 0) {
        return -1;
    }
    uint32_t at = 0;
    if (driving) {
        model->l1i_place = places[at++];
    }
    for (uint32_t i = 0; i < model->machine.observers; i++) {
        if (model->machine.observer[i].level == level) {
            model->observer_places[i] = places[at++];
        }
    }
    return 0;
}

static int create_l1(struct model *model, struct core *core) {
    const struct machine *machine = &model->machine;
    uint32_t lines = geometry_lines(&machine->cache[LEVEL_L1I].geometry);
    if (lines != 0 && !model->stacked_l1i) {
        core->l1i_states = calloc(lines, sizeof *core->l1i_states);
        if (cache_create(&core->l1i, lines, machine->cache[LEVEL_L1I].geometry.ways) != 0
                || core->l1i_states == NULL) {
            return -1;
        }
    }
    lines = geometry_lines(&machine->cache[LEVEL_L1D].geometry);
    if (lines != 0) {
        core->l1d_states = calloc(lines, sizeof *core->l1d_states);
        core->l1d_written = calloc(lines, sizeof *core->l1d_written);
        if (cache_create(&core->l1d, lines, machine->cache[LEVEL_L1D].geometry.ways) != 0 || core->l1d_states == NULL
                || core->l1d_written == NULL) {
            return -1;
        }
    }
    return 0;
}

static int create_core(struct model *model, uint32_t number, uint32_t first_depths) {
    struct core *core = &model->core[number];
    core->number = number;
    core->node = number * model->machine.nodes / model->machine.cores;
    core->fetched = CACHE_EMPTY;
    uint32_t depths = first_depths;
    if (create_l1(model, core) != 0
            || create_stacks(model, &core->instruction_stacks, LEVEL_L1I, model->stacked_l1i, &depths) != 0
            || create_stacks(model, &core->data_stacks, LEVEL_L1D, false, &depths) != 0) {
        return -1;
    }
    model->depth_count = depths;
    return 0;
}

static struct tally *create_tally(const struct model *model) {
    return calloc(1, sizeof(struct tally) + model->depth_count * sizeof(uint64_t));
}

static int create_processors(struct model *model) {
    for (uint32_t i = 0; i < model->processors; i++) {
        struct processor *processor = &model->processor[i];
        processor->number = i;
        processor->core = &model->core[i / model->machine.smt];
        processor->tallies = calloc(model->machine.accounts, sizeof *processor->tallies);
        if (processor->tallies == NULL) {
            return -1;
        }
        processor->tally = processor->tallies[0] = create_tally(model);
        if (processor->tally == NULL) {
            return -1;
        }
    }
    return 0;
}

static void *allocate_aligned(size_t count, size_t bytes) {
    void *memory = aligned_alloc(128, count * bytes);
    if (memory != NULL) {
        memset(memory, 0, count * bytes);
    }
    return memory;
}

struct model *model_create(const struct machine *machine) {
    char error[1];
    if (machine_check(machine, error, sizeof error) != 0) {
        return NULL;
    }
    struct model *model = calloc(1, sizeof *model);
    if (model == NULL) {
        return NULL;
    }
    model->machine = *machine;
    pthread_mutex_init(&model->lock, NULL);
    model->shared = has_outer(machine) || machine->coherent || machine->classes != CLASSES_NO || machine->nodes > 1;
    model->stacked_l1i = machine->cache[LEVEL_L1I].geometry.bytes != 0 && !model->shared
            && !machine->next_line[LEVEL_L1I];
    model->l1d_present = machine->cache[LEVEL_L1D].geometry.bytes != 0;
    model->l1d_through = machine->cache[LEVEL_L1D].write_through;
    model->l1i_shift = (uint32_t) __builtin_ctz(machine->cache[LEVEL_L1I].geometry.line_bytes | 1u << 31);
    model->l1d_shift = (uint32_t) __builtin_ctz(machine->cache[LEVEL_L1D].geometry.line_bytes | 1u << 31);
    model->processors = machine_processors(machine);
    model->processor = allocate_aligned(model->processors, sizeof *model->processor);
    model->core = allocate_aligned(machine->cores, sizeof *model->core);
    bool created = !model->shared && model->processor != NULL && model->core != NULL;
    for (uint32_t i = 0; created && i < machine->cores; i++) {
        created = create_core(model, i, 0) == 0;
    }
    if (!created || create_processors(model) != 0) {
        model_destroy(model);
        return NULL;
    }
    return model;
}

static void destroy_core(struct core *core) {
    cache_release(&core->l1i);
    cache_release(&core->l1d);
    free(core->l1i_states);
    free(core->l1d_states);
    free(core->l1d_written);
    stack_release(&core->instruction_stacks);
    stack_release(&core->data_stacks);
}

void model_destroy(struct model *model) {
    if (model == NULL) {
        return;
    }
    for (uint32_t i = 0; model->core != NULL && i < model->machine.cores; i++) {
        destroy_core(&model->core[i]);
    }
    for (uint32_t i = 0; model->processor != NULL && i < model->processors; i++) {
        struct tally **tallies = model->processor[i].tallies;
        for (uint32_t j = 0; tallies != NULL && j < model->machine.accounts; j++) {
            free(tallies[j]);
        }
        free(tallies);
    }
    free(model->core);
    free(model->processor);
    free(model->regions);
    pthread_mutex_destroy(&model->lock);
    free(model);
}

bool model_parallel(const struct model *model) {
    return !model->shared;
}

bool model_wants_data(const struct model *model) {
    return model->l1d_present || model->machine.dtlb.entries != 0 || observes(&model->machine, LEVEL_L1D);
}

/* The line is not in a slotted L1-I. */
static void fetch_miss(struct model *model, struct processor *processor, uint64_t line) {
    struct core *core = processor->core;
    processor->tally->counts.level[LEVEL_L1I].misses++;
    stall(processor, model->machine.latency_memory_cycles);
    uint32_t set = cache_set(&core->l1i, line);
    cache_put(&core->l1i, line, set, cache_victim(&core->l1i, set));
}

static void count_stacked(struct model *model, struct processor *processor, uint64_t first, uint64_t last) {
    struct core *core = processor->core;
    uint64_t line = first >> model->l1i_shift;
    uint64_t end = last >> model->l1i_shift;
    processor->tally->counts.level[LEVEL_L1I].accesses += end - line + (line != core->fetched);
    core->fetched = end;
}

/* Stalls of a stacked L1-I since charging to the present tally began, which the clock does not hold yet. */
static uint64_t stacked_stall(const struct model *model, const struct processor *processor) {
    if (!model->stacked_l1i) {
        return 0;
    }
    uint64_t misses = stack_misses(&model->l1i_place, processor->tally->depths) - processor->charged_misses;
    return misses * model->machine.latency_memory_cycles;
}

void model_fetch(struct model *model, int number, uint64_t address, uint32_t bytes, uint32_t instruction_count) {
    struct processor *processor = &model->processor[number];
    struct core *core = processor->core;
    struct tally *tally = processor->tally;
    tally->counts.instructions += instruction_count;
    processor->clock += instruction_count;
    uint64_t last = address + bytes - 1;
    if (core->l1i.tags == NULL) {
        if (model->stacked_l1i) {
            count_stacked(model, processor, address, last);
        }
        stack_range(&core->instruction_stacks, address, last, tally->depths);
        return;
    }
    uint64_t end = last >> model->l1i_shift;
    for (uint64_t line = address >> model->l1i_shift; line <= end; line++) {
        if (line == core->fetched) {
            continue;
        }
        core->fetched = line;
        tally->counts.level[LEVEL_L1I].accesses++;
        uint32_t set = cache_set(&core->l1i, line);
        uint32_t slot = cache_find(&core->l1i, line, set);
        if (slot == CACHE_NONE) {
            fetch_miss(model, processor, line);
        } else {
            cache_touch(&core->l1i, slot, set);
        }
    }
    stack_range(&core->instruction_stacks, address, last, tally->depths);
}

/* The line is not in the L1-D of a private machine. */
static void private_miss(struct model *model, struct processor *processor, uint64_t line, int kind) {
    struct core *core = processor->core;
    struct model_level_counts *counts = &processor->tally->counts.level[LEVEL_L1D];
    counts->misses++;
    if (model->l1d_through && kind == MODEL_STORE) {
        counts->writebacks++;
        return;
    }
    stall(processor, model->machine.latency_memory_cycles);
    uint32_t set = cache_set(&core->l1d, line);
    uint32_t slot = cache_victim(&core->l1d, set);
    if ((core->l1d_states[slot] & STATE_MODIFIED) != 0 && core->l1d.tags[slot] != CACHE_EMPTY) {
        counts->writebacks++;
    }
    cache_put(&core->l1d, line, set, slot);
    core->l1d_states[slot] = STATE_EXCLUSIVE;
    if (kind != MODEL_LOAD) {
        if (model->l1d_through) {
            counts->writebacks++;
        } else {
            core->l1d_states[slot] |= STATE_MODIFIED;
        }
    }
}

static void touch_data(struct model *model, struct processor *processor, uint64_t line, int kind) {
    struct core *core = processor->core;
    uint32_t set = cache_set(&core->l1d, line);
    uint32_t slot = cache_find(&core->l1d, line, set);
    processor->tally->counts.level[LEVEL_L1D].accesses++;
    if (slot == CACHE_NONE) {
        private_miss(model, processor, line, kind);
        return;
    }
    cache_touch(&core->l1d, slot, set);
    if (kind != MODEL_LOAD) {
        if (model->l1d_through) {
            processor->tally->counts.level[LEVEL_L1D].writebacks++;
        } else {
            core->l1d_states[slot] |= STATE_MODIFIED;
        }
    }
}

void model_access(struct model *model, int number, uint64_t address, uint32_t bytes, int kind) {
    struct processor *processor = &model->processor[number];
    struct tally *tally = processor->tally;
    tally->counts.loads += kind == MODEL_LOAD;
    tally->counts.stores += kind == MODEL_STORE;
    tally->counts.updates += kind == MODEL_UPDATE;
    uint64_t last = address + bytes - 1;
    if (model->l1d_present) {
        uint64_t end = last >> model->l1d_shift;
        for (uint64_t line = address >> model->l1d_shift; line <= end; line++) {
            touch_data(model, processor, line, kind);
        }
    }
    stack_range(&processor->core->data_stacks, address, last, tally->depths);
}

void model_feed(struct model *model, int processor, const struct model_event *events, size_t event_count) {
    if (model->shared) {
        pthread_mutex_lock(&model->lock);
    }
    for (const struct model_event *event = events, *end = events + event_count; event < end; event++) {
        if (event->kind == MODEL_FETCH) {
            model_fetch(model, processor, event->address, event->bytes, event->instruction_count);
        } else {
            model_access(model, processor, event->address, event->bytes, event->kind);
        }
    }
    if (model->shared) {
        pthread_mutex_unlock(&model->lock);
    }
}

void model_discard_code(struct model *model, uint64_t address, uint64_t bytes) {
    if (bytes == 0) {
        return;
    }
    uint64_t last = address + bytes - 1;
    for (uint32_t i = 0; i < model->machine.cores; i++) {
        struct core *core = &model->core[i];
        core->fetched = CACHE_EMPTY;
        stack_invalidate(&core->instruction_stacks, address, last);
        if (core->l1i.tags == NULL) {
            continue;
        }
        for (uint64_t line = address >> model->l1i_shift; line <= last >> model->l1i_shift; line++) {
            uint32_t slot = cache_find(&core->l1i, line, cache_set(&core->l1i, line));
            if (slot != CACHE_NONE) {
                cache_remove(&core->l1i, slot);
            }
        }
    }
}

int model_region(struct model *model, uint64_t address, uint64_t bytes, uint64_t page_bytes) {
    (void) model;
    (void) address;
    (void) bytes;
    return page_bytes == 4 << 10 || page_bytes == 2 << 20 || page_bytes == 1 << 30 ? 0 : -1;
}

uint64_t model_clock(const struct model *model, int processor) {
    const struct processor *its = &model->processor[processor];
    return its->clock + stacked_stall(model, its);
}

int model_charge(struct model *model, int number, uint32_t account) {
    struct processor *processor = &model->processor[number];
    if (account >= model->machine.accounts) {
        return -1;
    }
    struct tally *tally = processor->tallies[account];
    if (tally == NULL) {
        tally = processor->tallies[account] = create_tally(model);
        if (tally == NULL) {
            return -1;
        }
    }
    processor->clock += stacked_stall(model, processor);
    processor->tally->counts.cycles += processor->clock - processor->charged;
    processor->charged = processor->clock;
    processor->charged_misses = model->stacked_l1i ? stack_misses(&model->l1i_place, tally->depths) : 0;
    processor->tally = tally;
    processor->account = account;
    return 0;
}

void model_counts(const struct model *model, int number, uint32_t account, struct model_counts *counts) {
    const struct processor *processor = &model->processor[number];
    const struct tally *tally = account < model->machine.accounts ? processor->tallies[account] : NULL;
    if (tally == NULL) {
        memset(counts, 0, sizeof *counts);
        return;
    }
    *counts = tally->counts;
    if (tally == processor->tally) {
        counts->cycles += processor->clock + stacked_stall(model, processor) - processor->charged;
    }
    if (model->stacked_l1i) {
        counts->level[LEVEL_L1I].misses = stack_misses(&model->l1i_place, tally->depths);
    }
    for (uint32_t i = 0; i < model->machine.observers; i++) {
        counts->observer_misses[i] = stack_misses(&model->observer_places[i], tally->depths);
    }
}

void model_total(const struct model *model, int processor, struct model_counts *counts) {
    /* All fields are 64-bit counts, so the structure adds up as an array of them. */
    _Static_assert(sizeof(struct model_counts) % sizeof(uint64_t) == 0, "counts are 64 bits");
    uint64_t sum[sizeof(struct model_counts) / sizeof(uint64_t)] = {0};
    for (uint32_t account = 0; account < model->machine.accounts; account++) {
        uint64_t part[sizeof(struct model_counts) / sizeof(uint64_t)];
        model_counts(model, processor, account, (struct model_counts *) (void *) part);
        for (size_t i = 0; i < sizeof sum / sizeof sum[0]; i++) {
            sum[i] += part[i];
        }
    }
    memcpy(counts, sum, sizeof *counts);
}

void model_end_lifetimes(struct model *model) {
    (void) model;
}
