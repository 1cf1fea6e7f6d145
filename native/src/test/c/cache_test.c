/* One level: misses that follow from geometry alone. */
#include "check.h"

#define KILOBYTE ((uint64_t) 1 << 10)
#define BASE ((uint64_t) 0x100000)

static void walk(struct model *model, uint64_t bytes, uint64_t step, int rounds, bool code) {
    for (int round = 0; round < rounds; round++) {
        for (uint64_t at = 0; at < bytes; at += step) {
            if (code) {
                fetch(model, 0, BASE + at);
            } else {
                load(model, 0, BASE + at);
            }
        }
    }
}

static uint64_t misses(const char *machine, int level, uint64_t bytes, uint64_t step, int rounds) {
    struct model *model = build(machine);
    walk(model, bytes, step, rounds, level == LEVEL_L1I);
    uint64_t count = counts_of(model, 0).level[level].misses;
    model_destroy(model);
    return count;
}

static void a_sequential_walk_misses_once_a_line(void) {
    char text[128];
    for (uint64_t line = 16; line <= 256; line *= 2) {
        snprintf(text, sizeof text, "l1i=none\nl1d=32K,8,%d\n", (int) line);
        CHECK_EQUAL(KILOBYTE * 1024 / line, misses(text, LEVEL_L1D, KILOBYTE * 1024, 4, 1));
        snprintf(text, sizeof text, "l1i=32K,8,%d\n", (int) line);
        CHECK_EQUAL(KILOBYTE * 1024 / line, misses(text, LEVEL_L1I, KILOBYTE * 1024, 4, 1));
        snprintf(text, sizeof text, "l1i=32K,8,%d\nprefetch.next_line=l1d\nl1d=32K,8,64", (int) line);
        CHECK_EQUAL(KILOBYTE * 1024 / line, misses(text, LEVEL_L1I, KILOBYTE * 1024, 4, 1));
    }
}

static void a_loop_that_fits_misses_only_at_first(void) {
    CHECK_EQUAL(512, misses("l1i=none\nl1d=32K,8,64", LEVEL_L1D, 32 * KILOBYTE, 64, 10));
    CHECK_EQUAL(512, misses("l1i=none\nl1d=32K,full,64", LEVEL_L1D, 32 * KILOBYTE, 64, 10));
    CHECK_EQUAL(512, misses("l1i=none\nl1d=32K,direct,64", LEVEL_L1D, 32 * KILOBYTE, 64, 10));
    CHECK_EQUAL(512, misses("l1i=32K,8,64", LEVEL_L1I, 32 * KILOBYTE, 64, 10));
    CHECK_EQUAL(512, misses("l1i=32K,full,64", LEVEL_L1I, 32 * KILOBYTE, 64, 10));
}

static void a_loop_one_line_over_misses_as_its_sets_overflow(void) {
    /* One set has nine lines for eight ways and misses all of them each round; the other 63 keep theirs. */
    CHECK_EQUAL(513 + 9 * 9, misses("l1i=none\nl1d=32K,8,64", LEVEL_L1D, 32 * KILOBYTE + 64, 64, 10));
    CHECK_EQUAL(513 + 9 * 9, misses("l1i=32K,8,64", LEVEL_L1I, 32 * KILOBYTE + 64, 64, 10));
    /* The only set of a fully associative cache overflows: all lines miss in every round. */
    CHECK_EQUAL(513 * 10, misses("l1i=none\nl1d=32K,full,64", LEVEL_L1D, 32 * KILOBYTE + 64, 64, 10));
    CHECK_EQUAL(513 * 10, misses("l1i=32K,full,64", LEVEL_L1I, 32 * KILOBYTE + 64, 64, 10));
    /* Two lines share a set of a direct-mapped cache. */
    CHECK_EQUAL(513 + 9 * 2, misses("l1i=none\nl1d=32K,direct,64", LEVEL_L1D, 32 * KILOBYTE + 64, 64, 10));
}

