/*
 * The QEMU plugin: turns what a program executes into events of the model. Arguments: see ARGUMENTS below.
 *
 * Threads: QEMU calls back on the thread of the virtual processor that is meant, many at a time, except for the flush of
 * translations and the end of the program, which happen while none runs.
 */
#define _GNU_SOURCE
#include "plugin.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../lockstep_marker.h"
#include "blocks.h"
#include "buffers.h"
#include "code_changes.h"
#include "decode.h"
#include "qemu_api.h"

#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* Instructions for which a simulated processor may be ahead: see pace.h. */
#define QUANTUM_DEFAULT 200

/* Some milliseconds of a real processor, as an operating system's time slice. */
#define TURN_DEFAULT 1000000

/* What is not simulated looks this often whether the phase has changed, if nobody told it. */
#define LOOK_INSTRUCTIONS 1000000

#define NANOS_PER_SECOND 1000000000ULL
#define MESSAGE_BYTES 512

/* A block's instructions, but for its first, lie in one page of this size, QEMU's own for x86-64. */
#define CODE_PAGE_BYTES 4096

/* Of the thread that the program begins with. */
#define FIRST_NAME "main"

/* Of the system's calls, by their numbers on x86-64. */
#define CALL_CLONE 56
#define CALL_FORK 57
#define CALL_VFORK 58
#define CALL_EXIT 60
#define CALL_PRCTL 157
#define CALL_CLONE3 435


static const char ARGUMENTS[] =
    "config=FILE (machine), out=FILE (results), code=FILE (executed lines), step=INSTRUCTIONS (0: not in step),"
    " turn=INSTRUCTIONS, buffers=on|off, jvm=on|off, wait=on|off (until the first phase begins, only count)";

QEMU_API int qemu_plugin_version = QEMU_PLUGIN_INTERFACE;

static struct settings settings = {
    .quantum = QUANTUM_DEFAULT, .turn = TURN_DEFAULT, .buffers = true, .jvm_threads = false};
static struct machine machine;
static struct model *model;
/* Every event is gathered and handed over under the latch. */
static bool gathers;
static pthread_mutex_t model_latch = PTHREAD_MUTEX_INITIALIZER;
static struct pace *pace;
static struct seat *seats;
static uint32_t processors;
static bool wants_data;
/* NULL where executed code is not recorded. */
static struct code_lines *code;

/* By number of virtual processor. */
static struct thread *running[THREADS_MAX];
/* Of the calling thread, once it has run. */
static _Thread_local struct thread *self;

/* Guards what follows: phases, tallies, accounts, the list of threads and what is handed out to them. */
static pthread_mutex_t book_latch = PTHREAD_MUTEX_INITIALIZER;
static struct tallies tallies;
static struct thread *threads;
/* Threads of a class by processor. */
static uint32_t *placed[THREAD_CLASSES];
static _Atomic uint32_t phase_now;
static uint64_t phase_began_nanos;
static uint16_t *accounts_by_phase[PHASES_MAX];
static uint32_t account_phases[MACHINE_ACCOUNTS_MAX];
static uint32_t account_operations[MACHINE_ACCOUNTS_MAX];
static uint32_t accounts = 1;
static uint64_t accounts_lost;

static _Atomic uint64_t restarts;
static uint64_t began_nanos;
static pid_t process;
static qemu_plugin_id_t plugin_id;
/*
 * Whether the model is fed: at once, or from the first phase on. Blocks that were translated before have no callbacks for
 * data, which would slow a program down several times that only warms up; so all are translated anew then.
 */
static _Atomic bool feeds;
/* What the program is told of the clock when it is fed for the first time, and the last thing it was told. */
static uint64_t clock_unfed;
static _Atomic uint64_t clock_told;
/* Set in a child of fork, which is not simulated. */
static bool forked;

static uint64_t now_nanos(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t) time.tv_sec * NANOS_PER_SECOND + (uint64_t) time.tv_nsec;
}

