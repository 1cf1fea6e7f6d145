/* Quicksort of 8-byte integers with an insertion sort for short pieces: `sort ROUNDS`. */
#include "freestanding.h"

enum { KEYS = 1 << 15, SHORT_KEYS = 16 };

static uint64_t keys[KEYS];

static void sort_short(uint64_t *low, uint64_t *high) {
    for (uint64_t *next = low + 1; next <= high; next++) {
        uint64_t key = *next;
        uint64_t *hole = next;
        while (hole > low && hole[-1] > key) {
            *hole = hole[-1];
            hole--;
        }
        *hole = key;
    }
}

static uint64_t median(uint64_t a, uint64_t b, uint64_t c) {
    if (a < b) {
        return b < c ? b : (a < c ? c : a);
    }
    return a < c ? a : (b < c ? c : b);
}

/* Recurs into the shorter part, so that its depth is at most log2(KEYS). */
static void sort(uint64_t *low, uint64_t *high) {
    while (high - low >= SHORT_KEYS) {
        uint64_t pivot = median(*low, low[(high - low) / 2], *high);
        uint64_t *left = low;
        uint64_t *right = high;
        while (left <= right) {
            while (*left < pivot) {
                left++;
            }
            while (*right > pivot) {
                right--;
            }
            if (left <= right) {
                uint64_t key = *left;
                *left++ = *right;
                *right-- = key;
            }
        }
        if (right - low < high - left) {
            sort(low, right);
            low = left;
        } else {
            sort(left, high);
            high = right;
        }
    }
    sort_short(low, high);
}

static uint64_t program(int count, char **arguments) {
    long rounds = count == 2 ? number_of(arguments[1]) : 0;
    uint64_t sum = 0;
    phase_begin();
    for (long round = 0; round < rounds; round++) {
        uint64_t random = 88172645463325252u;
        for (int i = 0; i < KEYS; i++) {
            keys[i] = next_random(&random);
        }
        sort(keys, keys + KEYS - 1);
        for (int i = 1; i < KEYS; i++) {
            sum += keys[i - 1] <= keys[i];
        }
    }
    phase_end();
    return sum;
}
