/*
 * Branches whose mispredictions can be computed by hand, one kind in each phase:
 *   1  a loop of 100 turns, 10,000 times: its end is mispredicted each time, as no history of 14 branches tells it
 *   2  calls nested 40 deep, 1,000 times: a stack of 16 returns right 16 times
 *   3  one virtual call, which goes to the functions of two types in turns, 10,000 times: learned from the history
 */
#include "lockstep_marker.h"

#define LOOPS 10000
#define TURNS 100
#define NESTED_ROUNDS 1000
#define DEPTH 40
#define CALLS 10000

static volatile int sum;

static void loops(void) {
    for (int i = 0; i < LOOPS; i++) {
        int turns = TURNS;
        __asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(turns) : : "cc");
    }
}

/* Returns behind its own call, so that it is none at the end. */
__attribute__((noinline)) static int nested(int depth) {
    int below = depth == 1 ? 0 : nested(depth - 1);
    __asm__ volatile("" : : : "memory");
    return below + 1;
}

/* An object begins with the address of its type's functions, as in C++ and in Java. */
struct object {
    const struct functions *functions;
    volatile int sum;
};

struct functions {
    void (*add)(struct object *object);
};

static void add_one(struct object *object) {
    object->sum += 1;
}

static void add_two(struct object *object) {
    object->sum += 2;
}

static const struct functions ONE = {add_one};
static const struct functions TWO = {add_two};

/* The one call; what it goes to is known from the object alone. */
__attribute__((noinline)) static void add(struct object *object) {
    object->functions->add(object);
    __asm__ volatile("" : : : "memory");
}

int main(void) {
    struct object objects[] = {{&ONE, 0}, {&TWO, 0}};
    lockstep_phase_begin(1);
    loops();
    lockstep_phase_end(1);
    lockstep_phase_begin(2);
    for (int i = 0; i < NESTED_ROUNDS; i++) {
        sum += nested(DEPTH);
    }
    lockstep_phase_end(2);
    lockstep_phase_begin(3);
    for (int i = 0; i < CALLS; i++) {
        add(&objects[i & 1]);
    }
    lockstep_phase_end(3);
    return 0;
}
