/* Pages: their sizes by region, the frames behind them, and the nodes that are their homes. */
#ifndef LOCKSTEP_SIMULATOR_PAGES_H
#define LOCKSTEP_SIMULATOR_PAGES_H

#include "model_internal.h"

/* The binary logarithm of the size of the page that holds an address. */
uint32_t pages_shift_searched(const struct model *model, uint64_t address);

static inline uint32_t pages_shift(const struct model *model, uint64_t address) {
    return model->region_count == 0 ? (uint32_t) __builtin_ctzll(model->machine.page_bytes)
                                    : pages_shift_searched(model, address);
}

/*
 * The physical address. With page.map=random the frame is a keyed permutation of the page number, so that it depends
 * neither on the order of touches nor on a table, and no two pages share one.
 */
uint64_t pages_random(const struct model *model, uint64_t address);

static inline uint64_t pages_physical(const struct model *model, uint64_t address) {
    return model->machine.page_random ? pages_random(model, address) : address;
}

/* The home of an address; a page touched for the first time gets the node given. */
uint32_t pages_home(struct model *model, uint64_t address, uint32_t node);

int pages_create(struct model *model);

void pages_release(struct model *model);

#endif
