/*
 * An interpreter whose 512 handlers together are several times an L1-I, driven by a random program in which some
 * handlers are far more frequent than others: `dispatch ROUNDS`.
 */
#include "freestanding.h"

enum { HANDLERS = 512, STEPS = 40000, REGISTERS = 64 };

static uint64_t registers[REGISTERS];

/* Each handler has constants of its own, so that no two are merged into one. */
#define STEP(n, k) \
    registers[((n) * 7 + (k)) % REGISTERS] += registers[((n) * 13 + (k) * 5) % REGISTERS] ^ ((n) * 64 + (k));
#define STEPS8(n) STEP(n, 1) STEP(n, 2) STEP(n, 3) STEP(n, 4) STEP(n, 5) STEP(n, 6) STEP(n, 7) STEP(n, 8)
#define HANDLER(n) __attribute__((noinline)) static void handler_##n(void) { STEPS8(0x##n##u) }

#define BY_DIGIT(make, prefix)                                                                                        \
    make(prefix##0) make(prefix##1) make(prefix##2) make(prefix##3) make(prefix##4) make(prefix##5)                   \
    make(prefix##6) make(prefix##7) make(prefix##8) make(prefix##9) make(prefix##a) make(prefix##b)                   \
    make(prefix##c) make(prefix##d) make(prefix##e) make(prefix##f)
#define ALL(make)                                                                                                     \
    BY_DIGIT(make, 00) BY_DIGIT(make, 01) BY_DIGIT(make, 02) BY_DIGIT(make, 03) BY_DIGIT(make, 04)                    \
    BY_DIGIT(make, 05) BY_DIGIT(make, 06) BY_DIGIT(make, 07) BY_DIGIT(make, 08) BY_DIGIT(make, 09)                    \
    BY_DIGIT(make, 0a) BY_DIGIT(make, 0b) BY_DIGIT(make, 0c) BY_DIGIT(make, 0d) BY_DIGIT(make, 0e)                    \
    BY_DIGIT(make, 0f) BY_DIGIT(make, 10) BY_DIGIT(make, 11) BY_DIGIT(make, 12) BY_DIGIT(make, 13)                    \
    BY_DIGIT(make, 14) BY_DIGIT(make, 15) BY_DIGIT(make, 16) BY_DIGIT(make, 17) BY_DIGIT(make, 18)                    \
    BY_DIGIT(make, 19) BY_DIGIT(make, 1a) BY_DIGIT(make, 1b) BY_DIGIT(make, 1c) BY_DIGIT(make, 1d)                    \
    BY_DIGIT(make, 1e) BY_DIGIT(make, 1f)
#define ENTRY(n) handler_##n,

ALL(HANDLER)

static void (*const handlers[])(void) = {ALL(ENTRY)};
_Static_assert(sizeof handlers / sizeof handlers[0] == HANDLERS, "one handler for each number");

static uint16_t instructions[STEPS];

static uint64_t program(int count, char **arguments) {
    long rounds = count == 2 ? number_of(arguments[1]) : 0;
    uint64_t random = 88172645463325252u;
    for (int i = 0; i < STEPS; i++) {
        uint64_t draw = next_random(&random);
        /* The smaller of two draws: low numbers come up more often. */
        uint64_t first = draw % HANDLERS;
        uint64_t second = (draw >> 32) % HANDLERS;
        instructions[i] = (uint16_t)(first < second ? first : second);
    }
    phase_begin();
    for (long round = 0; round < rounds; round++) {
        for (int i = 0; i < STEPS; i++) {
            handlers[instructions[i]]();
        }
    }
    phase_end();
    return registers[1] ^ registers[REGISTERS - 1];
}
