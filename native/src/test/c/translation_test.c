/* Pages: translation buffers and walks, frames, homes; and prefetchers, which stop at pages. */
#include "check.h"
#include "pages.h"

#define PAGE ((uint64_t) 4 << 10)
#define LARGE_PAGE ((uint64_t) 2 << 20)
#define BASE ((uint64_t) 1 << 30)

static void walk_pages(struct model *model, uint64_t pages, uint64_t page_bytes, int rounds) {
    for (int round = 0; round < rounds; round++) {
        for (uint64_t page = 0; page < pages; page++) {
            load(model, 0, BASE + page * page_bytes + round * 64);
        }
    }
}

static void a_buffer_reaches_as_many_pages_as_it_has_entries(void) {
    struct model *model = build("l1d=32K,8,64\ndtlb=64,full\nstlb=256,4");
    walk_pages(model, 64, PAGE, 5);
    struct model_counts counts = counts_of(model, 0);
    CHECK_EQUAL(64, counts.dtlb_misses);
    CHECK_EQUAL(64, counts.stlb_accesses);
    CHECK_EQUAL(64, counts.stlb_misses);
    CHECK_EQUAL(256, counts.walk.accesses);
    walk_pages(model, 65, PAGE, 5);
    counts = counts_of(model, 0);
    /* The 65th page takes the first one's place, and from then on each page misses. */
    CHECK_EQUAL(1 + 4 * 65, counts.dtlb_misses - 64);
    CHECK_EQUAL(65, counts.stlb_misses);
    CHECK_EQUAL(0, counts.itlb_misses);
    model_destroy(model);
}

static void sets_of_a_buffer_conflict(void) {
    struct model *model = build("l1d=32K,8,64\ndtlb=64,4");
    walk_pages(model, 4, 16 * PAGE, 10);
    CHECK_EQUAL(4, counts_of(model, 0).dtlb_misses);
    model_destroy(model);
    model = build("l1d=32K,8,64\ndtlb=64,4");
    walk_pages(model, 5, 16 * PAGE, 10);
    CHECK_EQUAL(50, counts_of(model, 0).dtlb_misses);
    model_destroy(model);
}

static void a_walk_reads_its_entries_through_the_caches(void) {
    struct model *model = build("l1d=32K,8,64\nl2=256K,8,64\nl2.inclusive=yes\nllc=1M,8,64\ndtlb=4,full\nitlb=4,full\n"
                                "latency.memory=200");
    load(model, 0, BASE);
    struct model_counts counts = counts_of(model, 0);
    CHECK_EQUAL(4, counts.walk.accesses);
    CHECK_EQUAL(4, counts.walk.l1d_misses);
    CHECK_EQUAL(4, counts.walk.l2_misses);
    CHECK_EQUAL(4, counts.walk.llc_misses);
    CHECK_EQUAL(1, counts.level[LEVEL_L1D].accesses);
    CHECK_EQUAL(1, counts.level[LEVEL_L1D].misses);
    CHECK_EQUAL(1, counts.level[LEVEL_L2].misses);
    CHECK_EQUAL(1, counts.memory_local);
    CHECK_EQUAL(5 * 200, model_clock(model, 0));
    /* Entries of eight bytes: the next seven pages' entries lie in the same lines. */
    for (uint64_t page = 1; page < 8; page++) {
        fetch(model, 0, BASE + page * PAGE);
    }
    counts = counts_of(model, 0);
    CHECK_EQUAL(7, counts.itlb_misses);
    CHECK_EQUAL(8 * 4, counts.walk.accesses);
    CHECK_EQUAL(4, counts.walk.l1d_misses);
    load(model, 0, BASE + 8 * PAGE);
    CHECK_EQUAL(5, counts_of(model, 0).walk.l1d_misses);
    model_destroy(model);
}

