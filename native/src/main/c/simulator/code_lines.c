#include "code_lines.h"

#include "lockstep_marker.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A block as it is written; the epoch is that of its translation. */
struct code_block {
    uint64_t address;
    uint64_t epoch;
    uint32_t bytes;
    uint32_t instructions;
};

/* What only translation, beginning and ending threads, and writing touch; all under its latch. */
struct code_store {
    pthread_mutex_t latch;
    FILE *file;
    struct code_block *blocks;
    uint32_t block_count;
    uint32_t block_capacity;
    /* Open addressing, a power of two, at least twice block_count: a block's number + 1, 0 for a free place. */
    uint32_t *places;
    uint32_t place_count;
    struct code_thread *threads;
    /* Tables of threads that have ended, one for each context. */
    struct code_table *ended;
};

static struct code_table *table_find(struct code_table *first, uint32_t phase, uint32_t operation, const char *class) {
    for (struct code_table *table = first; table; table = table->next) {
        if (table->phase == phase && table->operation == operation && !strcmp(table->class, class)) {
            return table;
        }
    }
    return NULL;
}

static struct code_table *table_new(uint32_t phase, uint32_t operation, const char *class) {
    struct code_table *table = calloc(1, sizeof *table);
    if (table) {
        table->phase = phase;
        table->operation = operation;
        table->class = class;
    }
    return table;
}

static void table_free(struct code_table *table) {
    for (uint32_t i = 0; i < table->piece_count; i++) {
        free(table->pieces[i]);
    }
    free(table->pieces);
    free(table->missed);
    free(table);
}

/* The piece of a table, made if need be; NULL without memory. */
static struct code_count *table_piece(struct code_table *table, uint32_t index) {
    if (index >= table->piece_count) {
        uint32_t count = table->piece_count ? table->piece_count : 16;
        while (count <= index) {
            count *= 2;
        }
        struct code_count **grown = realloc(table->pieces, count * sizeof *grown);
        if (!grown) {
            return NULL;
        }
        memset(grown + table->piece_count, 0, (count - table->piece_count) * sizeof *grown);
        table->pieces = grown;
        table->piece_count = count;
    }
    if (!table->pieces[index]) {
        table->pieces[index] = calloc(CODE_PIECE_BLOCKS, sizeof *table->pieces[index]);
    }
    return table->pieces[index];
}

static void thread_latch(struct code_thread *thread) {
    /* Held for some list or array steps, or while the file is written at the end. */
    while (atomic_flag_test_and_set_explicit(&thread->latch, memory_order_acquire)) {
    }
}

static void thread_unlatch(struct code_thread *thread) {
    atomic_flag_clear_explicit(&thread->latch, memory_order_release);
}

struct code_lines *code_lines_open(const char *file, char *error, size_t error_bytes) {
    struct code_lines *lines = calloc(1, sizeof *lines);
    struct code_store *store = calloc(1, sizeof *store);
    FILE *opened = fopen(file, "w");
    if (!lines || !store || !opened) {
        snprintf(error, error_bytes, "cannot record executed code: file=%s error=%s", file, strerror(errno));
        if (opened) {
            fclose(opened);
        }
        free(lines);
        free(store);
        return NULL;
    }
    pthread_mutex_init(&store->latch, NULL);
    store->file = opened;
    lines->store = store;
    return lines;
}

static uint64_t hash(uint64_t address, uint64_t epoch) {
    uint64_t mixed = (address ^ (epoch << 48)) * UINT64_C(0x9E3779B97F4A7C15);
    return mixed ^ (mixed >> 29);
}

/* The place of a block, or the free one where it belongs. */
static uint32_t *place_of(struct code_store *store, const struct code_block *block) {
    uint32_t at = hash(block->address, block->epoch) & (store->place_count - 1);
    /* Ends: at least half of the places are free. */
    while (store->places[at]) {
        const struct code_block *other = &store->blocks[store->places[at] - 1];
        if (other->address == block->address && other->epoch == block->epoch && other->bytes == block->bytes
                && other->instructions == block->instructions) {
            break;
        }
        at = (at + 1) & (store->place_count - 1);
    }
    return &store->places[at];
}

