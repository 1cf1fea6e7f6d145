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

/* The next access to any page is looked up. */
void tlb_forget_pages(struct core *core);

/* A page other than the one translated last. */
void tlb_translate_page(struct model *model, struct processor *processor, uint64_t address, bool fetch);

static inline bool tlb_same_page(const struct core *core, uint64_t address, bool fetch) {
    return fetch ? address - core->instruction_page < core->instruction_page_bytes
                 : address - core->data_page < core->data_page_bytes;
}

/* All pages from one address to another. */
void tlb_translate(struct model *model, struct processor *processor, uint64_t first, uint64_t last, bool fetch);

#endif
