/* Processors in step, without QEMU: rounds, joining, leaving, and waits that end by their bound. */
#include <pthread.h>
#include <stdatomic.h>

#include "check.h"
#include "pace.h"

#define QUANTUM 200
#define PROCESSORS 4
#define STEP 7
#define STEPS 3000

static void first_one_runs_to_the_end_of_its_round(void) {
    struct pace *pace = pace_create(2, QUANTUM);
    CHECK_EQUAL(0, pace_join(pace, 0));
    CHECK_EQUAL(QUANTUM, pace_advance(pace, 0, 0, 0));
    CHECK_EQUAL(2 * QUANTUM, pace_advance(pace, 0, QUANTUM + 3, 0));
    CHECK_EQUAL(0, pace_counts(pace).waits);
    pace_free(pace);
}

static void joiner_starts_at_the_clock_of_the_slowest(void) {
    struct pace *pace = pace_create(3, QUANTUM);
    pace_join(pace, 0);
    pace_advance(pace, 0, 0, 0);
    pace_advance(pace, 0, 150, 0);
    CHECK_EQUAL(150, pace_join(pace, 1));
    pace_leave(pace, 1, 150);
    CHECK_EQUAL(150, pace_join(pace, 1));
    /* Its own clock, if that is later. */
    pace_leave(pace, 1, 190);
    CHECK_EQUAL(190, pace_join(pace, 1));
    pace_leave(pace, 1, 190);
    pace_leave(pace, 0, 170);
    /* Where nobody runs, the latest clock that anybody left at. */
    CHECK_EQUAL(190, pace_join(pace, 2));
    pace_free(pace);
}

static void wait_ends_by_its_bound(void) {
    struct pace *pace = pace_create(2, QUANTUM);
    pace_join(pace, 0);
    pace_advance(pace, 0, 0, 0);
    pace_join(pace, 1);
    /* Processor 1 is in the round of processor 0, which never comes to its end. */
    CHECK_EQUAL(0, pace_advance(pace, 1, 0, 0));
    CHECK_EQUAL(5, pace_advance(pace, 1, 5, 0));
    struct pace_counts counts = pace_counts(pace);
    CHECK_EQUAL(2, counts.waits);
    CHECK_EQUAL(2, counts.waits_bounded);
    /* When it leaves, the other one runs. */
    pace_leave(pace, 0, 20);
    CHECK_EQUAL(QUANTUM, pace_advance(pace, 1, 10, 0));
    pace_free(pace);
}

static struct pace *shared;
static _Atomic uint64_t ahead_max;
static _Atomic uint32_t running;
static _Atomic uint32_t together;
static _Atomic uint64_t clocks[PROCESSORS];
static pthread_barrier_t all_there;

static void *run(void *number) {
    uint32_t self = (uint32_t) (uintptr_t) number;
    uint64_t clock = pace_join(shared, self);
    pthread_barrier_wait(&all_there);
    uint64_t until = pace_advance(shared, self, clock, 0);
    for (int i = 0; i < STEPS; i++) {
        /* A wait that ended by its bound, on a busy machine, lets one step through. */
        bool granted = until > clock;
        if (granted && atomic_fetch_add(&running, 1) > 0) {
            atomic_fetch_add(&together, 1);
        }
        clock += STEP;
        atomic_store(&clocks[self], clock);
        for (uint32_t other = 0; other < PROCESSORS; other++) {
            uint64_t seen = atomic_load(&clocks[other]);
            uint64_t most = atomic_load(&ahead_max);
            while (granted && clock > seen && clock - seen > most
                && !atomic_compare_exchange_weak(&ahead_max, &most, clock - seen)) {
            }
        }
        if (granted) {
            atomic_fetch_sub(&running, 1);
        }
        if (clock >= until) {
            until = pace_advance(shared, self, clock, 0);
        }
    }
    /* Nobody leaves before all have come to the end: one that is away is not waited for. */
    pace_leave(shared, self, clock);
    return NULL;
}

static void one_runs_at_a_time_and_none_runs_away(void) {
    pthread_t threads[PROCESSORS];
    shared = pace_create(PROCESSORS, QUANTUM);
    pthread_barrier_init(&all_there, NULL, PROCESSORS);
    for (uintptr_t i = 0; i < PROCESSORS; i++) {
        CHECK_EQUAL(0, pthread_create(&threads[i], NULL, run, (void *) i));
    }
    for (int i = 0; i < PROCESSORS; i++) {
        pthread_join(threads[i], NULL);
        CHECK_EQUAL(STEPS * STEP, clocks[i]);
    }
    CHECK_EQUAL(0, together);
    /* A round, and the step that ended it. */
    CHECK(ahead_max <= QUANTUM + STEP);
    CHECK(ahead_max > 0);
    CHECK(pace_counts(shared).waits >= STEPS * STEP / QUANTUM * (PROCESSORS - 1));
    pace_free(shared);
}

int main(void) {
    RUN(first_one_runs_to_the_end_of_its_round);
    RUN(joiner_starts_at_the_clock_of_the_slowest);
    RUN(wait_ends_by_its_bound);
    RUN(one_runs_at_a_time_and_none_runs_away);
    return check_result();
}