static bool store_grow(struct code_store *store) {
    uint32_t capacity = store->block_capacity ? store->block_capacity * 2 : 1024;
    struct code_block *blocks = realloc(store->blocks, capacity * sizeof *blocks);
    if (!blocks) {
        return false;
    }
    store->blocks = blocks;
    uint32_t *places = calloc(capacity * 2, sizeof *places);
    if (!places) {
        return false;
    }
    free(store->places);
    store->places = places;
    store->place_count = capacity * 2;
    store->block_capacity = capacity;
    for (uint32_t i = 0; i < store->block_count; i++) {
        *place_of(store, &store->blocks[i]) = i + 1;
    }
    return true;
}

uint32_t code_lines_block(struct code_lines *lines, uint64_t address, uint32_t bytes, uint32_t instructions) {
    struct code_store *store = lines->store;
    struct code_block block = {
        .address = address,
        .epoch = atomic_load_explicit(&lines->epoch, memory_order_acquire),
        .bytes = bytes,
        .instructions = instructions,
    };
    uint32_t number;
    pthread_mutex_lock(&store->latch);
    if (store->block_count == store->block_capacity
            && (store->block_count == CODE_BLOCKS_MAX || !store_grow(store))) {
        /* Out of numbers or memory: the last one stands for the rest. */
        number = store->block_count ? store->block_count - 1 : 0;
    } else {
        uint32_t *place = place_of(store, &block);
        if (!*place) {
            store->blocks[store->block_count] = block;
            *place = ++store->block_count;
        }
        number = *place - 1;
    }
    pthread_mutex_unlock(&store->latch);
    return number;
}

void code_lines_epoch(struct code_lines *lines, uint64_t epoch) {
    atomic_store_explicit(&lines->epoch, epoch, memory_order_release);
}

void code_lines_phase(struct code_lines *lines, uint32_t phase) {
    atomic_store_explicit(&lines->phase, phase, memory_order_release);
}

struct code_thread *code_thread_begin(struct code_lines *lines) {
    struct code_thread *thread = calloc(1, sizeof *thread);
    if (!thread) {
        return NULL;
    }
    thread->lines = lines;
    thread->class = "other";
    thread->stay = 1;
    thread->span = 1;
    atomic_flag_clear(&thread->latch);
    pthread_mutex_lock(&lines->store->latch);
    thread->next = lines->store->threads;
    if (thread->next) {
        thread->next->previous = thread;
    }
    lines->store->threads = thread;
    pthread_mutex_unlock(&lines->store->latch);
    return thread;
}

/* The table of the thread's present phase and class, and an operation; NULL without memory. */
static struct code_table *thread_table(struct code_thread *thread, uint32_t operation) {
    struct code_table *table = table_find(thread->first, thread->phase, operation, thread->class);
    if (!table) {
        table = table_new(thread->phase, operation, thread->class);
        if (table) {
            thread_latch(thread);
            table->next = thread->first;
            thread->first = table;
            thread_unlatch(thread);
        }
    }
    return table;
}

/* The bucket of a number of lines. */
static uint32_t data_bucket(uint32_t lines) {
    uint32_t shift = 0;
    while (lines >> shift >= 16) {
        shift++;
    }
    return shift * 8 + (lines >> shift);
}

/* The largest number of lines in a bucket. */
static uint32_t data_lines(uint32_t bucket) {
    uint32_t shift = bucket < 16 ? 0 : (bucket - 8) / 8;
    return ((bucket - shift * 8 + 1) << shift) - 1;
}

