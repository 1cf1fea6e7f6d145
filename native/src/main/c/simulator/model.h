/*
 * The simulated memory system: what each simulated processor's caches, translation buffers and memory do with the
 * instructions it executes and the bytes it touches. Knows nothing of who produces these events.
 *
 * Processors. A simulated processor is a hardware thread: number p is thread p % smt of core p / smt. With smt=1 it is
 * the core.
 *
 * Threads. model_parallel tells whether the machine's processors share nothing (smt=1, no l2 and llc, no coherence, one
 * node, no classes): then calls for different processors may run at the same time, and only calls for one must not
 * overlap. Else no two calls on one model may overlap, except through model_feed, which may always be
 * called for any processor from any thread: it takes the model's own lock where the machine needs it. model_counts,
 * model_total, model_charge and model_clock follow the rule of the other calls. Every call returns after a bounded
 * number of steps and waits for nothing but, in model_feed, another model_feed.
 *
 * What an access does. Addresses are virtual addresses of one address space. L1s are indexed with them; L2 and last
 * level are indexed with the address of the physical frame that the page map puts a page in. Every line an access
 * covers is touched once, in ascending order. A fetch touches only the lines it covers beyond the line the core fetched
 * last. Replacement is least recently used.
 *
 * Inner and outer levels. A line missing in L1 is looked up in L2, then in the last level, then taken from the cache
 * that has modified it, or from memory, and is allocated in each level that missed. An inclusive level takes a line it
 * evicts out of all caches above it. A modified line that is evicted goes to the next level that holds it, else to
 * memory. Inner levels may have smaller, never larger lines than outer ones.
 *
 * Coherence is MESI over lines as long as the machine's longest line. A line read by one core alone is exclusive;
 * a store to a shared line is an upgrade and takes it out of all other caches, instruction caches included; a line
 * another core has modified comes from that core's cache ("dirty" below), and is written back if it was read, handed
 * over if it was stored to. Clean lines come from the last level or from memory. Observing data caches lose lines to
 * stores likewise; observing instruction caches lose them by model_discard_code alone.
 *
 * Classes of misses, for each cache copy: instruction (any miss of a fetch); cold (this copy never asked for the line);
 * true sharing, false sharing and replacement by Dubois et al. at a grain of 4 bytes: a lifetime lasts from a miss to
 * the loss of the line. A miss is true sharing if in its lifetime a processor of this copy reads (by load or update) a
 * word that a processor elsewhere wrote after this copy's last essential miss (cold or true sharing) on this line. If
 * not, it is false sharing where the copy had lost the line to another core's store, and replacement where it had lost
 * it to make room or by back-invalidation. What was written before a copy first held the line is no news to it. So
 * such a miss is classed when the word is read, when the lifetime ends or by model_end_lifetimes, and counted for the
 * processor and account that missed. A store reads nothing; a store of part of a word writes the word. With
 * classes=split a replacement miss is a conflict if a fully associative cache of the same capacity under the same
 * references (and the same invalidations) would still hold the line, else a capacity miss; with classes=merged all
 * count as capacity.
 *
 * Clock. One cycle an instruction, and the one named latency of the place that answered a miss; prefetches, write-backs
 * and what a write-through L1-D sends on take none.
 */
#ifndef LOCKSTEP_SIMULATOR_MODEL_H
#define LOCKSTEP_SIMULATOR_MODEL_H

#include "machine.h"

enum { MODEL_LOAD, MODEL_STORE, MODEL_UPDATE };

enum {
    MISS_COLD,
    MISS_CAPACITY,
    MISS_CONFLICT,
    MISS_TRUE_SHARING,
    MISS_FALSE_SHARING,
    MISS_INSTRUCTION,
    MISS_CLASSES
};

struct model_level_counts {
    /* L1-I: lines fetched from, consecutive fetches from one line counted once. L1-D: lines touched by loads, stores
     * and updates. Outer levels: lines asked for by the level above. Page walks and prefetches are not in here. */
    uint64_t accesses;
    uint64_t misses;
    /* Sum to misses once lifetimes have ended; all 0 with classes=no. */
    uint64_t classes[MISS_CLASSES];
    /* The part of classes that another cache's modified copy answered. */
    uint64_t dirty[MISS_CLASSES];
    /* Misses, of any class, that another cache's modified copy answered: known at the miss. */
    uint64_t dirty_misses;
    /* Modified lines this cache sent outwards, and stores a write-through cache sent on; counted for the processor
     * whose access made them leave. */
    uint64_t writebacks;
    /* Lines lost because an outer, inclusive level evicted them. */
    uint64_t back_invalidations;
    /* Lines lost because another core stored to them; of an L1-I also because its own did. */
    uint64_t invalidations;
    uint64_t prefetches;
    /* Prefetched lines that were asked for before they were lost. */
    uint64_t prefetches_useful;
};

struct model_walk_counts {
    /* Page-table entries read. */
    uint64_t accesses;
    uint64_t l1d_misses;
    uint64_t l2_misses;
    uint64_t llc_misses;
};

/* What a processor waits for: the place that answered an instruction fetch or a data access, or a translation. */
enum {
    STALL_FETCH_L2,
    STALL_FETCH_LLC,
    STALL_FETCH_CACHE,
    STALL_FETCH_MEMORY,
    STALL_DATA_L2,
    STALL_DATA_LLC,
    STALL_DATA_CACHE,
    STALL_DATA_MEMORY,
    STALL_UPGRADE,
    STALL_TRANSLATION,
    STALLS
};

