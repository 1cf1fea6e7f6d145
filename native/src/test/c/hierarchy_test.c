/* Levels behind L1: who holds what, and where modified lines go. */
#include "check.h"

#define KILOBYTE ((uint64_t) 1 << 10)
#define BASE ((uint64_t) 0x100000)
#define L1S "l1i=32K,8,64\nl1d=32K,8,64\n"

static uint64_t level_misses(const struct model *model, int processor, int level) {
    return counts_of(model, processor).level[level].misses;
}

static void a_loop_misses_in_the_levels_it_does_not_fit(void) {
    struct model *model = build(L1S "l2=64K,8,64\nllc=128K,16,64\nlatency.l2=10\nlatency.llc=40\nlatency.memory=200");
    for (int round = 0; round < 4; round++) {
        for (uint64_t at = 0; at < 64 * KILOBYTE; at += 64) {
            load(model, 0, BASE + at);
        }
    }
    struct model_counts counts = counts_of(model, 0);
    CHECK_EQUAL(4 * 1024, counts.level[LEVEL_L1D].misses);
    CHECK_EQUAL(4 * 1024, counts.level[LEVEL_L2].accesses);
    CHECK_EQUAL(1024, counts.level[LEVEL_L2].misses);
    CHECK_EQUAL(1024, counts.level[LEVEL_LLC].accesses);
    CHECK_EQUAL(1024, counts.level[LEVEL_LLC].misses);
    CHECK_EQUAL(1024, counts.memory_local);
    CHECK_EQUAL(1024 * 200 + 3 * 1024 * 10, model_clock(model, 0));
    for (int round = 0; round < 4; round++) {
        for (uint64_t at = 0; at < 128 * KILOBYTE; at += 64) {
            load(model, 0, BASE + at);
        }
    }
    counts = counts_of(model, 0);
    CHECK_EQUAL(2048, counts.level[LEVEL_LLC].misses);
    /* The first round finds the 64 KB of before in L2, and pushes them out as it goes on; then nothing is found. */
    CHECK_EQUAL(1024 + 1024 + 3 * 2048, counts.level[LEVEL_L2].misses);
    model_destroy(model);
}

static void an_inclusive_level_takes_lines_out_of_the_levels_above(void) {
    const char *machines[] = {L1S "l2=4K,direct,64\n", L1S "l2=4K,direct,64\nl2.inclusive=yes",
            L1S "llc=4K,direct,64\nllc.inclusive=yes", L1S "l2=1M,8,64\nllc=4K,direct,64\nllc.inclusive=yes"};
    for (int i = 0; i < 4; i++) {
        uint64_t lost = i != 0;
        struct model *model = build(machines[i]);
        load(model, 0, BASE);
        fetch(model, 0, BASE + 64);
        load(model, 0, BASE + 4 * KILOBYTE);
        load(model, 0, BASE + 4 * KILOBYTE + 64);
        CHECK_EQUAL(lost, counts_of(model, 0).level[LEVEL_L1D].back_invalidations);
        CHECK_EQUAL(lost, counts_of(model, 0).level[LEVEL_L1I].back_invalidations);
        CHECK_EQUAL(i == 3 ? 2 : 0, counts_of(model, 0).level[LEVEL_L2].back_invalidations);
        load(model, 0, BASE);
        fetch(model, 0, BASE + 64);
        CHECK_EQUAL(3 + lost, level_misses(model, 0, LEVEL_L1D));
        CHECK_EQUAL(1 + lost, level_misses(model, 0, LEVEL_L1I));
        model_destroy(model);
    }
}

static void modified_data_goes_along_with_a_back_invalidation(void) {
    struct model *model = build(L1S "l2=4K,direct,64\nl2.inclusive=yes\nllc=1M,8,64");
    store(model, 0, BASE);
    load(model, 0, BASE + 4 * KILOBYTE);
    CHECK_EQUAL(0, counts_of(model, 0).level[LEVEL_L1D].writebacks);
    CHECK_EQUAL(1, counts_of(model, 0).level[LEVEL_L2].writebacks);
    CHECK_EQUAL(0, counts_of(model, 0).level[LEVEL_LLC].writebacks);
    model_destroy(model);
}

