#define _GNU_SOURCE
#include "pace.h"

#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The clock of a processor that does not take part: never the slowest. */
#define AWAY UINT64_MAX

/* No processor. */
#define NOBODY UINT32_MAX

#define CACHE_LINE_BYTES 64

struct slot {
    /* AWAY while the processor does not take part. */
    _Alignas(CACHE_LINE_BYTES) uint64_t clock;
    /* Where the processor was when it left. */
    uint64_t left_at;
    /* Its thread sleeps, or is about to. */
    bool waits;
    /* Changes at every wake-up, for the system's wait. */
    _Atomic uint32_t woken;
};

struct pace {
    /* Guards everything but woken. */
    pthread_mutex_t latch;
    uint32_t processors;
    uint64_t quantum;
    /* Who runs. */
    uint32_t running;
    /* The latest clock that a processor left at. */
    uint64_t left_at_max;
    struct pace_counts counts;
    struct slot slots[];
};

struct pace *pace_create(uint32_t processors, uint64_t quantum) {
    /* Both structures are multiples of the alignment, so the size is too. */
    struct pace *pace = aligned_alloc(CACHE_LINE_BYTES, sizeof(struct pace) + processors * sizeof(struct slot));
    if (pace == NULL) {
        return NULL;
    }
    pthread_mutex_init(&pace->latch, NULL);
    pace->processors = processors;
    pace->quantum = quantum;
    pace->running = NOBODY;
    pace->left_at_max = 0;
    pace->counts = (struct pace_counts) {0};
    for (uint32_t i = 0; i < processors; i++) {
        struct slot *slot = &pace->slots[i];
        slot->clock = AWAY;
        slot->left_at = 0;
        slot->waits = false;
        atomic_init(&slot->woken, 0);
    }
    return pace;
}

void pace_free(struct pace *pace) {
    pthread_mutex_destroy(&pace->latch);
    free(pace);
}

/* The slowest that takes part, one left out, the first of several; NOBODY if there is none. The latch is held. */
static uint32_t slowest_but(const struct pace *pace, uint32_t processor) {
    uint32_t slowest = NOBODY;
    uint64_t clock = AWAY;
    for (uint32_t i = 0; i < pace->processors; i++) {
        if (i != processor && pace->slots[i].clock < clock) {
            slowest = i;
            clock = pace->slots[i].clock;
        }
    }
    return slowest;
}

/* Where the round ends that a clock is in: rounds last a quantum, and all go through one before any begins the next. */
static uint64_t round_end(const struct pace *pace, uint64_t clock) {
    return (clock / pace->quantum + 1) * pace->quantum;
}

/* Lets a processor run, or nobody. The latch is held. */
static void hand_over(struct pace *pace, uint32_t next) {
    pace->running = next;
    if (next != NOBODY && pace->slots[next].waits) {
        struct slot *slot = &pace->slots[next];
        slot->waits = false;
        atomic_fetch_add(&slot->woken, 1);
        syscall(SYS_futex, &slot->woken, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
}

uint64_t pace_join(struct pace *pace, uint32_t processor) {
    struct slot *slot = &pace->slots[processor];
    pthread_mutex_lock(&pace->latch);
    uint32_t slowest = slowest_but(pace, processor);
    uint64_t now = slowest == NOBODY ? pace->left_at_max : pace->slots[slowest].clock;
    slot->clock = now > slot->left_at ? now : slot->left_at;
    uint64_t clock = slot->clock;
    pthread_mutex_unlock(&pace->latch);
    return clock;
}

void pace_leave(struct pace *pace, uint32_t processor, uint64_t clock) {
    struct slot *slot = &pace->slots[processor];
    pthread_mutex_lock(&pace->latch);
    slot->clock = AWAY;
    slot->left_at = clock;
    if (clock > pace->left_at_max) {
        pace->left_at_max = clock;
    }
    if (pace->running == processor) {
        hand_over(pace, slowest_but(pace, processor));
    }
    pthread_mutex_unlock(&pace->latch);
}

/* Sleeps until it may run, or until the bound. The latch is held before and after. Returns false at the bound. */
static bool wait(struct pace *pace, uint32_t processor) {
    struct slot *slot = &pace->slots[processor];
    struct timespec bound = {0, PACE_WAIT_NANOS_MAX};
    slot->waits = true;
    uint32_t seen = atomic_load(&slot->woken);
    pthread_mutex_unlock(&pace->latch);
    syscall(SYS_futex, &slot->woken, FUTEX_WAIT_PRIVATE, seen, &bound, NULL, 0);
    pthread_mutex_lock(&pace->latch);
    slot->waits = false;
    return pace->running == processor;
}

uint64_t pace_advance(struct pace *pace, uint32_t processor, uint64_t clock) {
    pthread_mutex_lock(&pace->latch);
    pace->slots[processor].clock = clock;
    uint32_t slowest = slowest_but(pace, processor);
    uint64_t slowest_clock = slowest == NOBODY ? clock : pace->slots[slowest].clock;
    if (clock > slowest_clock && clock - slowest_clock > pace->counts.lead_max) {
        pace->counts.lead_max = clock - slowest_clock;
    }
    if (pace->running == NOBODY) {
        pace->running = processor;
    }
    if (pace->running == processor && clock >= round_end(pace, slowest_clock)) {
        hand_over(pace, slowest);
    }
    uint64_t until = clock;
    bool runs = pace->running == processor;
    if (!runs) {
        pace->counts.waits++;
        runs = wait(pace, processor);
        pace->counts.waits_bounded += !runs;
    }
    if (runs) {
        slowest = slowest_but(pace, processor);
        slowest_clock = slowest == NOBODY ? clock : pace->slots[slowest].clock;
        until = round_end(pace, slowest_clock);
        /* A joiner may have come in behind this one. */
        until = until > clock ? until : clock;
    }
    pthread_mutex_unlock(&pace->latch);
    return until;
}

struct pace_counts pace_counts(struct pace *pace) {
    pthread_mutex_lock(&pace->latch);
    struct pace_counts counts = pace->counts;
    pthread_mutex_unlock(&pace->latch);
    return counts;
}