static void large_pages_reach_further_and_take_shorter_walks(void) {
    struct model *model = build("l1d=32K,8,64\ndtlb=8,full");
    CHECK_EQUAL(0, (uint64_t) model_region(model, BASE - 5, 16 * LARGE_PAGE + 9, LARGE_PAGE, NODE_OF_FIRST_TOUCH));
    CHECK_EQUAL((uint64_t) -1, (uint64_t) model_region(model, BASE, LARGE_PAGE, 8 << 10, NODE_OF_FIRST_TOUCH));
    walk_pages(model, 16 * 512, PAGE, 1);
    struct model_counts counts = counts_of(model, 0);
    CHECK_EQUAL(16, counts.dtlb_misses);
    CHECK_EQUAL(16 * 3, counts.walk.accesses);
    /* Beyond the region, and in a part that is made small again. */
    load(model, 0, BASE + 16 * LARGE_PAGE);
    load(model, 0, BASE + 16 * LARGE_PAGE + PAGE);
    CHECK_EQUAL(18, counts_of(model, 0).dtlb_misses);
    CHECK_EQUAL(0, (uint64_t) model_region(model, BASE + LARGE_PAGE, LARGE_PAGE, PAGE, NODE_OF_FIRST_TOUCH));
    load(model, 0, BASE + LARGE_PAGE);
    load(model, 0, BASE + LARGE_PAGE + PAGE);
    CHECK_EQUAL(20, counts_of(model, 0).dtlb_misses);
    load(model, 0, BASE + 2 * LARGE_PAGE);
    load(model, 0, BASE + 2 * LARGE_PAGE + PAGE);
    CHECK_EQUAL(21, counts_of(model, 0).dtlb_misses);
    CHECK_EQUAL(LARGE_PAGE, (uint64_t) 1 << pages_shift(model, BASE));
    CHECK_EQUAL(PAGE, (uint64_t) 1 << pages_shift(model, BASE - 1));
    model_destroy(model);
}

static void an_access_across_pages_translates_both(void) {
    struct model *model = build("l1d=32K,8,64\ndtlb=8,full\nitlb=8,full");
    model_access(model, 0, BASE + PAGE - 2, 4, MODEL_LOAD);
    model_fetch(model, 0, BASE + PAGE - 2, 4, 1);
    CHECK_EQUAL(2, counts_of(model, 0).dtlb_misses);
    CHECK_EQUAL(2, counts_of(model, 0).itlb_misses);
    model_access(model, 0, BASE, 3 * PAGE, MODEL_LOAD);
    CHECK_EQUAL(3, counts_of(model, 0).dtlb_misses);
    model_destroy(model);
}

static void random_frames_are_a_permutation_by_seed(void) {
    struct model *one = build("l1d=32K,8,64\nl2=64K,direct,64\npage.map=random\npage.seed=1");
    struct model *same = build("l1d=32K,8,64\nl2=64K,direct,64\npage.map=random\npage.seed=1");
    struct model *other = build("l1d=32K,8,64\nl2=64K,direct,64\npage.map=random\npage.seed=2");
    enum { PAGES = 4096, SETS = 16 };
    uint64_t *frames = malloc(PAGES * sizeof *frames);
    uint64_t equal = 0;
    uint64_t colours[SETS] = {0};
    for (uint64_t i = 0; i < PAGES; i++) {
        uint64_t address = BASE + i * PAGE + 123;
        frames[i] = pages_physical(one, address) / PAGE;
        CHECK_EQUAL(123, pages_physical(one, address) % PAGE);
        CHECK_EQUAL(frames[i], pages_physical(same, address) / PAGE);
        equal += frames[i] == pages_physical(other, address) / PAGE;
        colours[frames[i] % SETS]++;
        for (uint64_t j = 0; j < i; j++) {
            if (frames[j] == frames[i]) {
                CHECK(false);
            }
        }
    }
    CHECK(equal < 3);
    for (int colour = 0; colour < SETS; colour++) {
        /* 256 expected; six standard deviations are 94. */
        CHECK(colours[colour] > 256 - 94 && colours[colour] < 256 + 94);
    }
    /* A large page stays in one piece. */
    CHECK_EQUAL(0, (uint64_t) model_region(one, BASE, LARGE_PAGE, LARGE_PAGE, NODE_OF_FIRST_TOUCH));
    CHECK_EQUAL(pages_physical(one, BASE) + 77 * PAGE, pages_physical(one, BASE + 77 * PAGE));
    free(frames);
    model_destroy(one);
    model_destroy(same);
    model_destroy(other);
}

