/*
 * What the parts of the QEMU plugin share: its settings, the state of a thread, the records of translated blocks.
 *
 * How events flow. QEMU calls back when a block begins and after each access. Pieces of one access are put together
 * (struct pending). Where the machine's processors share nothing, a thread that sits on one hands each event to
 * the model at once. Else it gathers events and hands them over in order, under one latch, when it has run a quantum.
 *
 * What can be charged (phase, operation) is a dense number, an account of the model.
 */
#ifndef LOCKSTEP_PLUGIN_H
#define LOCKSTEP_PLUGIN_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "../lockstep_marker.h"
#include "affinity.h"
#include "code_lines.h"
#include "branches.h"
#include "model.h"
#include "pace.h"
#include "threads.h"

/* Threads that live at the same time; more than Linux allows a process by default on a machine of this size. */
#define THREADS_MAX 65536

/* Events that a thread gathers at most: some quanta, and small enough for the real L1. */
#define EVENTS_MAX 1024

/* Phases are numbered from 0, which is outside any, up to this, not included. */
#define PHASES_MAX 256

/* The processor of a thread that was not given one. */
#define NO_PROCESSOR UINT32_MAX

/*
 * An access that an instruction makes in several pieces has at most this many streams: a string move reads and writes.
 */
#define PENDING_MAX 2

/* How a block may continue or repeat the one before. */
enum again {
    AGAIN_NO = 0,
    /* Begins with a repeated string instruction, which QEMU executes as a block for each element. */
    AGAIN_STRING,
    /* Is one atomic instruction, which QEMU may execute alone after it broke off the block that has it. */
    AGAIN_ATOMIC,
    /*
     * Is one other instruction that is no branch, which QEMU executes alone where it stored to the code of its block.
     */
    AGAIN_ALONE,
};

/* One instruction of a block: what callbacks of accesses are told apart by. */
struct site {
    /* From the beginning of the block. */
    uint16_t offset;
    /* Reads and writes in turns, so each stream is put together by itself. */
    bool string;
    /* Reads and writes at once. */
    bool atomic;
};

/* A translated block; lives until QEMU flushes its translations. */
struct block {
    uint64_t address;
    uint32_t bytes;
    uint32_t instructions;
    enum again again;
    /* Of its last instruction, and where that begins. */
    enum branch_kind branch;
    uint64_t branch_address;
    /* Where its repeated string instruction is, its last one; 0 where there is none. */
    uint64_t string_address;
    /* Its number in code_lines.h; 0 where executed code is not recorded. */
    uint32_t code;
    struct site sites[];
};

/* An atomic instruction of a block. */
struct atomic_site {
    const struct block *block;
    uint64_t address;
    /* Instructions of the block from this one on. */
    uint32_t remaining;
};

/* An access whose further pieces may still come; bytes is 0 when there is none. */
struct pending {
    /* NULL once its block is gone; callbacks of system calls, beside which a flush may come, do not look at it. */
    const struct site *site;
    uint64_t address;
    uint32_t bytes;
    int kind;
    /* The site's. */
    uint16_t offset;
};

/* What a thread's events go to. */
enum thread_mode {
    /* It has to sit down first. */
    MODE_ENTER,
    /* It waits for its processor, and executes single blocks meanwhile: events are gathered. */
    MODE_DEFER,
    /* It sits, and the model is called at once. */
    MODE_DIRECT,
    /* It sits, and events are gathered and handed over together. */
    MODE_GATHER,
    /* It is not simulated; its instructions are counted. */
    MODE_OUT,
};

struct thread {
    /* Executed so far. */
    uint64_t instructions;
    /* When it has to ask (ask in feed.c) before it goes on. Others set it to 0, to be asked soon. */
    _Atomic uint64_t ask_at;
    enum thread_mode mode;
    uint32_t processor;
    const struct block *previous;
    const struct atomic_site *atomic;
    /* While nothing is fed: the repeated string instruction that its last block ended with; 0 if with another. */
    uint64_t string_at;
    /* Instructions that were counted and then not executed: the next ones are not counted. */
    uint64_t debit;
    struct pending pending[PENDING_MAX];
    uint32_t event_count;
    struct model_event *events;
    uint64_t events_lost;

