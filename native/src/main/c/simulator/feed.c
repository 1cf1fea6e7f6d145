#include <string.h>

#include "discards.h"
#include "state.h"

/* What is not simulated looks this often whether the phase has changed, if nobody told it. */
#define LOOK_INSTRUCTIONS 1000000

pthread_mutex_t model_latch = PTHREAD_MUTEX_INITIALIZER;
_Atomic uint32_t phase_now;
_Atomic bool feeds;
_Atomic bool called_back;
_Atomic bool gave_up;
bool forked;

/* Threads of a class by processor. Guarded by book_latch. */
static uint32_t *placed[THREAD_CLASSES];

static _Thread_local struct thread *self;

struct thread *asking(void) {
    return self;
}

void feed_open(void) {
    for (int class = 0; class < THREAD_CLASSES; class++) {
        placed[class] = allocate(processors * sizeof *placed[class]);
    }
    discards_open();
}

void note_misses(struct thread *thread, uint64_t place) {
    uint64_t now[LEVELS];
    uint64_t more[LEVELS];
    uint64_t any = 0;
    model_misses(model, (int) thread->processor, now);
    for (int level = 0; level < LEVELS; level++) {
        more[level] = now[level] - thread->missed[level];
        any |= more[level];
    }
    if (any != 0) {
        memcpy(thread->missed, now, sizeof now);
        code_thread_missed(thread->code, place, more);
    }
}

void submit(struct thread *thread) {
    if (thread->event_count > 0) {
        if (gathers) {
            pthread_mutex_lock(&model_latch);
        }
        if (thread->code == NULL) {
            model_feed(model, (int) thread->processor, thread->events, thread->event_count);
        } else {
            for (uint32_t i = 0; i < thread->event_count; i++) {
                model_feed(model, (int) thread->processor, &thread->events[i], 1);
                note_misses(thread, thread->event_places[i]);
            }
        }
        bool exhausted = model_exhausted(model);
        if (gathers) {
            pthread_mutex_unlock(&model_latch);
        }
        thread->event_count = 0;
        if (UNLIKELY(exhausted)) {
            give_up();
        }
    }
}

void gather(struct thread *thread, uint64_t address, uint32_t bytes, int kind, uint32_t instructions) {
    if (thread->event_count == EVENTS_MAX) {
        if (thread->mode == MODE_GATHER) {
            submit(thread);
        } else {
            thread->events_lost++;
            return;
        }
    }
    if (thread->code != NULL) {
        thread->event_places[thread->event_count] = thread->place;
    }
    thread->events[thread->event_count++] =
        (struct model_event) {address, bytes, (uint16_t) kind, (uint16_t) instructions};
}

void feed_access(struct thread *thread, uint64_t address, uint64_t bytes, int kind) {
    while (bytes > 0) {
        uint32_t part = bytes > INT32_MAX ? INT32_MAX : (uint32_t) bytes;
        if (LIKELY(thread->mode == MODE_DIRECT)) {
            bool missed = model_access(model, (int) thread->processor, address, part, kind);
            if (missed && UNLIKELY(thread->code != NULL)) {
                note_misses(thread, thread->place);
            }
        } else if (thread->mode != MODE_OUT) {
            gather(thread, address, part, kind, 0);
        }
        address += part;
        bytes -= part;
    }
}

/* Gives a thread that has none that of these processors with the fewest threads of its class, the first of them. */
static void place_among(struct thread *thread, uint32_t first, uint32_t count) {
    uint32_t best = first;
    pthread_mutex_lock(&book_latch);
    uint32_t *counts = placed[thread->class];
    for (uint32_t i = first + 1; i < first + count; i++) {
        best = counts[i] < counts[best] ? i : best;
    }
    counts[best]++;
    thread->processor = best;
    pthread_mutex_unlock(&book_latch);
}

static void place(struct thread *thread) {
    if (thread->processor == NO_PROCESSOR) {
        place_among(thread, 0, processors);
    }
}

void displace(struct thread *thread) {
    if (thread->processor != NO_PROCESSOR) {
        pthread_mutex_lock(&book_latch);
        placed[thread->class][thread->processor]--;
        thread->processor = NO_PROCESSOR;
        pthread_mutex_unlock(&book_latch);
    }
}

void place_at(struct thread *thread, uint32_t processor) {
    displace(thread);
    pthread_mutex_lock(&book_latch);
    thread->processor = processor;
    placed[thread->class][processor]++;
    pthread_mutex_unlock(&book_latch);
}

