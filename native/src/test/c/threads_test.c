/*
 * Calls from many threads, for a thread sanitizer: a private machine with a thread for each core and no lock, a shared
 * one that all feed, and one whose cores share nothing but have two hardware threads.
 */
#include <pthread.h>

#include "check.h"

#define CORES 4
#define BATCHES 400
#define BATCH 64
#define BASE ((uint64_t) 0x40000000)

static struct model *model;

/* Before each batch all wait for all: left alone, one thread may end before the next begins, and share nothing. */
static pthread_barrier_t in_step;

static uint64_t step(uint64_t random) {
    return random * 6364136223846793005u + 1442695040888963407u;
}

static void *drive(void *argument) {
    int core = *(const int *) argument;
    uint64_t random = (uint64_t) core + 1;
    for (int i = 0; i < BATCHES * BATCH; i++) {
        random = step(random);
        uint64_t address = BASE + (random >> 40) % (1 << 16);
        if ((random >> 20) % 3 == 0) {
            model_fetch(model, core, address, 20, 5);
        } else {
            model_access(model, core, address, 8, (int) (random >> 22) % 3);
        }
    }
    return NULL;
}

static void *feed(void *argument) {
    int core = *(const int *) argument;
    uint64_t random = (uint64_t) core + 1;
    struct model_event events[BATCH];
    for (int i = 0; i < BATCHES; i++) {
        for (int j = 0; j < BATCH; j++) {
            random = step(random);
            uint16_t kind = (uint16_t) ((random >> 20) % 4);
            uint64_t address = BASE + (random >> 40) % ((random >> 30) % 2 == 0 ? 256 : 1 << 16);
            events[j] = (struct model_event) {address, 8, kind, kind == MODEL_FETCH ? 5 : 0};
        }
        pthread_barrier_wait(&in_step);
        model_feed(model, core, events, BATCH);
    }
    return NULL;
}

static void run(void *(*body)(void *) ) {
    pthread_t threads[CORES];
    int numbers[CORES];
    for (int core = 0; core < CORES; core++) {
        numbers[core] = core;
        if (pthread_create(&threads[core], NULL, body, &numbers[core]) != 0) {
            printf("no thread\n");
            exit(EXIT_FAILURE);
        }
    }
    for (int core = 0; core < CORES; core++) {
        pthread_join(threads[core], NULL);
    }
}

static void cores_that_share_nothing_run_side_by_side(void) {
    const char *text = "cores=4\nl1i=32K,8,64\nl1d=48K,12,64\ndtlb=64,4\nitlb=64,4\nobserve=l1i:16K,4,64\n"
                       "observe=l1d:16K,4,64\nprefetch.next_line=l1d";
    struct model_counts together[CORES];
    model = build(text);
    CHECK(model_parallel(model));
    run(drive);
    for (int core = 0; core < CORES; core++) {
        together[core] = counts_of(model, core);
    }
    model_destroy(model);
    model = build(text);
    for (int core = 0; core < CORES; core++) {
        drive(&core);
        struct model_counts alone = counts_of(model, core);
        CHECK_EQUAL(0, memcmp(&alone, &together[core], sizeof alone) != 0);
        CHECK(alone.level[LEVEL_L1D].misses > 100);
    }
    model_destroy(model);
}

static void cores_that_share_are_fed_one_at_a_time(void) {
    model = build("cores=4\nnodes=2\ncoherence=mesi\nclasses=split\nl1i=4K,8,64\nl1d=4K,8,64\nl2=32K,8,64\nl2.cores=2\n"
                  "l2.inclusive=yes\nllc=64K,8,64\ndtlb=64,4\nstlb=128,4\nprefetch.stream=8,4\nobserve=l2:16K,4,64");
    CHECK(!model_parallel(model));
    pthread_barrier_init(&in_step, NULL, CORES);
    run(feed);
    pthread_barrier_destroy(&in_step);
    model_end_lifetimes(model);
    uint64_t sharing = 0;
    for (int core = 0; core < CORES; core++) {
        struct model_counts counts = counts_of(model, core);
        CHECK_EQUAL(0, counts.instructions % 5);
        CHECK_EQUAL(BATCHES * BATCH, counts.loads + counts.stores + counts.updates + counts.instructions / 5);
        CHECK_EQUAL(counts.level[LEVEL_L1D].misses, classes_of(&counts.level[LEVEL_L1D]));
        CHECK_EQUAL(counts.level[LEVEL_L2].misses, classes_of(&counts.level[LEVEL_L2]));
        sharing += counts.level[LEVEL_L1D].classes[MISS_TRUE_SHARING];
    }
    CHECK(sharing > 0);
    model_destroy(model);
}

static void hardware_threads_of_a_core_are_fed_one_at_a_time(void) {
    model = build("cores=2\nsmt=2\nl1i=4K,8,64\nl1d=4K,8,64\ndtlb=64,4");
    CHECK(!model_parallel(model));
    pthread_barrier_init(&in_step, NULL, CORES);
    run(feed);
    pthread_barrier_destroy(&in_step);
    for (int processor = 0; processor < CORES; processor++) {
        struct model_counts counts = counts_of(model, processor);
        CHECK_EQUAL(BATCHES * BATCH, counts.loads + counts.stores + counts.updates + counts.instructions / 5);
        CHECK(counts.level[LEVEL_L1D].misses > 100);
    }
    model_destroy(model);
}

int main(void) {
    RUN(cores_that_share_nothing_run_side_by_side);
    RUN(cores_that_share_are_fed_one_at_a_time);
    RUN(hardware_threads_of_a_core_are_fed_one_at_a_time);
    return check_result();
}
