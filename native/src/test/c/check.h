/*
 * The tests' own assertions. A program runs its tests one after the other, prints each failure with its place and both
 * values, and exits with 1 if there was one.
 */
#ifndef LOCKSTEP_TEST_CHECK_H
#define LOCKSTEP_TEST_CHECK_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

static int check_failures;
static const char *check_test;

#define CHECK_EQUAL(expected, actual) \
    check_equal((uint64_t) (expected), (uint64_t) (actual), #actual, __FILE__, __LINE__)
#define CHECK(condition) check_equal(1, (condition) ? 1 : 0, #condition, __FILE__, __LINE__)
#define RUN(test) \
    do { \
        check_test = #test; \
        test(); \
    } while (0)

static inline void check_equal(uint64_t expected, uint64_t actual, const char *what, const char *file, int line) {
    if (expected != actual) {
        check_failures++;
        printf("%s:%d: %s: expected=%" PRIu64 " actual=%" PRIu64 " of %s\n", file, line, check_test, expected, actual,
                what);
    }
}

static inline int check_result(void) {
    printf(check_failures == 0 ? "all passed\n" : "failures=%d\n", check_failures);
    return check_failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* The model of a machine file's text; a text that is refused ends the program. */
static inline struct model *build(const char *text) {
    struct machine machine;
    char error[512];
    if (machine_parse(&machine, "test", text, error, sizeof error) != 0) {
        printf("%s: %s\n", check_test, error);
        exit(EXIT_FAILURE);
    }
    struct model *model = model_create(&machine);
    if (model == NULL) {
        printf("%s: no model\n", check_test);
        exit(EXIT_FAILURE);
    }
    return model;
}

/* A fetch or an access that says whether it may have missed: where it says no, nothing has. */
static inline void feed_told(struct model *model, int processor, uint64_t address, uint32_t bytes, int kind,
                             uint32_t instructions) {
    uint64_t before[LEVELS];
    uint64_t after[LEVELS];
    model_misses(model, processor, before);
    bool told = kind == MODEL_FETCH ? model_fetch(model, processor, address, bytes, instructions)
                                    : model_access(model, processor, address, bytes, kind);
    model_misses(model, processor, after);
    CHECK(told || memcmp(before, after, sizeof before) == 0);
}

static inline struct model_counts counts_of(const struct model *model, int processor) {
    struct model_counts counts;
    model_total(model, processor, &counts);
    return counts;
}

static inline uint64_t classes_of(const struct model_level_counts *counts) {
    uint64_t sum = 0;
    for (int class = 0; class < MISS_CLASSES; class++) {
        sum += counts->classes[class];
    }
    return sum;
}

static inline void load(struct model *model, int processor, uint64_t address) {
    model_access(model, processor, address, 4, MODEL_LOAD);
}

static inline void store(struct model *model, int processor, uint64_t address) {
    model_access(model, processor, address, 4, MODEL_STORE);
}

static inline void update(struct model *model, int processor, uint64_t address) {
    model_access(model, processor, address, 4, MODEL_UPDATE);
}

/* One instruction of 4 bytes. */
static inline void fetch(struct model *model, int processor, uint64_t address) {
    model_fetch(model, processor, address, 4, 1);
}

#endif