static void the_frames_decide_the_sets_of_outer_levels(void) {
    uint64_t conflicts = 0;
    for (int seed = 0; seed < 65; seed++) {
        char text[256];
        snprintf(text, sizeof text, "l1d=128,direct,64\nl2=64K,direct,64\npage.map=%s\npage.seed=%d",
                seed == 0 ? "identity" : "random", seed);
        struct model *model = build(text);
        for (int i = 0; i < 3; i++) {
            load(model, 0, BASE);
            load(model, 0, BASE + (64 << 10));
        }
        uint64_t misses = counts_of(model, 0).level[LEVEL_L2].misses;
        CHECK(misses == 2 || misses == 6);
        CHECK(seed != 0 || misses == 6);
        conflicts += seed != 0 && misses == 6;
        model_destroy(model);
    }
    /* One in 16 pairs of frames conflicts: 4 of 64 expected. */
    CHECK(conflicts >= 1 && conflicts <= 12);
}

static void the_first_to_touch_a_page_is_at_home(void) {
    struct model *model = build("cores=4\nnodes=2\ncoherence=mesi\nl1d=32K,8,64\nlatency.memory=200\n"
                                "latency.memory_remote=300\nlatency.transfer=100\nlatency.transfer_remote=150");
    load(model, 3, BASE);
    load(model, 0, BASE + 64);
    load(model, 0, BASE + PAGE);
    CHECK_EQUAL(1, counts_of(model, 3).memory_local);
    CHECK_EQUAL(1, counts_of(model, 0).memory_remote);
    CHECK_EQUAL(1, counts_of(model, 0).memory_local);
    CHECK_EQUAL(300 + 200, model_clock(model, 0));
    store(model, 1, BASE + 128);
    load(model, 0, BASE + 128);
    load(model, 2, BASE + 192);
    store(model, 0, BASE + 256);
    load(model, 2, BASE + 256);
    CHECK_EQUAL(1, counts_of(model, 0).transfers_local);
    CHECK_EQUAL(1, counts_of(model, 2).transfers_remote);
    CHECK_EQUAL(200 + 150, model_clock(model, 2));
    /* Many pages, so that the table of homes grows. */
    for (uint64_t page = 16; page < 20000; page++) {
        load(model, page % 2 == 0 ? 0 : 2, BASE + page * PAGE);
    }
    uint64_t remote = counts_of(model, 1).memory_remote;
    for (uint64_t page = 16; page < 20000; page++) {
        load(model, 1, BASE + page * PAGE + 64);
    }
    CHECK_EQUAL((20000 - 16) / 2, counts_of(model, 1).memory_remote - remote);
    CHECK(!model_exhausted(model));
    model_destroy(model);
}

