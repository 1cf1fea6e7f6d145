/*
 * The model against the naive one, on random machines and events. The seed of a run is printed with the first
 * difference, and "random_test SEED" repeats that run.
 */
#include "naive.h"

#define BASE ((uint64_t) 0x40000000)
#define EVENTS 20000

static uint64_t state;

static uint64_t random_below(uint64_t bound) {
    state += 0x9E3779B97F4A7C15u;
    uint64_t value = (state ^ state >> 30) * 0xBF58476D1CE4E5B9u;
    value = (value ^ value >> 27) * 0x94D049BB133111EBu;
    return (value ^ value >> 31) % bound;
}

static void random_cache(char *text, const char *name, uint32_t line_bytes, uint32_t sets_most, uint32_t ways_most) {
    uint32_t sets = 1 + (uint32_t) random_below(sets_most);
    uint32_t ways = 1 + (uint32_t) random_below(ways_most);
    bool full = random_below(8) == 0;
    uint32_t lines = sets * ways;
    sprintf(text + strlen(text), "%s=%u,%u,%u\n", name, lines * line_bytes, full ? lines : ways, line_bytes);
}

static const char *pick(const char *one, const char *other) {
    return random_below(2) == 0 ? one : other;
}

static void random_machine(char *text) {
    static const uint32_t CORES[] = {1, 2, 4, 4};
    uint32_t cores = CORES[random_below(4)];
    uint32_t line = 16u << random_below(3);
    sprintf(text, "cores=%u\nsmt=%u\nnodes=%u\naccounts=%d\n", cores, 1 + (uint32_t) random_below(2),
            cores > 1 && random_below(3) == 0 ? 2 : 1, ACCOUNTS);
    random_cache(text, "l1i", 16u << random_below(3), 4, 4);
    random_cache(text, "l1d", line, 4, 24);
    line = line < 64 ? 64 : line;
    line <<= random_below(2);
    if (random_below(4) != 0) {
        random_cache(text, "l2", line, 8, 8);
        sprintf(text + strlen(text), "l2.cores=%u\nl2.inclusive=%s\n", cores > 1 ? 1u << random_below(cores / 2) : 1,
                pick("yes", "no"));
    }
    line <<= random_below(2);
    if (random_below(4) != 0) {
        random_cache(text, "llc", line, 16, 20);
        sprintf(text + strlen(text), "llc.inclusive=%s\nllc.cores=%s\n", pick("yes", "no"),
                cores == 4 && random_below(3) == 0 ? "2" : "all");
    }
    if (strstr(text, "llc.cores=2") != NULL && strstr(text, "l2.cores=4") != NULL) {
        strcpy(strstr(text, "llc.cores=2"), "llc.cores=all\n");
    }
    sprintf(text + strlen(text), "l1d.write=%s\n", random_below(4) == 0 ? "through" : "back");
    sprintf(text + strlen(text), "l2.write=%s\n", random_below(4) == 0 ? "through" : "back");
    sprintf(text + strlen(text), "llc.write=%s\n", random_below(6) == 0 ? "through" : "back");
    sprintf(text + strlen(text), "coherence=%s\n", random_below(4) == 0 ? "none" : "mesi");
    sprintf(text + strlen(text), "classes=%s\n", random_below(4) == 0 ? "no" : pick("merged", "split"));
    sprintf(text + strlen(text), "page.map=%s\n", pick("identity", "random"));
    if (random_below(3) == 0) {
        strcat(text, "itlb=2,direct\ndtlb=4,2\n");
        strcat(text, pick("stlb=8,4\n", ""));
    }
}

/* Whether both agree on everything; the first difference is printed. */
static bool agree(uint64_t seed, int event, const char *text) {
    for (uint32_t processor = 0; processor < machine_processors(&machine); processor++) {
        for (uint32_t i = 0; i < ACCOUNTS; i++) {
            struct model_counts actual;
            model_counts(model, (int) processor, i, &actual);
            const uint64_t *one = (const uint64_t *) (const void *) &counts[processor][i];
            const uint64_t *other = (const uint64_t *) (const void *) &actual;
            for (size_t field = 0; field < sizeof actual / sizeof(uint64_t); field++) {
                if (one[field] != other[field]) {
                    printf("seed=%" PRIu64 " event=%d processor=%u account=%u: field %zu of model_counts: expected=%"
                           PRIu64 " actual=%" PRIu64 "; repeat with: random_test %" PRIu64 "\n%s\n", seed, event,
                            processor, i, field, one[field], other[field], seed, text);
                    return false;
                }
            }
        }
    }
    return true;
}

