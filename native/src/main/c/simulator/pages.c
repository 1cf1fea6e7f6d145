#include "pages.h"

#include <stdlib.h>

#include "tlb.h"

#define HOMES_AT_FIRST (1u << 12)
/* Frames are permuted within blocks of so many pages, the caches' index bits and many more. */
#define FRAME_BITS 40
#define HALF_BITS (FRAME_BITS / 2)
#define HALF_MASK (((uint64_t) 1 << HALF_BITS) - 1)
/* Four rounds of a Feistel network make a permutation that no test of sets tells from a random one. */
#define ROUNDS 4

/* The region of an address, or NULL. */
static const struct region *region_of(const struct model *model, uint64_t address) {
    uint32_t low = 0;
    uint32_t high = model->region_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        const struct region *region = &model->regions[middle];
        if (address < region->first) {
            high = middle;
        } else if (address >= region->end) {
            low = middle + 1;
        } else {
            return region;
        }
    }
    return NULL;
}

static uint32_t shift_of(const struct model *model, const struct region *region) {
    return region == NULL ? (uint32_t) __builtin_ctzll(model->machine.page_bytes) : region->page_shift;
}

uint32_t pages_shift_searched(const struct model *model, uint64_t address) {
    return shift_of(model, region_of(model, address));
}

/* The finalizer of splitmix64. */
static uint64_t mix(uint64_t value) {
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9u;
    value = (value ^ value >> 27) * 0x94D049BB133111EBu;
    return value ^ value >> 31;
}

uint64_t pages_random(const struct model *model, uint64_t address) {
    uint32_t shift = pages_shift(model, address);
    uint64_t page = address >> shift;
    uint64_t block = page >> FRAME_BITS;
    uint64_t left = page >> HALF_BITS & HALF_MASK;
    uint64_t right = page & HALF_MASK;
    uint64_t key = mix(model->machine.page_seed + 0x9E3779B97F4A7C15u * (block + 1)) + shift;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t next = left ^ (mix(key + right + ((uint64_t) round << 32)) & HALF_MASK);
        left = right;
        right = next;
    }
    uint64_t frame = block << FRAME_BITS | left << HALF_BITS | right;
    return frame << shift | (address & (((uint64_t) 1 << shift) - 1));
}

int pages_create(struct model *model) {
    if (model->machine.nodes == 1) {
        return 0;
    }
    model->homes.slots = HOMES_AT_FIRST;
    model->homes.pages = calloc(HOMES_AT_FIRST, sizeof *model->homes.pages);
    model->homes.nodes = calloc(HOMES_AT_FIRST, sizeof *model->homes.nodes);
    return model->homes.pages == NULL || model->homes.nodes == NULL ? -1 : 0;
}

void pages_release(struct model *model) {
    free(model->homes.pages);
    free(model->homes.nodes);
    free(model->regions);
}

/* The slot of a page, or the free one it would take: at most half the slots are used, so there is one. */
static uint64_t home_slot(const struct homes *homes, uint64_t page) {
    uint64_t slot = mix(page) & (homes->slots - 1);
    while (homes->pages[slot] != 0 && homes->pages[slot] != page) {
        slot = (slot + 1) & (homes->slots - 1);
    }
    return slot;
}

static bool grow_homes(struct model *model) {
    struct homes *homes = &model->homes;
    uint64_t more_bytes = homes->slots * (sizeof *homes->pages + sizeof *homes->nodes);
    if (!memory_allows(model, more_bytes)) {
        return false;
    }
    struct homes grown = {.slots = homes->slots * 2, .used = homes->used};
    grown.pages = calloc(grown.slots, sizeof *grown.pages);
    grown.nodes = calloc(grown.slots, sizeof *grown.nodes);
    if (grown.pages == NULL || grown.nodes == NULL) {
        free(grown.pages);
        free(grown.nodes);
        return false;
    }
    for (uint64_t i = 0; i < homes->slots; i++) {
        if (homes->pages[i] != 0) {
            uint64_t slot = home_slot(&grown, homes->pages[i]);
            grown.pages[slot] = homes->pages[i];
            grown.nodes[slot] = homes->nodes[i];
        }
    }
    free(homes->pages);
    free(homes->nodes);
    model->memory_bytes += more_bytes;
    *homes = grown;
    return true;
}

uint32_t pages_home(struct model *model, uint64_t address, uint32_t node) {
    if (model->machine.nodes == 1) {
        return 0;
    }
    const struct region *region = region_of(model, address);
    if (region != NULL && region->node != NODE_OF_FIRST_TOUCH) {
        return (uint32_t) region->node;
    }
    struct homes *homes = &model->homes;
    uint32_t shift = shift_of(model, region);
    /* A page of 4 KB and one of 2 MB differ even where their numbers do not. */
    uint64_t page = ((address >> shift) << 6 | shift) + 1;
    uint64_t slot = home_slot(homes, page);
    if (homes->pages[slot] == 0) {
        if (homes->used * 2 >= homes->slots) {
            if (!grow_homes(model)) {
                model->exhausted = true;
                return node;
            }
            slot = home_slot(homes, page);
        }
        homes->pages[slot] = page;
        homes->nodes[slot] = (uint8_t) node;
        homes->used++;
    }
    return homes->nodes[slot];
}

int model_region(struct model *model, uint64_t address, uint64_t bytes, uint64_t page_bytes, int node) {
    if (page_bytes != 4 << 10 && page_bytes != 2 << 20 && page_bytes != 1 << 30) {
        return -1;
    }
    uint64_t first = (address + page_bytes - 1) & ~(page_bytes - 1);
    uint64_t end = (address + bytes) & ~(page_bytes - 1);
    if (first < address || first >= end) {
        return 0;
    }
    /* A region that holds the new one falls in two. */
    struct region *regions = malloc((model->region_count + 2) * sizeof *regions);
    if (regions == NULL) {
        return -1;
    }
    bool there = node >= 0 && (uint32_t) node < model->machine.nodes;
    struct region added = {
            first, end, (uint32_t) __builtin_ctzll(page_bytes), there ? node : NODE_OF_FIRST_TOUCH};
    uint32_t count = 0;
    bool placed = false;
    for (uint32_t i = 0; i < model->region_count; i++) {
        struct region old = model->regions[i];
        if (old.first < first) {
            regions[count++] = (struct region) {
                    old.first, old.end < first ? old.end : first, old.page_shift, old.node};
        }
        if (!placed && old.end > first) {
            regions[count++] = added;
            placed = true;
        }
        if (old.end > end) {
            regions[count++] = (struct region) {
                    old.first > end ? old.first : end, old.end, old.page_shift, old.node};
        }
    }
    if (!placed) {
        regions[count++] = added;
    }
    free(model->regions);
    model->regions = regions;
    model->region_count = count;
    for (uint32_t i = 0; i < model->machine.cores; i++) {
        tlb_forget_pages(&model->core[i]);
    }
    return 0;
}
