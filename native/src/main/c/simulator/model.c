#include "model.h"

#include "coherence.h"
#include "hierarchy.h"
#include "memory.h"
#include "model_parts.h"
#include "pages.h"
#include "prefetch.h"
#include "tlb.h"

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

int model_create_stacks(struct model *model, struct stack_families *families, int level, bool driving,
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

static int create_l1i(struct model *model, struct core *core) {
    const struct machine_geometry *geometry = &model->machine.cache[LEVEL_L1I].geometry;
    if (geometry->bytes == 0 || model->stacked_l1i) {
        return 0;
    }
    if (cache_create(&core->l1i, geometry_lines(geometry), geometry->ways) != 0) {
        return -1;
    }
    core->l1i_states = memory_create(core->l1i.slots, sizeof *core->l1i_states);
    core->l1i_lines = memory_create(core->l1i.slots, sizeof *core->l1i_lines);
    return core->l1i_states == NULL || core->l1i_lines == NULL ? -1 : 0;
}

static int create_l1d(struct model *model, struct core *core) {
    const struct machine_geometry *geometry = &model->machine.cache[LEVEL_L1D].geometry;
    uint32_t lines = geometry_lines(geometry);
    if (lines == 0) {
        return 0;
    }
    if (cache_create(&core->l1d, lines, geometry->ways) != 0
            || (model->split && cache_create(&core->l1d_shadow, lines, lines) != 0)) {
        return -1;
    }
    uint32_t slots = core->l1d.slots;
    core->l1d_states = memory_create(slots, sizeof *core->l1d_states);
    core->l1d_written = memory_create(slots, sizeof *core->l1d_written);
    core->l1d_lines = memory_create(slots, sizeof *core->l1d_lines);
    core->l1d_lives = memory_create(slots, sizeof *core->l1d_lives);
    return core->l1d_states == NULL || core->l1d_written == NULL || core->l1d_lines == NULL || core->l1d_lives == NULL
            ? -1 : 0;
}

/* Whether a fetch within the line fetched last changes nothing anywhere. */
static bool fetches_quickly(const struct model *model, const struct core *core) {
    for (uint32_t i = 0; i < core->instruction_stacks.families; i++) {
        if (core->instruction_stacks.family[i].line_shift < model->l1i_shift) {
            return false;
        }
    }
    return model->copies[LEVEL_L1I] != 0;
}

static void set_quick(const struct model *model, struct core *core) {
    const struct cache *l1d = &core->l1d;
    core->quick = (struct quick) {
        .tags = l1d->tags,
        .states = core->l1d_states,
        .mask = l1d->set_mask,
        .stride = l1d->stride,
        .shift = model->l1d_shift,
        .data = l1d->tags != NULL && l1d->ordered != 0 && (l1d->set_mask != 0 || l1d->sets == 1) && !model->split
                && core->data_stacks.families == 0,
        .fetch = fetches_quickly(model, core),
    };
}

static int create_core(struct model *model, uint32_t number, uint32_t first_depths) {
    struct core *core = &model->core[number];
    core->number = number;
    core->node = number * model->machine.nodes / model->machine.cores;
    core->fetched = CACHE_EMPTY;
    for (int level = LEVEL_L1I; level < LEVELS; level++) {
        core->copy[level] = level < LEVEL_L2 ? number : number / model->machine.cache[level].cores;
    }
    uint32_t depths = first_depths;
    if (create_l1i(model, core) != 0 || create_l1d(model, core) != 0 || tlb_create(model, core) != 0
            || model_create_stacks(model, &core->instruction_stacks, LEVEL_L1I, model->stacked_l1i, &depths) != 0
            || model_create_stacks(model, &core->data_stacks, LEVEL_L1D, false, &depths) != 0) {
        return -1;
    }
    model->depth_count = depths;
    set_quick(model, core);
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

/* The shape of the machine, as the model asks for it again and again. */
static void set_shape(struct model *model) {
    const struct machine *machine = &model->machine;
    model->shared = has_outer(machine) || machine->coherent || machine->classes != CLASSES_NO || machine->nodes > 1
            || observes(machine, LEVEL_L2) || observes(machine, LEVEL_LLC);
    model->coherent = machine->coherent;
    model->classes = machine->classes != CLASSES_NO;
    model->split = machine->classes == CLASSES_SPLIT;
    model->stacked_l1i = machine->cache[LEVEL_L1I].geometry.bytes != 0 && !model->shared
            && !machine->next_line[LEVEL_L1I];
    model->l1d_present = machine->cache[LEVEL_L1D].geometry.bytes != 0;
    model->l1d_through = machine->cache[LEVEL_L1D].write_through;
    model->translated = machine->itlb.entries != 0 || machine->dtlb.entries != 0;
    model->data_observed =
            observes(machine, LEVEL_L1D) || observes(machine, LEVEL_L2) || observes(machine, LEVEL_LLC);
    model->processors = machine_processors(machine);
    model->stream_level = LEVEL_L1D;
    for (int level = LEVEL_LLC; level >= LEVEL_L1I; level--) {
        const struct machine_geometry *geometry = &machine->cache[level].geometry;
        if (geometry->bytes == 0) {
            continue;
        }
        model->level_shift[level] = (uint32_t) __builtin_ctz(geometry->line_bytes);
        model->copies[level] = machine->cores / (level < LEVEL_L2 ? 1 : machine->cache[level].cores);
        model->coherence_shift = model->level_shift[level] > model->coherence_shift ? model->level_shift[level]
                                                                                   : model->coherence_shift;
        model->stream_level = level >= LEVEL_L2 ? level : model->stream_level;
    }
    model->l1i_shift = model->level_shift[LEVEL_L1I];
    model->l1d_shift = model->level_shift[LEVEL_L1D];
}

/* All but the tallies, whose size follows from the rest. */
static int create_parts(struct model *model) {
    model->processor = allocate_aligned(model->processors, sizeof *model->processor);
    model->core = allocate_aligned(model->machine.cores, sizeof *model->core);
    if (model->processor == NULL || model->core == NULL) {
        return -1;
    }
    for (uint32_t i = 0; i < model->machine.cores; i++) {
        if (create_core(model, i, 0) != 0) {
            return -1;
        }
    }
    if (!model->shared) {
        return 0;
    }
    return hierarchy_create(model, &model->depth_count) != 0 || directory_create(model) != 0
            || pages_create(model) != 0 ? -1 : 0;
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
    set_shape(model);
    if (create_parts(model) != 0 || create_processors(model) != 0) {
        model_destroy(model);
        return NULL;
    }
    return model;
}

static void destroy_core(struct core *core) {
    cache_release(&core->l1i);
    cache_release(&core->l1d);
    cache_release(&core->l1d_shadow);
    free(core->l1i_states);
    free(core->l1i_lines);
    free(core->l1d_states);
    free(core->l1d_written);
    free(core->l1d_lines);
    free(core->l1d_lives);
    tlb_release(core);
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
    hierarchy_release(model);
    directory_release(model);
    pages_release(model);
    free(model->core);
    free(model->processor);
    pthread_mutex_destroy(&model->lock);
    free(model);
}

bool model_parallel(const struct model *model) {
    return !model->shared && model->machine.smt == 1;
}

bool model_wants_data(const struct model *model) {
    return model->l1d_present || model->machine.dtlb.entries != 0 || observes(&model->machine, LEVEL_L1D);
}

bool model_exhausted(const struct model *model) {
    return model->exhausted;
}

uint64_t model_memory_bytes(const struct model *model) {
    return model->memory_bytes;
}

/* Puts a line into the slotted L1-I of a private machine. */
static void private_fetch(struct core *core, uint64_t line, bool prefetched) {
    uint32_t set = cache_set(&core->l1i, line);
    uint32_t slot = cache_victim(&core->l1i, set);
    cache_put(&core->l1i, line, set, slot);
    core->l1i_states[slot] = prefetched ? STATE_PREFETCHED : 0;
}

static void fetch_miss(struct model *model, struct processor *processor, uint64_t line) {
    uint64_t address = line << model->l1i_shift;
    if (model->shared) {
        hierarchy_fetch(model, processor, address, PURPOSE_DEMAND);
    } else {
        processor->tally->counts.level[LEVEL_L1I].misses++;
        processor->tally->counts.memory_local++;
        stall(processor, STALL_FETCH_MEMORY, model->machine.latency_memory_cycles);
        private_fetch(processor->core, line, false);
    }
    prefetch_after_fetch(model, processor, address);
}

static void fetch_line(struct model *model, struct processor *processor, uint64_t line) {
    struct core *core = processor->core;
    struct model_level_counts *counts = &processor->tally->counts.level[LEVEL_L1I];
    core->fetched = line;
    counts->accesses++;
    uint32_t set = cache_set(&core->l1i, line);
    uint32_t slot = cache_find(&core->l1i, line, set);
    if (slot == CACHE_NONE) {
        fetch_miss(model, processor, line);
        return;
    }
    cache_touch(&core->l1i, slot, set);
    if (core->l1i_states[slot] != 0) {
        core->l1i_states[slot] = 0;
        counts->prefetches_useful++;
    }
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

/* A fetch from a line other than the last. Returns as model_fetch. */
static __attribute__((noinline)) bool fetch_beyond(struct model *model, struct processor *processor, uint64_t first,
                                                   uint64_t last) {
    struct core *core = processor->core;
    if (model->translated) {
        tlb_translate(model, processor, first, last, true);
    }
    if (core->l1i.tags == NULL) {
        if (model->stacked_l1i) {
            count_stacked(model, processor, first, last);
        }
    } else {
        uint64_t end = last >> model->l1i_shift;
        for (uint64_t line = first >> model->l1i_shift; line <= end; line++) {
            if (line != core->fetched) {
                fetch_line(model, processor, line);
            }
        }
    }
    bool below = stack_range(&core->instruction_stacks, first, last, processor->tally->depths);
    return below || model->translated || core->l1i.tags != NULL;
}

bool model_fetch(struct model *model, int number, uint64_t address, uint32_t bytes, uint32_t instruction_count) {
    struct processor *processor = &model->processor[number];
    const struct core *core = processor->core;
    processor->tally->counts.instructions += instruction_count;
    processor->clock += instruction_count;
    uint64_t last = address + bytes - 1;
    bool same = address >> model->l1i_shift == core->fetched && last >> model->l1i_shift == core->fetched;
    return (!same || !core->quick.fetch) && fetch_beyond(model, processor, address, last);
}

/* Puts a line into the L1-D of a private machine. */
static void private_put(struct processor *processor, uint64_t line, uint8_t state) {
    struct core *core = processor->core;
    uint32_t set = cache_set(&core->l1d, line);
    uint32_t slot = cache_victim(&core->l1d, set);
    if ((core->l1d_states[slot] & STATE_MODIFIED) != 0 && core->l1d.tags[slot] != CACHE_EMPTY) {
        processor->tally->counts.level[LEVEL_L1D].writebacks++;
    }
    cache_put(&core->l1d, line, set, slot);
    core->l1d_states[slot] = state;
}

static void private_miss(struct model *model, struct processor *processor, uint64_t line, int kind) {
    struct model_level_counts *counts = &processor->tally->counts.level[LEVEL_L1D];
    counts->misses++;
    counts->writebacks += model->l1d_through && kind != MODEL_LOAD;
    if (model->l1d_through && kind == MODEL_STORE) {
        return;
    }
    processor->tally->counts.memory_local++;
    stall(processor, STALL_DATA_MEMORY, model->machine.latency_memory_cycles);
    private_put(processor, line, kind != MODEL_LOAD && !model->l1d_through ? STATE_MODIFIED : 0);
}

/* A hit of a private machine that is more than a touch; whether a prefetched line was used for the first time. */
static bool private_hit(struct model *model, struct processor *processor, uint32_t slot, int kind) {
    struct model_level_counts *counts = &processor->tally->counts.level[LEVEL_L1D];
    uint8_t *state = &processor->core->l1d_states[slot];
    bool prefetched = (*state & STATE_PREFETCHED) != 0;
    counts->prefetches_useful += prefetched;
    *state &= (uint8_t) ~STATE_PREFETCHED;
    if (kind != MODEL_LOAD) {
        counts->writebacks += model->l1d_through;
        *state |= model->l1d_through ? 0 : STATE_MODIFIED;
    }
    return prefetched;
}

/* What is more than a touch of a slot. missed: the line is not there. */
static void use_data(struct model *model, struct processor *processor, uint32_t slot, uint64_t first, uint64_t last,
                     int kind, bool conflict) {
    bool missed = slot == CACHE_NONE;
    bool follow = missed;
    if (model->shared) {
        if (missed) {
            hierarchy_miss(model, processor, first, last, kind, PURPOSE_DEMAND, conflict);
        } else {
            follow = (processor->core->l1d_states[slot] & STATE_PREFETCHED) != 0;
            hierarchy_hit(model, processor, slot, first, last, kind);
        }
    } else if (missed) {
        private_miss(model, processor, first >> model->l1d_shift, kind);
    } else {
        follow = private_hit(model, processor, slot, kind);
    }
    if (follow) {
        prefetch_after_data(model, processor, first, missed);
    }
}

/* One line of an access, from first to last. */
static inline void touch_data(struct model *model, struct processor *processor, uint64_t first, uint64_t last,
                              int kind) {
    struct core *core = processor->core;
    uint64_t line = first >> model->l1d_shift;
    uint32_t set = cache_set(&core->l1d, line);
    uint32_t slot = cache_find(&core->l1d, line, set);
    bool conflict = false;
    if (model->split) {
        conflict = hierarchy_shadow(&core->l1d_shadow, line, kind != MODEL_STORE || !model->l1d_through);
    }
    if (slot != CACHE_NONE) {
        cache_touch(&core->l1d, slot, set);
        uint8_t state = core->l1d_states[slot] & (STATE_MODIFIED | STATE_WATCHED | STATE_PREFETCHED);
        if (kind == MODEL_LOAD && state <= STATE_MODIFIED) {
            return;
        }
        if (state == STATE_MODIFIED) {
            if (model->classes) {
                core->l1d_written[slot] |= words_between(model, first, last);
            }
            return;
        }
    }
    use_data(model, processor, slot, first, last, kind, conflict);
}

static __attribute__((noinline)) void access_beyond(struct model *model, struct processor *processor, uint64_t address,
                                                    uint64_t last, int kind) {
    if (model->translated) {
        tlb_translate(model, processor, address, last, false);
    }
    if (model->l1d_present) {
        uint64_t first = address;
        uint64_t end = last >> model->l1d_shift;
        for (uint64_t line = address >> model->l1d_shift; line < end; line++) {
            processor->tally->counts.level[LEVEL_L1D].accesses++;
            uint64_t next = (line + 1) << model->l1d_shift;
            touch_data(model, processor, first, next - 1, kind);
            first = next;
        }
        touch_data(model, processor, first, last, kind);
    }
    stack_range(&processor->core->data_stacks, address, last, processor->tally->depths);
}

bool model_access(struct model *model, int number, uint64_t address, uint32_t bytes, int kind) {
    struct processor *processor = &model->processor[number];
    struct core *core = processor->core;
    const struct quick *quick = &core->quick;
    _Static_assert(offsetof(struct model_counts, updates)
            == offsetof(struct model_counts, loads) + MODEL_UPDATE * sizeof(uint64_t), "in the order of the kinds");
    (&processor->tally->counts.loads)[kind]++;
    uint64_t last = address + bytes - 1;
    uint64_t line = address >> quick->shift;
    if (quick->data && last >> quick->shift == line && tlb_same_page(core, address, false)) {
        uint32_t block = ((uint32_t) line & quick->mask) * quick->stride;
        uint32_t slot = block + 1 + ((uint32_t) quick->tags[block] & CACHE_WAY_MASK);
        uint8_t state = quick->states[slot];
        if (quick->tags[slot] == line && (state == STATE_MODIFIED || (state == 0 && kind == MODEL_LOAD))) {
            if (kind != MODEL_LOAD && model->classes) {
                core->l1d_written[slot] |= words_between(model, address, last);
            }
            return false;
        }
    }
    access_beyond(model, processor, address, last, kind);
    return true;
}

void model_walk_access(struct model *model, struct processor *processor, uint64_t address) {
    struct core *core = processor->core;
    uint64_t line = address >> model->l1d_shift;
    uint32_t set = cache_set(&core->l1d, line);
    uint32_t slot = cache_find(&core->l1d, line, set);
    bool conflict = model->split && hierarchy_shadow(&core->l1d_shadow, line, true);
    if (slot != CACHE_NONE) {
        cache_touch(&core->l1d, slot, set);
    } else if (model->shared) {
        hierarchy_miss(model, processor, address, address, MODEL_LOAD, PURPOSE_WALK, conflict);
    } else {
        processor->tally->counts.walk.l1d_misses++;
        stall(processor, STALL_TRANSLATION, model->machine.latency_memory_cycles);
        private_put(processor, line, 0);
    }
}

void model_prefetch(struct model *model, struct processor *processor, int level, uint64_t address) {
    struct core *core = processor->core;
    if (level >= LEVEL_L2) {
        hierarchy_prefetch(model, processor, level, address);
        return;
    }
    struct cache *cache = level == LEVEL_L1I ? &core->l1i : &core->l1d;
    uint64_t line = address >> model->level_shift[level];
    if (cache_find(cache, line, cache_set(cache, line)) != CACHE_NONE) {
        return;
    }
    processor->tally->counts.level[level].prefetches++;
    if (level == LEVEL_L1I) {
        if (model->shared) {
            hierarchy_fetch(model, processor, address, PURPOSE_PREFETCH);
        } else {
            private_fetch(core, line, true);
        }
    } else if (model->shared) {
        if (model->split) {
            (void) hierarchy_shadow(&core->l1d_shadow, line, true);
        }
        hierarchy_miss(model, processor, address, address, MODEL_LOAD, PURPOSE_PREFETCH, false);
    } else {
        private_put(processor, line, STATE_PREFETCHED);
    }
}

void model_feed(struct model *model, int processor, const struct model_event *events, size_t event_count) {
    bool locks = !model_parallel(model);
    if (locks) {
        pthread_mutex_lock(&model->lock);
    }
    for (const struct model_event *event = events, *end = events + event_count; event < end; event++) {
        if (event->kind == MODEL_FETCH) {
            model_fetch(model, processor, event->address, event->bytes, event->instruction_count);
        } else {
            model_access(model, processor, event->address, event->bytes, event->kind);
        }
    }
    if (locks) {
        pthread_mutex_unlock(&model->lock);
    }
}

static void discard_code(struct model *model, struct core *core, uint64_t address, uint64_t bytes) {
    if (bytes == 0) {
        return;
    }
    uint64_t last = address + bytes - 1;
    core->fetched = CACHE_EMPTY;
    stack_invalidate(&core->instruction_stacks, address, last);
    if (core->l1i.tags == NULL) {
        return;
    }
    for (uint64_t line = address >> model->l1i_shift; line <= last >> model->l1i_shift; line++) {
        hierarchy_drop_instruction(model, core, line << model->l1i_shift);
    }
}

void model_discard_code(struct model *model, uint64_t address, uint64_t bytes) {
    for (uint32_t i = 0; i < model->machine.cores; i++) {
        discard_code(model, &model->core[i], address, bytes);
    }
}

void model_discard_core_code(struct model *model, int processor, uint64_t address, uint64_t bytes) {
    discard_code(model, model->processor[processor].core, address, bytes);
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
    if (model->l1d_present) {
        /* What is counted on the way is only the lines beyond an access's first. */
        counts->level[LEVEL_L1D].accesses += counts->loads + counts->stores + counts->updates;
    }
    if (model->stacked_l1i) {
        counts->level[LEVEL_L1I].misses = stack_misses(&model->l1i_place, tally->depths);
        counts->memory_local += counts->level[LEVEL_L1I].misses;
        counts->stalls[STALL_FETCH_MEMORY] =
            counts->level[LEVEL_L1I].misses * model->machine.latency_memory_cycles;
    }
    for (uint32_t i = 0; i < model->machine.observers; i++) {
        counts->observer_misses[i] = stack_misses(&model->observer_places[i], tally->depths);
    }
}

void model_misses(const struct model *model, int number, uint64_t misses[LEVELS]) {
    const struct processor *processor = &model->processor[number];
    for (int level = 0; level < LEVELS; level++) {
        misses[level] = processor->tally->counts.level[level].misses;
    }
    if (model->stacked_l1i) {
        misses[LEVEL_L1I] = stack_misses(&model->l1i_place, processor->tally->depths);
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
    if (!model->classes) {
        return;
    }
    for (uint32_t i = 0; i < model->machine.cores; i++) {
        for (uint32_t slot = 0; slot < model->core[i].l1d.slots; slot++) {
            lifetime_close(model, LEVEL_L1D, &model->core[i].l1d_lives[slot]);
        }
    }
    for (int level = LEVEL_L2; level < LEVELS; level++) {
        for (uint32_t copy = 0; copy < model->copies[level]; copy++) {
            struct outer *outer = &model->outer[level][copy];
            for (uint32_t slot = 0; slot < outer->cache.slots; slot++) {
                lifetime_close(model, level, &outer->slots[slot].life);
            }
        }
    }
}