void place_on_core(struct thread *thread, uint32_t core) {
    displace(thread);
    place_among(thread, core * machine.smt, machine.smt);
}

bool may_be_simulated(const struct thread *thread) {
    switch (thread->class) {
        case THREAD_CLIENT:
        case THREAD_CARRIER:
            return true;
        case THREAD_ENGINE:
            return settings.engine_threads;
        default:
            return settings.jvm_threads;
    }
}

static bool is_simulated(const struct thread *thread) {
    return may_be_simulated(thread) && atomic_load_explicit(&feeds, memory_order_relaxed);
}

static uint64_t clock_of(const struct thread *thread) {
    return thread->instructions + thread->clock_offset;
}

static void sat_down(struct thread *thread) {
    if (pace != NULL) {
        affinity_hold(&thread->affinity);
        thread->clock_offset = pace_join(pace, thread->processor) - thread->instructions;
    }
    thread->turn_ends = thread->instructions + settings.turn;
    charge(thread);
    if (discards_wait(thread->processor)) {
        discards_apply(thread);
    }
    submit(thread);
    thread->mode = gathers ? MODE_GATHER : MODE_DIRECT;
}

/* Returns whether the thread sits now. */
static bool sit_down(struct thread *thread) {
    if (!seat_take(&seats[thread->processor], thread)) {
        thread->mode = MODE_DEFER;
        return false;
    }
    sat_down(thread);
    return true;
}

/* Whether the thread sits; one that was handed its seat since it asked last takes it over first. */
static bool sits(struct thread *thread) {
    if (thread->mode == MODE_DEFER && thread->waiter.sits) {
        (void) sit_down(thread);
    }
    return is_seated(thread);
}

/* What it did on its processor is handed over, before it gets up. */
static void settle(struct thread *thread) {
    if (sits(thread)) {
        submit(thread);
        if (pace != NULL) {
            pace_leave(pace, thread->processor, clock_of(thread));
            affinity_release(&thread->affinity);
        }
    }
    thread->mode = MODE_ENTER;
    atomic_store_explicit(&thread->ask_at, 0, memory_order_relaxed);
}

void get_up(struct thread *thread) {
    settle(thread);
    seat_leave(&seats[thread->processor], thread);
}

void notice_phase(struct thread *thread) {
    uint32_t phase = atomic_load(&phase_now);
    if (phase != thread->phase) {
        tally(thread);
        bool charged = sits(thread);
        if (charged) {
            submit(thread);
        }
        thread->phase = phase;
        if (charged) {
            charge(thread);
        }
    }
}

void ask(struct thread *thread) {
    self = thread;
    notice_phase(thread);
    if (forked || !is_simulated(thread)) {
        if (!forked && thread->processor != NO_PROCESSOR && (thread->waiter.sits || thread->waiter.queued)) {
            get_up(thread);
        }
        thread->mode = MODE_OUT;
        atomic_store_explicit(&thread->ask_at, thread->instructions + LOOK_INSTRUCTIONS, memory_order_relaxed);
        return;
    }
    place(thread);
    if (thread->waiter.sits && thread->mode != MODE_DEFER && thread->instructions >= thread->turn_ends) {
        if (atomic_load(&seats[thread->processor].waiting) > 0) {
            settle(thread);
            seat_pass_on(&seats[thread->processor], thread);
        } else {
            thread->turn_ends = thread->instructions + settings.turn;
        }
    }
    if (!is_seated(thread)) {
        if (!sit_down(thread)) {
            atomic_store_explicit(&thread->ask_at, 0, memory_order_relaxed);
            return;
        }
        /* It may have slept for its seat while the phase changed. */
        notice_phase(thread);
    }
    if (UNLIKELY(discards_wait(thread->processor))) {
        discards_apply(thread);
    }
    uint64_t ask_at = thread->turn_ends;
    if (pace != NULL) {
        submit(thread);
        uint64_t clock = pace_advance(pace, thread->processor, clock_of(thread), thread->atomic_at);
        uint64_t until = clock - thread->clock_offset;
        ask_at = until < ask_at ? until : ask_at;
    }
    atomic_store(&thread->ask_at, ask_at);
    if (UNLIKELY(discards_wait(thread->processor) || atomic_load(&phase_now) != thread->phase)) {
        /* Noted since, by one whose own store to ask_at may have come before this one's. */
        atomic_store(&thread->ask_at, 0);
    }
}
