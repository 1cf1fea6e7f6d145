/*
 * A slow model written straight from the rules in model.h: caches are arrays searched from end to end, there is no
 * directory, and news is told by the times of reads and writes. It serves one machine at a time, of at most CORES_MAX
 * cores, without prefetchers and observers.
 */
#ifndef LOCKSTEP_TEST_NAIVE_H
#define LOCKSTEP_TEST_NAIVE_H

#include "check.h"
#include "pages.h"

#define CORES_MAX 4
#define LINES_MAX 512
#define ACCOUNTS 2

struct entry {
    uint64_t part;
    uint64_t used;
    bool held;
    bool modified;
    bool open;
    bool counted;
    bool dirty;
    int class;
    int processor;
    uint32_t account;
};

struct naive_cache {
    uint32_t shift;
    uint32_t sets;
    uint32_t ways;
    struct entry entries[LINES_MAX];
};

/* What is remembered of a part of a level's copy, or of a word. */
struct fact {
    uint64_t key;
    bool ever;
    bool invalidated;
    uint64_t essential;
    uint64_t written[CORES_MAX];
    int owner;
    int home;
};

#define FACTS (1 << 18)

static struct machine machine;
static struct model *model;
static struct naive_cache caches[LEVELS][CORES_MAX];
static struct naive_cache shadows[LEVELS][CORES_MAX];
static struct naive_cache buffers[3][CORES_MAX];
static struct fact *facts;
static struct model_counts counts[CORES_MAX * 2][ACCOUNTS];
static uint32_t account[CORES_MAX * 2];
static uint64_t fetched[CORES_MAX];
static uint64_t now;
static uint32_t coherence_shift;

enum { FACT_PART = 1, FACT_WORD, FACT_LINE, FACT_PAGE };

static struct fact *fact(int kind, int level, uint32_t copy, uint64_t number) {
    uint64_t low = number & (((uint64_t) 1 << 55) - 1);
    uint64_t key = (uint64_t) kind << 60 | (uint64_t) level << 58 | (uint64_t) copy << 55 | low;
    uint64_t at = (key * 0x9E3779B97F4A7C15u) >> 46;
    /* Ends because the table is far larger than the space of addresses used. */
    while (facts[at].key != 0 && facts[at].key != key) {
        at = (at + 1) % FACTS;
    }
    if (facts[at].key == 0) {
        facts[at].key = key;
        facts[at].owner = -1;
        facts[at].home = -1;
    }
    return &facts[at];
}

static bool present(int level) {
    return machine.cache[level].geometry.bytes != 0;
}

static uint32_t copy_of(int level, uint32_t core) {
    return level < LEVEL_L2 ? core : core / machine.cache[level].cores;
}

static uint32_t copies(int level) {
    return level < LEVEL_L2 ? machine.cores : machine.cores / machine.cache[level].cores;
}

static struct model_counts *tally(int processor) {
    return &counts[processor][account[processor]];
}

static struct entry *find(struct naive_cache *cache, uint64_t part) {
    for (uint32_t i = 0; i < cache->sets * cache->ways; i++) {
        if (cache->entries[i].held && cache->entries[i].part == part) {
            return &cache->entries[i];
        }
    }
    return NULL;
}

/* An empty place of a set, or its least recently used one. */
static struct entry *place(struct naive_cache *cache, uint32_t set) {
    struct entry *best = &cache->entries[set * cache->ways];
    for (uint32_t way = 1; way < cache->ways && best->held; way++) {
        struct entry *entry = &cache->entries[set * cache->ways + way];
        if (!entry->held || entry->used < best->used) {
            best = entry;
        }
    }
    return best;
}

static struct naive_cache *at(int level, uint32_t copy) {
    return &caches[level][copy];
}

static struct entry *find_at(int level, uint32_t copy, uint64_t address) {
    return present(level) ? find(at(level, copy), address >> at(level, copy)->shift) : NULL;
}

