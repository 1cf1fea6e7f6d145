/*
 * Two threads that never block, and add to words of their own that lie across two lines: QEMU stops all others for each
 * such addition. Argument: additions of each. Exit code 0 where all were made.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 2
#define LINE_BYTES 64

/* About 3 instructions a turn, so that a thread comes to the end of its quantum between two additions. */
#define TURNS_BETWEEN 200

static _Alignas(LINE_BYTES) unsigned char lines[THREADS][4 * LINE_BYTES];
static long additions;
static _Atomic int there;

static void *add(void *number) {
    unsigned char *word = lines[(uintptr_t) number] + LINE_BYTES - sizeof(uint32_t);
    atomic_fetch_add(&there, 1);
    /* Ends when the last one has begun: alone, nobody would wait. */
    while (atomic_load(&there) < THREADS) {
    }
    for (long i = 0; i < additions; i++) {
        __asm__ volatile("lock addq $1, (%0)" : : "r"(word) : "cc", "memory");
        for (volatile int turn = 0; turn < TURNS_BETWEEN; turn++) {
        }
    }
    return NULL;
}

int main(int count, char **arguments) {
    pthread_t threads[THREADS];
    additions = count == 2 ? atol(arguments[1]) : 0;
    if (additions < 1) {
        fprintf(stderr, "give the number of additions\n");
        return 2;
    }
    for (uintptr_t i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, add, (void *) i) != 0) {
            return 1;
        }
    }
    int wrong = 0;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        uint64_t sum;
        __builtin_memcpy(&sum, lines[i] + LINE_BYTES - sizeof(uint32_t), sizeof sum);
        wrong += sum != (uint64_t) additions;
    }
    return wrong;
}
