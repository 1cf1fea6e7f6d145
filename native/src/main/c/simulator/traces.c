#include "traces.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lockstep_marker.h"

#define BLOCKS_INITIAL 1024

struct traces {
    pthread_mutex_t latch;
    FILE *file;
    const char *name;
    uint16_t kept[LOCKSTEP_OPERATIONS];
};

struct thread_trace {
    struct traces *traces;
    const struct block **blocks;
    uint32_t count;
    uint32_t room;
    /* Its beginning is unknown, or it is too long. */
    bool lost;
};

struct traces *traces_open(const char *file, char *message, size_t bytes) {
    struct traces *traces = calloc(1, sizeof *traces);
    if (traces == NULL || (traces->file = fopen(file, "w")) == NULL) {
        snprintf(message, bytes, "the traces cannot be written: file=%s: %s", file, strerror(errno));
        free(traces);
        return NULL;
    }
    traces->name = file;
    pthread_mutex_init(&traces->latch, NULL);
    fprintf(traces->file, "lockstep-trace 2\n");
    return traces;
}

struct thread_trace *traces_thread(struct traces *traces) {
    struct thread_trace *trace = traces == NULL ? NULL : calloc(1, sizeof *trace);
    if (trace != NULL) {
        trace->traces = traces;
        trace->lost = true;
    }
    return trace;
}

void trace_block(struct thread_trace *trace, const struct block *block) {
    if (trace->lost) {
        return;
    }
    if (trace->count == trace->room) {
        uint32_t room = trace->room == 0 ? BLOCKS_INITIAL : 2 * trace->room;
        const struct block **blocks =
            room > TRACE_BLOCKS_MAX ? NULL : realloc(trace->blocks, room * sizeof *trace->blocks);
        if (blocks == NULL) {
            trace_forget(trace);
            return;
        }
        trace->blocks = blocks;
        trace->room = room;
    }
    trace->blocks[trace->count++] = block;
}

static void write_block(FILE *file, const struct block *block) {
    for (uint32_t i = 0; i < block->instructions; i++) {
        uint32_t begin = block->sites[i].offset;
        uint32_t end = i + 1 < block->instructions ? block->sites[i + 1].offset : block->bytes;
        fprintf(file, "%" PRIx64 " %" PRIu32 "\n", block->address + begin, end - begin);
    }
}

/* The latch is held. */
static void write_execution(const struct thread_trace *trace, uint32_t operation) {
    FILE *file = trace->traces->file;
    uint64_t instructions = 0;
    for (uint32_t i = 0; i < trace->count; i++) {
        instructions += trace->blocks[i]->instructions;
    }
    fprintf(file, "execution %" PRIu32 " %" PRIu64 "\n", operation, instructions);
    for (uint32_t i = 0; i < trace->count; i++) {
        write_block(file, trace->blocks[i]);
    }
}

void trace_end(struct thread_trace *trace, uint32_t operation, uint32_t phase) {
    struct traces *traces = trace->traces;
    bool wanted = phase == LOCKSTEP_PHASE_MEASURED && operation != 0 && operation < LOCKSTEP_OPERATIONS;
    if (wanted && !trace->lost && trace->count > 0) {
        pthread_mutex_lock(&traces->latch);
        if (traces->kept[operation] < TRACES_PER_OPERATION) {
            traces->kept[operation]++;
            write_execution(trace, operation);
        }
        pthread_mutex_unlock(&traces->latch);
    }
    trace->count = 0;
    /* What begins in another phase is not seen from its beginning. */
    trace->lost = phase != LOCKSTEP_PHASE_MEASURED;
}

void trace_forget(struct thread_trace *trace) {
    trace->count = 0;
    trace->lost = true;
}

void trace_free(struct thread_trace *trace) {
    if (trace != NULL) {
        free(trace->blocks);
        free(trace);
    }
}

int traces_close(struct traces *traces, char *message, size_t bytes) {
    fprintf(traces->file, "end\n");
    bool failed = ferror(traces->file) != 0;
    failed |= fclose(traces->file) != 0;
    if (failed) {
        snprintf(message, bytes, "the traces cannot be written: file=%s", traces->name);
    }
    free(traces);
    return failed ? -1 : 0;
}
