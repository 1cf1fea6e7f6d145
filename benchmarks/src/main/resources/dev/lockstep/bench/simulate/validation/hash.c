/* A hash table with linear probing, filled and then looked up in another order: `hash ROUNDS`. */
#include "freestanding.h"

enum { PLACES = 1 << 15, KEYS = 20000, LOOKUPS = 60000 };

struct place {
    uint64_t key;
    uint64_t value;
};

static struct place table[PLACES];

/* D. E. Knuth, The Art of Computer Programming, volume 3, section 6.4: multiplication by the golden ratio. */
static uint64_t place_of(uint64_t key) {
    return key * 0x9E3779B97F4A7C15u >> 49;
}
_Static_assert(PLACES == 1 << (64 - 49), "the shift leaves as many bits as the table has");

static struct place *find(uint64_t key) {
    uint64_t at = place_of(key);
    /* Ends because the table is never full. */
    while (table[at].key != 0 && table[at].key != key) {
        at = (at + 1) % PLACES;
    }
    return &table[at];
}

static uint64_t fill_and_look_up(void) {
    for (int i = 0; i < PLACES; i++) {
        table[i].key = 0;
    }
    uint64_t random = 2463534242u;
    for (int i = 0; i < KEYS; i++) {
        uint64_t key = next_random(&random) % (2 * KEYS) + 1;
        struct place *place = find(key);
        place->key = key;
        place->value += (uint64_t)i;
    }
    uint64_t found = 0;
    for (int i = 0; i < LOOKUPS; i++) {
        struct place *place = find(next_random(&random) % (2 * KEYS) + 1);
        if (place->key != 0) {
            found += place->value;
        }
    }
    return found;
}

static uint64_t program(int count, char **arguments) {
    long rounds = count == 2 ? number_of(arguments[1]) : 0;
    uint64_t sum = 0;
    phase_begin();
    for (long round = 0; round < rounds; round++) {
        sum += fill_and_look_up();
    }
    phase_end();
    return sum;
}