/* Forgets which data was touched. */
static void data_forget(struct code_thread *thread) {
    thread->touched_count = 0;
    if (++thread->span == 0) {
        /* Old entries would count as new ones. */
        memset(thread->touched, 0, thread->touched_capacity * sizeof *thread->touched);
        thread->span = 1;
    }
}

/* Counts what the stay that ends has touched. */
static void data_count(struct code_thread *thread) {
    if (thread->table && thread->touched_count) {
        thread->table->data_stays[data_bucket(thread->touched_count)]++;
    }
    data_forget(thread);
}

static struct code_touched *touched_at(struct code_touched *touched, uint32_t capacity, uint32_t span, uint64_t line) {
    uint32_t at = hash(line, 0) & (capacity - 1);
    /* Ends: at least half are free. */
    while (touched[at].span == span && touched[at].line != line) {
        at = (at + 1) & (capacity - 1);
    }
    return &touched[at];
}

static bool touched_grow(struct code_thread *thread) {
    uint32_t capacity = thread->touched_capacity ? thread->touched_capacity * 2 : 256;
    struct code_touched *grown = calloc(capacity, sizeof *grown);
    if (!grown) {
        return false;
    }
    for (uint32_t i = 0; i < thread->touched_capacity; i++) {
        if (thread->touched[i].span == thread->span) {
            *touched_at(grown, capacity, thread->span, thread->touched[i].line) = thread->touched[i];
        }
    }
    free(thread->touched);
    thread->touched = grown;
    thread->touched_capacity = capacity;
    return true;
}

void code_thread_touched(struct code_thread *thread, uint64_t address, uint64_t bytes) {
    if (!thread || !thread->table || !thread->table->operation || !bytes) {
        return;
    }
    uint64_t last = (address + bytes - 1) >> CODE_DATA_LINE_LOG2;
    for (uint64_t line = address >> CODE_DATA_LINE_LOG2; line <= last; line++) {
        if (thread->touched_count == CODE_DATA_LINES_MAX
                || (2 * thread->touched_count >= thread->touched_capacity && !touched_grow(thread))) {
            return;
        }
        struct code_touched *touched =
            touched_at(thread->touched, thread->touched_capacity, thread->span, line);
        if (touched->span != thread->span) {
            *touched = (struct code_touched) {line, thread->span};
            thread->touched_count++;
        }
    }
}

/* Goes to the table of the present operation. */
static void thread_enter(struct code_thread *thread) {
    uint32_t operation = thread->phase ? thread->operation : 0;
    if (operation && !thread->by_operation) {
        thread->by_operation = calloc(LOCKSTEP_OPERATIONS, sizeof *thread->by_operation);
    }
    if (!thread->by_operation) {
        thread->table = thread_table(thread, operation);
        return;
    }
    if (!thread->by_operation[operation]) {
        thread->by_operation[operation] = thread_table(thread, operation);
    }
    thread->table = thread->by_operation[operation];
}

/* Like thread_enter, where the phase or the class is another one. */
static void thread_enter_anew(struct code_thread *thread, uint32_t phase, const char *class) {
    thread->phase = phase;
    thread->class = class;
    data_forget(thread);
    free(thread->by_operation);
    thread->by_operation = NULL;
    thread_enter(thread);
}

void code_thread_operation(struct code_thread *thread, uint32_t operation) {
    if (thread && thread->operation != operation && operation < LOCKSTEP_OPERATIONS) {
        data_count(thread);
        thread->operation = operation;
        thread->stay++;
        thread_enter(thread);
    }
}

void code_thread_class(struct code_thread *thread, const char *class) {
    if (thread && strcmp(thread->class, class)) {
        thread_enter_anew(thread, thread->phase, class);
    }
}

