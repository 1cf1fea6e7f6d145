#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "../lockstep_marker.h"
#include "buffers.h"
#include "code_lines.h"
#include "state.h"

/* Of the thread that the program begins with, and of others that nobody named. */
#define FIRST_NAME "main"
#define QEMU_NAME "qemu-"

/* Of the system's calls, by their numbers on x86-64. */
#define CALL_CLONE 56
#define CALL_FORK 57
#define CALL_VFORK 58
#define CALL_EXIT 60
#define CALL_PRCTL 157
#define CALL_CLONE3 435

struct thread *threads;
struct told_region told_regions[REGIONS_MAX];
uint32_t told_region_count;
uint64_t phase_began_nanos;

/*
 * What the program is told of the clock: while the model is not fed, instructions and the first of these, while it is,
 * cycles and the second one, so that the clock goes on where it was; and the last thing it was told.
 */
static int64_t offset_unfed;
static int64_t offset_fed;
static _Atomic uint64_t clock_told;

struct thread *add_thread(uint32_t vcpu) {
    struct thread *thread = allocate(sizeof *thread);
    thread->vcpu = vcpu;
    thread->events = allocate(EVENTS_MAX * sizeof *thread->events);
    if (code != NULL) {
        thread->event_places = allocate(EVENTS_MAX * sizeof *thread->event_places);
    }
    /* A new thread bears its creator's name until it gets its own; the first one bears QEMU's. */
    prctl(PR_GET_NAME, thread->name);
    if (strncmp(thread->name, QEMU_NAME, strlen(QEMU_NAME)) == 0) {
        strcpy(thread->name, FIRST_NAME);
    }
    pthread_mutex_lock(&book_latch);
    thread->processor = NO_PROCESSOR;
    thread->phase = atomic_load(&phase_now);
    thread->code = code == NULL ? NULL : code_thread_begin(code);
    thread->trace = traces_thread(traces);
    code_thread_class(thread->code, thread_class_name(thread->class));
    thread->older = threads;
    threads = thread;
    pthread_mutex_unlock(&book_latch);
    return thread;
}

static void end_thread(struct thread *thread) {
    if (!thread->ended) {
        finish_accesses(thread);
        if (thread->processor != NO_PROCESSOR) {
            get_up(thread);
            displace(thread);
        }
        tally(thread);
        code_thread_end(thread->code);
        thread->code = NULL;
        /* A flush, which may come now, looks at it. */
        pthread_mutex_lock(&book_latch);
        trace_free(thread->trace);
        thread->trace = NULL;
        pthread_mutex_unlock(&book_latch);
        thread->ended = true;
        free(thread->events);
        free(thread->event_places);
        thread->events = NULL;
        thread->event_places = NULL;
        thread->mode = MODE_OUT;
        atomic_store(&thread->ask_at, UINT64_MAX);
    }
}

void on_vcpu(qemu_plugin_id_t id, unsigned int vcpu) {
    (void) id;
    if (vcpu >= THREADS_MAX) {
        die("more than 65,536 threads live at the same time; the simulator has room for no more.");
    }
    struct thread *before = running[vcpu];
    if (before != NULL && before->instructions == 0 && !before->ended) {
        return;
    }
    if (before != NULL) {
        end_thread(before);
    }
    running[vcpu] = add_thread(vcpu);
}

/* Under book_latch: instructions so far of the threads that may be simulated, for each processor. */
static uint64_t executed_each(void) {
    uint64_t sum = 0;
    for (struct thread *thread = threads; thread != NULL; thread = thread->older) {
        sum += may_be_simulated(thread) ? thread->instructions : 0;
    }
    return sum / processors;
}

/* Cycles of the processor that is ahead. Others run meanwhile: what they add now may or may not be in it. */
static uint64_t cycles_most(void) {
    uint64_t most = 0;
    for (uint32_t i = 0; i < processors; i++) {
        uint64_t cycles = model_clock(model, (int) i);
        most = cycles > most ? cycles : most;
    }
    return most;
}

