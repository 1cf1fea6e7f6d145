/* Rights, transfers, and the classes of misses they lead to. */
#include "check.h"

#define KILOBYTE ((uint64_t) 1 << 10)
#define BASE ((uint64_t) 0x100000)
#define WORD(n) (BASE + 4 * (n))
/* Where a line conflicts with BASE in a direct-mapped cache of 128 bytes. */
#define CONFLICT(n) (BASE + 128 * (n))
#define COHERENT "cores=2\ncoherence=mesi\nclasses=merged\n"
#define SMALL COHERENT "l1d=128,direct,64\n"
#define LARGE COHERENT "l1d=32K,8,64\n"

/* All misses of one core's L1-D have these classes: cold, replacement, true and false sharing. */
static void classes(struct model *model, int core, uint64_t cold, uint64_t replacement, uint64_t true_sharing,
                    uint64_t false_sharing) {
    model_end_lifetimes(model);
    struct model_level_counts counts = counts_of(model, core).level[LEVEL_L1D];
    CHECK_EQUAL(cold, counts.classes[MISS_COLD]);
    CHECK_EQUAL(replacement, counts.classes[MISS_CAPACITY]);
    CHECK_EQUAL(true_sharing, counts.classes[MISS_TRUE_SHARING]);
    CHECK_EQUAL(false_sharing, counts.classes[MISS_FALSE_SHARING]);
    CHECK_EQUAL(counts.misses, classes_of(&counts));
}

static void a_line_read_by_one_is_written_without_asking(void) {
    struct model *model = build(LARGE);
    load(model, 0, BASE);
    store(model, 0, BASE);
    CHECK_EQUAL(0, counts_of(model, 0).upgrades);
    load(model, 1, BASE);
    struct model_counts counts = counts_of(model, 1);
    CHECK_EQUAL(1, counts.transfers_local);
    CHECK_EQUAL(0, counts.memory_local);
    CHECK_EQUAL(1, counts.level[LEVEL_L1D].dirty_misses);
    CHECK_EQUAL(1, counts.level[LEVEL_L1D].writebacks);
    store(model, 0, BASE);
    counts = counts_of(model, 0);
    CHECK_EQUAL(1, counts.upgrades);
    CHECK_EQUAL(1, counts.invalidations_sent);
    CHECK_EQUAL(1, counts.level[LEVEL_L1D].misses);
    CHECK_EQUAL(250 + 60, model_clock(model, 0));
    CHECK_EQUAL(1, counts_of(model, 1).level[LEVEL_L1D].invalidations);
    store(model, 0, BASE);
    CHECK_EQUAL(1, counts_of(model, 0).upgrades);
    model_destroy(model);
}

static void a_store_takes_the_line_out_of_every_other_cache(void) {
    struct model *model = build("cores=4\ncoherence=mesi\nl1d=32K,8,64\nl2=256K,8,64\nl2.cores=2\nllc=1M,16,64");
    for (int core = 0; core < 4; core++) {
        load(model, core, BASE);
    }
    fetch(model, 2, BASE);
    fetch(model, 0, BASE);
    store(model, 0, BASE);
    /* L1-D of cores 1, 2 and 3; L1-I of cores 0 and 2; the other L2. */
    CHECK_EQUAL(6, counts_of(model, 0).invalidations_sent);
    CHECK_EQUAL(1, counts_of(model, 0).level[LEVEL_L1I].invalidations);
    CHECK_EQUAL(1, counts_of(model, 2).level[LEVEL_L1I].invalidations);
    CHECK_EQUAL(1, counts_of(model, 2).level[LEVEL_L2].invalidations);
    fetch(model, 0, BASE);
    CHECK_EQUAL(2, counts_of(model, 0).level[LEVEL_L1I].misses);
    store(model, 0, BASE);
    CHECK_EQUAL(2, counts_of(model, 0).upgrades);
    fetch(model, 0, BASE);
    CHECK_EQUAL(3, counts_of(model, 0).level[LEVEL_L1I].misses);
    model_destroy(model);
}