static uint32_t set_of(int level, uint64_t address) {
    const struct naive_cache *cache = at(level, 0);
    uint64_t index = level < LEVEL_L2 ? address : pages_physical(model, address);
    return (uint32_t) ((index >> cache->shift) % cache->sets);
}

static bool shares(int level) {
    return present(level) && machine.coherent && copies(level) > 1;
}

static struct fact *part_fact(int level, uint32_t copy, uint64_t address) {
    return fact(FACT_PART, level, copy, address >> at(level, 0)->shift);
}

/* Whether a word is news to a copy. */
static bool news(int level, uint32_t copy, uint64_t word, uint64_t essential) {
    const struct fact *write = fact(FACT_WORD, 0, 0, word);
    uint64_t outside = 0;
    uint64_t inside = 0;
    for (uint32_t core = 0; core < machine.cores; core++) {
        uint64_t *last = copy_of(level, core) == copy ? &inside : &outside;
        *last = write->written[core] > *last ? write->written[core] : *last;
    }
    return outside > inside && outside > essential;
}

static bool any_news(int level, uint32_t copy, uint64_t address) {
    uint32_t shift = at(level, 0)->shift;
    uint64_t first = address >> shift << shift;
    uint64_t essential = part_fact(level, copy, address)->essential;
    for (uint64_t byte = first; byte < first + ((uint64_t) 1 << shift); byte += 4) {
        if (news(level, copy, byte >> 2, essential)) {
            return true;
        }
    }
    return false;
}

static void classify(const struct entry *entry, int level, int class) {
    struct model_level_counts *level_counts = &counts[entry->processor][entry->account].level[level];
    level_counts->classes[class]++;
    level_counts->dirty[class] += entry->dirty;
}

static void end_life(struct entry *entry, int level) {
    if (entry->open && !entry->counted) {
        classify(entry, level, entry->class);
    }
    entry->open = false;
}

struct demand {
    int processor;
    uint32_t core;
    uint64_t address;
    bool fetch;
    bool walk;
    bool dirty;
    uint32_t node;
};

static void begin_life(const struct demand *demand, int level, struct entry *entry, bool conflict, bool stays) {
    uint32_t copy = copy_of(level, demand->core);
    struct entry life = {.processor = demand->processor, .account = account[demand->processor], .dirty = demand->dirty};
    entry->open = false;
    if (machine.classes == CLASSES_NO || level == LEVEL_L1I) {
        return;
    }
    struct fact *part = part_fact(level, copy, demand->address);
    bool first = !part->ever;
    bool invalidated = part->invalidated;
    part->ever = true;
    part->invalidated = false;
    if (first) {
        part->essential = ++now;
    }
    bool open = stays && shares(level) && any_news(level, copy, demand->address);
    bool counted = true;
    if (!demand->walk && demand->fetch) {
        classify(&life, level, MISS_INSTRUCTION);
    } else if (!demand->walk && first) {
        classify(&life, level, MISS_COLD);
    } else if (!demand->walk) {
        life.class = invalidated ? MISS_FALSE_SHARING : conflict ? MISS_CONFLICT : MISS_CAPACITY;
        counted = !open;
        if (counted) {
            classify(&life, level, life.class);
        }
    }
    entry->open = open;
    entry->counted = counted;
    entry->class = life.class;
    entry->dirty = life.dirty;
    entry->processor = life.processor;
    entry->account = life.account;
}

static void lose(int level, uint32_t copy, struct entry *entry, bool invalidated) {
    end_life(entry, level);
    entry->held = false;
    if (invalidated && machine.classes != CLASSES_NO && level != LEVEL_L1I) {
        part_fact(level, copy, entry->part << at(level, 0)->shift)->invalidated = true;
        if (machine.classes == CLASSES_SPLIT) {
            struct entry *shadow = find(&shadows[level][copy], entry->part);
            if (shadow != NULL) {
                shadow->held = false;
            }
        }
    }
    if (level == LEVEL_L1I && fetched[copy] == entry->part) {
        fetched[copy] = UINT64_MAX;
    }
}