static uint64_t cycles_now(void) {
    if (atomic_load(&feeds)) {
        return cycles_most() + (uint64_t) offset_fed;
    }
    pthread_mutex_lock(&book_latch);
    uint64_t executed = executed_each();
    pthread_mutex_unlock(&book_latch);
    return executed + (uint64_t) offset_unfed;
}

static void tell_clock(uint64_t address) {
    uint64_t cycles = cycles_now();
    uint64_t told = atomic_load(&clock_told);
    /* Ends because what was told only grows: threads that run differ in what they see, the program shall not. */
    while (told < cycles && !atomic_compare_exchange_weak(&clock_told, &told, cycles)) {
    }
    cycles = told < cycles ? cycles : told;
    (void) buffers_write(address, &cycles, sizeof cycles);
}

void give_up(void) {
    pthread_mutex_lock(&book_latch);
    if (!atomic_load(&gave_up)) {
        atomic_store(&gave_up, true);
        offset_unfed = (int64_t) (cycles_most() - executed_each()) + offset_fed;
        atomic_store(&feeds, false);
        for (struct thread *other = threads; other != NULL; other = other->older) {
            if (!other->ended) {
                atomic_store_explicit(&other->ask_at, 0, memory_order_relaxed);
            }
        }
    }
    pthread_mutex_unlock(&book_latch);
}

static void change_phase(struct thread *thread, uint32_t phase) {
    pthread_mutex_lock(&book_latch);
    bool begins = phase != 0 && !atomic_load(&feeds) && !atomic_load(&gave_up);
    bool ends = phase == 0 && settings.waits && atomic_load(&feeds);
    bool resets = begins && !atomic_load(&called_back);
    if (begins) {
        atomic_store(&called_back, true);
        offset_fed = (int64_t) (executed_each() - cycles_most()) + offset_unfed;
        atomic_store(&feeds, true);
    } else if (ends) {
        offset_unfed = (int64_t) (cycles_most() - executed_each()) + offset_fed;
        atomic_store(&feeds, false);
    }
    uint64_t now = now_nanos();
    tallies.nanos[atomic_load(&phase_now)] += now - phase_began_nanos;
    phase_began_nanos = now;
    tallies.begun[phase]++;
    atomic_store(&phase_now, phase);
    if (code != NULL) {
        code_lines_phase(code, phase);
    }
    for (struct thread *other = threads; other != NULL; other = other->older) {
        if (!other->ended) {
            atomic_store_explicit(&other->ask_at, 0, memory_order_relaxed);
        }
    }
    pthread_mutex_unlock(&book_latch);
    if (gathers) {
        pthread_mutex_lock(&model_latch);
        model_end_lifetimes(model);
        pthread_mutex_unlock(&model_latch);
    }
    notice_phase(thread);
    if (resets) {
        qemu_plugin_reset(plugin_id, on_reset);
    }
}

void on_phase(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *data) {
    (void) info, (void) data;
    struct thread *thread = running[vcpu];
    uint32_t offset = address % LOCKSTEP_PHASE_PAGE_BYTES;
    bool leaves = offset >= LOCKSTEP_PHASE_LEAVES;
    uint32_t phase = offset % LOCKSTEP_PHASE_LEAVES / sizeof(uint32_t);
    if (phase == 0 || phase >= PHASES_MAX || (leaves && phase != atomic_load(&phase_now))) {
        return;
    }
    /* As in front of a system call: to begin takes long, and what came before belongs to the phase before. */
    finish_accesses(thread);
    thread->previous = NULL;
    if (thread->processor != NO_PROCESSOR) {
        get_up(thread);
    }
    change_phase(thread, leaves ? 0 : phase);
}