static void modified_data_comes_from_the_cache_that_holds_it(void) {
    struct model *model = build("cores=4\ncoherence=mesi\nl1d=128,direct,64\nl2=256K,8,64\nl2.cores=2\nllc=1M,16,64");
    store(model, 0, BASE);
    /* A neighbour in the same L2: not a miss there. */
    load(model, 1, BASE);
    struct model_counts counts = counts_of(model, 1);
    CHECK_EQUAL(1, counts.transfers_local);
    CHECK_EQUAL(1, counts.level[LEVEL_L1D].dirty_misses);
    CHECK_EQUAL(0, counts.level[LEVEL_L2].misses);
    /* L2 is modified now, and a core elsewhere gets the line from it; then the last level has it. */
    load(model, 2, BASE);
    counts = counts_of(model, 2);
    CHECK_EQUAL(1, counts.transfers_local);
    CHECK_EQUAL(1, counts.level[LEVEL_L2].dirty_misses);
    CHECK_EQUAL(0, counts.level[LEVEL_LLC].misses);
    CHECK_EQUAL(1, counts.level[LEVEL_L2].writebacks);
    load(model, 3, CONFLICT(1));
    load(model, 3, BASE);
    CHECK_EQUAL(0, counts_of(model, 3).transfers_local);
    /* A store elsewhere takes modified data along without writing it back. */
    store(model, 0, BASE);
    store(model, 2, BASE);
    counts = counts_of(model, 2);
    CHECK_EQUAL(2, counts.transfers_local);
    CHECK_EQUAL(1, counts.level[LEVEL_L2].writebacks);
    model_destroy(model);
}

static void counters_that_two_cores_add_to_change_hands_by_true_sharing(void) {
    struct model *model = build(LARGE);
    for (int i = 0; i < 100; i++) {
        update(model, 0, BASE);
        update(model, 1, BASE);
    }
    classes(model, 0, 1, 0, 99, 0);
    classes(model, 1, 1, 0, 99, 0);
    CHECK_EQUAL(99, counts_of(model, 0).transfers_local);
    CHECK_EQUAL(100, counts_of(model, 1).transfers_local);
    CHECK_EQUAL(99, counts_of(model, 0).level[LEVEL_L1D].dirty[MISS_TRUE_SHARING]);
    CHECK_EQUAL(1, counts_of(model, 1).level[LEVEL_L1D].dirty[MISS_COLD]);
    CHECK_EQUAL(0, counts_of(model, 0).upgrades);
    model_destroy(model);
}

static void counters_of_their_own_in_one_line_are_false_sharing(void) {
    struct model *model = build(LARGE);
    for (int i = 0; i < 100; i++) {
        update(model, 0, WORD(0));
        update(model, 1, WORD(15));
    }
    classes(model, 0, 1, 0, 0, 99);
    classes(model, 1, 1, 0, 0, 99);
    model_destroy(model);
}

static void bytes_of_one_word_are_one_word(void) {
    struct model *model = build(LARGE);
    model_access(model, 0, BASE, 1, MODEL_LOAD);
    model_access(model, 1, BASE + 3, 1, MODEL_STORE);
    model_access(model, 0, BASE, 1, MODEL_LOAD);
    classes(model, 0, 1, 0, 1, 0);
    model_access(model, 1, BASE + 7, 2, MODEL_STORE);
    model_access(model, 0, BASE + 8, 1, MODEL_LOAD);
    classes(model, 0, 1, 0, 2, 0);
    model_access(model, 1, BASE + 7, 1, MODEL_STORE);
    model_access(model, 0, BASE + 8, 1, MODEL_LOAD);
    classes(model, 0, 1, 0, 2, 1);
    model_destroy(model);
}

/* A miss on an unchanged word, followed in that lifetime by a read of a word another core wrote, is true sharing. */
static void an_unchanged_word_then_a_written_one_is_true_sharing(void) {
    struct model *model = build(LARGE);
    load(model, 0, WORD(0));
    store(model, 1, WORD(5));
    load(model, 0, WORD(0));
    CHECK_EQUAL(0, counts_of(model, 0).level[LEVEL_L1D].classes[MISS_TRUE_SHARING]);
    load(model, 0, WORD(5));
    classes(model, 0, 1, 0, 1, 0);
    CHECK_EQUAL(1, counts_of(model, 0).level[LEVEL_L1D].dirty[MISS_TRUE_SHARING]);
    model_destroy(model);
}