/* A few lines are hot, for sharing; the rest fill the caches. */
static uint64_t random_address(void) {
    return BASE + (random_below(3) == 0 ? random_below(256) : random_below(8) == 0 ? random_below(1 << 16)
                                                                                   : random_below(1 << 12));
}

static void random_event(void) {
    int processor = (int) random_below(machine_processors(&machine));
    uint64_t address = random_address();
    uint64_t what = random_below(1000);
    uint32_t bytes = 1 + (uint32_t) random_below(random_below(4) == 0 ? 70 : 8);
    if (what < 2) {
        model_end_lifetimes(model);
        naive_end_lifetimes();
    } else if (what < 5) {
        model_discard_code(model, address, bytes);
        naive_discard(address, bytes);
    } else if (what < 15) {
        account[processor] = (uint32_t) random_below(ACCOUNTS);
        model_charge(model, processor, account[processor]);
    } else if (what < 350) {
        feed_told(model, processor, address, bytes, MODEL_FETCH, bytes);
        naive_fetch(processor, address, bytes, bytes);
    } else {
        int kind = what < 700 ? MODEL_LOAD : what < 900 ? MODEL_STORE : MODEL_UPDATE;
        feed_told(model, processor, address, bytes, kind, 0);
        naive_access(processor, address, bytes, kind);
    }
}

static bool run(uint64_t seed) {
    char text[2048];
    state = seed;
    random_machine(text);
    create(text);
    bool same = true;
    for (int event = 0; same && event < EVENTS; event++) {
        random_event();
        same = event % 64 != 0 || agree(seed, event, text);
    }
    model_end_lifetimes(model);
    naive_end_lifetimes();
    same = same && agree(seed, EVENTS, text);
    model_destroy(model);
    return same;
}

/* Machines that also prefetch and observe, which the naive model does not: what must hold of any. */
static void keeps_its_books(uint64_t seed) {
    static struct model_counts before[CORES_MAX * 2];
    for (int round = 0; round < 2; round++) {
        char text[2048];
        state = seed;
        random_machine(text);
        strcat(text, "prefetch.next_line=l1i,l1d\nprefetch.stream=4,3\nobserve=l1i:1K,2,32\nobserve=l1d:1K,full,64\n"
                     "observe=l2:8K,4,64\n");
        struct model *prefetching = build(text);
        create(text);
        for (int event = 0; event < EVENTS; event++) {
            int processor = (int) random_below(machine_processors(&machine));
            uint64_t address = random_address();
            if (random_below(3) == 0) {
                model_fetch(prefetching, processor, address, 1 + (uint32_t) random_below(60), 1);
            } else {
                model_access(prefetching, processor, address, 1 + (uint32_t) random_below(16), (int) random_below(3));
            }
        }
        model_end_lifetimes(prefetching);
        for (uint32_t i = 0; i < machine_processors(&machine); i++) {
            struct model_counts these = counts_of(prefetching, (int) i);
            uint64_t stalls = 0;
            for (int cause = 0; cause < STALLS; cause++) {
                stalls += these.stalls[cause];
            }
            CHECK_EQUAL(these.instructions + stalls, these.cycles);
            for (int level = LEVEL_L1I; level < LEVELS; level++) {
                const struct model_level_counts *its = &these.level[level];
                CHECK_EQUAL(machine.classes == CLASSES_NO ? 0 : its->misses, classes_of(its));
                CHECK(its->misses <= its->accesses && its->dirty_misses <= its->misses);
                CHECK(its->prefetches_useful <= its->prefetches || machine.smt > 1 || level >= LEVEL_L2);
            }
            CHECK(round == 0 || memcmp(&these, &before[i], sizeof these) == 0);
            before[i] = these;
        }
        model_destroy(prefetching);
        model_destroy(model);
    }
}

int main(int count, char **arguments) {
    facts = calloc(FACTS, sizeof *facts);
    uint64_t first = count > 1 ? strtoull(arguments[1], NULL, 10) : 1;
    uint64_t runs = count > 2 ? strtoull(arguments[2], NULL, 10) : count > 1 ? 1 : 30;
    check_test = "random";
    for (uint64_t seed = first; facts != NULL && seed < first + runs && check_failures == 0; seed++) {
        CHECK(run(seed));
        keeps_its_books(seed);
    }
    CHECK(facts != NULL);
    free(facts);
    return check_result();
}
