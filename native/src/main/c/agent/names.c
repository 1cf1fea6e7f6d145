#include "names.h"

#include <stdlib.h>

/* The entry of these words, or the free one where they belong. Ends, because a quarter of the entries is free. */
static struct name *place(
    struct name *entries, uint32_t capacity, uintptr_t first, uint32_t second, uint32_t third) {
    uint64_t mixed = ((uint64_t) first ^ (uint64_t) second << 32 ^ (uint64_t) third << 13)
        * UINT64_C(0x9E3779B97F4A7C15);
    uint32_t at = (uint32_t) (mixed >> 32) & (capacity - 1);
    while (entries[at].number
        && (entries[at].first != first || entries[at].second != second || entries[at].third != third)) {
        at = (at + 1) & (capacity - 1);
    }
    return &entries[at];
}

static int grow(struct names *names) {
    uint32_t capacity = names->capacity ? names->capacity * 2 : 1024;
    struct name *entries = calloc(capacity, sizeof *entries);
    if (!entries) {
        return 0;
    }
    for (uint32_t i = 0; i < names->capacity; i++) {
        const struct name *old = &names->entries[i];
        if (old->number) {
            *place(entries, capacity, old->first, old->second, old->third) = *old;
        }
    }
    free(names->entries);
    names->entries = entries;
    names->capacity = capacity;
    return 1;
}

uint32_t names_number(struct names *names, uintptr_t first, uint32_t second, uint32_t third, int *added) {
    *added = 0;
    if (names->count >= names->capacity / 4 * 3 && !grow(names)) {
        return 0;
    }
    struct name *entry = place(names->entries, names->capacity, first, second, third);
    if (!entry->number) {
        *entry = (struct name) {first, second, third, ++names->count};
        *added = 1;
    }
    return entry->number;
}