/* Without that read, it is false sharing. */
static void an_unchanged_word_alone_is_false_sharing(void) {
    struct model *model = build(LARGE);
    load(model, 0, WORD(0));
    store(model, 1, WORD(5));
    load(model, 0, WORD(0));
    load(model, 0, WORD(4));
    store(model, 0, WORD(5));
    load(model, 0, WORD(5));
    classes(model, 0, 1, 0, 0, 1);
    CHECK_EQUAL(1, counts_of(model, 0).level[LEVEL_L1D].dirty[MISS_FALSE_SHARING]);
    model_destroy(model);
}

/* A line written back before it is read again is a sharing miss but not a dirty miss. */
static void a_line_written_back_is_a_clean_sharing_miss(void) {
    struct model *model = build(SMALL);
    load(model, 0, WORD(5));
    store(model, 1, WORD(5));
    load(model, 1, CONFLICT(1));
    load(model, 0, WORD(5));
    classes(model, 0, 1, 0, 1, 0);
    struct model_counts counts = counts_of(model, 0);
    CHECK_EQUAL(0, counts.level[LEVEL_L1D].dirty[MISS_TRUE_SHARING]);
    CHECK_EQUAL(0, counts.level[LEVEL_L1D].dirty_misses);
    CHECK_EQUAL(0, counts.transfers_local);
    CHECK_EQUAL(2, counts.memory_local);
    model_destroy(model);
}

static void a_line_replaced_and_then_written_is_shared_only_if_read(void) {
    struct model *model = build(SMALL);
    load(model, 0, WORD(0));
    load(model, 0, CONFLICT(1));
    store(model, 1, WORD(5));
    load(model, 0, WORD(0));
    load(model, 0, CONFLICT(1));
    classes(model, 0, 2, 2, 0, 0);
    load(model, 0, WORD(5));
    classes(model, 0, 2, 2, 1, 0);
    model_destroy(model);
}

static void a_word_read_once_is_no_news(void) {
    struct model *model = build(LARGE);
    load(model, 0, WORD(0));
    store(model, 1, WORD(5));
    load(model, 0, WORD(5));
    classes(model, 0, 1, 0, 1, 0);
    store(model, 1, WORD(6));
    load(model, 0, WORD(5));
    classes(model, 0, 1, 0, 1, 1);
    /* But the word written then is news to a later lifetime. */
    store(model, 1, WORD(7));
    load(model, 0, WORD(6));
    classes(model, 0, 1, 0, 2, 1);
    model_destroy(model);
}

static void closing_lifetimes_counts_each_miss_once(void) {
    struct model *model = build(LARGE "accounts=2");
    load(model, 0, WORD(0));
    store(model, 1, WORD(5));
    model_charge(model, 0, 1);
    load(model, 0, WORD(0));
    model_charge(model, 0, 0);
    model_end_lifetimes(model);
    model_end_lifetimes(model);
    struct model_counts counts;
    model_counts(model, 0, 1, &counts);
    CHECK_EQUAL(1, counts.level[LEVEL_L1D].classes[MISS_FALSE_SHARING]);
    CHECK_EQUAL(1, counts.level[LEVEL_L1D].misses);
    load(model, 0, WORD(5));
    store(model, 1, WORD(6));
    load(model, 0, WORD(5));
    /* The word read after the close was read: it is no news now. */
    classes(model, 0, 1, 0, 0, 2);
    model_destroy(model);
}

static void a_store_reads_nothing(void) {
    struct model *model = build(LARGE);
    for (int i = 0; i < 10; i++) {
        store(model, 0, BASE);
        store(model, 1, BASE);
    }
    classes(model, 0, 1, 0, 0, 9);
    model_destroy(model);
}

