/*
 * Two threads that compute, and ask between how many processors they, and threads that they make, may run on. Prints
 * the fewest and the most of all answers.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define THREADS 2
#define QUESTIONS 50

/* About 3 instructions a turn: several quanta. */
#define TURNS_BETWEEN 1000

static _Atomic int there;

struct answers {
    int fewest;
    int most;
};

static void ask(struct answers *answers) {
    cpu_set_t set;
    CPU_ZERO(&set);
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
    answers->fewest = count < answers->fewest ? count : answers->fewest;
    answers->most = count > answers->most ? count : answers->most;
}

static void *ask_once(void *answers) {
    ask(answers);
    return NULL;
}

static void *ask_between(void *answers) {
    atomic_fetch_add(&there, 1);
    /* Ends when the last one has begun: alone, nobody would take turns. */
    while (atomic_load(&there) < THREADS) {
    }
    for (int i = 0; i < QUESTIONS; i++) {
        for (volatile int turn = 0; turn < TURNS_BETWEEN; turn++) {
        }
        ask(answers);
    }
    pthread_t made;
    if (pthread_create(&made, NULL, ask_once, answers) == 0) {
        pthread_join(made, NULL);
    } else {
        ((struct answers *) answers)->fewest = 0;
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    struct answers answers[THREADS];
    int fewest = CPU_SETSIZE;
    int most = 0;
    for (int i = 0; i < THREADS; i++) {
        answers[i] = (struct answers) {CPU_SETSIZE, 0};
        if (pthread_create(&threads[i], NULL, ask_between, &answers[i]) != 0) {
            return 1;
        }
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        fewest = answers[i].fewest < fewest ? answers[i].fewest : fewest;
        most = answers[i].most > most ? answers[i].most : most;
    }
    printf("%d %d\n", fewest, most);
    return 0;
}