static void a_next_line_prefetcher_halves_the_misses_of_a_walk(void) {
    const char *machines[] = {"l1d=32K,8,64\nprefetch.next_line=l1d,l1i", "l1d=32K,8,64\nprefetch.next_line=l1d,l1i\n"
            "l2=256K,8,64"};
    for (int i = 0; i < 2; i++) {
        struct model *model = build(machines[i]);
        for (uint64_t at = 0; at < 2 * PAGE; at += 64) {
            load(model, 0, BASE + at);
            fetch(model, 0, BASE + (1 << 20) + at);
        }
        for (int level = LEVEL_L1I; level <= LEVEL_L1D; level++) {
            struct model_level_counts counts = counts_of(model, 0).level[level];
            CHECK_EQUAL(64, counts.misses);
            CHECK_EQUAL(64, counts.prefetches);
            CHECK_EQUAL(64, counts.prefetches_useful);
        }
        /* The last line of a page is not followed. */
        load(model, 0, BASE + 5 * PAGE - 64);
        CHECK_EQUAL(64, counts_of(model, 0).level[LEVEL_L1D].prefetches);
        model_destroy(model);
    }
    struct model *model = build("l1d=32K,8,64\nl2=256K,8,64\nprefetch.next_line=l2");
    for (uint64_t at = 0; at < 2 * PAGE; at += 64) {
        load(model, 0, BASE + at);
    }
    CHECK_EQUAL(128, counts_of(model, 0).level[LEVEL_L1D].misses);
    CHECK_EQUAL(64, counts_of(model, 0).level[LEVEL_L2].misses);
    CHECK_EQUAL(64, counts_of(model, 0).level[LEVEL_L2].prefetches_useful);
    model_destroy(model);
}

static void a_stream_prefetcher_runs_ahead_from_the_second_step(void) {
    for (int downwards = 0; downwards < 2; downwards++) {
        for (int into = LEVEL_L1D; into <= LEVEL_L2; into++) {
            struct model *model = build(into == LEVEL_L2 ? "l1d=32K,8,64\nl2=256K,8,64\nprefetch.stream=4,4"
                                                         : "l1d=32K,8,64\nprefetch.stream=4,4");
            for (uint64_t line = 0; line < 64; line++) {
                load(model, 0, BASE + (downwards ? 63 - line : line) * 64);
                /* Two lines that belong to no stream. */
                load(model, 0, BASE + 100 * PAGE);
                load(model, 0, BASE + 200 * PAGE);
            }
            struct model_level_counts counts = counts_of(model, 0).level[into];
            CHECK_EQUAL(3 + 2, counts.misses);
            CHECK_EQUAL(61, counts.prefetches);
            CHECK_EQUAL(61, counts.prefetches_useful);
            model_destroy(model);
        }
    }
}

static void a_region_of_a_node_is_at_home_there(void) {
    struct model *model = build("cores=2\nnodes=2\nl1d=32K,8,64");
    CHECK_EQUAL(0, (uint64_t) model_region(model, BASE, 4 * PAGE, PAGE, 1));
    CHECK_EQUAL(0, (uint64_t) model_region(model, BASE + 3 * PAGE, PAGE, PAGE, NODE_OF_FIRST_TOUCH));
    /* The machine has no such node. */
    CHECK_EQUAL(0, (uint64_t) model_region(model, BASE + 8 * PAGE, PAGE, PAGE, 2));
    for (uint64_t page = 0; page < 9; page++) {
        load(model, 0, BASE + page * PAGE);
    }
    struct model_counts counts = counts_of(model, 0);
    CHECK_EQUAL(3, counts.memory_remote);
    CHECK_EQUAL(6, counts.memory_local);
    for (uint64_t page = 0; page < 9; page++) {
        load(model, 1, BASE + page * PAGE);
    }
    counts = counts_of(model, 1);
    CHECK_EQUAL(6, counts.memory_remote);
    CHECK_EQUAL(3, counts.memory_local);
    model_destroy(model);
}

int main(void) {
    RUN(a_buffer_reaches_as_many_pages_as_it_has_entries);
    RUN(sets_of_a_buffer_conflict);
    RUN(a_walk_reads_its_entries_through_the_caches);
    RUN(large_pages_reach_further_and_take_shorter_walks);
    RUN(an_access_across_pages_translates_both);
    RUN(random_frames_are_a_permutation_by_seed);
    RUN(the_frames_decide_the_sets_of_outer_levels);
    RUN(the_first_to_touch_a_page_is_at_home);
    RUN(a_next_line_prefetcher_halves_the_misses_of_a_walk);
    RUN(a_stream_prefetcher_runs_ahead_from_the_second_step);
    RUN(a_region_of_a_node_is_at_home_there);
    return check_result();
}
