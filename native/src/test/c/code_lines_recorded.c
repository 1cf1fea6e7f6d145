/* Records what CodeLinesTest knows: blocks in phases, operations, classes and epochs, by two threads at a time. */
#include "lockstep_marker.h"
#include "simulator/code_lines.h"

#include <pthread.h>
#include <stdio.h>

#define ROUNDS 100000

static struct code_lines *lines;
static uint32_t blocks[3];

static void *work(void *argument) {
    struct code_thread *thread = code_thread_begin(lines);
    code_thread_class(thread, "carrier");
    const uint64_t misses[CODE_LEVELS] = {1, 0, 3, 0};
    for (int round = 0; round < ROUNDS; round++) {
        code_thread_operation(thread, 7);
        code_thread_executed(thread, blocks[0]);
        code_thread_executed(thread, blocks[1]);
        code_thread_executed(thread, blocks[1]);
        code_thread_operation(thread, 7);
        code_thread_executed(thread, blocks[1]);
        code_thread_missed(thread, code_place(blocks[1], 6), misses);
        code_thread_mispredicted(thread, code_place(blocks[1], 6));
        code_thread_mispredicted(thread, code_place(blocks[1], 6));
        /* Two lines, one of them twice. */
        code_thread_touched(thread, 0x1000, 8);
        code_thread_touched(thread, 0x103f, 2);
        code_thread_operation(thread, LOCKSTEP_OPERATIONS - 1);
        code_thread_executed(thread, blocks[1]);
        code_thread_touched(thread, 0x1000, 20 * 64);
        code_thread_operation(thread, LOCKSTEP_OPERATIONS);
        code_thread_executed(thread, blocks[2]);
    }
    if (argument) {
        code_thread_mispredicted(thread, code_place(blocks[2], 3));
        code_thread_end(thread);
    }
    return NULL;
}

int main(int count, char **arguments) {
    char error[200];
    if (count != 3 || code_lines_open(arguments[2], error, sizeof error)) {
        return 1;
    }
    puts(error);
    lines = code_lines_open(arguments[1], error, sizeof error);
    if (!lines) {
        return 1;
    }
    for (uint32_t i = 0; i < 3; i++) {
        blocks[i] = code_lines_block(lines, 0x1000 + 16 * i, 10 + i, 2 + i);
    }
    struct code_thread *outside = code_thread_begin(lines);
    code_thread_operation(outside, 5);
    code_thread_executed(outside, blocks[0]);

    code_lines_phase(lines, 1);
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        pthread_create(&threads[i], NULL, work, i ? lines : NULL);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    code_thread_executed(outside, blocks[0]);

    /* Translated again: in the same epoch the same block, in another one, or of another length, another. */
    if (code_lines_block(lines, 0x1000, 10, 2) != blocks[0]) {
        return 1;
    }
    code_lines_epoch(lines, 9);
    uint32_t anew = code_lines_block(lines, 0x1000, 10, 2);
    code_thread_executed(outside, anew);
    code_thread_executed(outside, code_lines_block(lines, 0x1000, 5, 1));
    /* So many that tables and the index of blocks grow. */
    for (uint32_t i = 0; i < 5000; i++) {
        code_thread_executed(outside, code_lines_block(lines, 0x100000 + 64 * i, 4, 1));
    }
    /* More lines than are told apart, and in phase 0 none. */
    code_thread_touched(outside, 0x100000, 100000 * 64);
    code_thread_operation(outside, 6);
    code_thread_executed(outside, anew);
    code_thread_touched(outside, 0x100000, 64);
    code_lines_phase(lines, 0);
    code_thread_executed(outside, anew);
    code_thread_touched(outside, 0x100000, 64);
    code_thread_operation(outside, 5);
    code_thread_executed(NULL, anew);
    /* Misses count where nothing was begun, too: an access may be told late. */
    const uint64_t late[CODE_LEVELS] = {0, 5, 0, 7};
    for (uint16_t offset = 0; offset < 1000; offset++) {
        code_thread_missed(outside, code_place(blocks[2], offset), late);
    }
    code_thread_missed(NULL, code_place(blocks[2], 0), late);
    code_thread_mispredicted(NULL, code_place(blocks[2], 0));
    if (code_lines_write(lines, error, sizeof error)) {
        return 1;
    }
    code_lines_close(lines);
    return 0;
}
