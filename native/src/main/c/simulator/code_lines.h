/*
 * Which code was executed: how often each block, in which phase and operation, by which class of thread, and of which
 * epoch of the code; which of its misses the model of the machine counted, of its code and of its data; and how much
 * data each execution of an operation touched. Knows nothing of QEMU: the plugin tells it of blocks, accesses, threads,
 * marks and epochs.
 *
 * A block is a run of instructions without a branch, as QEMU translated it. It keeps the epoch of its translation: the
 * number of the agent's event (LOCKSTEP_MARKER_CODE_EVENT) that came last, by which a reader tells which of the methods
 * that were compiled to this address it belonged to. The same block translated again in one epoch keeps its number.
 *
 * A thread counts in tables of its own, one for each phase, operation and class it has been in; so counting takes no
 * lock and loses nothing. In phase 0, outside any phase, all operations are counted as 0. A thread that ends adds its
 * tables to those of the recording.
 *
 * The file, text, numbers in decimal but for addresses:
 *
 *     lockstep-code-lines 5
 *     b ADDRESS BYTES INSTRUCTIONS EPOCH          one for each block, numbered from 0 in this order; ADDRESS in hex
 *     c PHASE OPERATION CLASS                     a context; what follows was executed in it
 *     BLOCK COUNT STAYS                           times the block was begun, and stays in the context in which
 *                                                 it was
 *     m BLOCK OFFSET L1I L1D L2 LLC MISPREDICTED  misses of each level, of the code that begins so many bytes into
 *                                                 the block, or of the data of the instruction that does, and how
 *                                                 often the branch that does was mispredicted
 *     d LINES STAYS                               times a stay touched so many distinct lines of data, of 64 bytes:
 *                                                 LINES, or less by a ninth of it at most
 *     end                                         so that a truncated file is told from a whole one
 *
 * A stay of a thread in a context lasts from one mark of an operation to the next one that names another; so STAYS is
 * the number of executions of the operation that needed the block, whether in a loop or not. Data is counted in
 * operations of a phase only, without what a stay touched before its phase began, and of stays that came to their end
 * in it. Misses and data are told of threads that are simulated, where the machine has caches for data; mispredictions
 * where it has branch prediction.
 *
 * Contexts may occur several times, and a block twice in one; their counts add up.
 *
 * Threads: code_lines_block, _epoch, _phase and code_thread_begin may be called by any thread at any time; calls with a
 * code_thread by that thread alone. code_lines_write may run beside all of them, and writes what was counted so far.
 */
#ifndef LOCKSTEP_CODE_LINES_H
#define LOCKSTEP_CODE_LINES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Blocks of one piece of a table: most operations execute few blocks, near each other in order of translation. */
#define CODE_PIECE_BLOCKS 128

/* Blocks beyond this are counted as the last one: 64 times those of a JVM that has run TPC-C. */
#define CODE_BLOCKS_MAX (1u << 24)

/* L1-I, L1-D, L2 and last level. */
#define CODE_LEVELS 4

/* Bytes of a line of data, as a shift: those of nearly every processor. */
#define CODE_DATA_LINE_LOG2 6

/* A stay that touches more lines than this, 4 MB, counts as one that touches so many: no team has room for more. */
#define CODE_DATA_LINES_MAX (1u << 16)

/* What follows is private but for the functions. */

#define CODE_PIECES_MAX (CODE_BLOCKS_MAX / CODE_PIECE_BLOCKS)

/* Numbers of lines that are told apart: each below 16, others by their four leading bits. */
#define CODE_DATA_BUCKETS 113

/* Of one block in one context. */
struct code_count {
    uint64_t begun;
    uint32_t stays;
    /* The thread's stay in which it was counted last. */
    uint32_t stay;
};

/* Misses of one place in one context, by level, and mispredictions of the branch there. */
struct code_missed {
    /* Block and offset, see code_place, and 1; 0: nothing is here. */
    uint64_t place;
    uint64_t level[CODE_LEVELS];
    uint64_t mispredicted;
};

/* Counts of one context; pieces grows as blocks are met. */
struct code_table {
    struct code_count **pieces;
    uint32_t piece_count;
    /* Open addressing, a power of two, at least twice missed_count; NULL before the first miss. */
    struct code_missed *missed;
    uint32_t missed_count;
    uint32_t missed_capacity;
    /* By bucket, stays that touched so many lines of data. */
    uint64_t data_stays[CODE_DATA_BUCKETS];
    uint32_t phase;
    uint32_t operation;
    const char *class;
    struct code_table *next;
};

