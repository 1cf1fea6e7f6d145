#define _GNU_SOURCE
#include "pace.h"

#include <linux/futex.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The clock of a processor that does not take part: never the slowest. */
#define AWAY UINT64_MAX

#define NANOS_PER_SECOND 1000000000L
#define CACHE_LINE_BYTES 64

struct slot {
    /* AWAY while the processor does not take part. */
    _Alignas(CACHE_LINE_BYTES) _Atomic uint64_t clock;
    /* Where the processor was when it left. Its own thread's. */
    uint64_t left_at;
    /* While it waits: what the slowest clock has to reach before it is woken; AWAY otherwise. */
    _Atomic uint64_t wakes_at;
    /* Changes at every wake-up, for the system's wait. */
    _Atomic uint32_t woken;
    struct pace_counts counts;
};

struct pace {
    uint32_t processors;
    uint64_t quantum;
    /* Processors that wait, so that one that advances need not look for them when there is none. */
    _Atomic uint32_t waiting;
    struct slot slots[];
};

struct pace *pace_create(uint32_t processors, uint64_t quantum) {
    size_t bytes = sizeof(struct pace) + processors * sizeof(struct slot);
    /* The size is a multiple of the alignment, because both structures are. */
    struct pace *pace = aligned_alloc(CACHE_LINE_BYTES, bytes);
    if (pace == NULL) {
        return NULL;
    }
    pace->processors = processors;
    pace->quantum = quantum;
    atomic_init(&pace->waiting, 0);
    for (uint32_t i = 0; i < processors; i++) {
        struct slot *slot = &pace->slots[i];
        atomic_init(&slot->clock, AWAY);
        atomic_init(&slot->wakes_at, AWAY);
        atomic_init(&slot->woken, 0);
        slot->left_at = 0;
        slot->counts = (struct pace_counts) {0};
    }
    return pace;
}

void pace_free(struct pace *pace) {
    free(pace);
}

/* The slowest clock of those that take part, one left out; AWAY if there is no other. */
static uint64_t slowest_but(struct pace *pace, uint32_t processor) {
    uint64_t slowest = AWAY;
    for (uint32_t i = 0; i < pace->processors; i++) {
        uint64_t clock = atomic_load(&pace->slots[i].clock);
        if (i != processor && clock < slowest) {
            slowest = clock;
        }
    }
    return slowest;
}

/* Wakes those that waited for the slowest clock to become what it now is. */
static void wake(struct pace *pace, uint64_t slowest) {
    for (uint32_t i = 0; i < pace->processors; i++) {
        struct slot *slot = &pace->slots[i];
        if (atomic_load(&slot->wakes_at) <= slowest) {
            atomic_fetch_add(&slot->woken, 1);
            syscall(SYS_futex, &slot->woken, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
        }
    }
}

/* After a clock has changed. */
static void changed(struct pace *pace) {
    if (atomic_load(&pace->waiting) > 0) {
        uint64_t slowest = slowest_but(pace, pace->processors);
        /* Where nobody runs, whoever waits is let go: its own clock is the slowest then. */
        wake(pace, slowest == AWAY ? AWAY - 1 : slowest);
    }
}

uint64_t pace_join(struct pace *pace, uint32_t processor) {
    struct slot *slot = &pace->slots[processor];
    uint64_t slowest = slowest_but(pace, processor);
    uint64_t clock = slowest == AWAY || slowest < slot->left_at ? slot->left_at : slowest;
    atomic_store(&slot->clock, clock);
    return clock;
}

void pace_leave(struct pace *pace, uint32_t processor, uint64_t clock) {
    struct slot *slot = &pace->slots[processor];
    slot->left_at = clock;
    atomic_store(&slot->clock, AWAY);
    changed(pace);
}

/* Waits until woken or until the bound; returns false at the bound. */
static bool wait(struct pace *pace, struct slot *slot, uint32_t processor, uint64_t wakes_at) {
    struct timespec bound = {0, PACE_WAIT_NANOS_MAX};
    bool in_time = true;
    atomic_store(&slot->wakes_at, wakes_at);
    atomic_fetch_add(&pace->waiting, 1);
    uint32_t seen = atomic_load(&slot->woken);
    /* Whoever advances after this look sees that this one waits. */
    if (slowest_but(pace, processor) < wakes_at) {
        in_time = syscall(SYS_futex, &slot->woken, FUTEX_WAIT_PRIVATE, seen, &bound, NULL, 0) == 0
            || slowest_but(pace, processor) >= wakes_at;
    }
    atomic_fetch_sub(&pace->waiting, 1);
    atomic_store(&slot->wakes_at, AWAY);
    return in_time;
}

uint64_t pace_advance(struct pace *pace, uint32_t processor, uint64_t clock) {
    struct slot *slot = &pace->slots[processor];
    atomic_store(&slot->clock, clock);
    changed(pace);
    uint64_t slowest = slowest_but(pace, processor);
    if (slowest != AWAY && clock > slowest && clock - slowest > slot->counts.lead_max) {
        slot->counts.lead_max = clock - slowest;
    }
    if (slowest == AWAY || clock <= slowest + pace->quantum) {
        return (slowest < clock ? slowest : clock) + pace->quantum;
    }
    slot->counts.waits++;
    /* Until half the quantum is free again: one system call for a hundred instructions, not for each. */
    if (!wait(pace, slot, processor, clock - pace->quantum / 2)) {
        slot->counts.waits_bounded++;
        return clock;
    }
    slowest = slowest_but(pace, processor);
    return (slowest < clock ? slowest : clock) + pace->quantum;
}

struct pace_counts pace_counts(struct pace *pace) {
    struct pace_counts all = {0};
    for (uint32_t i = 0; i < pace->processors; i++) {
        struct pace_counts *counts = &pace->slots[i].counts;
        all.waits += counts->waits;
        all.waits_bounded += counts->waits_bounded;
        all.lead_max = counts->lead_max > all.lead_max ? counts->lead_max : all.lead_max;
    }
    return all;
}
