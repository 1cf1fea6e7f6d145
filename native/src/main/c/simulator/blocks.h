/*
 * The records of translated blocks, which live until QEMU throws its translations away.
 *
 * Records are added by whatever thread translates, and cleared while none runs.
 */
#ifndef LOCKSTEP_BLOCKS_H
#define LOCKSTEP_BLOCKS_H

#include "plugin.h"

/* A record with room for count sites, all zero; NULL when no memory is left. */
struct block *blocks_add(size_t count);

/* A record of an atomic instruction in a block; NULL when no memory is left. */
struct atomic_site *blocks_atomic(const struct block *block, uint64_t address, uint32_t remaining);

/* Forgets all records. */
void blocks_clear(void);

/* Blocks translated, and times they were forgotten, since the program began. */
uint64_t blocks_total(void);
uint64_t blocks_flushes(void);

#endif
