#include "compile_level.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

/* Steps through the map of segments for one block: the bytes of a block of 32 MB, a step each 255 segments of 64. */
#define STEPS_MAX 4096

/* More code heaps than any JVM has. */
#define HEAPS_MAX 16

static struct {
    bool opened;
    char *const *heaps;
    uint64_t array_data;
    uint64_t heap_memory;
    uint64_t heap_segment_map;
    uint64_t heap_segment_log2;
    uint64_t space_low;
    uint64_t space_high;
    uint64_t blob_code_offset;
    uint64_t method_level;
    uint64_t method_compile_id;
    uint64_t block_header_bytes;
} layout;

static bool word(const char *symbol, uint64_t *value) {
    const uint64_t *found = dlsym(RTLD_DEFAULT, symbol);
    if (!found) {
        return false;
    }
    *value = *found;
    return true;
}

static void *pointer_at(const char *base, uint64_t offset) {
    void *value;
    memcpy(&value, base + offset, sizeof value);
    return value;
}

static int32_t int_at(const char *base, uint64_t offset) {
    int32_t value;
    memcpy(&value, base + offset, sizeof value);
    return value;
}

struct wanted {
    const char *type;
    const char *field;
    uint64_t *offset;
    bool found;
};

static bool read_fields(void) {
    struct wanted wanted[] = {
        {"GrowableArray<int>", "_data", &layout.array_data, false},
        {"CodeHeap", "_memory", &layout.heap_memory, false},
        {"CodeHeap", "_segmap", &layout.heap_segment_map, false},
        {"CodeHeap", "_log2_segment_size", &layout.heap_segment_log2, false},
        {"VirtualSpace", "_low", &layout.space_low, false},
        {"VirtualSpace", "_high", &layout.space_high, false},
        {"CodeBlob", "_code_offset", &layout.blob_code_offset, false},
        {"nmethod", "_comp_level", &layout.method_level, false},
        {"nmethod", "_compile_id", &layout.method_compile_id, false},
    };
    size_t wanted_count = sizeof wanted / sizeof wanted[0];
    char *const *table = dlsym(RTLD_DEFAULT, "gHotSpotVMStructs");
    uint64_t stride, type_name, field_name, offset, address;
    if (!table || !word("gHotSpotVMStructEntryArrayStride", &stride)
            || !word("gHotSpotVMStructEntryTypeNameOffset", &type_name)
            || !word("gHotSpotVMStructEntryFieldNameOffset", &field_name)
            || !word("gHotSpotVMStructEntryOffsetOffset", &offset)
            || !word("gHotSpotVMStructEntryAddressOffset", &address)) {
        return false;
    }
    size_t found = 0;
    /* Ends with the table's last entry, whose names are null. */
    for (const char *entry = *table; pointer_at(entry, type_name) && pointer_at(entry, field_name); entry += stride) {
        const char *type = pointer_at(entry, type_name);
        const char *field = pointer_at(entry, field_name);
        if (!strcmp(type, "CodeCache") && !strcmp(field, "_heaps")) {
            layout.heaps = pointer_at(entry, address);
        }
        for (size_t i = 0; i < wanted_count; i++) {
            if (!wanted[i].found && !strcmp(type, wanted[i].type) && !strcmp(field, wanted[i].field)) {
                memcpy(wanted[i].offset, entry + offset, sizeof *wanted[i].offset);
                wanted[i].found = true;
                found++;
            }
        }
    }
    return found == wanted_count && layout.heaps;
}

static bool read_block_header(void) {
    char *const *table = dlsym(RTLD_DEFAULT, "gHotSpotVMTypes");
    uint64_t stride, type_name, size;
    if (!table || !word("gHotSpotVMTypeEntryArrayStride", &stride)
            || !word("gHotSpotVMTypeEntryTypeNameOffset", &type_name)
            || !word("gHotSpotVMTypeEntrySizeOffset", &size)) {
        return false;
    }
    for (const char *entry = *table; pointer_at(entry, type_name); entry += stride) {
        if (!strcmp(pointer_at(entry, type_name), "HeapBlock")) {
            memcpy(&layout.block_header_bytes, entry + size, sizeof layout.block_header_bytes);
            return true;
        }
    }
    return false;
}

bool compile_level_open(void) {
    layout.opened = read_fields() && read_block_header();
    return layout.opened;
}

/* The descriptor whose block holds an address of a heap, by the heap's map of segments; NULL if it does not look so. */
static const char *descriptor(const char *heap, const char *low, const char *code) {
    const unsigned char *map = pointer_at(heap, layout.heap_segment_map + layout.space_low);
    int log2 = int_at(heap, layout.heap_segment_log2);
    if (!map || log2 < 3 || log2 > 20) {
        return NULL;
    }
    size_t segment = (size_t) (code - low) >> log2;
    /* Each byte says how many segments to go back, at most 254; 0 is the block's first, 255 a free segment. */
    for (int step = 0; map[segment]; step++) {
        if (map[segment] == 255 || map[segment] > segment || step == STEPS_MAX) {
            return NULL;
        }
        segment -= map[segment];
    }
    return low + (segment << log2) + layout.block_header_bytes;
}

struct compile_level compile_level_of(const void *code) {
    struct compile_level unknown = {COMPILE_LEVEL_UNKNOWN, 0};
    const char *heaps = layout.opened ? *layout.heaps : NULL;
    if (!heaps) {
        return unknown;
    }
    /* A growable array begins with its length. */
    int32_t count = int_at(heaps, 0);
    char *const *heap = pointer_at(heaps, layout.array_data);
    for (int32_t i = 0; i < count && i < HEAPS_MAX; i++) {
        const char *low = pointer_at(heap[i], layout.heap_memory + layout.space_low);
        const char *high = pointer_at(heap[i], layout.heap_memory + layout.space_high);
        if ((const char *) code < low || (const char *) code >= high) {
            continue;
        }
        const char *found = descriptor(heap[i], low, code);
        if (!found || found + int_at(found, layout.blob_code_offset) != code) {
            return unknown;
        }
        int level = *(const signed char *) (found + layout.method_level);
        if (level < 0 || level > COMPILE_LEVEL_C2) {
            return unknown;
        }
        return (struct compile_level) {level, int_at(found, layout.method_compile_id)};
    }
    return unknown;
}