    /* What it is charged to. */
    uint32_t phase;
    uint32_t operation;
    /* Of instructions, the part that has been added to its class's. */
    uint64_t tallied;
    /* Clock of the processor less instructions, while it sits. */
    uint64_t clock_offset;
    /* Clock of its last atomic instruction. */
    uint64_t atomic_at;
    uint64_t turn_ends;
    struct waiter waiter;
    /* Held while it sits on one of several processors in step. */
    struct affinity affinity;
    /* NULL where executed code is not recorded. */
    struct code_thread *code;
    /* With it: the block that executes, the place of the next event, those of gathered ones, misses with places. */
    uint32_t block;
    uint64_t place;
    uint64_t *event_places;
    uint64_t missed[LEVELS];
    /* NULL where operations are not traced. */
    struct thread_trace *trace;

    uint32_t vcpu;
    enum thread_class class;
    bool core_given;
    bool ended;
    char name[THREAD_NAME_BYTES];
    /* All threads of the run, newest first. */
    struct thread *older;

    /* The system call it is in, for the one after it. */
    int64_t call_number;
    uint64_t call_arguments[3];
};

struct settings {
    char *config;
    char *out;
    char *code;
    char *trace;
    /* Instructions that a processor may be ahead; 0: processors are not kept in step. */
    uint64_t quantum;
    /* Instructions after which a thread whose processor others want gets up. */
    uint64_t turn;
    /* Whether the buffers of read and write calls are touched. */
    bool buffers;
    /* Whether the database's own threads are simulated like those of its clients. */
    bool engine_threads;
    /* Whether the JVM's own threads are simulated like others. */
    bool jvm_threads;
    /* Of the branch predictors; counters is 0 where branches are not predicted. */
    struct branch_sizes branches;
    /* Whether the model is fed in phases only: what is before and after only has to be over soon. */
    bool waits;
};

/* One access by the program or on its behalf, at once or gathered. */
void feed_access(struct thread *thread, uint64_t address, uint64_t bytes, int kind);

/* Instructions by phase and class, of threads of all kinds. */
struct tallies {
    uint64_t instructions[PHASES_MAX][THREAD_CLASSES];
    /* Nanoseconds in the phase. */
    uint64_t nanos[PHASES_MAX];
    uint32_t begun[PHASES_MAX];
};

/* Ranges of memory that a program may tell of and have listed; further ones hold for the model alone. */
#define REGIONS_MAX 256

/* A range of memory that the program told of. */
struct told_region {
    uint64_t address;
    uint64_t bytes;
    uint64_t page_bytes;
    /* LOCKSTEP_REGION_ */
    uint32_t kind;
    /* Or NODE_OF_FIRST_TOUCH. */
    int node;
};

/* A processor's branches, by phase. */
struct branch_unit {
    struct branches *branches;
    struct branch_counts counts[PHASES_MAX];
};

/* In the place of an account's operation: the engine's own threads, whatever operation they are in. */
#define OPERATION_ENGINE LOCKSTEP_OPERATIONS

/* What has to be written when the program ends. */
struct results {
    /* By processor; NULL where branches are not predicted. */
    const struct branch_unit *branch_units;
    const struct settings *settings;
    const struct machine *machine;
    const struct model *model;
    const struct seat *seats;
    struct pace *pace;
    const struct tallies *tallies;
    const struct thread *threads;
    uint64_t nanos;
    /* Phase and operation of each account. */
    const uint32_t *account_phases;
    const uint32_t *account_operations;
    uint32_t accounts;
    uint64_t accounts_lost;
    uint64_t flushes;
    uint64_t blocks;
    uint64_t restarts;
    const struct told_region *regions;
    uint32_t region_count;
};

/* Writes the results as JSON. Returns 0 or an errno value. */
int results_write(const struct results *results);

#endif