static void every_level_has_lifetimes_of_its_own(void) {
    struct model *model = build("cores=4\ncoherence=mesi\nclasses=merged\nl1d=128,direct,64\nl2=256K,8,64\nl2.cores=2\n"
                                "llc=1M,16,64");
    load(model, 0, WORD(0));
    store(model, 2, WORD(5));
    load(model, 0, WORD(0));
    /* Away from L1-D by conflict, and back from L2, whose miss is still open. */
    load(model, 0, CONFLICT(1));
    load(model, 0, WORD(5));
    model_end_lifetimes(model);
    struct model_counts counts = counts_of(model, 0);
    CHECK_EQUAL(1, counts.level[LEVEL_L2].classes[MISS_TRUE_SHARING]);
    CHECK_EQUAL(2, counts.level[LEVEL_L2].classes[MISS_COLD]);
    CHECK_EQUAL(1, counts.level[LEVEL_L1D].classes[MISS_FALSE_SHARING]);
    CHECK_EQUAL(1, counts.level[LEVEL_L1D].classes[MISS_TRUE_SHARING]);
    /* Between neighbours in one L2 only their L1-Ds take lines from each other. */
    store(model, 1, WORD(5));
    load(model, 0, WORD(5));
    model_end_lifetimes(model);
    counts = counts_of(model, 0);
    CHECK_EQUAL(2, counts.level[LEVEL_L1D].classes[MISS_TRUE_SHARING]);
    CHECK_EQUAL(3, counts.level[LEVEL_L2].misses);
    CHECK_EQUAL(3, classes_of(&counts.level[LEVEL_L2]));
    CHECK_EQUAL(2, counts.level[LEVEL_LLC].classes[MISS_COLD]);
    model_destroy(model);
}

static void conflict_and_capacity_are_told_apart(void) {
    struct model *model = build("l1d=4K,direct,64\nclasses=split\nl2=64K,8,64");
    for (int i = 0; i < 10; i++) {
        load(model, 0, BASE);
        load(model, 0, BASE + 4 * KILOBYTE);
    }
    struct model_level_counts counts = counts_of(model, 0).level[LEVEL_L1D];
    CHECK_EQUAL(2, counts.classes[MISS_COLD]);
    CHECK_EQUAL(18, counts.classes[MISS_CONFLICT]);
    for (int round = 0; round < 5; round++) {
        for (uint64_t at = 0; at < 8 * KILOBYTE; at += 64) {
            load(model, 0, BASE + at);
        }
    }
    counts = counts_of(model, 0).level[LEVEL_L1D];
    CHECK_EQUAL(128, counts.classes[MISS_COLD]);
    /* In the first round both old lines are met again while a cache of 64 lines holds them; one missed. */
    CHECK_EQUAL(19, counts.classes[MISS_CONFLICT]);
    CHECK_EQUAL(counts.misses - 128 - 19, counts.classes[MISS_CAPACITY]);
    CHECK_EQUAL(128, counts_of(model, 0).level[LEVEL_L2].classes[MISS_COLD]);
    model_destroy(model);
}

static void fetches_are_a_class_of_their_own(void) {
    struct model *model = build("l1i=128,direct,64\nl1d=128,direct,64\nclasses=merged\nl2=4K,direct,64");
    fetch(model, 0, CONFLICT(0));
    fetch(model, 0, CONFLICT(1));
    fetch(model, 0, CONFLICT(0));
    load(model, 0, BASE + 64);
    struct model_counts counts = counts_of(model, 0);
    CHECK_EQUAL(3, counts.level[LEVEL_L1I].classes[MISS_INSTRUCTION]);
    CHECK_EQUAL(2, counts.level[LEVEL_L2].classes[MISS_INSTRUCTION]);
    CHECK_EQUAL(1, counts.level[LEVEL_L2].classes[MISS_COLD]);
    model_destroy(model);
}