static bool shadow_touch(int level, uint32_t copy, uint64_t part, bool allocate) {
    if (machine.classes != CLASSES_SPLIT) {
        return false;
    }
    struct naive_cache *shadow = &shadows[level][copy];
    struct entry *entry = find(shadow, part);
    bool held = entry != NULL;
    if (!held && allocate) {
        entry = place(shadow, 0);
        entry->held = true;
        entry->part = part;
    }
    if (entry != NULL) {
        entry->used = ++now;
    }
    return held;
}

static void write_outwards(int processor, uint32_t core, int from, uint64_t address) {
    for (int level = from; level < LEVELS; level++) {
        struct entry *entry = find_at(level, copy_of(level, core), address);
        if (entry != NULL) {
            if (!machine.cache[level].write_through) {
                entry->modified = true;
                return;
            }
            tally(processor)->level[level].writebacks++;
        }
    }
}

static struct model_level_counts *lost(int level, uint32_t copy) {
    uint32_t core = level < LEVEL_L2 ? copy : copy * machine.cache[level].cores;
    return &tally((int) (core * machine.smt))->level[level];
}

static void evict(int processor, int level, uint32_t copy, struct entry *entry) {
    uint64_t first = entry->part << at(level, 0)->shift;
    uint64_t bytes = (uint64_t) 1 << at(level, 0)->shift;
    bool modified = entry->modified;
    uint32_t any_core = level < LEVEL_L2 ? copy : copy * machine.cache[level].cores;
    for (int inner = LEVEL_L1I; level >= LEVEL_L2 && machine.cache[level].inclusive && inner < level; inner++) {
        for (uint32_t other = 0; present(inner) && other < copies(inner); other++) {
            uint32_t core = inner < LEVEL_L2 ? other : other * machine.cache[inner].cores;
            for (uint32_t i = 0; copy_of(level, core) == copy && i < LINES_MAX; i++) {
                struct entry *above = &at(inner, other)->entries[i];
                uint64_t address = above->part << at(inner, 0)->shift;
                if (above->held && address >= first && address < first + bytes) {
                    modified |= above->modified;
                    lose(inner, other, above, false);
                    lost(inner, other)->back_invalidations++;
                }
            }
        }
    }
    lose(level, copy, entry, false);
    if (modified && level != LEVEL_L1I) {
        tally(processor)->level[level].writebacks++;
        write_outwards(processor, any_core, level == LEVEL_L1D ? LEVEL_L2 : level + 1, first);
    }
}

static struct entry *put(const struct demand *demand, int level, bool conflict) {
    uint32_t copy = copy_of(level, demand->core);
    uint32_t set = set_of(level, demand->address);
    struct entry *entry = place(at(level, copy), set);
    if (entry->held) {
        evict(demand->processor, level, copy, entry);
        entry = place(at(level, copy), set);
    }
    entry->held = true;
    entry->modified = false;
    entry->part = demand->address >> at(level, 0)->shift;
    entry->used = ++now;
    begin_life(demand, level, entry, conflict, true);
    return entry;
}

static struct fact *line_fact(uint64_t address) {
    return fact(FACT_LINE, 0, 0, address >> coherence_shift);
}

static bool in_line(const struct entry *entry, int level, uint64_t address) {
    return entry->held && entry->part << at(level, 0)->shift >> coherence_shift == address >> coherence_shift;
}

static bool alone(uint32_t core, uint64_t address) {
    for (int level = LEVEL_L1I; level < LEVELS; level++) {
        for (uint32_t copy = 0; present(level) && copy < copies(level); copy++) {
            for (uint32_t i = 0; (level == LEVEL_L1I || copy != copy_of(level, core)) && i < LINES_MAX; i++) {
                if (in_line(&at(level, copy)->entries[i], level, address)) {
                    return false;
                }
            }
        }
    }
    return true;
}