struct code_lines;

/* A line of data that was touched, in the span with this number. */
struct code_touched {
    uint64_t line;
    uint32_t span;
};

struct code_thread {
    struct code_lines *lines;
    /* The context that is counted in; NULL where memory ran out. */
    struct code_table *table;
    struct code_table *first;
    /* By operation, those of the present phase and class; NULL before the first operation but 0. */
    struct code_table **by_operation;
    uint32_t phase;
    uint32_t operation;
    /* Number of the stay, from 1; after 2^32 it begins anew, which may cost a block a stay. */
    uint32_t stay;
    /*
     * Data touched since the stay or the phase began, whichever came last. Open addressing, a power of two, at least
     * twice touched_count; entries of other spans are free places. Spans are numbered from 1.
     */
    struct code_touched *touched;
    uint32_t touched_capacity;
    uint32_t touched_count;
    uint32_t span;
    const char *class;
    /* Links the threads of a recording. */
    struct code_thread *next;
    struct code_thread *previous;
    /* Guards first against code_lines_write. */
    atomic_flag latch;
};

struct code_lines {
    /* The phase that the process is in; opaque to the threads, which follow it at their next block. */
    _Atomic uint32_t phase;
    _Atomic uint64_t epoch;
    struct code_store *store;
};

/*
 * Begins a recording that will be written to a file. The file is made at once, so that a wrong name is told now; NULL
 * then, with a sentence in error.
 */
struct code_lines *code_lines_open(const char *file, char *error, size_t error_bytes);

/* The number of a block that is translated now. */
uint32_t code_lines_block(struct code_lines *lines, uint64_t address, uint32_t bytes, uint32_t instructions);

/* Blocks translated from now on belong to this epoch. */
void code_lines_epoch(struct code_lines *lines, uint64_t epoch);

/* The process is in this phase from now on, 0 for none. */
void code_lines_phase(struct code_lines *lines, uint32_t phase);

/* A thread begins: in operation 0, of class "other". NULL without memory; every function below accepts it. */
struct code_thread *code_thread_begin(struct code_lines *lines);

/* The thread is in this operation from now on, 0 to LOCKSTEP_OPERATIONS - 1. */
void code_thread_operation(struct code_thread *thread, uint32_t operation);

/* The thread is of this class from now on: a word that lives as long as the recording. */
void code_thread_class(struct code_thread *thread, const char *class);

/* The thread ends; what it has counted stays. */
void code_thread_end(struct code_thread *thread);

/* The piece that holds a block; makes it. NULL without memory. */
struct code_count *code_thread_piece(struct code_thread *thread, uint32_t block);

/* The thread begins to execute a block. */
static inline void code_thread_executed(struct code_thread *thread, uint32_t block) {
    if (!thread) {
        return;
    }
    struct code_count *piece = NULL;
    if (thread->table && thread->phase == atomic_load_explicit(&thread->lines->phase, memory_order_relaxed)
            && block / CODE_PIECE_BLOCKS < thread->table->piece_count) {
        piece = thread->table->pieces[block / CODE_PIECE_BLOCKS];
    }
    if (!piece) {
        piece = code_thread_piece(thread, block);
        if (!piece) {
            return;
        }
    }
    struct code_count *count = &piece[block % CODE_PIECE_BLOCKS];
    count->begun++;
    if (count->stay != thread->stay) {
        count->stay = thread->stay;
        count->stays++;
    }
}

/* A place in a block, an offset from its begin. */
static inline uint64_t code_place(uint32_t block, uint16_t offset) {
    return (uint64_t) block << 16 | offset;
}

/* The thread touches data, in the operation that it is in. */
void code_thread_touched(struct code_thread *thread, uint64_t address, uint64_t bytes);

/* Charges misses to a place that the thread executes, or did just now. */
void code_thread_missed(struct code_thread *thread, uint64_t place, const uint64_t misses[CODE_LEVELS]);

/* The branch at a place that the thread executed just now was mispredicted. */
void code_thread_mispredicted(struct code_thread *thread, uint64_t place);

/* Writes the file. Returns -1 with a sentence in error. */
int code_lines_write(struct code_lines *lines, char *error, size_t error_bytes);

/* Ends the recording; no thread of it may be counting. Does not write. */
void code_lines_close(struct code_lines *lines);

#endif
