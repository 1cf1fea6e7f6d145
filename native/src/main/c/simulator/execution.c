#include <stddef.h>

#include "../lockstep_marker.h"
#include "blocks.h"
#include "code_changes.h"
#include "decode.h"
#include "discards.h"
#include "state.h"

/* A block's instructions, but for its first, lie in one page of this size, QEMU's own for x86-64. */
#define CODE_PAGE_BYTES 4096

struct thread *running[THREADS_MAX];
_Atomic uint64_t restarts;
_Atomic uint64_t operation_page;

static inline void feed_fetch(struct thread *thread, const struct block *block, uint32_t instructions) {
    if (LIKELY(thread->mode == MODE_DIRECT)) {
        model_fetch(model, (int) thread->processor, block->address, block->bytes, instructions);
    } else if (thread->mode != MODE_OUT) {
        gather(thread, block->address, block->bytes, MODEL_FETCH, instructions);
    }
}

/* The same line by line, so that misses have places. */
static void feed_lines(struct thread *thread, const struct block *block, uint32_t instructions) {
    uint64_t line_bytes = machine.cache[LEVEL_L1I].geometry.line_bytes;
    line_bytes = line_bytes == 0 ? CODE_PAGE_BYTES : line_bytes;
    uint64_t end = block->address + block->bytes;
    for (uint64_t at = block->address, next; at < end; at = next) {
        next = (at / line_bytes + 1) * line_bytes;
        next = next < end ? next : end;
        thread->place = code_place(block->code, (uint16_t) (at - block->address));
        if (thread->mode == MODE_DIRECT) {
            if (model_fetch(model, (int) thread->processor, at, (uint32_t) (next - at), instructions)) {
                note_misses(thread, thread->place);
            }
        } else if (thread->mode != MODE_OUT) {
            gather(thread, at, (uint32_t) (next - at), MODEL_FETCH, instructions);
        }
        instructions = 0;
    }
}

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

/* The branch that a block ended with, once it is known where it went. */
static void branched(const struct thread *thread, const struct block *previous, uint64_t to) {
    struct branch_unit *unit = &branch_units[thread->processor];
    if (branches_executed(unit->branches, &unit->counts[thread->phase], previous->branch, previous->branch_address,
            previous->address + previous->bytes, to)
        && UNLIKELY(thread->code != NULL)) {
        code_thread_mispredicted(
            thread->code, code_place(previous->code, (uint16_t) (previous->branch_address - previous->address)));
    }
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
    const struct block *previous = thread->previous;
    if (UNLIKELY(branch_units != NULL) && previous != NULL && previous->branch != BRANCH_NONE && thread->debit == 0
        && is_seated(thread)) {
        branched(thread, previous, block->address);
    }
    thread->previous = block;
    finish_accesses(thread);
    if (UNLIKELY(thread->trace != NULL) && thread->phase != 0) {
        trace_block(thread->trace, block);
    }
    if (UNLIKELY(thread->instructions >= atomic_load_explicit(&thread->ask_at, memory_order_relaxed))) {
        ask(thread);
    }
    if (UNLIKELY(thread->code != NULL)) {
        /* After the events before it, accesses and gathered ones: it may be the first block of a phase. */
        thread->block = block->code;
        code_thread_executed(thread->code, block->code);
    }
    if (UNLIKELY(thread->debit > 0)) {
        uint32_t less = thread->debit < instructions ? (uint32_t) thread->debit : instructions;
        thread->debit -= less;
        instructions -= less;
    }
    thread->instructions += instructions;
    if (UNLIKELY(thread->code != NULL)) {
        feed_lines(thread, block, instructions);
    } else {
        feed_fetch(thread, block, instructions);
    }
}

static void count_unfed(struct thread *thread, uint64_t instructions, uint64_t string_at) {
    if (UNLIKELY(thread->instructions >= atomic_load_explicit(&thread->ask_at, memory_order_relaxed))) {
        ask(thread);
    }
    thread->string_at = string_at;
    thread->instructions += instructions;
}

/* A block that the model is not told of; data is the number of its instructions. */
static void on_block_unfed(unsigned int vcpu, void *data) {
    count_unfed(running[vcpu], (uintptr_t) data, 0);
}

/* The same block, which ends with a repeated string instruction; data is its address. */
static void on_string_begun(unsigned int vcpu, void *data) {
    running[vcpu]->string_at = (uintptr_t) data;
}

/* A block of a repeated string instruction alone, which QEMU executes for each element; data is its address. */
static void on_string_unfed(unsigned int vcpu, void *data) {
    struct thread *thread = running[vcpu];
    count_unfed(thread, thread->string_at == (uintptr_t) data ? 0 : 1, (uintptr_t) data);
}

static void on_atomic(unsigned int vcpu, void *data) {
    struct thread *thread = running[vcpu];
    thread->atomic = data;
    thread->atomic_at = thread->instructions + thread->clock_offset;
}

static void on_operation(unsigned int vcpu, void *data) {
    struct thread *thread = running[vcpu];
    uint32_t operation = (uint32_t) (uintptr_t) data;
    if (operation != thread->operation) {
        bool sits = is_seated(thread);
        if (sits) {
            /* What came before is the old operation's. */
            finish_accesses(thread);
            submit(thread);
        }
        if (thread->trace != NULL) {
            trace_end(thread->trace, thread->operation, thread->phase);
        }
        thread->operation = operation;
        code_thread_operation(thread->code, operation);
        if (sits) {
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
            *second = (struct pending) {site, address, bytes, kind, site->offset};
            return;
        }
    }
    finish_accesses(thread);
    *pending = (struct pending) {site, address, bytes, kind, site->offset};
}