static void modified_lines_move_outwards_one_level_at_a_time(void) {
    struct model *model = build("l1i=32K,8,64\nl1d=128,direct,64\nl2=4K,direct,64\nllc=64K,direct,64");
    store(model, 0, BASE);
    load(model, 0, BASE + 128);
    CHECK_EQUAL(1, counts_of(model, 0).level[LEVEL_L1D].writebacks);
    CHECK_EQUAL(0, counts_of(model, 0).level[LEVEL_L2].writebacks);
    load(model, 0, BASE + 4 * KILOBYTE);
    CHECK_EQUAL(1, counts_of(model, 0).level[LEVEL_L2].writebacks);
    CHECK_EQUAL(0, counts_of(model, 0).level[LEVEL_LLC].writebacks);
    load(model, 0, BASE + 64 * KILOBYTE);
    CHECK_EQUAL(1, counts_of(model, 0).level[LEVEL_LLC].writebacks);
    load(model, 0, BASE);
    load(model, 0, BASE + 128);
    CHECK_EQUAL(1, counts_of(model, 0).level[LEVEL_L1D].writebacks);
    model_destroy(model);
}

static void outer_lines_may_be_longer(void) {
    struct model *model = build("l1i=8K,direct,32\nl1d=8K,direct,32\nl2=96K,3,64\nllc=2M,direct,128");
    load(model, 0, BASE);
    load(model, 0, BASE + 32);
    fetch(model, 0, BASE + 64);
    load(model, 0, BASE + 96);
    load(model, 0, BASE);
    struct model_counts counts = counts_of(model, 0);
    CHECK_EQUAL(3, counts.level[LEVEL_L1D].misses);
    CHECK_EQUAL(1, counts.level[LEVEL_L1I].misses);
    CHECK_EQUAL(4, counts.level[LEVEL_L2].accesses);
    CHECK_EQUAL(2, counts.level[LEVEL_L2].misses);
    CHECK_EQUAL(1, counts.level[LEVEL_LLC].misses);
    model_destroy(model);
}

static void a_long_inclusive_line_recalls_all_its_parts(void) {
    struct model *model = build("l1i=8K,direct,32\nl1d=8K,direct,32\nl2=4K,direct,128\nl2.inclusive=yes");
    for (uint64_t part = 0; part < 128; part += 32) {
        load(model, 0, BASE + part);
        fetch(model, 0, BASE + part);
    }
    load(model, 0, BASE + 4 * KILOBYTE);
    CHECK_EQUAL(4, counts_of(model, 0).level[LEVEL_L1D].back_invalidations);
    CHECK_EQUAL(4, counts_of(model, 0).level[LEVEL_L1I].back_invalidations);
    model_destroy(model);
}

static void groups_share_a_level(void) {
    struct model *model = build(L1S "cores=4\nl2=256K,8,64\nl2.cores=2\nllc=1M,8,64\ncoherence=mesi");
    CHECK(!model_parallel(model));
    for (int core = 0; core < 4; core++) {
        load(model, core, BASE);
        CHECK_EQUAL(1, level_misses(model, core, LEVEL_L1D));
        CHECK_EQUAL(core % 2 == 0, level_misses(model, core, LEVEL_L2));
        CHECK_EQUAL(core == 0, level_misses(model, core, LEVEL_LLC));
    }
    model_destroy(model);
}

static void a_write_through_cache_sends_stores_on_and_allocates_none(void) {
    struct model *model = build(L1S "l1d.write=through\nl2=4K,direct,64\nllc=64K,8,64");
    store(model, 0, BASE);
    struct model_counts counts = counts_of(model, 0);
    CHECK_EQUAL(1, counts.level[LEVEL_L1D].misses);
    CHECK_EQUAL(1, counts.level[LEVEL_L1D].writebacks);
    CHECK_EQUAL(1, counts.level[LEVEL_L2].misses);
    CHECK_EQUAL(1, counts.memory_local);
    CHECK_EQUAL(0, model_clock(model, 0));
    load(model, 0, BASE);
    store(model, 0, BASE);
    counts = counts_of(model, 0);
    CHECK_EQUAL(2, counts.level[LEVEL_L1D].misses);
    CHECK_EQUAL(3, counts.level[LEVEL_L2].accesses);
    CHECK_EQUAL(1, counts.level[LEVEL_L2].misses);
    CHECK_EQUAL(2, counts.level[LEVEL_L1D].writebacks);
    load(model, 0, BASE + 4 * KILOBYTE);
    CHECK_EQUAL(1, counts_of(model, 0).level[LEVEL_L2].writebacks);
    model_destroy(model);
    model = build(L1S "l1d.write=through\nl2=4K,direct,64\nl2.write=through\nllc=64K,8,64");
    store(model, 0, BASE);
    store(model, 0, BASE);
    counts = counts_of(model, 0);
    CHECK_EQUAL(2, counts.level[LEVEL_L2].misses);
    CHECK_EQUAL(2, counts.level[LEVEL_L2].writebacks);
    CHECK_EQUAL(1, counts.level[LEVEL_LLC].misses);
    CHECK_EQUAL(2, counts.level[LEVEL_LLC].accesses);
    model_destroy(model);
}