static void sets_may_have_any_number_of_ways(void) {
    for (uint64_t ways = 1; ways <= 40; ways++) {
        for (uint64_t sets = 1; sets <= 4; sets += 3) {
            char text[128];
            uint64_t bytes = ways * sets * 64;
            snprintf(text, sizeof text, "l1i=none\nl1d=%d,%d,64", (int) bytes, (int) ways);
            CHECK_EQUAL(ways * sets, misses(text, LEVEL_L1D, bytes, 64, 10));
            CHECK_EQUAL(ways * sets + 1 + 9 * (ways + 1), misses(text, LEVEL_L1D, bytes + 64, 64, 10));
        }
    }
}

static void lines_of_one_set_conflict(void) {
    /* Lines 4 KB apart share one of the 64 sets of 32K,8,64. */
    CHECK_EQUAL(8, misses("l1i=none\nl1d=32K,8,64", LEVEL_L1D, 8 * 4 * KILOBYTE, 4 * KILOBYTE, 10));
    CHECK_EQUAL(90, misses("l1i=none\nl1d=32K,8,64", LEVEL_L1D, 9 * 4 * KILOBYTE, 4 * KILOBYTE, 10));
    CHECK_EQUAL(20, misses("l1i=none\nl1d=32K,direct,64", LEVEL_L1D, 2 * 32 * KILOBYTE, 32 * KILOBYTE, 10));
}

static void sets_need_not_be_a_power_of_two(void) {
    /* 48 KB in 8 ways: 96 sets. */
    CHECK_EQUAL(768, misses("l1i=none\nl1d=48K,8,64", LEVEL_L1D, 48 * KILOBYTE, 64, 10));
    CHECK_EQUAL(769 + 9 * 9, misses("l1i=none\nl1d=48K,8,64", LEVEL_L1D, 48 * KILOBYTE + 64, 64, 10));
    CHECK_EQUAL(769 + 9 * 9, misses("l1i=48K,8,64", LEVEL_L1I, 48 * KILOBYTE + 64, 64, 10));
}

static void the_least_recently_used_line_goes(void) {
    const char *machines[] = {"l1i=none\nl1d=256,4,64", "l1i=none\nl1d=256,full,64", "l1i=none\nl1d=4K,full,64"};
    for (int i = 0; i < 3; i++) {
        struct model *model = build(machines[i]);
        uint64_t lines = i < 2 ? 4 : 64;
        for (uint64_t line = 0; line < lines; line++) {
            load(model, 0, BASE + line * 64);
        }
        load(model, 0, BASE);
        load(model, 0, BASE + lines * 64);
        load(model, 0, BASE);
        CHECK_EQUAL(lines + 1, counts_of(model, 0).level[LEVEL_L1D].misses);
        load(model, 0, BASE + 64);
        CHECK_EQUAL(lines + 2, counts_of(model, 0).level[LEVEL_L1D].misses);
        model_destroy(model);
    }
}

static void an_access_across_lines_touches_each(void) {
    struct model *model = build("l1i=none\nl1d=32K,8,64");
    model_access(model, 0, BASE + 60, 8, MODEL_LOAD);
    struct model_counts counts = counts_of(model, 0);
    CHECK_EQUAL(1, counts.loads);
    CHECK_EQUAL(2, counts.level[LEVEL_L1D].accesses);
    CHECK_EQUAL(2, counts.level[LEVEL_L1D].misses);
    model_access(model, 0, BASE + 56, 8, MODEL_STORE);
    model_access(model, 0, BASE + 64, 8, MODEL_UPDATE);
    model_access(model, 0, BASE + 1, 4096, MODEL_STORE);
    counts = counts_of(model, 0);
    CHECK_EQUAL(2, counts.stores);
    CHECK_EQUAL(1, counts.updates);
    CHECK_EQUAL(2 + 1 + 1 + 65, counts.level[LEVEL_L1D].accesses);
    CHECK_EQUAL(65, counts.level[LEVEL_L1D].misses);
    model_destroy(model);
}

static void a_block_is_fetched_line_by_line(void) {
    struct model *model = build("l1i=32K,8,64");
    model_fetch(model, 0, BASE + 48, 100, 20);
    model_fetch(model, 0, BASE + 130, 30, 7);
    struct model_counts counts = counts_of(model, 0);
    CHECK_EQUAL(27, counts.instructions);
    CHECK_EQUAL(3, counts.level[LEVEL_L1I].accesses);
    CHECK_EQUAL(3, counts.level[LEVEL_L1I].misses);
    CHECK_EQUAL(27 + 3 * 250, model_clock(model, 0));
    CHECK_EQUAL(27 + 3 * 250, counts.cycles);
    CHECK_EQUAL(3 * 250, counts.stalls[STALL_FETCH_MEMORY]);
    model_destroy(model);
}

