#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "../lockstep_marker.h"
#include "state.h"

#define NANOS_PER_SECOND 1000000000ULL

pthread_mutex_t book_latch = PTHREAD_MUTEX_INITIALIZER;
struct tallies tallies;
uint32_t account_phases[MACHINE_ACCOUNTS_MAX];
uint32_t account_operations[MACHINE_ACCOUNTS_MAX];
uint32_t accounts = 1;
uint64_t accounts_lost;

/* By phase and operation, OPERATION_ENGINE the last; 0 for those that have none yet. Guarded by book_latch. */
static uint16_t *accounts_by_phase[PHASES_MAX];

uint64_t now_nanos(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t) time.tv_sec * NANOS_PER_SECOND + (uint64_t) time.tv_nsec;
}

_Noreturn void die(const char *message) {
    fprintf(stderr, "lockstep: %s\n", message);
    _exit(2);
}

void *allocate(size_t bytes) {
    void *memory = calloc(1, bytes);
    if (memory == NULL) {
        die("no memory is left for the simulator; simulate fewer cores, or a program with fewer threads.");
    }
    return memory;
}

/* The account of a phase and an operation; those of the first phase and no operation when there are too many. */
static uint32_t account_of(uint32_t phase, uint32_t operation) {
    pthread_mutex_lock(&book_latch);
    uint16_t *of_phase = accounts_by_phase[phase];
    if (of_phase == NULL) {
        of_phase = accounts_by_phase[phase] = allocate((LOCKSTEP_OPERATIONS + 1) * sizeof *of_phase);
    }
    uint32_t account = of_phase[operation];
    if (account == 0 && (phase != 0 || operation != 0)) {
        if (accounts == MACHINE_ACCOUNTS_MAX) {
            accounts_lost++;
        } else {
            account = accounts++;
            of_phase[operation] = (uint16_t) account;
            account_phases[account] = phase;
            account_operations[account] = operation;
        }
    }
    pthread_mutex_unlock(&book_latch);
    return account;
}

void charge(struct thread *thread) {
    uint32_t operation = thread->class == THREAD_ENGINE ? OPERATION_ENGINE : thread->operation;
    uint32_t account = account_of(thread->phase, operation);
    if (gathers) {
        pthread_mutex_lock(&model_latch);
    }
    int failed = model_charge(model, (int) thread->processor, account);
    if (thread->code != NULL) {
        model_misses(model, (int) thread->processor, thread->missed);
    }
    if (gathers) {
        pthread_mutex_unlock(&model_latch);
    }
    if (failed) {
        die("no memory is left for the counts of one more operation; simulate fewer cores.");
    }
}

void tally(struct thread *thread) {
    pthread_mutex_lock(&book_latch);
    tallies.instructions[thread->phase][thread->class] += thread->instructions - thread->tallied;
    pthread_mutex_unlock(&book_latch);
    thread->tallied = thread->instructions;
}