/* Ends the program: the plugin cannot go on, and a result that lacks something must not look like one. */
static void die(const char *message) {
    fprintf(stderr, "lockstep: %s\n", message);
    _exit(2);
}

static void *allocate(size_t bytes) {
    void *memory = calloc(1, bytes);
    if (memory == NULL) {
        die("no memory is left for the simulator; simulate fewer cores, or a program with fewer threads.");
    }
    return memory;
}

/* Accounts. */

/* The account of a phase and an operation; those of the first phase and no operation when there are too many. */
static uint32_t account_of(uint32_t phase, uint32_t operation) {
    pthread_mutex_lock(&book_latch);
    uint16_t *of_phase = accounts_by_phase[phase];
    if (of_phase == NULL) {
        of_phase = accounts_by_phase[phase] = allocate(LOCKSTEP_OPERATIONS * sizeof *of_phase);
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

static void charge(struct thread *thread) {
    uint32_t account = account_of(thread->phase, thread->operation);
    if (gathers) {
        pthread_mutex_lock(&model_latch);
    }
    int failed = model_charge(model, (int) thread->processor, account);
    if (gathers) {
        pthread_mutex_unlock(&model_latch);
    }
    if (failed) {
        die("no memory is left for the counts of one more operation; simulate fewer cores.");
    }
}

/* Adds what a thread executed to its class and phase. */
static void tally(struct thread *thread) {
    pthread_mutex_lock(&book_latch);
    tallies.instructions[thread->phase][thread->class] += thread->instructions - thread->tallied;
    pthread_mutex_unlock(&book_latch);
    thread->tallied = thread->instructions;
}

/* Events. */

/* Hands over what was gathered. The thread sits. */
static void submit(struct thread *thread) {
    if (thread->event_count > 0) {
        if (gathers) {
            pthread_mutex_lock(&model_latch);
        }
        model_feed(model, (int) thread->processor, thread->events, thread->event_count);
        if (gathers) {
            pthread_mutex_unlock(&model_latch);
        }
        thread->event_count = 0;
    }
}

static void gather(struct thread *thread, uint64_t address, uint32_t bytes, int kind, uint32_t instructions) {
    if (thread->event_count == EVENTS_MAX) {
        if (thread->mode == MODE_GATHER) {
            submit(thread);
        } else {
            thread->events_lost++;
            return;
        }
    }
    thread->events[thread->event_count++] =
        (struct model_event) {address, bytes, (uint16_t) kind, (uint16_t) instructions};
}

void feed_access(struct thread *thread, uint64_t address, uint64_t bytes, int kind) {
    while (bytes > 0) {
        uint32_t part = bytes > INT32_MAX ? INT32_MAX : (uint32_t) bytes;
        if (LIKELY(thread->mode == MODE_DIRECT)) {
            model_access(model, (int) thread->processor, address, part, kind);
        } else if (thread->mode != MODE_OUT) {
            gather(thread, address, part, kind, 0);
        }
        address += part;
        bytes -= part;
    }
}

static inline void feed_fetch(struct thread *thread, const struct block *block, uint32_t instructions) {
    if (LIKELY(thread->mode == MODE_DIRECT)) {
        model_fetch(model, (int) thread->processor, block->address, block->bytes, instructions);
    } else if (thread->mode != MODE_OUT) {
        gather(thread, block->address, block->bytes, MODEL_FETCH, instructions);
    }
}

/* Hands over accesses to which no further piece can come. */
static inline void finish_accesses(struct thread *thread) {
    for (int i = 0; i < PENDING_MAX; i++) {
        struct pending *pending = &thread->pending[i];
        if (pending->bytes > 0) {
            feed_access(thread, pending->address, pending->bytes, pending->kind);
            pending->bytes = 0;
        }
    }
}

/* Sitting down and getting up. */

/* Gives a thread without a processor the one that has fewest threads of its class, the first of these. */
static void place(struct thread *thread) {
    if (thread->processor == NO_PROCESSOR) {
        uint32_t best = 0;
        pthread_mutex_lock(&book_latch);
        uint32_t *counts = placed[thread->class];
        for (uint32_t i = 1; i < processors; i++) {
            best = counts[i] < counts[best] ? i : best;
        }
        counts[best]++;
        thread->processor = best;
        pthread_mutex_unlock(&book_latch);
    }
}

/* Takes a thread's processor away; it does not sit. */
static void displace(struct thread *thread) {
    if (thread->processor != NO_PROCESSOR) {
        pthread_mutex_lock(&book_latch);
        placed[thread->class][thread->processor]--;
        thread->processor = NO_PROCESSOR;
        pthread_mutex_unlock(&book_latch);
    }
}

static bool may_be_simulated(const struct thread *thread) {
    return settings.jvm_threads || thread->class == THREAD_CLIENT || thread->class == THREAD_CARRIER;
}

static bool is_simulated(const struct thread *thread) {
    return may_be_simulated(thread) && atomic_load_explicit(&feeds, memory_order_relaxed);
}

static uint64_t clock_of(const struct thread *thread) {
    return thread->instructions + thread->clock_offset;
}

static void sat_down(struct thread *thread) {
    if (pace != NULL) {
        thread->clock_offset = pace_join(pace, thread->processor) - thread->instructions;
    }
    thread->turn_ends = thread->instructions + settings.turn;
    charge(thread);
    submit(thread);
    thread->mode = gathers ? MODE_GATHER : MODE_DIRECT;
}

static void get_up(struct thread *thread) {
    if (thread->waiter.sits) {
        submit(thread);
        if (pace != NULL) {
            pace_leave(pace, thread->processor, clock_of(thread));
        }
    }
    seat_leave(&seats[thread->processor], thread);
    thread->mode = MODE_ENTER;
    atomic_store_explicit(&thread->ask_at, 0, memory_order_relaxed);
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

static void notice_phase(struct thread *thread) {
    uint32_t phase = atomic_load(&phase_now);
    if (phase != thread->phase) {
        tally(thread);
        if (thread->waiter.sits) {
            submit(thread);
        }
        thread->phase = phase;
        if (thread->waiter.sits) {
            charge(thread);
        }
    }
}

/* Before a block that may have to wait: takes or gives up the processor, keeps step, notices a new phase. */
static void ask(struct thread *thread) {
    self = thread;
    notice_phase(thread);
    if (forked || !is_simulated(thread)) {
        thread->mode = MODE_OUT;
        atomic_store_explicit(&thread->ask_at, thread->instructions + LOOK_INSTRUCTIONS, memory_order_relaxed);
        return;
    }
    place(thread);
    if (thread->waiter.sits && thread->mode != MODE_DEFER && thread->instructions >= thread->turn_ends) {
        if (atomic_load(&seats[thread->processor].waiting) > 0) {
            get_up(thread);
        } else {
            thread->turn_ends = thread->instructions + settings.turn;
        }
    }
    if ((!thread->waiter.sits || thread->mode == MODE_DEFER) && !sit_down(thread)) {
        atomic_store_explicit(&thread->ask_at, 0, memory_order_relaxed);
        return;
    }
    uint64_t ask_at = thread->turn_ends;
    if (pace != NULL) {
        submit(thread);
        uint64_t until = pace_advance(pace, thread->processor, clock_of(thread)) - thread->clock_offset;
        ask_at = until < ask_at ? until : ask_at;
    }
    atomic_store_explicit(&thread->ask_at, ask_at, memory_order_relaxed);
}

/* Execution. */

/* The instructions of a block from the one at this address on; 0 if none of its instructions begins there. */
static uint32_t remaining_from(const struct block *block, uint64_t address) {
    if (block == NULL || address < block->address || address >= block->address + block->bytes) {
        return 0;
    }
    for (uint32_t i = 0; i < block->instructions; i++) {
        if (block->address + block->sites[i].offset == address) {
            return block->instructions - i;
        }
    }
    return 0;
}

/*
 * The instructions to count for a block that may continue the one before, or repeat a part of it; 0 for a further
 * element of a string instruction.
 */
static uint32_t counted(struct thread *thread, const struct block *block) {
    const struct block *previous = thread->previous;
    if (block->again == AGAIN_STRING) {
        return previous != NULL && previous->string_address == block->address ? 0 : block->instructions;
    }
    if (block->again == AGAIN_ALONE) {
        uint32_t broken_off = remaining_from(previous, block->address);
        thread->debit += broken_off;
        atomic_fetch_add_explicit(&restarts, broken_off > 0, memory_order_relaxed);
        return block->instructions;
    }
    const struct atomic_site *atomic = thread->atomic;
    if (atomic != NULL && atomic->block == previous && atomic->address == block->address) {
        thread->debit += atomic->remaining;
        atomic_fetch_add_explicit(&restarts, 1, memory_order_relaxed);
    }
    thread->atomic = NULL;
    return block->instructions;
}

static void on_block(unsigned int vcpu, void *data) {
    struct thread *thread = running[vcpu];
    const struct block *block = data;
    uint32_t instructions = block->instructions;
    if (UNLIKELY(block->again != AGAIN_NO)) {
        instructions = counted(thread, block);
        if (instructions == 0) {
            return;
        }
    }
    thread->previous = block;
    if (UNLIKELY(thread->code != NULL)) {
        code_thread_executed(thread->code, block->code);
    }
    finish_accesses(thread);
    if (UNLIKELY(thread->instructions >= atomic_load_explicit(&thread->ask_at, memory_order_relaxed))) {
        ask(thread);
    }
    if (UNLIKELY(thread->debit > 0)) {
        uint32_t less = thread->debit < instructions ? (uint32_t) thread->debit : instructions;
        thread->debit -= less;
        instructions -= less;
    }
    thread->instructions += instructions;
    feed_fetch(thread, block, instructions);
}

static void on_atomic(unsigned int vcpu, void *data) {
    running[vcpu]->atomic = data;
}

static void on_operation(unsigned int vcpu, void *data) {
    struct thread *thread = running[vcpu];
    uint32_t operation = (uint32_t) (uintptr_t) data;
    if (operation != thread->operation) {
        thread->operation = operation;
        code_thread_operation(thread->code, operation);
        if (thread->mode == MODE_DIRECT || thread->mode == MODE_GATHER) {
            finish_accesses(thread);
            submit(thread);
            charge(thread);
        }
    }
}

/*
 * Whether two accesses belong to one execution of one instruction. The first element of a string instruction is part of
 * the block before it, so its elements have different sites; no other block comes between them, see counted.
 */
static inline bool same_instruction(const struct site *one, const struct site *other) {
    return one == other || (one != NULL && one->string && other->string);
}

/* Adds a piece to an access that is pending, if it fits. */
static inline bool joins(struct pending *pending, const struct site *site, uint64_t address, uint32_t bytes, int kind) {
    if (pending->bytes == 0 || !same_instruction(pending->site, site)) {
        return false;
    }
    if (pending->kind == kind && address == pending->address + pending->bytes) {
        pending->bytes += bytes;
        return true;
    }
    if (pending->kind == kind && site->string && address + bytes == pending->address) {
        pending->address = address;
        pending->bytes += bytes;
        return true;
    }
    bool within = address >= pending->address && address + bytes <= pending->address + pending->bytes;
    if (kind != MODEL_LOAD && pending->kind != MODEL_STORE && within && !site->string) {
        pending->kind = MODEL_UPDATE;
        return true;
    }
    return false;
}

static inline void touched(unsigned int vcpu, const struct site *site, uint64_t address, uint32_t bytes, int kind) {
    struct thread *thread = running[vcpu];
    struct pending *pending = &thread->pending[0];
    if (joins(pending, site, address, bytes, kind)) {
        return;
    }
    if (UNLIKELY(site->string)) {
        struct pending *second = &thread->pending[1];
        if (joins(second, site, address, bytes, kind)) {
            return;
        }
        if (pending->bytes > 0 && same_instruction(pending->site, site) && second->bytes == 0) {
            *second = (struct pending) {site, address, bytes, kind};
            return;
        }
    }
    finish_accesses(thread);
    *pending = (struct pending) {site, address, bytes, kind};
}

static void on_access(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *data) {
    const struct site *site = data;
    int kind = site->atomic ? MODEL_UPDATE : qemu_plugin_mem_is_store(info) ? MODEL_STORE : MODEL_LOAD;
    touched(vcpu, site, address, 1U << qemu_plugin_mem_size_shift(info), kind);
}

/* Translation. */

/*
 * Code that the program changed leaves the instruction caches. Where cores share nothing, a core's caches are only for
 * the thread that sits on it; with several such cores, the others keep what they have, as nothing is coherent there.
 */
static void discard(uint64_t address, uint64_t bytes) {
    if (gathers) {
        pthread_mutex_lock(&model_latch);
        model_discard_code(model, address, bytes);
        pthread_mutex_unlock(&model_latch);
    } else if (processors == 1 && self != NULL && self->mode == MODE_DIRECT) {
        model_discard_code(model, address, bytes);
    }
}

static void on_instruction(
    struct qemu_plugin_insn *instruction, struct block *block, size_t index, size_t count) {
    const uint8_t *bytes = qemu_plugin_insn_data(instruction);
    size_t size = qemu_plugin_insn_size(instruction);
    uint64_t address = qemu_plugin_insn_vaddr(instruction);
    if (code_changes_note(address, bytes, size)) {
        discard(address, size);
    }
    block->sites[index].offset = (uint16_t) (address - block->address);
    int operation = lockstep_operation_marked(bytes, size);
    if (operation >= 0) {
        qemu_plugin_register_vcpu_insn_exec_cb(
            instruction, on_operation, QEMU_PLUGIN_CB_NO_REGS, (void *) (uintptr_t) operation);
        return;
    }
    struct instruction decoded = decode(bytes, size);
    struct site *site = &block->sites[index];
    site->string = decoded.repeated_string;
    if (decoded.repeated_string) {
        block->string_address = address;
        block->again = index == 0 ? AGAIN_STRING : block->again;
    }
    if (decoded.atomic) {
        site->atomic = true;
        struct atomic_site *atomic = blocks_atomic(block, address, (uint32_t) (count - index));
        block->again = count == 1 ? AGAIN_ATOMIC : block->again;
        qemu_plugin_register_vcpu_insn_exec_cb(instruction, on_atomic, QEMU_PLUGIN_CB_NO_REGS, atomic);
    } else if (count == 1 && !decoded.repeated_string && decoded.branch == BRANCH_NONE) {
        block->again = AGAIN_ALONE;
    }
    if (wants_data && atomic_load_explicit(&feeds, memory_order_relaxed)) {
        qemu_plugin_register_vcpu_mem_cb(instruction, on_access, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, site);
    }
}

/*
 * The instructions of a block that it executes. QEMU ends a block before an instruction that reaches into another page
 * than the block began in, and still lists it; only a block's first instruction may do so.
 */
static size_t executed_count(const struct qemu_plugin_tb *translated) {
    size_t count = qemu_plugin_tb_n_insns(translated);
    uint64_t page = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(translated, 0)) / CODE_PAGE_BYTES;
    struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(translated, count - 1);
    uint64_t end = qemu_plugin_insn_vaddr(last) + qemu_plugin_insn_size(last) - 1;
    return count > 1 && end / CODE_PAGE_BYTES != page ? count - 1 : count;
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *translated) {
    (void) id;
    size_t count = executed_count(translated);
    struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(translated, count - 1);
    uint64_t address = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(translated, 0));
    struct block *block = blocks_add(count);
    if (block == NULL) {
        die("no memory is left for translated blocks; give the program fewer, or the machine more memory.");
    }
    block->address = address;
    block->bytes = (uint32_t) (qemu_plugin_insn_vaddr(last) + qemu_plugin_insn_size(last) - address);
    block->instructions = (uint32_t) count;
    if (code != NULL) {
        block->code = code_lines_block(code, address, block->bytes, block->instructions);
    }
    for (size_t i = 0; i < count; i++) {
        on_instruction(qemu_plugin_tb_get_insn(translated, i), block, i, count);
    }
    qemu_plugin_register_vcpu_tb_exec_cb(translated, on_block, QEMU_PLUGIN_CB_NO_REGS, block);
}

/* No virtual processor runs: nobody holds a record, but for what threads remember of their last block. */
static void on_flush(qemu_plugin_id_t id) {
    (void) id;
    pthread_mutex_lock(&book_latch);
    for (struct thread *thread = threads; thread != NULL; thread = thread->older) {
        thread->previous = NULL;
        thread->atomic = NULL;
        for (int i = 0; i < PENDING_MAX; i++) {
            thread->pending[i].site = NULL;
        }
    }
    pthread_mutex_unlock(&book_latch);
    blocks_clear();
}

/* Threads. */

static struct thread *add_thread(uint32_t vcpu) {
    struct thread *thread = allocate(sizeof *thread);
    thread->vcpu = vcpu;
    thread->events = allocate(EVENTS_MAX * sizeof *thread->events);
    /* A new thread bears its creator's name until it gets its own, the first one this program's. */
    if (threads == NULL) {
        strcpy(thread->name, FIRST_NAME);
    } else {
        prctl(PR_GET_NAME, thread->name);
    }
    pthread_mutex_lock(&book_latch);
    thread->processor = NO_PROCESSOR;
    thread->phase = atomic_load(&phase_now);
    thread->code = code == NULL ? NULL : code_thread_begin(code);
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
        thread->ended = true;
        free(thread->events);
        thread->events = NULL;
        thread->mode = MODE_OUT;
        atomic_store(&thread->ask_at, UINT64_MAX);
    }
}