struct code_count *code_thread_piece(struct code_thread *thread, uint32_t block) {
    uint32_t phase = atomic_load_explicit(&thread->lines->phase, memory_order_acquire);
    if (!thread->table || thread->phase != phase) {
        thread_enter_anew(thread, phase, thread->class);
    }
    if (!thread->table || block >= CODE_BLOCKS_MAX) {
        return NULL;
    }
    uint32_t index = block / CODE_PIECE_BLOCKS;
    if (index < thread->table->piece_count && thread->table->pieces[index]) {
        return thread->table->pieces[index];
    }
    thread_latch(thread);
    struct code_count *piece = table_piece(thread->table, index);
    thread_unlatch(thread);
    return piece;
}

/* Where the misses of a place are, or the free one where they belong. */
static struct code_missed *missed_at(const struct code_table *table, uint64_t place) {
    uint32_t at = hash(place, 0) & (table->missed_capacity - 1);
    /* Ends: at least half are free. */
    while (table->missed[at].place && table->missed[at].place != place + 1) {
        at = (at + 1) & (table->missed_capacity - 1);
    }
    return &table->missed[at];
}

static bool missed_grow(struct code_table *table) {
    struct code_table grown = *table;
    grown.missed_capacity = table->missed_capacity ? table->missed_capacity * 2 : 64;
    grown.missed = calloc(grown.missed_capacity, sizeof *grown.missed);
    if (!grown.missed) {
        return false;
    }
    for (uint32_t i = 0; i < table->missed_capacity; i++) {
        if (table->missed[i].place) {
            *missed_at(&grown, table->missed[i].place - 1) = table->missed[i];
        }
    }
    free(table->missed);
    *table = grown;
    return true;
}

/* Adds misses and mispredictions of a place; whether memory allowed it. */
static bool missed_add(struct code_table *table, const struct code_missed *missed) {
    if (2 * table->missed_count >= table->missed_capacity && !missed_grow(table)) {
        return false;
    }
    struct code_missed *sum = missed_at(table, missed->place - 1);
    if (!sum->place) {
        sum->place = missed->place;
        table->missed_count++;
    }
    for (int level = 0; level < CODE_LEVELS; level++) {
        sum->level[level] += missed->level[level];
    }
    sum->mispredicted += missed->mispredicted;
    return true;
}

static void charge(struct code_thread *thread, const struct code_missed *missed) {
    if (thread && thread->table) {
        thread_latch(thread);
        /* Without memory what this place missed is in no line; the sums in the results have it. */
        (void) missed_add(thread->table, missed);
        thread_unlatch(thread);
    }
}

void code_thread_missed(struct code_thread *thread, uint64_t place, const uint64_t misses[CODE_LEVELS]) {
    struct code_missed missed = {.place = place + 1};
    memcpy(missed.level, misses, sizeof missed.level);
    charge(thread, &missed);
}

void code_thread_mispredicted(struct code_thread *thread, uint64_t place) {
    charge(thread, &(struct code_missed) {.place = place + 1, .mispredicted = 1});
}

/* Adds what a table counts to the one of the same context among the ended; whether memory allowed it. */
static bool keep(struct code_store *store, const struct code_table *table) {
    struct code_table *sum = table_find(store->ended, table->phase, table->operation, table->class);
    if (!sum) {
        sum = table_new(table->phase, table->operation, table->class);
        if (!sum) {
            return false;
        }
        sum->next = store->ended;
        store->ended = sum;
    }
    for (uint32_t i = 0; i < table->piece_count; i++) {
        if (!table->pieces[i]) {
            continue;
        }
        struct code_count *piece = table_piece(sum, i);
        if (!piece) {
            return false;
        }
        for (uint32_t block = 0; block < CODE_PIECE_BLOCKS; block++) {
            piece[block].begun += table->pieces[i][block].begun;
            piece[block].stays += table->pieces[i][block].stays;
        }
    }
    for (uint32_t i = 0; i < CODE_DATA_BUCKETS; i++) {
        sum->data_stays[i] += table->data_stays[i];
    }
    for (uint32_t i = 0; i < table->missed_capacity; i++) {
        if (table->missed[i].place && !missed_add(sum, &table->missed[i])) {
            return false;
        }
    }
    return true;
}

