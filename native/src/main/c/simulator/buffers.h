/*
 * What the kernel touches of the program's memory for the system calls that move data: it does so outside the simulated
 * processor, so its accesses are made up from address and length. Only calls that succeed touch anything.
 */
#ifndef LOCKSTEP_BUFFERS_H
#define LOCKSTEP_BUFFERS_H

#include "plugin.h"

/* Copies bytes of the program's memory. Returns false where it has none there. */
bool buffers_read(uint64_t address, void *copy, size_t bytes);

/* Sets bytes of the program's memory. Returns false where it has none there that it may write. */
bool buffers_write(uint64_t address, const void *bytes_new, size_t bytes);

/* Whether the system allows both; errno says why not. */
bool buffers_work(void);

/* Whether a system call moves data. */
bool buffers_moves(int64_t number);

/* Touches what a call that returned this read from or wrote to the program's memory. */
void buffers_touch(struct thread *thread, int64_t number, const uint64_t arguments[3], int64_t result);

#endif
