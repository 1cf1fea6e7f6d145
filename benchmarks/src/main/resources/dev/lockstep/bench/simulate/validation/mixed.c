/*
 * Threads that mostly work on tables of their own, read one that all share, and now and then add to shared counters:
 * `mixed ROUNDS THREADS`.
 */
#include "threads.h"

enum { OWN_WORDS = 8192, COMMON_WORDS = 32768, COUNTERS = 64, LINE_WORDS = 8, OPERATIONS = 4000, SHARED_EVERY = 64 };

static uint64_t own[THREADS_MAX][OWN_WORDS] __attribute__((aligned(4096)));
static uint64_t common[COMMON_WORDS] __attribute__((aligned(4096)));
static uint64_t counters[COUNTERS][LINE_WORDS] __attribute__((aligned(4096)));

static long rounds;
static int threads_wanted;

static void work(int index) {
    begin_together(index, threads_wanted);
    uint64_t random = 88172645463325252u + (uint64_t)index;
    uint64_t sum = 0;
    for (long round = 0; round < rounds; round++) {
        for (int i = 0; i < OPERATIONS; i++) {
            uint64_t draw = next_random(&random);
            uint64_t *word = &own[index][draw % OWN_WORDS];
            sum += *word ^ common[(draw >> 20) % COMMON_WORDS];
            if (draw >> 63) {
                *word = sum;
            }
            if (i % SHARED_EVERY == 0) {
                __atomic_fetch_add(&counters[(draw >> 40) % COUNTERS][0], 1, __ATOMIC_SEQ_CST);
            }
        }
    }
    own[index][0] = sum;
}

static uint64_t program(int count, char **arguments) {
    if (count != 3) {
        system_call(CALL_EXIT_GROUP, 2, 0, 0, 0);
    }
    rounds = number_of(arguments[1]);
    threads_wanted = (int)number_of(arguments[2]);
    run_threads(threads_wanted, work);
    phase_end();
    uint64_t additions = 0;
    for (int i = 0; i < COUNTERS; i++) {
        additions += counters[i][0];
    }
    return additions;
}
