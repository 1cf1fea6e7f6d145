#include "tlb.h"

#include "model_parts.h"
#include "pages.h"

/* Where page tables lie: no user address has these bits. Each level has an area of its own. */
#define TABLES ((uint64_t) 0xF << 60)
#define TABLE_LEVEL_SHIFT 56
#define TABLE_LEVELS 4
/* Entries of one table, as a shift. */
#define TABLE_SHIFT 9
#define SMALL_PAGE_SHIFT 12
/* Page numbers of user addresses stay below this bit in any page size. */
#define ADDRESS_MASK (((uint64_t) 1 << 57) - 1)

static int create_buffer(struct tlb *tlb, const struct machine_tlb *machine) {
    if (machine->entries == 0) {
        return 0;
    }
    tlb->present = true;
    return cache_create(&tlb->cache, machine->entries, machine->ways);
}

int tlb_create(struct model *model, struct core *core) {
    const struct machine *machine = &model->machine;
    int failed = create_buffer(&core->itlb, &machine->itlb) != 0 || create_buffer(&core->dtlb, &machine->dtlb) != 0
            || create_buffer(&core->stlb, &machine->stlb) != 0 ? -1 : 0;
    tlb_forget_pages(core);
    return failed;
}

void tlb_release(struct core *core) {
    cache_release(&core->itlb.cache);
    cache_release(&core->dtlb.cache);
    cache_release(&core->stlb.cache);
}

/* Whether a buffer holds a page; afterwards it does. */
static bool touch(struct tlb *tlb, uint64_t address, uint32_t shift) {
    uint64_t page = address >> shift;
    /* Pages of different sizes may have one number. */
    uint64_t tag = page << 6 | shift;
    uint32_t set = cache_set(&tlb->cache, page);
    uint32_t slot = cache_find(&tlb->cache, tag, set);
    if (slot != CACHE_NONE) {
        cache_touch(&tlb->cache, slot, set);
        return true;
    }
    cache_put(&tlb->cache, tag, set, cache_victim(&tlb->cache, set));
    return false;
}

void tlb_forget_pages(struct core *core) {
    core->instruction_page_bytes = core->itlb.present ? 0 : UINT64_MAX;
    core->data_page_bytes = core->dtlb.present ? 0 : UINT64_MAX;
}

static void walk(struct model *model, struct processor *processor, uint64_t address, uint32_t shift) {
    uint64_t page = (address & ADDRESS_MASK) >> SMALL_PAGE_SHIFT;
    uint32_t leaf = (shift - SMALL_PAGE_SHIFT) / TABLE_SHIFT;
    for (uint32_t level = TABLE_LEVELS; level-- > leaf;) {
        uint64_t entry = TABLES | (uint64_t) level << TABLE_LEVEL_SHIFT | page >> (level * TABLE_SHIFT) << 3;
        processor->tally->counts.walk.accesses++;
        model_walk_access(model, processor, entry);
    }
}

void tlb_translate_page(struct model *model, struct processor *processor, uint64_t address, bool fetch) {
    struct core *core = processor->core;
    struct model_counts *counts = &processor->tally->counts;
    uint32_t shift = pages_shift(model, address);
    uint64_t bytes = (uint64_t) 1 << shift;
    uint64_t first = address & ~(bytes - 1);
    struct tlb *tlb = fetch ? &core->itlb : &core->dtlb;
    *(fetch ? &core->instruction_page : &core->data_page) = first;
    *(fetch ? &core->instruction_page_bytes : &core->data_page_bytes) = bytes;
    if (!tlb->present || touch(tlb, address, shift)) {
        return;
    }
    *(fetch ? &counts->itlb_misses : &counts->dtlb_misses) += 1;
    if (core->stlb.present) {
        counts->stlb_accesses++;
        if (touch(&core->stlb, address, shift)) {
            stall(processor, STALL_TRANSLATION, model->machine.latency_stlb_cycles);
            return;
        }
        counts->stlb_misses++;
    }
    if (model->l1d_present) {
        walk(model, processor, address, shift);
    }
}

void tlb_translate(struct model *model, struct processor *processor, uint64_t first, uint64_t last, bool fetch) {
    if (!tlb_same_page(processor->core, first, fetch)) {
        tlb_translate_page(model, processor, first, fetch);
    }
    for (uint64_t page = (first >> SMALL_PAGE_SHIFT) + 1; page <= last >> SMALL_PAGE_SHIFT; page++) {
        uint64_t address = page << SMALL_PAGE_SHIFT;
        if (!tlb_same_page(processor->core, address, fetch)) {
            tlb_translate_page(model, processor, address, fetch);
        }
    }
}