static int meeting(uint32_t one, uint32_t other) {
    int level = LEVEL_L2;
    while (level < LEVELS && (!present(level) || copy_of(level, one) != copy_of(level, other))) {
        level++;
    }
    return level;
}

/* Modified parts of a line in one copy are made clean for a request. */
static void clean(struct demand *demand, int level, uint32_t copy, bool stores, int to) {
    uint32_t core = level < LEVEL_L2 ? copy : copy * machine.cache[level].cores;
    for (uint32_t i = 0; i < LINES_MAX; i++) {
        struct entry *entry = &at(level, copy)->entries[i];
        if (!in_line(entry, level, demand->address) || !entry->modified) {
            continue;
        }
        entry->modified = false;
        if (core != demand->core && !demand->dirty) {
            demand->dirty = true;
            demand->node = core * machine.nodes / machine.cores;
        }
        if (!stores) {
            tally(demand->processor)->level[level].writebacks++;
            write_outwards(demand->processor, core, to, entry->part << at(level, 0)->shift);
        }
    }
}

static void collect(struct demand *demand, bool stores) {
    if (!machine.coherent) {
        return;
    }
    struct fact *line = line_fact(demand->address);
    if (line->owner >= 0 && (line->owner != (int) demand->core || demand->fetch)) {
        uint32_t owner = (uint32_t) line->owner;
        clean(demand, LEVEL_L1D, owner, stores, owner == demand->core ? LEVEL_L2 : meeting(owner, demand->core));
        line->owner = -1;
    }
    for (int level = LEVEL_L2; level < LEVELS; level++) {
        for (uint32_t copy = 0; present(level) && copy < copies(level); copy++) {
            if (copy != copy_of(level, demand->core)) {
                clean(demand, level, copy, stores, meeting(copy * machine.cache[level].cores, demand->core));
            }
        }
    }
    for (int level = LEVEL_L1I; stores && level < LEVELS; level++) {
        for (uint32_t copy = 0; present(level) && copy < copies(level); copy++) {
            bool any = false;
            for (uint32_t i = 0; (level == LEVEL_L1I || copy != copy_of(level, demand->core)) && i < LINES_MAX; i++) {
                struct entry *entry = &at(level, copy)->entries[i];
                if (in_line(entry, level, demand->address)) {
                    any = true;
                    lose(level, copy, entry, true);
                    lost(level, copy)->invalidations++;
                }
            }
            tally(demand->processor)->invalidations_sent += any;
        }
    }
}

static bool look_up(const struct demand *demand, int level, bool *conflict) {
    uint32_t copy = copy_of(level, demand->core);
    struct model_counts *its = tally(demand->processor);
    struct entry *entry = find_at(level, copy, demand->address);
    *conflict = shadow_touch(level, copy, demand->address >> at(level, 0)->shift, true);
    its->level[level].accesses += !demand->walk;
    if (entry != NULL) {
        entry->used = ++now;
        return true;
    }
    its->level[level].misses += !demand->walk;
    its->level[level].dirty_misses += !demand->walk && demand->dirty;
    *(level == LEVEL_L2 ? &its->walk.l2_misses : &its->walk.llc_misses) += demand->walk;
    return false;
}

static int supply(const struct demand *demand, int from) {
    bool conflict[LEVELS];
    int level = from;
    while (level < LEVELS && (!present(level) || !look_up(demand, level, &conflict[level]))) {
        level++;
    }
    for (int missed = level - 1; missed >= from; missed--) {
        if (present(missed)) {
            put(demand, missed, conflict[missed]);
        }
    }
    return level;
}

