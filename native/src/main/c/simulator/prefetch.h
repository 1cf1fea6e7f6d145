/*
 * Prefetchers. Next-line: a demand miss also fetches the line that follows, if the same page holds it. Streams: a
 * miss in L1-D (or the first use of a line prefetched into it) next to a stream's last line moves the stream; from its
 * second move in one direction on it fetches the lines ahead of it, within the page. A miss that fits no stream starts
 * one in place of the stream moved least recently.
 */
#ifndef LOCKSTEP_SIMULATOR_PREFETCH_H
#define LOCKSTEP_SIMULATOR_PREFETCH_H

#include "model_internal.h"

/* After a demand miss in L1-I. */
void prefetch_after_fetch(struct model *model, struct processor *processor, uint64_t address);

/* After a demand miss in L1-D, or the first hit of a prefetched line there. */
void prefetch_after_data(struct model *model, struct processor *processor, uint64_t address, bool missed);

#endif