static void on_vcpu(qemu_plugin_id_t id, unsigned int vcpu) {
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

/* System calls and marks. */

/* Under book_latch: instructions so far of the threads that may be simulated, for each processor. */
static uint64_t executed_each(void) {
    uint64_t sum = 0;
    for (struct thread *thread = threads; thread != NULL; thread = thread->older) {
        sum += may_be_simulated(thread) ? thread->instructions : 0;
    }
    return sum / processors;
}

/* Cycles of the processor that is ahead. Others run meanwhile: what they add now may or may not be in it. */
static uint64_t cycles_now(void) {
    if (!atomic_load(&feeds)) {
        pthread_mutex_lock(&book_latch);
        uint64_t executed = executed_each();
        pthread_mutex_unlock(&book_latch);
        return executed;
    }
    uint64_t most = 0;
    for (uint32_t i = 0; i < processors; i++) {
        uint64_t cycles = model_clock(model, (int) i);
        most = cycles > most ? cycles : most;
    }
    return clock_unfed + most;
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

static void on_reset(qemu_plugin_id_t id);

static void change_phase(struct thread *thread, uint32_t phase) {
    pthread_mutex_lock(&book_latch);
    bool begins = phase != 0 && !atomic_load(&feeds);
    if (begins) {
        clock_unfed = executed_each();
        atomic_store(&feeds, true);
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
    if (begins && wants_data) {
        qemu_plugin_reset(plugin_id, on_reset);
    }
}

static void mark(struct thread *thread, uint64_t kind, uint64_t a, uint64_t b, uint64_t c) {
    switch (kind) {
        case LOCKSTEP_MARKER_PHASE_BEGIN:
            if (a < PHASES_MAX) {
                change_phase(thread, (uint32_t) a);
            }
            break;
        case LOCKSTEP_MARKER_PHASE_END:
            if (a == atomic_load(&phase_now)) {
                change_phase(thread, 0);
            }
            break;
        case LOCKSTEP_MARKER_REGION:
            /* Without translation buffers, which make the machine gather, page sizes change nothing. */
            if (gathers) {
                pthread_mutex_lock(&model_latch);
                (void) model_region(model, a, b, c);
                pthread_mutex_unlock(&model_latch);
            }
            break;
        case LOCKSTEP_MARKER_CODE_EVENT:
            if (code != NULL) {
                code_lines_epoch(code, a);
            }
            break;
        case LOCKSTEP_MARKER_THREAD_CORE:
            displace(thread);
            pthread_mutex_lock(&book_latch);
            thread->processor = (uint32_t) (a * machine.smt % processors);
            placed[thread->class][thread->processor]++;
            thread->core_given = true;
            pthread_mutex_unlock(&book_latch);
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
        if (!thread->core_given) {
            displace(thread);
        }
        thread->class = thread_class_of(name);
        code_thread_class(thread->code, thread_class_name(thread->class));
    }
}

static void on_call(
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

static void on_return(qemu_plugin_id_t id, unsigned int vcpu, int64_t number, int64_t result) {
    (void) id;
    struct thread *thread = running[vcpu];
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

/* The end. */

static void on_end(qemu_plugin_id_t id, void *data) {
    (void) id, (void) data;
    if (getpid() != process) {
        /* A child of fork has a copy of this memory, and nothing to tell. */
        return;
    }
    uint64_t now = now_nanos();
    tallies.nanos[atomic_load(&phase_now)] += now - phase_began_nanos;
    for (struct thread *thread = threads; thread != NULL; thread = thread->older) {
        if (!thread->ended) {
            if (thread->waiter.sits) {
                finish_accesses(thread);
                submit(thread);
            }
            tally(thread);
        }
    }
    model_end_lifetimes(model);
    struct results results = {
        .settings = &settings, .machine = &machine, .model = model, .seats = seats, .pace = pace, .tallies = &tallies,
        .threads = threads, .nanos = now - began_nanos, .account_phases = account_phases,
        .account_operations = account_operations, .accounts = accounts, .accounts_lost = accounts_lost,
        .flushes = blocks_flushes(), .blocks = blocks_total(), .restarts = atomic_load(&restarts)};
    int error = results_write(&results);
    if (error != 0) {
        fprintf(stderr, "lockstep: the results cannot be written: file=%s: %s\n", settings.out, strerror(error));
    }
    char message[MESSAGE_BYTES];
    if (code != NULL && code_lines_write(code, message, sizeof message) != 0) {
        fprintf(stderr, "lockstep: %s\n", message);
    }
}

static void register_callbacks(qemu_plugin_id_t id) {
    qemu_plugin_register_vcpu_init_cb(id, on_vcpu);
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    qemu_plugin_register_vcpu_syscall_cb(id, on_call);
    qemu_plugin_register_vcpu_syscall_ret_cb(id, on_return);
    qemu_plugin_register_flush_cb(id, on_flush);
    qemu_plugin_register_atexit_cb(id, on_end, NULL);
}

/* A thread that began while nobody was told. */
static void on_vcpu_there(qemu_plugin_id_t id, unsigned int vcpu) {
    if (vcpu < THREADS_MAX && (running[vcpu] == NULL || running[vcpu]->ended)) {
        on_vcpu(id, vcpu);
    }
}

static void on_reset(qemu_plugin_id_t id) {
    on_flush(id);
    qemu_plugin_vcpu_for_each(id, on_vcpu_there);
    register_callbacks(id);
}

/* Arguments. */

static bool parse_count(const char *text, uint64_t *count) {
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno != 0 || end == text || *end != 0 || *text == '-') {
        return false;
    }
    *count = value;
    return true;
}

static bool parse_switch(const char *text, bool *on) {
    *on = strcmp(text, "on") == 0;
    return *on || strcmp(text, "off") == 0;
}

static bool parse(char *argument) {
    char *value = strchr(argument, '=');
    if (value == NULL) {
        return false;
    }
    *value++ = 0;
    if (strcmp(argument, "config") == 0) {
        return (settings.config = strdup(value)) != NULL;
    }
    if (strcmp(argument, "out") == 0) {
        return (settings.out = strdup(value)) != NULL;
    }
    if (strcmp(argument, "code") == 0) {
        return (settings.code = strdup(value)) != NULL;
    }
    if (strcmp(argument, "step") == 0) {
        return parse_count(value, &settings.quantum);
    }
    if (strcmp(argument, "turn") == 0) {
        return parse_count(value, &settings.turn) && settings.turn > 0;
    }
    if (strcmp(argument, "buffers") == 0) {
        return parse_switch(value, &settings.buffers);
    }
    if (strcmp(argument, "jvm") == 0) {
        return parse_switch(value, &settings.jvm_threads);
    }
    if (strcmp(argument, "wait") == 0) {
        return parse_switch(value, &settings.waits);
    }
    return false;
}

static bool create_machine(void) {
    char error[MESSAGE_BYTES];
    if (machine_read(&machine, settings.config, error, sizeof error) != 0) {
        fprintf(stderr, "lockstep: %s\n", error);
        return false;
    }
    machine.accounts = MACHINE_ACCOUNTS_MAX;
    model = model_create(&machine);
    if (model == NULL) {
        fprintf(stderr, "lockstep: no memory is left for the simulated machine, or it cannot be simulated: %s\n",
            settings.config);
        return false;
    }
    processors = machine_processors(&machine);
    seats = calloc(processors, sizeof *seats);
    bool shares = !model_parallel(model);
    bool translates = machine.itlb.entries + machine.dtlb.entries + machine.stlb.entries > 0;
    gathers = shares || machine.smt > 1 || translates;
    pace = shares && processors > 1 && settings.quantum > 0 ? pace_create(processors, settings.quantum) : NULL;
    if (seats == NULL || (pace == NULL && shares && processors > 1 && settings.quantum > 0)) {
        fprintf(stderr, "lockstep: no memory is left for the simulated machine.\n");
        return false;
    }
    for (uint32_t i = 0; i < processors; i++) {
        seat_open(&seats[i]);
    }
    for (int class = 0; class < THREAD_CLASSES; class++) {
        placed[class] = allocate(processors * sizeof *placed[class]);
    }
    wants_data = model_wants_data(model);
    return true;
}

QEMU_API int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int count, char **arguments) {
    if (info->system_emulation || strcmp(info->target_name, "x86_64") != 0) {
        fprintf(stderr, "lockstep: the simulator is for programs of x86-64 under qemu-x86_64, not for %s.\n",
            info->target_name);
        return -1;
    }
    for (int i = 0; i < count; i++) {
        char *copy = strdup(arguments[i]);
        if (copy == NULL || !parse(copy)) {
            fprintf(stderr, "lockstep: the plugin does not know the argument %s; it takes %s.\n", arguments[i], ARGUMENTS);
            return -1;
        }
        free(copy);
    }
    if (settings.config == NULL || settings.out == NULL) {
        fprintf(stderr, "lockstep: the plugin needs config=FILE and out=FILE.\n");
        return -1;
    }
    if (!create_machine()) {
        return -1;
    }
    char error[MESSAGE_BYTES];
    if (settings.code != NULL && (code = code_lines_open(settings.code, error, sizeof error)) == NULL) {
        fprintf(stderr, "lockstep: %s\n", error);
        return -1;
    }
    process = getpid();
    atomic_store(&feeds, !settings.waits);
    began_nanos = phase_began_nanos = now_nanos();
    running[0] = add_thread(0);
    plugin_id = id;
    register_callbacks(id);
    return 0;
}