static uint32_t count_supply(const struct demand *demand, int level) {
    struct model_counts *its = tally(demand->processor);
    uint32_t node = demand->core * machine.nodes / machine.cores;
    struct fact *page = fact(FACT_PAGE, 0, 0, demand->address >> 12);
    if (page->home < 0) {
        page->home = (int) node;
    }
    if (demand->dirty) {
        bool remote = demand->node != node;
        *(remote ? &its->transfers_remote : &its->transfers_local) += !demand->walk;
        return remote ? machine.latency_transfer_remote_cycles : machine.latency_transfer_cycles;
    }
    if (level == LEVELS) {
        bool remote = page->home != (int) node;
        *(remote ? &its->memory_remote : &its->memory_local) += !demand->walk;
        return remote ? machine.latency_memory_remote_cycles : machine.latency_memory_cycles;
    }
    return level == LEVEL_L2 ? machine.latency_l2_cycles : machine.latency_llc_cycles;
}

static void naive_stall(struct model_counts *its, int cause, uint32_t cycles) {
    its->cycles += cycles;
    its->stalls[cause] += cycles;
}

static void supply_stall(const struct demand *demand, int level) {
    int place = demand->dirty ? STALL_FETCH_CACHE
            : level == LEVEL_L2 ? STALL_FETCH_L2 : level == LEVEL_LLC ? STALL_FETCH_LLC : STALL_FETCH_MEMORY;
    int cause = demand->walk ? STALL_TRANSLATION : demand->fetch ? place : place + STALL_DATA_L2 - STALL_FETCH_L2;
    naive_stall(tally(demand->processor), cause, count_supply(demand, level));
}

static void store_on(struct demand *demand) {
    tally(demand->processor)->level[LEVEL_L1D].writebacks++;
    int from = LEVEL_L2;
    for (int level = LEVEL_L2; level < LEVELS; level++) {
        bool through = machine.cache[level].write_through;
        bool conflict;
        if (!present(level)) {
            continue;
        }
        if (!look_up(demand, level, &conflict)) {
            if (through) {
                struct entry none;
                begin_life(demand, level, &none, conflict, false);
            } else {
                from = supply(demand, level + 1);
                put(demand, level, conflict);
            }
        }
        if (!through) {
            find_at(level, copy_of(level, demand->core), demand->address)->modified = true;
            break;
        }
        tally(demand->processor)->level[level].writebacks++;
    }
    count_supply(demand, from);
    line_fact(demand->address)->owner = (int) demand->core;
}

static void read_words(uint32_t core, uint64_t first, uint64_t last) {
    for (int level = LEVEL_L1D; level < LEVELS; level++) {
        if (machine.classes == CLASSES_NO || !shares(level)) {
            continue;
        }
        uint32_t copy = copy_of(level, core);
        struct entry *entry = find_at(level, copy, first);
        struct fact *part = part_fact(level, copy, first);
        for (uint64_t word = first >> 2; word <= last >> 2 && entry != NULL && entry->open; word++) {
            if (news(level, copy, word, part->essential)) {
                if (!entry->counted) {
                    classify(entry, level, MISS_TRUE_SHARING);
                }
                entry->open = false;
                part->essential = ++now;
            }
        }
    }
}