static void modified_lines_are_written_back_when_they_leave(void) {
    struct model *model = build("l1i=none\nl1d=128,direct,64");
    store(model, 0, BASE);
    load(model, 0, BASE + 64);
    load(model, 0, BASE + 128);
    load(model, 0, BASE + 192);
    CHECK_EQUAL(1, counts_of(model, 0).level[LEVEL_L1D].writebacks);
    model_destroy(model);
    model = build("l1i=none\nl1d=128,direct,64\nl1d.write=through");
    store(model, 0, BASE);
    store(model, 0, BASE);
    load(model, 0, BASE);
    store(model, 0, BASE);
    update(model, 0, BASE + 64);
    load(model, 0, BASE + 64);
    struct model_counts counts = counts_of(model, 0);
    CHECK_EQUAL(4, counts.level[LEVEL_L1D].writebacks);
    CHECK_EQUAL(4, counts.level[LEVEL_L1D].misses);
    model_destroy(model);
}

/* The same code in a machine for each geometry, and in one machine that observes all. */
static void observers_count_as_if_alone(void) {
    static const char *const geometries[] = {"16K,direct,64", "16K,4,64", "16K,8,64", "32K,direct,64", "32K,4,64",
            "32K,8,64", "64K,direct,64", "64K,4,64", "64K,8,64", "24K,3,64", "48K,8,64", "8K,full,32", "256K,2,128"};
    enum { GEOMETRIES = sizeof geometries / sizeof geometries[0] };
    struct model *alone[2 * GEOMETRIES];
    char text[2048] = "l1i=32K,8,64\nl1d=32K,8,64\n";
    for (int i = 0; i < 2 * GEOMETRIES; i++) {
        char one[64];
        const char *level = i < GEOMETRIES ? "l1i" : "l1d";
        const char *geometry = geometries[i % GEOMETRIES];
        snprintf(one, sizeof one, "%s%s=%s\n", i < GEOMETRIES ? "" : "l1i=none\n", level, geometry);
        alone[i] = build(one);
        snprintf(one, sizeof one, "observe=%s:%s\n", level, geometry);
        strcat(text, one);
    }
    struct model *all = build(text);
    uint64_t random = 20260417;
    for (int i = 0; i < 300000; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        uint64_t span = (random >> 60) == 0 ? 1 << 20 : (random >> 60) < 6 ? 1 << 16 : 1 << 13;
        uint64_t address = BASE + (random >> 20) % span;
        uint32_t bytes = 1 + (uint32_t) (random >> 12) % 90;
        bool discard = (random >> 8) % 1024 == 0;
        bool code = (random & 1 << 11) != 0;
        for (int j = 0; j <= 2 * GEOMETRIES; j++) {
            struct model *model = j == 2 * GEOMETRIES ? all : alone[j];
            if (discard) {
                model_discard_code(model, address, bytes);
            } else {
                feed_told(model, 0, address, bytes, code ? MODEL_FETCH : (int) (random >> 5) % 3, 1);
            }
        }
    }
    struct model_counts counts = counts_of(all, 0);
    for (int i = 0; i < 2 * GEOMETRIES; i++) {
        int level = i < GEOMETRIES ? LEVEL_L1I : LEVEL_L1D;
        CHECK_EQUAL(counts_of(alone[i], 0).level[level].misses, counts.observer_misses[i]);
        CHECK(counts.observer_misses[i] > 1000);
        model_destroy(alone[i]);
    }
    model_destroy(all);
}