static void note_region(uint64_t address, uint64_t bytes, uint64_t description) {
    struct told_region told = {
        .address = address, .bytes = bytes, .page_bytes = description & (uint64_t) LOCKSTEP_REGION_PAGE_MASK,
        .kind = description & LOCKSTEP_REGION_MASK,
        .node = (int) (description >> LOCKSTEP_REGION_NODE_SHIFT & LOCKSTEP_REGION_NODE_MASK) - 1};
    /* Without translation buffers, which make the machine gather, and with one node, pages change nothing. */
    if (gathers) {
        pthread_mutex_lock(&model_latch);
        (void) model_region(model, address, bytes, told.page_bytes, told.node);
        pthread_mutex_unlock(&model_latch);
    }
    pthread_mutex_lock(&book_latch);
    uint32_t at = 0;
    while (at < told_region_count && told_regions[at].address != address) {
        at++;
    }
    if (at < REGIONS_MAX) {
        told_regions[at] = told;
        told_region_count += at == told_region_count;
    }
    pthread_mutex_unlock(&book_latch);
}

static void mark(struct thread *thread, uint64_t kind, uint64_t a, uint64_t b, uint64_t c) {
    switch (kind) {
        case LOCKSTEP_MARKER_REGION:
            note_region(a, b, c);
            break;
        case LOCKSTEP_MARKER_CODE_EVENT:
            if (code != NULL) {
                code_lines_epoch(code, a);
            }
            break;
        case LOCKSTEP_MARKER_OPERATION_PAGE:
            atomic_store(&operation_page, a);
            break;
        case LOCKSTEP_MARKER_THREAD_CORE:
            place_on_core(thread, (uint32_t) (a % machine.cores));
            thread->core_given = true;
            break;
        default:
            break;
    }
}

static void named(struct thread *thread, uint64_t address) {
    char name[THREAD_NAME_BYTES];
    if (buffers_read(address, name, sizeof name - 1)) {
        name[sizeof name - 1] = 0;
        tally(thread);
        memcpy(thread->name, name, sizeof name);
        uint32_t processor = thread->processor;
        displace(thread);
        thread->class = thread_class_of(name);
        if (thread->core_given && processor != NO_PROCESSOR) {
            place_at(thread, processor);
        }
        code_thread_class(thread->code, thread_class_name(thread->class));
    }
}

void on_call(
    qemu_plugin_id_t id, unsigned int vcpu, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4,
    uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8) {
    (void) id, (void) a5, (void) a6, (void) a7, (void) a8;
    struct thread *thread = running[vcpu];
    finish_accesses(thread);
    thread->previous = NULL;
    if (number == LOCKSTEP_MARKER_SYSTEM_CALL && a1 == LOCKSTEP_MARKER_CLOCK) {
        thread->call_number = number;
        tell_clock(a2);
        return;
    }
    if (thread->processor != NO_PROCESSOR) {
        get_up(thread);
    }
    if (number == LOCKSTEP_MARKER_SYSTEM_CALL) {
        mark(thread, a1, a2, a3, a4);
    } else if (number == CALL_PRCTL && a1 == PR_SET_NAME) {
        named(thread, a2);
    } else if (number == CALL_EXIT) {
        end_thread(thread);
    }
    thread->call_number = number;
    thread->call_arguments[0] = a1;
    thread->call_arguments[1] = a2;
    thread->call_arguments[2] = a3;
}

static bool makes_process(int64_t number) {
    return number == CALL_CLONE || number == CALL_FORK || number == CALL_VFORK || number == CALL_CLONE3;
}

void on_return(qemu_plugin_id_t id, unsigned int vcpu, int64_t number, int64_t result) {
    (void) id;
    struct thread *thread = running[vcpu];
    if (thread->ended) {
        /* Its exit will be called again, once the program has handled a signal. */
        return;
    }
    if (makes_process(number) && getpid() != process) {
        /* A child of fork: the threads that hold latches and processors here stayed behind. */
        forked = true;
    }
    /* Here, where QEMU does not wait for this thread, rather than in the next block. */
    ask(thread);
    if (thread->mode != MODE_OUT && settings.buffers && wants_data && number == thread->call_number) {
        buffers_touch(thread, number, thread->call_arguments, result);
    }
}
