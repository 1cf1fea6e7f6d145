#include "code_changes.h"

#include <pthread.h>
#include <stdlib.h>

#define PAGE_BYTES 4096

/* Of the table of pages; a search takes two or three steps when five of eight places are taken. */
#define FULL_EIGHTHS 5
#define CAPACITY_FIRST (1u << 10)

struct page {
    uint64_t number;
    uint8_t bytes[PAGE_BYTES];
    /* A bit for each byte that was noted. */
    uint8_t known[PAGE_BYTES / 8];
};

static pthread_mutex_t latch = PTHREAD_MUTEX_INITIALIZER;
static struct page **pages;
static size_t capacity;
static size_t used;
/* The page of the last call, since most calls follow one another in a page. */
static struct page *last;

/* The place of a page, or the free one where it belongs. Ends because the table is never full. */
static struct page **find(struct page **table, size_t size, uint64_t number) {
    /* Knuth's multiplication by the golden ratio. */
    size_t at = (size_t) (number * 0x9E3779B97F4A7C15u >> 32) & (size - 1);
    while (table[at] != NULL && table[at]->number != number) {
        at = (at + 1) & (size - 1);
    }
    return &table[at];
}

/* The latch is held. Returns whether there is room for one more. */
static bool reserve(void) {
    if (used * 8 < capacity * FULL_EIGHTHS) {
        return true;
    }
    size_t size = capacity == 0 ? CAPACITY_FIRST : capacity * 2;
    struct page **larger = calloc(size, sizeof *larger);
    if (larger == NULL) {
        return false;
    }
    for (size_t i = 0; i < capacity; i++) {
        if (pages[i] != NULL) {
            *find(larger, size, pages[i]->number) = pages[i];
        }
    }
    free(pages);
    pages = larger;
    capacity = size;
    return true;
}

/* The latch is held. NULL where memory is short. */
static struct page *page_of(uint64_t number) {
    if (last != NULL && last->number == number) {
        return last;
    }
    if (!reserve()) {
        return NULL;
    }
    struct page **place = find(pages, capacity, number);
    if (*place == NULL) {
        *place = calloc(1, sizeof **place);
        if (*place == NULL) {
            return NULL;
        }
        (*place)->number = number;
        used++;
    }
    last = *place;
    return last;
}

bool code_changes_note(uint64_t address, const uint8_t *bytes, size_t count) {
    bool changed = false;
    pthread_mutex_lock(&latch);
    for (size_t i = 0; i < count; i++) {
        struct page *page = page_of((address + i) / PAGE_BYTES);
        if (page != NULL) {
            size_t at = (address + i) % PAGE_BYTES;
            uint8_t bit = (uint8_t) (1u << at % 8);
            changed |= (page->known[at / 8] & bit) != 0 && page->bytes[at] != bytes[i];
            page->known[at / 8] |= bit;
            page->bytes[at] = bytes[i];
        }
    }
    pthread_mutex_unlock(&latch);
    return changed;
}

void code_changes_clear(void) {
    pthread_mutex_lock(&latch);
    for (size_t i = 0; i < capacity; i++) {
        free(pages[i]);
    }
    free(pages);
    pages = NULL;
    last = NULL;
    capacity = 0;
    used = 0;
    pthread_mutex_unlock(&latch);
}