static void accounts_share_out_the_total(void) {
    struct model *model = build("l1i=32K,8,64\nl1d=32K,8,64\naccounts=3\nobserve=l1i:16K,4,64");
    fetch(model, 0, BASE);
    CHECK_EQUAL(0, (uint64_t) model_charge(model, 0, 2));
    fetch(model, 0, BASE + 64);
    load(model, 0, BASE);
    CHECK_EQUAL((uint64_t) -1, (uint64_t) model_charge(model, 0, 3));
    fetch(model, 0, BASE + 128);
    CHECK_EQUAL(0, (uint64_t) model_charge(model, 0, 0));
    fetch(model, 0, BASE + 64);
    struct model_counts first;
    struct model_counts third;
    struct model_counts second;
    model_counts(model, 0, 0, &first);
    model_counts(model, 0, 1, &second);
    model_counts(model, 0, 2, &third);
    CHECK_EQUAL(2, first.instructions);
    CHECK_EQUAL(1, first.level[LEVEL_L1I].misses);
    CHECK_EQUAL(2 + 250, first.cycles);
    CHECK_EQUAL(0, second.instructions);
    CHECK_EQUAL(2, third.instructions);
    CHECK_EQUAL(2, third.level[LEVEL_L1I].misses);
    CHECK_EQUAL(2, third.observer_misses[0]);
    CHECK_EQUAL(2 + 3 * 250, third.cycles);
    struct model_counts total = counts_of(model, 0);
    CHECK_EQUAL(4, total.instructions);
    CHECK_EQUAL(first.cycles + third.cycles, total.cycles);
    CHECK_EQUAL(total.cycles, model_clock(model, 0));
    model_destroy(model);
}

static void cores_have_caches_of_their_own_and_hardware_threads_have_not(void) {
    struct model *model = build("cores=2\nsmt=2\nl1i=32K,8,64\nl1d=32K,8,64");
    CHECK(!model_parallel(model));
    for (int processor = 0; processor < 4; processor++) {
        fetch(model, processor, BASE);
        load(model, processor, BASE);
        uint64_t expected = processor % 2 == 0;
        CHECK_EQUAL(expected, counts_of(model, processor).level[LEVEL_L1I].misses);
        CHECK_EQUAL(expected, counts_of(model, processor).level[LEVEL_L1D].misses);
    }
    model_destroy(model);
}

static void discarded_code_is_fetched_again(void) {
    const char *machines[] = {"l1i=32K,8,64", "l1i=32K,8,64\nl1d=32K,8,64\nl2=1M,8,64"};
    for (int i = 0; i < 2; i++) {
        struct model *model = build(machines[i]);
        model_fetch(model, 0, BASE, 256, 64);
        model_discard_code(model, BASE + 100, 64);
        model_fetch(model, 0, BASE, 256, 64);
        CHECK_EQUAL(4 + 2, counts_of(model, 0).level[LEVEL_L1I].misses);
        model_destroy(model);
    }
}

static void discarded_code_leaves_all_cores_or_one(void) {
    struct model *model = build("cores=3\nl1i=32K,8,64\nobserve=l1i:16K,4,64");
    CHECK(model_parallel(model));
    for (int round = 0; round < 3; round++) {
        for (int core = 0; core < 3; core++) {
            fetch(model, core, BASE);
        }
        if (round == 0) {
            model_discard_code(model, BASE, 4);
        } else {
            model_discard_core_code(model, 1, BASE, 4);
        }
    }
    for (int core = 0; core < 3; core++) {
        uint64_t expected = core == 1 ? 3 : 2;
        CHECK_EQUAL(expected, counts_of(model, core).level[LEVEL_L1I].misses);
        CHECK_EQUAL(expected, counts_of(model, core).observer_misses[0]);
    }
    model_destroy(model);
}

int main(void) {
    RUN(a_sequential_walk_misses_once_a_line);
    RUN(a_loop_that_fits_misses_only_at_first);
    RUN(a_loop_one_line_over_misses_as_its_sets_overflow);
    RUN(sets_may_have_any_number_of_ways);
    RUN(lines_of_one_set_conflict);
    RUN(sets_need_not_be_a_power_of_two);
    RUN(the_least_recently_used_line_goes);
    RUN(an_access_across_lines_touches_each);
    RUN(a_block_is_fetched_line_by_line);
    RUN(modified_lines_are_written_back_when_they_leave);
    RUN(observers_count_as_if_alone);
    RUN(accounts_share_out_the_total);
    RUN(cores_have_caches_of_their_own_and_hardware_threads_have_not);
    RUN(discarded_code_is_fetched_again);
    RUN(discarded_code_leaves_all_cores_or_one);
    return check_result();
}
