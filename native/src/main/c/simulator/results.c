#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "plugin.h"

/*
 * Raised whenever a field below changes its name or its meaning; dev.lockstep.bench.simulate.SimulationResult reads it.
 */
#define RESULTS_FORMAT 3

/* Threads listed by themselves, the youngest; the rest is in the sums by class. */
#define THREADS_LISTED_MAX 512

static const char *const LEVEL_NAMES[LEVELS] = {"l1i", "l1d", "l2", "llc"};
static const char *const CLASS_NAMES[MISS_CLASSES] = {
    "cold", "capacity", "conflict", "trueSharing", "falseSharing", "instruction"};

static const char *const STALL_NAMES[STALLS] = {
    "fetchL2", "fetchLlc", "fetchCache", "fetchMemory", "dataL2", "dataLlc", "dataCache", "dataMemory", "upgrade",
    "translation"};

static void put(FILE *out, const char *name, uint64_t value, const char *after) {
    fprintf(out, "\"%s\":%llu%s", name, (unsigned long long) value, after);
}

static void put_classes(FILE *out, const char *name, const uint64_t *values) {
    fprintf(out, ",\"%s\":{", name);
    for (int i = 0; i < MISS_CLASSES; i++) {
        put(out, CLASS_NAMES[i], values[i], i + 1 < MISS_CLASSES ? "," : "}");
    }
}

static void put_level(FILE *out, const struct machine *machine, int level, const struct model_level_counts *counts) {
    fprintf(out, "\"%s\":{", LEVEL_NAMES[level]);
    put(out, "accesses", counts->accesses, ",");
    put(out, "misses", counts->misses, "");
    if (machine->classes != CLASSES_NO) {
        put_classes(out, "classes", counts->classes);
        put_classes(out, "dirty", counts->dirty);
    }
    fputc(',', out);
    put(out, "dirtyMisses", counts->dirty_misses, ",");
    put(out, "writebacks", counts->writebacks, ",");
    put(out, "backInvalidations", counts->back_invalidations, ",");
    put(out, "invalidations", counts->invalidations, ",");
    put(out, "prefetches", counts->prefetches, ",");
    put(out, "prefetchesUseful", counts->prefetches_useful, "}");
}

static void put_counts(FILE *out, const struct machine *machine, const struct model_counts *counts) {
    put(out, "instructions", counts->instructions, ",");
    put(out, "cycles", counts->cycles, ",");
    put(out, "loads", counts->loads, ",");
    put(out, "stores", counts->stores, ",");
    put(out, "updates", counts->updates, ",\"stalls\":{");
    for (int cause = 0; cause < STALLS; cause++) {
        put(out, STALL_NAMES[cause], counts->stalls[cause], cause + 1 < STALLS ? "," : "},\"levels\":{");
    }
    const char *before = "";
    for (int level = 0; level < LEVELS; level++) {
        if (machine->cache[level].geometry.bytes > 0) {
            fputs(before, out);
            put_level(out, machine, level, &counts->level[level]);
            before = ",";
        }
    }
    fputs("},", out);
    put(out, "itlbMisses", counts->itlb_misses, ",");
    put(out, "dtlbMisses", counts->dtlb_misses, ",");
    put(out, "stlbAccesses", counts->stlb_accesses, ",");
    put(out, "stlbMisses", counts->stlb_misses, ",");
    put(out, "walkAccesses", counts->walk.accesses, ",");
    put(out, "walkL1dMisses", counts->walk.l1d_misses, ",");
    put(out, "walkL2Misses", counts->walk.l2_misses, ",");
    put(out, "walkLlcMisses", counts->walk.llc_misses, ",");
    put(out, "upgrades", counts->upgrades, ",");
    put(out, "invalidationsSent", counts->invalidations_sent, ",");
    put(out, "transfersLocal", counts->transfers_local, ",");
    put(out, "transfersRemote", counts->transfers_remote, ",");
    put(out, "memoryLocal", counts->memory_local, ",");
    put(out, "memoryRemote", counts->memory_remote, ",\"observerMisses\":[");
    for (uint32_t i = 0; i < machine->observers; i++) {
        fprintf(out, "%s%llu", i > 0 ? "," : "", (unsigned long long) counts->observer_misses[i]);
    }
    fputc(']', out);
}

/* Every counter is a uint64_t, so sums need no list of names. */
static void add(struct model_counts *sum, const struct model_counts *counts) {
    _Static_assert(sizeof *sum % sizeof(uint64_t) == 0, "counts are words");
    uint64_t *to = (uint64_t *) sum;
    const uint64_t *from = (const uint64_t *) counts;
    for (size_t i = 0; i < sizeof *sum / sizeof *to; i++) {
        to[i] += from[i];
    }
}