static void write_through_caches_are_coherent_too(void) {
    struct model *model = build(LARGE "l1d.write=through\nl2=256K,8,64\nl2.cores=1");
    load(model, 0, WORD(0));
    store(model, 0, WORD(0));
    CHECK_EQUAL(0, counts_of(model, 0).upgrades);
    load(model, 1, WORD(0));
    CHECK_EQUAL(1, counts_of(model, 1).transfers_local);
    store(model, 0, WORD(0));
    CHECK_EQUAL(1, counts_of(model, 0).upgrades);
    CHECK_EQUAL(2, counts_of(model, 0).invalidations_sent);
    load(model, 1, WORD(0));
    classes(model, 1, 1, 0, 1, 0);
    model_destroy(model);
}

static void an_update_that_misses_a_write_through_cache_is_one_transfer(void) {
    struct model *model = build(LARGE "l1d.write=through\nl2=256K,8,64\nl2.cores=1");
    store(model, 0, WORD(0));
    update(model, 1, WORD(0));
    struct model_counts counts = counts_of(model, 1);
    CHECK_EQUAL(1, counts.transfers_local);
    CHECK_EQUAL(0, counts.memory_local);
    CHECK_EQUAL(1, counts.level[LEVEL_L2].dirty_misses);
    CHECK_EQUAL(2, counts.level[LEVEL_L2].accesses);
    model_destroy(model);
}

static void observers_lose_lines_to_stores(void) {
    struct model *model = build("cores=2\ncoherence=mesi\nl1d=128,direct,64\nobserve=l1d:32K,8,64\n"
                                "observe=l2:32K,8,64");
    load(model, 0, BASE);
    load(model, 0, CONFLICT(1));
    load(model, 1, BASE);
    store(model, 1, BASE);
    load(model, 0, BASE);
    CHECK_EQUAL(3, counts_of(model, 0).observer_misses[0]);
    CHECK_EQUAL(3, counts_of(model, 0).observer_misses[1]);
    CHECK_EQUAL(0, counts_of(model, 1).upgrades);
    model_destroy(model);
}

static void sixty_four_cores_share_a_line(void) {
    struct model *model = build("cores=64\nsmt=2\ncoherence=mesi\nclasses=merged\nl1d=32K,8,64\nl2=256K,8,64\n"
                                "llc=8M,16,64\nllc.inclusive=yes");
    for (int processor = 0; processor < 128; processor++) {
        load(model, processor, BASE);
    }
    store(model, 127, BASE);
    CHECK_EQUAL(63 * 2, counts_of(model, 127).invalidations_sent);
    for (int processor = 0; processor < 128; processor++) {
        load(model, processor, BASE);
        uint64_t misses = processor % 2 != 0 ? 0 : processor == 126 ? 1 : 2;
        CHECK_EQUAL(misses, counts_of(model, processor).level[LEVEL_L1D].misses);
    }
    model_destroy(model);
}

int main(void) {
    RUN(a_line_read_by_one_is_written_without_asking);
    RUN(a_store_takes_the_line_out_of_every_other_cache);
    RUN(modified_data_comes_from_the_cache_that_holds_it);
    RUN(counters_that_two_cores_add_to_change_hands_by_true_sharing);
    RUN(counters_of_their_own_in_one_line_are_false_sharing);
    RUN(bytes_of_one_word_are_one_word);
    RUN(an_unchanged_word_then_a_written_one_is_true_sharing);
    RUN(an_unchanged_word_alone_is_false_sharing);
    RUN(a_line_written_back_is_a_clean_sharing_miss);
    RUN(a_line_replaced_and_then_written_is_shared_only_if_read);
    RUN(a_word_read_once_is_no_news);
    RUN(closing_lifetimes_counts_each_miss_once);
    RUN(a_store_reads_nothing);
    RUN(every_level_has_lifetimes_of_its_own);
    RUN(conflict_and_capacity_are_told_apart);
    RUN(fetches_are_a_class_of_their_own);
    RUN(write_through_caches_are_coherent_too);
    RUN(an_update_that_misses_a_write_through_cache_is_one_transfer);
    RUN(observers_lose_lines_to_stores);
    RUN(sixty_four_cores_share_a_line);
    return check_result();
}