/* The same fetches and accesses of both cores at random, among so many bytes. */
static void feed_alike(struct model *alone, struct model *both, uint64_t bytes) {
    uint64_t random = 7;
    for (int i = 0; i < 100000; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        uint64_t address = BASE + (random >> 20) % bytes;
        int core = (int) (random >> 8 & 1);
        for (int j = 0; j < 2; j++) {
            struct model *model = j == 0 ? alone : both;
            if ((random & 1 << 12) != 0) {
                fetch(model, core, address & ~(uint64_t) 3);
            } else {
                model_access(model, core, address & ~(uint64_t) 3, 4, (int) (random >> 13) % 3);
            }
        }
    }
}

static void l2_observers_see_what_comes_from_l1(const char *write) {
    char text[2][256];
    snprintf(text[0], sizeof text[0], L1S "cores=2\nl2=32K,4,64\nl2.cores=2\nclasses=merged\nl1d.write=%s", write);
    snprintf(text[1], sizeof text[1],
            L1S "cores=2\nl2=1M,16,128\nl2.cores=2\nobserve=l2:32K,4,64\nobserve=l2:1M,16,128\nl1d.write=%s", write);
    struct model *alone = build(text[0]);
    struct model *both = build(text[1]);
    feed_alike(alone, both, 1 << 17);
    for (int core = 0; core < 2; core++) {
        CHECK_EQUAL(level_misses(alone, core, LEVEL_L2), counts_of(both, core).observer_misses[0]);
        CHECK_EQUAL(level_misses(both, core, LEVEL_L2), counts_of(both, core).observer_misses[1]);
    }
    model_destroy(alone);
    model_destroy(both);
}

static void l2_observers_see_what_misses_in_l1(void) {
    l2_observers_see_what_comes_from_l1("back");
}

static void l2_observers_see_what_a_write_through_cache_sends_on(void) {
    l2_observers_see_what_comes_from_l1("through");
}

/* The last level's observers see what misses in the L2, or in L1 where there is none, or what is written through. */
static void llc_observers_see_what_comes_from(const char *below) {
    char text[2][320];
    snprintf(text[0], sizeof text[0], L1S "cores=2\nllc=64K,4,64\nllc.cores=2\nclasses=merged\n%s", below);
    snprintf(text[1], sizeof text[1],
            L1S "cores=2\nllc=1M,16,128\nllc.cores=2\nobserve=l2:8K,2,64\nobserve=llc:64K,4,64\n"
                "observe=llc:1M,16,128\n%s", below);
    struct model *alone = build(text[0]);
    struct model *both = build(text[1]);
    feed_alike(alone, both, 1 << 18);
    for (int core = 0; core < 2; core++) {
        CHECK(level_misses(alone, core, LEVEL_LLC) > 1000);
        CHECK_EQUAL(level_misses(alone, core, LEVEL_LLC), counts_of(both, core).observer_misses[1]);
        CHECK_EQUAL(level_misses(both, core, LEVEL_LLC), counts_of(both, core).observer_misses[2]);
    }
    model_destroy(alone);
    model_destroy(both);
}

static void llc_observers_see_what_misses_below(void) {
    llc_observers_see_what_comes_from("");
    llc_observers_see_what_comes_from("l2=16K,4,64\n");
}

static void llc_observers_see_what_write_through_sends_on(void) {
    llc_observers_see_what_comes_from("l1d.write=through\n");
    llc_observers_see_what_comes_from("l1d.write=through\nl2=16K,4,64\n");
    llc_observers_see_what_comes_from("l1d.write=through\nl2=16K,4,64\nl2.write=through\n");
}

/* Lines of the whole directory at its least: one chunk of 4 MB, less its first line of the host. */
#define LINES_LEAST ((4 * 1024 * KILOBYTE - 64) / 64)