/* Of one phase; with an account, of that one only. */
static void sum(
    const struct results *results, uint32_t phase, const uint32_t *account, const uint32_t *processor,
    struct model_counts *counts) {
    memset(counts, 0, sizeof *counts);
    uint32_t processors = machine_processors(results->machine);
    for (uint32_t i = 0; i < results->accounts; i++) {
        if (results->account_phases[i] != phase || (account != NULL && *account != i)) {
            continue;
        }
        for (uint32_t p = 0; p < processors; p++) {
            if (processor == NULL || *processor == p) {
                struct model_counts some;
                model_counts(results->model, (int) p, i, &some);
                add(counts, &some);
            }
        }
    }
}

/* Of the engine's own threads in one phase: it has one account, or none. */
static void sum_engine(const struct results *results, uint32_t phase, struct model_counts *counts) {
    memset(counts, 0, sizeof *counts);
    for (uint32_t i = 0; i < results->accounts; i++) {
        if (results->account_phases[i] == phase && results->account_operations[i] == OPERATION_ENGINE) {
            sum(results, phase, &i, NULL, counts);
        }
    }
}

static void put_branches(FILE *out, const struct results *results, uint32_t phase) {
    if (results->branch_units == NULL) {
        fputs("\"branches\":null,", out);
        return;
    }
    struct branch_counts sum = {0};
    for (uint32_t p = 0; p < machine_processors(results->machine); p++) {
        const struct branch_counts *some = &results->branch_units[p].counts[phase];
        sum.conditional += some->conditional;
        sum.conditional_wrong += some->conditional_wrong;
        sum.taken += some->taken;
        sum.target_unknown += some->target_unknown;
        sum.indirect += some->indirect;
        sum.indirect_wrong += some->indirect_wrong;
        sum.returns += some->returns;
        sum.returns_wrong += some->returns_wrong;
    }
    fputs("\"branches\":{", out);
    put(out, "conditional", sum.conditional, ",");
    put(out, "conditionalWrong", sum.conditional_wrong, ",");
    put(out, "taken", sum.taken, ",");
    put(out, "targetUnknown", sum.target_unknown, ",");
    put(out, "indirect", sum.indirect, ",");
    put(out, "indirectWrong", sum.indirect_wrong, ",");
    put(out, "returns", sum.returns, ",");
    put(out, "returnsWrong", sum.returns_wrong, "},");
}

static void put_phase(FILE *out, const struct results *results, uint32_t phase) {
    struct model_counts counts;
    fputc('{', out);
    put(out, "phase", phase, ",");
    put(out, "begun", results->tallies->begun[phase], ",");
    put(out, "nanos", results->tallies->nanos[phase], ",");
    put_branches(out, results, phase);
    fputs("\"instructionsByThreads\":{", out);
    for (int class = 0; class < THREAD_CLASSES; class++) {
        put(out, thread_class_name(class), results->tallies->instructions[phase][class],
            class + 1 < THREAD_CLASSES ? "," : "},\n\"total\":{");
    }
    sum(results, phase, NULL, NULL, &counts);
    put_counts(out, results->machine, &counts);
    fputs("},\n\"processors\":[", out);
    for (uint32_t p = 0; p < machine_processors(results->machine); p++) {
        sum(results, phase, NULL, &p, &counts);
        fprintf(out, "%s{", p > 0 ? ",\n" : "");
        put(out, "processor", p, ",\"counts\":{");
        put_counts(out, results->machine, &counts);
        fputs("}}", out);
    }
    fputs("],\n\"engine\":{", out);
    sum_engine(results, phase, &counts);
    put_counts(out, results->machine, &counts);
    fputs("},\n\"operations\":[", out);
    const char *before = "";
    for (uint32_t i = 0; i < results->accounts; i++) {
        if (results->account_phases[i] == phase && results->account_operations[i] != OPERATION_ENGINE) {
            sum(results, phase, &i, NULL, &counts);
            fprintf(out, "%s{", before);
            put(out, "operation", results->account_operations[i], ",\"counts\":{");
            put_counts(out, results->machine, &counts);
            fputs("}}", out);
            before = ",\n";
        }
    }
    fputs("]}", out);
}

/* Control characters, quotes and bytes beyond ASCII, which a name cut by the system may end amid, become '?'. */
static void put_name(FILE *out, const char *name) {
    fputs("\"name\":\"", out);
    for (const char *at = name; *at != 0; at++) {
        fputc(*at < ' ' || *at > '~' || *at == '"' || *at == '\\' ? '?' : *at, out);
    }
    fputs("\",", out);
}

