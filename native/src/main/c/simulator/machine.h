/*
 * The machine that the simulator models: cores, caches, translation buffers, nodes, latencies and prefetchers, and the
 * text file that describes one.
 *
 * The file has one "key=value" per line; empty lines and lines that begin with '#' are ignored. A key given twice, an
 * unknown key and a value out of range are errors, and a file with an error changes nothing. Sizes take the suffixes
 * K, M and G (powers of 1,024). GEOMETRY is SIZE,WAYS,LINE: WAYS is a number, "direct" or "full"; LINE is 16 to 256
 * bytes; SIZE is a multiple of WAYS * LINE. The number of sets need not be a power of two.
 *
 *   cores=N                    simulated cores, 1 to 64 (1)
 *   smt=1|2                    hardware threads of one core, which share its L1s, its translation buffers, its L2 (1)
 *   nodes=N                    nodes the cores are dealt to in equal consecutive runs; a divisor of cores (1)
 *   l1i=GEOMETRY|none          private instruction cache of each core (32K,8,64)
 *   l1d=GEOMETRY|none          private data cache of each core (none)
 *   l2=GEOMETRY|none           unified second level (none)
 *   llc=GEOMETRY|none          unified last level (none)
 *   l2.cores=N|all             how many consecutive cores share one l2; a divisor of cores (1); llc.cores: likewise
 *                              (all)
 *   l2.inclusive=yes|no        whether l2 holds all that the L1s above it hold (no); llc.inclusive: likewise (no)
 *   l1d.write=back|through     write policy (back); l2.write, llc.write. A write-through cache is never modified,
 *                              sends each store on, and does not allocate a line on a store that misses
 *   coherence=none|mesi        none is for machines whose cores share no data, or do not care (none)
 *   classes=no|merged|split    classes of misses (no); split tells conflict from capacity misses (see model.h)
 *   itlb=ENTRIES,WAYS|none     first level of translation for fetches, and dtlb= for data (none)
 *   stlb=ENTRIES,WAYS|none     second level for both; needs itlb or dtlb (none)
 *   page=SIZE                  page size where no region says otherwise, 4K, 2M or 1G (4K)
 *   page.map=identity|random   physical frames behind the caches below L1 (identity)
 *   page.seed=N                which random frames (1)
 *   prefetch.next_line=LIST    any of l1i, l1d, l2, separated by commas, or none: a miss there also fetches the line
 *                              that follows, within its page (none)
 *   prefetch.stream=S,D|none   S streams of data misses in consecutive lines are followed, D lines ahead, into the
 *                              level below L1, or into L1 where there is none (none)
 *   latency.l2=CYCLES          what a hit there adds to an L1 miss (14); latency.llc (50)
 *   latency.memory=CYCLES      a line from memory of the own node (250); latency.memory_remote (400)
 *   latency.transfer=CYCLES    a line from a cache of the own node that has modified it (120);
 *                              latency.transfer_remote (350)
 *   latency.upgrade=CYCLES     the right to write a line that is shared (60)
 *   latency.stlb=CYCLES        a translation found in the second level only (7)
 *   observe=LEVEL:GEOMETRY     a further l1i or l1d of each core, or an l2 or llc shared as l2.cores or llc.cores says,
 *                              that counts its own misses and changes nothing else; may be repeated, up to 128 times
 *   memory=SIZE                what the simulator may take for what it knows of lines and of homes of pages, 8M to
 *                              1024G (2G); see model_exhausted
 *   accounts=N                 how many accounts counts can be charged to, 1 to 65535 (1; see model_charge)
 */
#ifndef LOCKSTEP_SIMULATOR_MACHINE_H
#define LOCKSTEP_SIMULATOR_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Holders of a line are bits of one 64-bit word. */
#define MACHINE_CORES_MAX 64
#define MACHINE_SMT_MAX 2
#define MACHINE_OBSERVERS_MAX 128
#define MACHINE_LINE_BYTES_MIN 16
#define MACHINE_LINE_BYTES_MAX 256
#define MACHINE_STREAMS_MAX 64
#define MACHINE_STREAM_DEPTH_MAX 32
#define MACHINE_ACCOUNTS_MAX 65535
/* An empty directory of lines and its first chunk fit in the least. */
#define MACHINE_MEMORY_BYTES_MIN ((uint64_t) 8 << 20)
#define MACHINE_MEMORY_BYTES_MAX ((uint64_t) 1 << 40)

/* The places of caches in every array by level. */
enum { LEVEL_L1I, LEVEL_L1D, LEVEL_L2, LEVEL_LLC, LEVELS };

struct machine_geometry {
    /* 0: there is no such cache. */
    uint64_t bytes;
    uint32_t ways;
    uint32_t line_bytes;
};

struct machine_cache {
    struct machine_geometry geometry;
    /* Consecutive cores that share one copy. */
    uint32_t cores;
    bool inclusive;
    bool write_through;
};

struct machine_tlb {
    /* 0: there is no such buffer. */
    uint32_t entries;
    uint32_t ways;
};

struct machine_observer {
    /* Any of the levels. */
    int level;
    struct machine_geometry geometry;
};

enum machine_classes { CLASSES_NO, CLASSES_MERGED, CLASSES_SPLIT };

struct machine {
    uint32_t cores;
    uint32_t smt;
    uint32_t nodes;
    struct machine_cache cache[LEVELS];
    bool coherent;
    enum machine_classes classes;
    struct machine_tlb itlb;
    struct machine_tlb dtlb;
    struct machine_tlb stlb;
    uint64_t page_bytes;
    bool page_random;
    uint64_t page_seed;
    bool next_line[LEVELS];
    uint32_t streams;
    uint32_t stream_depth;
    uint32_t latency_l2_cycles;
    uint32_t latency_llc_cycles;
    uint32_t latency_memory_cycles;
    uint32_t latency_memory_remote_cycles;
    uint32_t latency_transfer_cycles;
    uint32_t latency_transfer_remote_cycles;
    uint32_t latency_upgrade_cycles;
    uint32_t latency_stlb_cycles;
    uint32_t observers;
    struct machine_observer observer[MACHINE_OBSERVERS_MAX];
    uint64_t memory_bytes;
    uint32_t accounts;
};

/* One core with the default instruction cache and nothing else. */
void machine_default(struct machine *machine);

/*
 * Reads a machine from a file. Returns 0; or -1, with one sentence that names the line, the value and what would do in
 * error, and the machine unchanged.
 */
int machine_read(struct machine *machine, const char *file, char *error, size_t error_bytes);

/* The same from text; name is what error calls it. */
int machine_parse(struct machine *machine, const char *name, const char *text, char *error, size_t error_bytes);

/*
 * Whether the parts fit together (machine_read has asked already). Returns 0, or -1 and one sentence in error.
 */
int machine_check(const struct machine *machine, char *error, size_t error_bytes);

/* Simulated processors: hardware threads of all cores. */
static inline uint32_t machine_processors(const struct machine *machine) {
    return machine->cores * machine->smt;
}

#endif