static void lines_that_no_cache_holds_are_forgotten_as_room_is_needed(void) {
    const char *machines[] = {L1S "cores=2\ncoherence=mesi\nl2=256K,8,64\nllc=1M,16,64\nllc.inclusive=yes\n"
                                  "observe=l1d:4K,4,64",
            L1S "cores=2\ncoherence=mesi\nl1d.write=through\nl2=256K,8,64\nl2.write=through\nllc=1M,16,128"};
    for (int i = 0; i < 2; i++) {
        char small_text[512];
        snprintf(small_text, sizeof small_text, "%s\nmemory=8M", machines[i]);
        struct model *small = build(small_text);
        struct model *large = build(machines[i]);
        uint64_t random = 11;
        for (uint64_t j = 0; j < 8 * LINES_LEAST; j++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            /* Half of them among few lines, which come and go between the cores. */
            uint64_t lines = (random & 1 << 10) != 0 ? 1024 : 4 * LINES_LEAST;
            uint64_t address = BASE + (random >> 24) % (lines * 64 / 4) * 4;
            for (int k = 0; k < 2; k++) {
                struct model *model = k == 0 ? small : large;
                if ((random >> 11 & 7) == 0) {
                    fetch(model, (int) (random >> 14 & 1), address);
                } else {
                    model_access(model, (int) (random >> 14 & 1), address, 4, (int) (random >> 15) % 3);
                }
            }
        }
        CHECK(!model_exhausted(small));
        CHECK(model_memory_bytes(small) <= 8 << 20);
        CHECK(model_memory_bytes(large) > 8 << 20);
        for (int core = 0; core < 2; core++) {
            struct model_counts some = counts_of(small, core);
            struct model_counts same = counts_of(large, core);
            CHECK_EQUAL(0, memcmp(&some, &same, sizeof some) != 0);
            CHECK(some.level[LEVEL_LLC].misses > LINES_LEAST);
        }
        model_destroy(small);
        model_destroy(large);
    }
}

static void memory_runs_out_where_all_lines_must_be_known(void) {
    const char *machines[] = {
            L1S "l2=256K,8,64\nclasses=merged\nmemory=8M", L1S "l2=64M,8,64\nmemory=8M"};
    for (int i = 0; i < 2; i++) {
        struct model *model = build(machines[i]);
        uint64_t lines = 0;
        while (!model_exhausted(model) && lines < 4 * LINES_LEAST) {
            load(model, 0, BASE + lines++ * 64);
        }
        CHECK(model_exhausted(model));
        CHECK(lines > LINES_LEAST / 2 && lines < LINES_LEAST + 2);
        CHECK(model_memory_bytes(model) <= 8 << 20);
        /* It goes on, whatever it counts. */
        load(model, 0, BASE);
        store(model, 0, BASE + lines * 64);
        model_end_lifetimes(model);
        model_destroy(model);
    }
}

static void memory_runs_out_for_homes_of_pages(void) {
    struct model *model = build(L1S "cores=2\nnodes=2\nmemory=8M");
    uint64_t pages = 0;
    while (!model_exhausted(model) && pages < 1 << 20) {
        load(model, 0, BASE + pages++ * 4 * KILOBYTE);
    }
    CHECK(model_exhausted(model));
    CHECK(pages > 64 * KILOBYTE);
    CHECK(model_memory_bytes(model) <= 8 << 20);
    model_destroy(model);
}

int main(void) {
    RUN(a_loop_misses_in_the_levels_it_does_not_fit);
    RUN(an_inclusive_level_takes_lines_out_of_the_levels_above);
    RUN(modified_data_goes_along_with_a_back_invalidation);
    RUN(modified_lines_move_outwards_one_level_at_a_time);
    RUN(outer_lines_may_be_longer);
    RUN(a_long_inclusive_line_recalls_all_its_parts);
    RUN(groups_share_a_level);
    RUN(a_write_through_cache_sends_stores_on_and_allocates_none);
    RUN(l2_observers_see_what_misses_in_l1);
    RUN(l2_observers_see_what_a_write_through_cache_sends_on);
    RUN(llc_observers_see_what_misses_below);
    RUN(llc_observers_see_what_write_through_sends_on);
    RUN(lines_that_no_cache_holds_are_forgotten_as_room_is_needed);
    RUN(memory_runs_out_where_all_lines_must_be_known);
    RUN(memory_runs_out_for_homes_of_pages);
    return check_result();
}
