/*
 * Threads add to one word, about every 1,000 instructions each, and count how often another one was the last to.
 * Arguments: threads, additions of each. Prints the part of the additions that changed the word's owner.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS_MAX 255

/* About 6 instructions a turn. */
#define TURNS_BETWEEN 166

/* The owner in the low byte, the number of additions above. */
static struct {
    _Alignas(64) _Atomic uint64_t word;
    unsigned char rest[56];
} line;

static long additions;
static int thread_count;
static _Atomic int there;
static _Atomic long changed;

static void *add(void *number) {
    uint64_t self = (uintptr_t) number;
    long changes = 0;
    atomic_fetch_add(&there, 1);
    /* Not a barrier of the system, which would wake them as it finds time: ends when the last one has begun. */
    while (atomic_load(&there) < thread_count) {
    }
    for (long i = 0; i < additions; i++) {
        uint64_t seen = atomic_load(&line.word);
        while (!atomic_compare_exchange_weak(&line.word, &seen, ((seen >> 8) + 1) << 8 | self)) {
        }
        changes += (seen & THREADS_MAX) != self;
        for (volatile int turn = 0; turn < TURNS_BETWEEN; turn++) {
        }
    }
    atomic_fetch_add(&changed, changes);
    return NULL;
}

int main(int count, char **arguments) {
    pthread_t threads[THREADS_MAX];
    thread_count = count == 3 ? atoi(arguments[1]) : 0;
    additions = count == 3 ? atol(arguments[2]) : 0;
    if (thread_count < 1 || thread_count > THREADS_MAX || additions < 1) {
        fprintf(stderr, "give the number of threads, 1 to %d, and of additions\n", THREADS_MAX);
        return 2;
    }
    for (long i = 0; i < thread_count; i++) {
        if (pthread_create(&threads[i], NULL, add, (void *) (i + 1)) != 0) {
            return 1;
        }
    }
    for (int i = 0; i < thread_count; i++) {
        pthread_join(threads[i], NULL);
    }
    printf("%.4f\n", (double) changed / (double) (additions * thread_count));
    return line.word >> 8 == (uint64_t) (additions * thread_count) ? 0 : 1;
}