struct model_counts {
    uint64_t instructions;
    /* Instructions and stalls. */
    uint64_t cycles;
    /* Cycles; page walks are translation, whatever answers them, and "cache" is another core's. */
    uint64_t stalls[STALLS];
    uint64_t loads;
    uint64_t stores;
    uint64_t updates;
    struct model_level_counts level[LEVELS];
    uint64_t itlb_misses;
    uint64_t dtlb_misses;
    uint64_t stlb_accesses;
    uint64_t stlb_misses;
    struct model_walk_counts walk;
    /* Stores that found their line shared. */
    uint64_t upgrades;
    /* Lines taken out of other cores' caches, and the own L1-I, by this processor's stores; once for each cache. */
    uint64_t invalidations_sent;
    /* Demand misses answered by a modified copy in another cache, by the node of that cache's core. */
    uint64_t transfers_local;
    uint64_t transfers_remote;
    /* Demand misses answered by memory, by the page's home. */
    uint64_t memory_local;
    uint64_t memory_remote;
    /* By index in machine.observer. */
    uint64_t observer_misses[MACHINE_OBSERVERS_MAX];
};

struct model;

/* 0 where there is not enough memory, or machine_check refuses the machine. */
struct model *model_create(const struct machine *machine);

void model_destroy(struct model *model);

bool model_parallel(const struct model *model);

/* Whether data accesses make any difference: if not (no l1d, dtlb and data observers), they need not be fed. */
bool model_wants_data(const struct model *model);

/*
 * One executed block, or a part of one: bytes of code at address, instruction_count instructions. Returns false if it
 * missed in no level, true if it may have.
 */
bool model_fetch(struct model *model, int processor, uint64_t address, uint32_t bytes, uint32_t instruction_count);

/*
 * kind: MODEL_LOAD, MODEL_STORE, or MODEL_UPDATE for an instruction that reads bytes and writes them, atomic or not: it
 * touches its lines once, with the right to write, and reads what it overwrites. bytes may be any number above 0.
 * Returns as model_fetch.
 */
bool model_access(struct model *model, int processor, uint64_t address, uint32_t bytes, int kind);

struct model_event {
    uint64_t address;
    uint32_t bytes;
    /* A MODEL_ kind of access, or MODEL_FETCH. */
    uint16_t kind;
    /* Of a fetch. */
    uint16_t instruction_count;
};

enum { MODEL_FETCH = 3 };

/* The events in order, under the model's lock where the machine needs one. */
void model_feed(struct model *model, int processor, const struct model_event *events, size_t event_count);

/*
 * Whether memory for the lines or the homes of pages has run out, machine.memory_bytes or the system's: counts are
 * wrong from then on. What is known of a line cannot be forgotten where misses are classed, since a cold miss is one on
 * a line never seen before, and true sharing needs the words that were written elsewhere, however long ago. With
 * classes=no lines that no cache holds are forgotten as room is needed, and only caches as large as the memory exhaust
 * it.
 */
bool model_exhausted(const struct model *model);

/* Bytes of it in use. */
uint64_t model_memory_bytes(const struct model *model);

/*
 * Code at these addresses was translated anew: its lines leave all instruction caches and instruction observers, as
 * after a store. Not for model_parallel machines while any other call runs.
 */
void model_discard_code(struct model *model, uint64_t address, uint64_t bytes);

/* The same for the core of one processor alone; follows the rule of calls for that core. */
void model_discard_core_code(struct model *model, int processor, uint64_t address, uint64_t bytes);

/*
 * Pages of page_bytes (4K, 2M or 1G) hold these addresses from now on, and their home is the node given; with
 * NODE_OF_FIRST_TOUCH, or a node that the machine has not, that of whoever touches them first. Later regions replace
 * earlier ones where they overlap; bounds are taken inwards to whole pages. Returns -1, and changes nothing, where
 * page_bytes is none of these or no memory is left for the table. Not while any other call runs.
 */
int model_region(struct model *model, uint64_t address, uint64_t bytes, uint64_t page_bytes, int node);

#define NODE_OF_FIRST_TOUCH (-1)

/* Cycles. */
uint64_t model_clock(const struct model *model, int processor);

/*
 * Charges what a processor does from now on to an account, 0 to machine.accounts - 1 (0 at first). Returns -1, and goes
 * on with the account before, where no memory is left for the counts.
 */
int model_charge(struct model *model, int processor, uint32_t account);

/* A copy of the counts of one processor and account: monotone, 0 where nothing was charged. */
void model_counts(const struct model *model, int processor, uint32_t account, struct model_counts *counts);

/* Of these the misses of each level in the present account, quickly: for differences around a single event. */
void model_misses(const struct model *model, int processor, uint64_t misses[LEVELS]);

/* The same over all accounts of one processor. */
void model_total(const struct model *model, int processor, struct model_counts *counts);

/*
 * Closes all lifetimes, so that each miss so far has its class. A line that stays in a cache is not counted again when
 * it leaves. Call it where a measured phase begins and where it ends.
 */
void model_end_lifetimes(struct model *model);

#endif