static void on_access(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *data) {
    const struct site *site = data;
    int kind = site->atomic ? MODEL_UPDATE : qemu_plugin_mem_is_store(info) ? MODEL_STORE : MODEL_LOAD;
    touched(vcpu, site, address, 1U << qemu_plugin_mem_size_shift(info), kind);
}

/* A store of one byte, perhaps to the page of operations. Returns whether it was a mark, which touches nothing. */
static inline bool marks_operation(unsigned int vcpu, uint64_t address) {
    uint64_t page = atomic_load_explicit(&operation_page, memory_order_relaxed);
    if (LIKELY(address - page >= LOCKSTEP_OPERATIONS)) {
        return false;
    }
    on_operation(vcpu, (void *) (uintptr_t) (address - page));
    return true;
}

static void on_byte(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *data) {
    (void) info;
    (void) data;
    (void) marks_operation(vcpu, address);
}

static void on_byte_access(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *data) {
    if (!marks_operation(vcpu, address)) {
        on_access(vcpu, info, address, data);
    }
}

/* Translation. */

/* Code that the program changed leaves the instruction caches of all cores. */
static void discard(uint64_t address, uint64_t bytes) {
    struct thread *thread = asking();
    if (forked) {
        return;
    }
    if (gathers) {
        if (thread != NULL && thread->mode == MODE_GATHER) {
            /* What it fetched before comes before. */
            submit(thread);
        }
        pthread_mutex_lock(&model_latch);
        model_discard_code(model, address, bytes);
        pthread_mutex_unlock(&model_latch);
    } else {
        discards_post(thread, address, bytes);
    }
}

/* Whether an instruction does nothing but name an operation; if so, it is called back. */
static bool is_mark(struct qemu_plugin_insn *instruction) {
    int operation = lockstep_operation_marked(qemu_plugin_insn_data(instruction), qemu_plugin_insn_size(instruction));
    if (operation < 0) {
        return false;
    }
    qemu_plugin_register_vcpu_insn_exec_cb(
        instruction, on_operation, QEMU_PLUGIN_CB_NO_REGS, (void *) (uintptr_t) operation);
    return true;
}

/* Whether an instruction begins or ends a phase; if so, its store is called back and touches nothing. */
static bool is_phase_mark(struct qemu_plugin_insn *instruction) {
    if (LIKELY(!lockstep_marks_phase(qemu_plugin_insn_data(instruction), qemu_plugin_insn_size(instruction)))) {
        return false;
    }
    qemu_plugin_register_vcpu_mem_cb(instruction, on_phase, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
    return true;
}

static bool may_mark(struct instruction decoded) {
    return decoded.stores_byte && atomic_load_explicit(&operation_page, memory_order_relaxed) != 0;
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
    if (is_mark(instruction) || is_phase_mark(instruction)) {
        return;
    }
    struct instruction decoded = decode(bytes, size);
    if (index == count - 1) {
        block->branch = decoded.branch;
        block->branch_address = address;
    }
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
    bool marks = may_mark(decoded);
    if (wants_data || marks) {
        qemu_plugin_register_vcpu_mem_cb(instruction, !marks ? on_access : wants_data ? on_byte_access : on_byte,
            QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, site);
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

/* Instructions are counted and operations followed, as long as nothing is fed. */
static void translate_unfed(struct qemu_plugin_tb *translated, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(translated, i);
        if (!is_mark(instruction) && !is_phase_mark(instruction)
            && may_mark(decode(qemu_plugin_insn_data(instruction), qemu_plugin_insn_size(instruction)))) {
            qemu_plugin_register_vcpu_mem_cb(
                instruction, on_byte, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
        }
    }
    struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(translated, count - 1);
    bool repeats = decode(qemu_plugin_insn_data(last), qemu_plugin_insn_size(last)).repeated_string;
    void *address = (void *) (uintptr_t) qemu_plugin_insn_vaddr(last);
    if (repeats && count == 1) {
        qemu_plugin_register_vcpu_tb_exec_cb(translated, on_string_unfed, QEMU_PLUGIN_CB_NO_REGS, address);
        return;
    }
    qemu_plugin_register_vcpu_tb_exec_cb(
        translated, on_block_unfed, QEMU_PLUGIN_CB_NO_REGS, (void *) (uintptr_t) count);
    if (repeats) {
        qemu_plugin_register_vcpu_tb_exec_cb(translated, on_string_begun, QEMU_PLUGIN_CB_NO_REGS, address);
    }
}

void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *translated) {
    (void) id;
    size_t count = executed_count(translated);
    if (!atomic_load_explicit(&called_back, memory_order_relaxed)) {
        translate_unfed(translated, count);
        return;
    }
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

/*
 * No virtual processor executes: nobody holds a record, but for what threads remember of their last block. Those in
 * callbacks of system calls, which go on, look at none.
 */
void on_flush(qemu_plugin_id_t id) {
    (void) id;
    pthread_mutex_lock(&book_latch);
    for (struct thread *thread = threads; thread != NULL; thread = thread->older) {
        thread->previous = NULL;
        thread->atomic = NULL;
        if (thread->trace != NULL) {
            trace_forget(thread->trace);
        }
        for (int i = 0; i < PENDING_MAX; i++) {
            thread->pending[i].site = NULL;
        }
    }
    pthread_mutex_unlock(&book_latch);
    blocks_clear();
}
