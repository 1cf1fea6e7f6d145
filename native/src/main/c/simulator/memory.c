#include "memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Tables from this size on are worth large pages: smaller ones fit the host's own translation buffers. */
#define LARGE_BYTES ((size_t) 1 << 20)
#define LARGE_PAGE_BYTES ((size_t) 2 << 20)

void *memory_create(size_t count, size_t bytes) {
    if (count * bytes < LARGE_BYTES) {
        return calloc(count, bytes);
    }
    size_t rounded = (count * bytes + LARGE_PAGE_BYTES - 1) & ~(LARGE_PAGE_BYTES - 1);
    void *memory = aligned_alloc(LARGE_PAGE_BYTES, rounded);
    if (memory == NULL) {
        return NULL;
    }
#ifdef MADV_HUGEPAGE
    /* Without effect where the system has none: small pages serve as well, only slower. */
    (void) madvise(memory, rounded, MADV_HUGEPAGE);
#endif
    memset(memory, 0, count * bytes);
    return memory;
}
