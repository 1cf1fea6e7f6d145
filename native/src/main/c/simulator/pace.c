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
    /* Where the processor was when it last joined, and when it last left. */
    uint64_t joined_at;
    uint64_t left_at;
    /* Its last atomic instruction. */
    uint64_t atomic_at;
    /* Where the round ends that it was let run in. */
    uint64_t until;
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
        slot->joined_at = 0;
        slot->atomic_at = 0;
        slot->left_at = 0;
        slot->until = 0;
        slot->waits = false;
        atomic_init(&slot->woken, 0);
    }
    return pace;
}

void pace_free(struct pace *pace) {
    pthread_mutex_destroy(&pace->latch);
    free(pace);
}

/* The slowest clock of those that take part, one left out; AWAY if there is none. The latch is held. */
static uint64_t slowest_but(const struct pace *pace, uint32_t processor) {
    uint64_t clock = AWAY;
    for (uint32_t i = 0; i < pace->processors; i++) {
        if (i != processor && pace->slots[i].clock < clock) {
            clock = pace->slots[i].clock;
        }
    }
    return clock;
}

/*
 * Where the round ends that the slowest is in; rounds last a quantum. AWAY where nobody takes part. The latch is held.
 */
static uint64_t round_end(const struct pace *pace) {
    uint64_t slowest = slowest_but(pace, NOBODY);
    return slowest == AWAY ? AWAY : (slowest / pace->quantum + 1) * pace->quantum;
}

/* Whether the first of two processors goes before the second one in a round. */
static bool goes_before(const struct slot *one, const struct slot *other) {
    return one->atomic_at != other->atomic_at ? one->atomic_at < other->atomic_at : one->joined_at < other->joined_at;
}

/*
 * Who runs next, of those that have not come to the end of the round: the one whose last atomic instruction is longest
 * ago, then the one that joined at the earliest clock, then the first; NOBODY where nobody takes part. So processors
 * that update a line once in five rounds do so in the order of their clocks, whichever part of a round that falls into.
 * The slowest will not do: which one that is changes from round to round by the few instructions of a block. The latch
 * is held.
 */
static uint32_t next(const struct pace *pace) {
    uint64_t end = round_end(pace);
    uint32_t first = NOBODY;
    for (uint32_t i = 0; i < pace->processors; i++) {
        const struct slot *slot = &pace->slots[i];
        if (slot->clock < end && (first == NOBODY || goes_before(slot, &pace->slots[first]))) {
            first = i;
        }
    }
    return first;
}

/* Lets the next processor run. Returns its slot if its thread has to be woken, else NULL. The latch is held. */
static struct slot *hand_over(struct pace *pace) {
    pace->running = next(pace);
    if (pace->running == NOBODY || !pace->slots[pace->running].waits) {
        return NULL;
    }
    struct slot *slot = &pace->slots[pace->running];
    slot->waits = false;
    atomic_fetch_add(&slot->woken, 1);
    return slot;
}

/* Without the latch, which the woken one wants. */
static void wake(struct slot *slot) {
    if (slot != NULL) {
        syscall(SYS_futex, &slot->woken, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
}

uint64_t pace_join(struct pace *pace, uint32_t processor) {
    struct slot *slot = &pace->slots[processor];
    pthread_mutex_lock(&pace->latch);
    uint64_t slowest = slowest_but(pace, processor);
    uint64_t now = slowest == AWAY ? pace->left_at_max : slowest;
    slot->clock = now > slot->left_at ? now : slot->left_at;
    slot->joined_at = slot->clock;
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
    struct slot *woken = pace->running == processor ? hand_over(pace) : NULL;
    pthread_mutex_unlock(&pace->latch);
    wake(woken);
}

/*
 * Wakes another one and sleeps until it may run itself, or until the bound. The latch is held before and after. Returns
 * false at the bound.
 */
static bool wait(struct pace *pace, uint32_t processor, struct slot *woken) {
    struct slot *slot = &pace->slots[processor];
    struct timespec bound = {0, PACE_WAIT_NANOS_MAX};
    slot->waits = true;
    uint32_t seen = atomic_load(&slot->woken);
    pthread_mutex_unlock(&pace->latch);
    wake(woken);
    syscall(SYS_futex, &slot->woken, FUTEX_WAIT_PRIVATE, seen, &bound, NULL, 0);
    pthread_mutex_lock(&pace->latch);
    slot->waits = false;
    return pace->running == processor;
}

uint64_t pace_advance(struct pace *pace, uint32_t processor, uint64_t clock, uint64_t atomic_at) {
    pthread_mutex_lock(&pace->latch);
    pace->slots[processor].atomic_at = atomic_at;
    pace->slots[processor].clock = clock;
    uint64_t slowest = slowest_but(pace, NOBODY);
    if (clock - slowest > pace->counts.lead_max) {
        pace->counts.lead_max = clock - slowest;
    }
    struct slot *woken = NULL;
    if (pace->running == NOBODY || (pace->running == processor && clock >= pace->slots[processor].until)) {
        woken = hand_over(pace);
    }
    bool runs = pace->running == processor;
    if (!runs) {
        pace->counts.waits++;
        runs = wait(pace, processor, woken);
        woken = NULL;
        pace->counts.waits_bounded += !runs;
    }
    /* While it waited, one that is slower may have come: it runs next. */
    uint64_t end = round_end(pace);
    uint64_t until = runs && end > clock ? end : clock;
    pace->slots[processor].until = until;
    pthread_mutex_unlock(&pace->latch);
    wake(woken);
    return until;
}

struct pace_counts pace_counts(struct pace *pace) {
    pthread_mutex_lock(&pace->latch);
    struct pace_counts counts = pace->counts;
    pthread_mutex_unlock(&pace->latch);
    return counts;
}