static void naive_line(int processor, uint64_t first, uint64_t last, int kind, bool walk) {
    uint32_t core = (uint32_t) processor / machine.smt;
    struct demand demand = {.processor = processor, .core = core, .address = first, .walk = walk};
    struct model_counts *its = tally(processor);
    bool stores = kind != MODEL_LOAD;
    bool through = machine.cache[LEVEL_L1D].write_through;
    struct entry *entry = find_at(LEVEL_L1D, core, first);
    bool conflict = shadow_touch(LEVEL_L1D, core, first >> at(LEVEL_L1D, 0)->shift, kind != MODEL_STORE || !through);
    its->level[LEVEL_L1D].accesses += !walk;
    if (entry != NULL) {
        entry->used = ++now;
    }
    if (entry == NULL) {
        if (!stores || !through || line_fact(first)->owner != (int) core) {
            collect(&demand, stores);
        }
        its->level[LEVEL_L1D].misses += !walk;
        its->level[LEVEL_L1D].dirty_misses += !walk && demand.dirty;
        its->walk.l1d_misses += walk;
        if (kind == MODEL_STORE && through) {
            struct entry none;
            begin_life(&demand, LEVEL_L1D, &none, conflict, false);
        } else {
            supply_stall(&demand, supply(&demand, LEVEL_L2));
            entry = put(&demand, LEVEL_L1D, conflict);
            demand.dirty = false;
            if (machine.coherent && (stores || alone(core, first))) {
                line_fact(first)->owner = (int) core;
            }
        }
    } else if (stores && machine.coherent && !entry->modified && line_fact(first)->owner != (int) core) {
        its->upgrades++;
        naive_stall(its, STALL_UPGRADE, machine.latency_upgrade_cycles);
        collect(&demand, true);
    }
    if (kind != MODEL_STORE && !walk) {
        read_words(core, first, last);
    }
    if (stores) {
        line_fact(first)->owner = (int) core;
        if (through) {
            store_on(&demand);
        } else {
            entry->modified = true;
        }
        now++;
        for (uint64_t word = first >> 2; word <= last >> 2; word++) {
            fact(FACT_WORD, 0, 0, word)->written[core] = now;
        }
    }
}

static bool buffer_touch(int which, uint32_t core, uint64_t page) {
    struct naive_cache *buffer = &buffers[which][core];
    struct entry *entry = find(buffer, page);
    bool held = entry != NULL;
    if (!held) {
        entry = place(buffer, (uint32_t) (page % buffer->sets));
        entry->held = true;
        entry->part = page;
    }
    entry->used = ++now;
    return held;
}

static void naive_translate(int processor, uint64_t address, bool fetch) {
    uint32_t core = (uint32_t) processor / machine.smt;
    struct model_counts *its = tally(processor);
    uint32_t entries = fetch ? machine.itlb.entries : machine.dtlb.entries;
    if (entries == 0 || buffer_touch(fetch ? 0 : 1, core, address >> 12)) {
        return;
    }
    *(fetch ? &its->itlb_misses : &its->dtlb_misses) += 1;
    if (machine.stlb.entries != 0) {
        its->stlb_accesses++;
        if (buffer_touch(2, core, address >> 12)) {
            naive_stall(its, STALL_TRANSLATION, machine.latency_stlb_cycles);
            return;
        }
        its->stlb_misses++;
    }
    for (int level = 3; level >= 0; level--) {
        its->walk.accesses++;
        uint64_t entry = 0xFull << 60 | (uint64_t) level << 56 | (address >> 12 >> 9 * level) * 8;
        naive_line(processor, entry, entry, MODEL_LOAD, true);
    }
}

static void naive_access(int processor, uint64_t address, uint32_t bytes, int kind) {
    struct model_counts *its = tally(processor);
    *(kind == MODEL_LOAD ? &its->loads : kind == MODEL_STORE ? &its->stores : &its->updates) += 1;
    uint64_t last = address + bytes - 1;
    naive_translate(processor, address, false);
    if (address >> 12 != last >> 12) {
        naive_translate(processor, last, false);
    }
    uint32_t shift = at(LEVEL_L1D, 0)->shift;
    for (uint64_t part = address >> shift; part <= last >> shift; part++) {
        uint64_t first = part << shift;
        uint64_t end = first + ((uint64_t) 1 << shift) - 1;
        naive_line(processor, first < address ? address : first, end > last ? last : end, kind, false);
    }
}

