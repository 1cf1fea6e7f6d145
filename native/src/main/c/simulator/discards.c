#include "discards.h"

#include <stdlib.h>

#include "state.h"

#define RANGES_AT_FIRST 64u

struct range {
    uint64_t address;
    uint64_t bytes;
};

/* Of one processor; all but the last are guarded by its seat's latch. */
struct discards {
    /*
     * Grows while the thread that sits there executes one block and others change code and execute it, which takes some
     * microseconds each time: some thousands while the system lets that thread wait.
     */
    struct range *ranges;
    uint32_t count;
    uint32_t capacity;
    /* Not 0 where count is not: read without the latch. */
    _Atomic uint32_t waiting;
};

static struct discards *all;

void discards_open(void) {
    all = allocate(processors * sizeof *all);
}

/* The seat's latch is held. */
static void note(struct discards *discards, uint64_t address, uint64_t bytes) {
    if (discards->count == discards->capacity) {
        uint32_t capacity = discards->capacity == 0 ? RANGES_AT_FIRST : discards->capacity * 2;
        struct range *ranges = realloc(discards->ranges, capacity * sizeof *ranges);
        if (ranges == NULL) {
            die("no memory is left for changes of code; simulate fewer cores.");
        }
        discards->ranges = ranges;
        discards->capacity = capacity;
    }
    discards->ranges[discards->count++] = (struct range) {address, bytes};
    atomic_store(&discards->waiting, 1);
}

void discards_post(const struct thread *self, uint64_t address, uint64_t bytes) {
    for (uint32_t i = 0; i < processors; i++) {
        struct seat *seat = &seats[i];
        pthread_mutex_lock(&seat->latch);
        struct thread *sitting = seat->sitting;
        if (sitting == NULL || sitting == self) {
            /* Nobody else can sit down while the latch is held. */
            model_discard_core_code(model, (int) i, address, bytes);
        } else {
            note(&all[i], address, bytes);
            /* After the note: see the end of ask. */
            atomic_store(&sitting->ask_at, 0);
        }
        pthread_mutex_unlock(&seat->latch);
    }
}

bool discards_wait(uint32_t processor) {
    return atomic_load(&all[processor].waiting) != 0;
}

void discards_apply(const struct thread *thread) {
    struct discards *discards = &all[thread->processor];
    pthread_mutex_lock(&seats[thread->processor].latch);
    for (uint32_t i = 0; i < discards->count; i++) {
        model_discard_core_code(
            model, (int) thread->processor, discards->ranges[i].address, discards->ranges[i].bytes);
    }
    discards->count = 0;
    atomic_store(&discards->waiting, 0);
    pthread_mutex_unlock(&seats[thread->processor].latch);
}
