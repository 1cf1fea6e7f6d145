/* A binary search tree of nodes of 48 bytes, grown in random order and walked from the root: `tree ROUNDS`. */
#include "freestanding.h"

enum { NODES = 8192, LOOKUPS = 30000 };

struct node {
    uint64_t key;
    struct node *lower;
    struct node *higher;
    uint64_t payload[3];
};

static struct node nodes[NODES];
static struct node *root;
static int used;

static void insert(uint64_t key) {
    struct node **link = &root;
    while (*link != 0) {
        if (key == (*link)->key) {
            return;
        }
        link = key < (*link)->key ? &(*link)->lower : &(*link)->higher;
    }
    struct node *added = &nodes[used++];
    added->key = key;
    added->lower = 0;
    added->higher = 0;
    added->payload[2] = key ^ 1;
    *link = added;
}

/* The payload of the smallest key that is at least this one, or 0. */
static uint64_t ceiling(uint64_t key) {
    uint64_t payload = 0;
    for (struct node *at = root; at != 0;) {
        if (at->key >= key) {
            payload = at->payload[2];
            at = at->lower;
        } else {
            at = at->higher;
        }
    }
    return payload;
}

static uint64_t program(int count, char **arguments) {
    long rounds = count == 2 ? number_of(arguments[1]) : 0;
    uint64_t sum = 0;
    phase_begin();
    for (long round = 0; round < rounds; round++) {
        uint64_t random = 88172645463325252u;
        root = 0;
        used = 0;
        for (int i = 0; i < NODES; i++) {
            insert(next_random(&random));
        }
        for (int i = 0; i < LOOKUPS; i++) {
            sum += ceiling(next_random(&random));
        }
    }
    phase_end();
    return sum;
}