static void naive_fetch(int processor, uint64_t address, uint32_t bytes, uint32_t instructions) {
    uint32_t core = (uint32_t) processor / machine.smt;
    struct model_counts *its = tally(processor);
    its->instructions += instructions;
    its->cycles += instructions;
    uint64_t last = address + bytes - 1;
    naive_translate(processor, address, true);
    if (address >> 12 != last >> 12) {
        naive_translate(processor, last, true);
    }
    uint32_t shift = at(LEVEL_L1I, 0)->shift;
    for (uint64_t part = address >> shift; part <= last >> shift; part++) {
        if (part == fetched[core]) {
            continue;
        }
        its->level[LEVEL_L1I].accesses++;
        struct entry *entry = find(at(LEVEL_L1I, core), part);
        if (entry == NULL) {
            struct demand demand = {.processor = processor, .core = core, .address = part << shift, .fetch = true};
            collect(&demand, false);
            its->level[LEVEL_L1I].misses++;
            its->level[LEVEL_L1I].dirty_misses += demand.dirty;
            if (machine.classes != CLASSES_NO) {
                its->level[LEVEL_L1I].classes[MISS_INSTRUCTION]++;
                its->level[LEVEL_L1I].dirty[MISS_INSTRUCTION] += demand.dirty;
            }
            supply_stall(&demand, supply(&demand, LEVEL_L2));
            entry = put(&demand, LEVEL_L1I, false);
        }
        entry->used = ++now;
        fetched[core] = part;
    }
}

static void naive_discard(uint64_t address, uint64_t bytes) {
    uint32_t shift = at(LEVEL_L1I, 0)->shift;
    for (uint32_t core = 0; core < machine.cores; core++) {
        fetched[core] = UINT64_MAX;
        for (uint64_t part = address >> shift; part <= (address + bytes - 1) >> shift; part++) {
            struct entry *entry = find(at(LEVEL_L1I, core), part);
            if (entry != NULL) {
                entry->held = false;
            }
        }
    }
}

static void naive_end_lifetimes(void) {
    for (int level = LEVEL_L1D; level < LEVELS; level++) {
        for (uint32_t copy = 0; present(level) && copy < copies(level); copy++) {
            for (uint32_t i = 0; i < LINES_MAX; i++) {
                struct entry *entry = &at(level, copy)->entries[i];
                if (entry->held && entry->open && !entry->counted) {
                    classify(entry, level, entry->class);
                    entry->counted = true;
                }
            }
        }
    }
}

static void shape(struct naive_cache *cache, uint32_t lines, uint32_t ways, uint32_t shift) {
    *cache = (struct naive_cache) {.shift = shift, .sets = lines / ways, .ways = ways};
}

/* Both models of a machine file's text. */
static void create(const char *text) {
    model = build(text);
    machine_parse(&machine, "test", text, (char[1]) {0}, 1);
    memset(counts, 0, sizeof counts);
    memset(account, 0, sizeof account);
    memset(facts, 0, FACTS * sizeof *facts);
    now = 0;
    coherence_shift = 0;
    for (int level = LEVEL_L1I; level < LEVELS; level++) {
        const struct machine_geometry *geometry = &machine.cache[level].geometry;
        if (geometry->bytes == 0) {
            continue;
        }
        uint32_t shift = (uint32_t) __builtin_ctz(geometry->line_bytes);
        uint32_t lines = (uint32_t) (geometry->bytes / geometry->line_bytes);
        coherence_shift = shift > coherence_shift ? shift : coherence_shift;
        for (uint32_t copy = 0; copy < CORES_MAX; copy++) {
            shape(&caches[level][copy], lines, geometry->ways, shift);
            shape(&shadows[level][copy], lines, lines, shift);
            fetched[copy] = UINT64_MAX;
        }
    }
    const struct machine_tlb *tlbs[] = {&machine.itlb, &machine.dtlb, &machine.stlb};
    for (int which = 0; which < 3; which++) {
        for (uint32_t core = 0; core < CORES_MAX && tlbs[which]->entries != 0; core++) {
            shape(&buffers[which][core], tlbs[which]->entries, tlbs[which]->ways, 12);
        }
    }
}

#endif
