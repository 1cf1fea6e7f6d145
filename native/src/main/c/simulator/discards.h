/*
 * Changed code on its way out of the instruction caches of processors that share nothing: such a processor's caches are
 * for the thread that sits on it alone, so each of the others is told, and makes it leave before it executes its next
 * block. Where events are gathered nobody needs this.
 *
 * Threads: any call by any thread, but for what is said below.
 */
#ifndef LOCKSTEP_DISCARDS_H
#define LOCKSTEP_DISCARDS_H

#include <stdbool.h>
#include <stdint.h>

struct thread;

/* Before the first of the other calls: room for the processors. */
void discards_open(void);

/*
 * The code at these addresses was changed. At once for processors on which nobody sits, or the calling thread does,
 * which may be null and is not inside a call of the model; for others before their next block.
 */
void discards_post(const struct thread *self, uint64_t address, uint64_t bytes);

/* Whether a processor has anything to make leave. */
bool discards_wait(uint32_t processor);

/* The calling thread, which sits, makes it leave. */
void discards_apply(const struct thread *thread);

#endif
