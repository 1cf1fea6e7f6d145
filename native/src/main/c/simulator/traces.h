/*
 * The instructions of single operations, in the order in which they were executed: what autoSTEPS searches for switch
 * points. An execution is what a thread does from one mark to the next, in the measured phase, before which code may
 * still be compiled; the first of each operation are kept. A block that a signal broke off counts whole.
 *
 * File: a line "lockstep-trace 2"; then for each execution a line "execution OPERATION INSTRUCTIONS" and a line for
 * each instruction, its address in hexadecimal and its length in bytes; then a line "end".
 */
#ifndef LOCKSTEP_TRACES_H
#define LOCKSTEP_TRACES_H

#include "plugin.h"

/* Executions of each operation that are kept: enough to choose a typical one from. */
#define TRACES_PER_OPERATION 9

/* The longest execution that is kept, in blocks: some ten million instructions, which no operation has. */
#define TRACE_BLOCKS_MAX (1U << 20)

struct traces;
struct thread_trace;

/* Opens the file; NULL, with a message, if that fails. */
struct traces *traces_open(const char *file, char *message, size_t bytes);

/* A thread's own part; NULL without traces or memory. */
struct thread_trace *traces_thread(struct traces *traces);

/* A block was executed. */
void trace_block(struct thread_trace *trace, const struct block *block);

/* The thread's operation ends, in this phase: its blocks are written, or forgotten. */
void trace_end(struct thread_trace *trace, uint32_t operation, uint32_t phase);

/* Blocks are forgotten, and with them the execution under way. */
void trace_forget(struct thread_trace *trace);

void trace_free(struct thread_trace *trace);

/* Writes what is left; 0, or -1 with a message. */
int traces_close(struct traces *traces, char *message, size_t bytes);

#endif
