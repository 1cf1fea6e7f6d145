/*
 * Translation: first levels for fetches and data, a second for both, and walks of a four-level page table whose
 * entries of 8 bytes are read through L1-D and what lies beyond. A page of 4 KB takes four reads, one of 2 MB three,
 * one of 1 GB two; there is no cache of inner entries. A buffer holds pages of all sizes, indexed by page number.
 */
#ifndef LOCKSTEP_SIMULATOR_TLB_H
#define LOCKSTEP_SIMULATOR_TLB_H

#include "model_internal.h"

int tlb_create(struct model *model, struct core *core);

void tlb_release(struct core *core);

/* A page other than the one translated last. */
void tlb_translate_page(struct model *model, struct processor *processor, uint64_t address, bool fetch);

static inline void tlb_translate(struct model *model, struct processor *processor, uint64_t address, bool fetch) {
    const struct core *core = processor->core;
    uint64_t offset = address - (fetch ? core->instruction_page : core->data_page);
    if (offset >= (fetch ? core->instruction_page_bytes : core->data_page_bytes)) {
        tlb_translate_page(model, processor, address, fetch);
    }
}

#endif