void code_thread_end(struct code_thread *thread) {
    if (!thread) {
        return;
    }
    struct code_store *store = thread->lines->store;
    pthread_mutex_lock(&store->latch);
    if (thread->previous) {
        thread->previous->next = thread->next;
    } else {
        store->threads = thread->next;
    }
    if (thread->next) {
        thread->next->previous = thread->previous;
    }
    struct code_table *table = thread->first;
    while (table) {
        struct code_table *next = table->next;
        (void) keep(store, table);
        table_free(table);
        table = next;
    }
    pthread_mutex_unlock(&store->latch);
    free(thread->by_operation);
    free(thread->touched);
    free(thread);
}

static void table_write(const struct code_table *table, FILE *file) {
    fprintf(file, "c %" PRIu32 " %" PRIu32 " %s\n", table->phase, table->operation, table->class);
    for (uint32_t i = 0; i < table->piece_count; i++) {
        for (uint32_t block = 0; table->pieces[i] && block < CODE_PIECE_BLOCKS; block++) {
            const struct code_count *count = &table->pieces[i][block];
            if (count->begun) {
                fprintf(file, "%" PRIu32 " %" PRIu64 " %" PRIu32 "\n", i * CODE_PIECE_BLOCKS + block, count->begun,
                    count->stays);
            }
        }
    }
    for (uint32_t i = 0; i < table->missed_capacity; i++) {
        const struct code_missed *missed = &table->missed[i];
        if (missed->place) {
            fprintf(file, "m %" PRIu64 " %" PRIu64, (missed->place - 1) >> 16, (missed->place - 1) & UINT16_MAX);
            for (int level = 0; level < CODE_LEVELS; level++) {
                fprintf(file, " %" PRIu64, missed->level[level]);
            }
            fprintf(file, " %" PRIu64 "\n", missed->mispredicted);
        }
    }
    for (uint32_t i = 0; i < CODE_DATA_BUCKETS; i++) {
        if (table->data_stays[i]) {
            fprintf(file, "d %" PRIu32 " %" PRIu64 "\n", data_lines(i), table->data_stays[i]);
        }
    }
}

int code_lines_write(struct code_lines *lines, char *error, size_t error_bytes) {
    struct code_store *store = lines->store;
    pthread_mutex_lock(&store->latch);
    FILE *file = store->file;
    rewind(file);
    fputs("lockstep-code-lines 5\n", file);
    for (uint32_t i = 0; i < store->block_count; i++) {
        const struct code_block *block = &store->blocks[i];
        fprintf(file, "b %" PRIx64 " %" PRIu32 " %" PRIu32 " %" PRIu64 "\n", block->address, block->bytes,
            block->instructions, block->epoch);
    }
    for (const struct code_table *table = store->ended; table; table = table->next) {
        table_write(table, file);
    }
    for (struct code_thread *thread = store->threads; thread; thread = thread->next) {
        thread_latch(thread);
        for (const struct code_table *table = thread->first; table; table = table->next) {
            table_write(table, file);
        }
        thread_unlatch(thread);
    }
    fputs("end\n", file);
    int failed = fflush(file) || ferror(file);
    if (failed) {
        snprintf(error, error_bytes, "cannot write executed code: error=%s", strerror(errno));
    }
    pthread_mutex_unlock(&store->latch);
    return failed ? -1 : 0;
}

void code_lines_close(struct code_lines *lines) {
    struct code_store *store = lines->store;
    while (store->threads) {
        code_thread_end(store->threads);
    }
    while (store->ended) {
        struct code_table *next = store->ended->next;
        table_free(store->ended);
        store->ended = next;
    }
    fclose(store->file);
    pthread_mutex_destroy(&store->latch);
    free(store->blocks);
    free(store->places);
    free(store);
    free(lines);
}