static void put_threads(FILE *out, const struct results *results) {
    fputs("\"threads\":[", out);
    uint32_t listed = 0;
    uint64_t lost = 0;
    uint64_t count = 0;
    for (const struct thread *thread = results->threads; thread != NULL; thread = thread->older) {
        count++;
        lost += thread->events_lost;
        if (thread->instructions > 0 && listed < THREADS_LISTED_MAX) {
            fprintf(out, "%s{", listed > 0 ? ",\n" : "");
            put_name(out, thread->name);
            fprintf(out, "\"kind\":\"%s\",", thread_class_name(thread->class));
            fprintf(out, "\"processor\":%d,", thread->processor == NO_PROCESSOR ? -1 : (int) thread->processor);
            put(out, "instructions", thread->instructions, "}");
            listed++;
        }
    }
    fputs("],\n", out);
    put(out, "threadCount", count, ",");
    put(out, "eventsLost", lost, ",\n");
}

static void put_turns(FILE *out, const struct results *results) {
    uint64_t turns = 0;
    uint64_t bounded = 0;
    for (uint32_t p = 0; p < machine_processors(results->machine); p++) {
        turns += results->seats[p].turns;
        bounded += results->seats[p].waits_bounded;
    }
    fputs("\"turns\":{", out);
    put(out, "instructionsMax", results->settings->turn, ",");
    put(out, "taken", turns, ",");
    put(out, "waitsBounded", bounded, "},\n\"step\":");
    if (results->pace == NULL) {
        fputs("null,\n", out);
    } else {
        struct pace_counts counts = pace_counts(results->pace);
        fputc('{', out);
        put(out, "quantumInstructions", results->settings->quantum, ",");
        put(out, "waits", counts.waits, ",");
        put(out, "waitsBounded", counts.waits_bounded, ",");
        put(out, "leadInstructionsMax", counts.lead_max, "},\n");
    }
}

/* Of the model, for what it knows of lines and pages. */
static void put_memory(FILE *out, const struct results *results) {
    fputs("\"memory\":{", out);
    put(out, "bytes", model_memory_bytes(results->model), ",");
    put(out, "bytesMax", results->machine->memory_bytes, ",");
    fprintf(out, "\"exhausted\":%s},\n", model_exhausted(results->model) ? "true" : "false");
}

static void put_regions(FILE *out, const struct results *results) {
    static const char *const KINDS[LOCKSTEP_REGION_MASK + 1] = {
        "other", "bufferPool", "heap", "codeCache", "metaspace"};
    fputs("\"regions\":[", out);
    for (uint32_t i = 0; i < results->region_count; i++) {
        const struct told_region *region = &results->regions[i];
        const char *kind = KINDS[region->kind];
        fprintf(out, "%s{\"kind\":\"%s\",", i > 0 ? ",\n" : "", kind == NULL ? KINDS[0] : kind);
        put(out, "address", region->address, ",");
        put(out, "bytes", region->bytes, ",");
        put(out, "pageBytes", region->page_bytes, ",");
        fprintf(out, "\"node\":%d}", region->node);
    }
    fputs("],\n", out);
}

static void put_latencies(FILE *out, const struct machine *machine) {
    fputs("\"latencyCycles\":{", out);
    put(out, "l2", machine->latency_l2_cycles, ",");
    put(out, "llc", machine->latency_llc_cycles, ",");
    put(out, "memory", machine->latency_memory_cycles, ",");
    put(out, "memory_remote", machine->latency_memory_remote_cycles, ",");
    put(out, "transfer", machine->latency_transfer_cycles, ",");
    put(out, "transfer_remote", machine->latency_transfer_remote_cycles, ",");
    put(out, "upgrade", machine->latency_upgrade_cycles, ",");
    put(out, "stlb", machine->latency_stlb_cycles, "},\n");
}

static void put_all(FILE *out, const struct results *results) {
    fputs("{", out);
    put(out, "format", RESULTS_FORMAT, ",");
    put(out, "nanos", results->nanos, ",\n");
    put_turns(out, results);
    put_threads(out, results);
    put_memory(out, results);
    put_latencies(out, results->machine);
    put_regions(out, results);
    put(out, "translatedBlocks", results->blocks, ",");
    put(out, "translationFlushes", results->flushes, ",");
    put(out, "atomicRestarts", results->restarts, ",");
    put(out, "accountsLost", results->accounts_lost, ",\n\"phases\":[");
    const char *before = "";
    for (uint32_t phase = 0; phase < PHASES_MAX; phase++) {
        if (phase == 0 || results->tallies->begun[phase] > 0) {
            fputs(before, out);
            put_phase(out, results, phase);
            before = ",\n";
        }
    }
    fputs("]}\n", out);
}

int results_write(const struct results *results) {
    FILE *out = fopen(results->settings->out, "w");
    if (out == NULL) {
        return errno;
    }
    put_all(out, results);
    int failed = ferror(out);
    return fclose(out) != 0 ? errno : failed ? EIO : 0;
}
