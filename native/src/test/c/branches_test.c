/* Branch prediction by itself: counts that follow from how each predictor works. */
#include "branches.h"
#include "check.h"

#define ADDRESS 0x401000
#define NEXT (ADDRESS + 2)
#define TARGET 0x402000

static const struct branch_sizes SIZES = {.counters = 1024, .targets = 64, .indirect = 256, .returns = 4};

static struct branches *make(void) {
    struct branches *branches = branches_create(&SIZES);
    CHECK(branches != NULL);
    return branches;
}

static void sizes_are_read(void) {
    struct branch_sizes sizes = {0};
    CHECK(branches_parse("1024:64:256:5", &sizes));
    CHECK_EQUAL(1024, sizes.counters);
    CHECK_EQUAL(64, sizes.targets);
    CHECK_EQUAL(256, sizes.indirect);
    CHECK_EQUAL(5, sizes.returns);
    CHECK(!branches_parse("1000:64:256:5", &sizes));
    CHECK(!branches_parse("1024:64:256", &sizes));
    CHECK(!branches_parse("1024:64:256:0", &sizes));
    CHECK(!branches_parse("1024:2:256:5", &sizes));
    CHECK(!branches_parse("1024:64:256:5:6", &sizes));
    CHECK(!branches_parse("-1024:64:256:5", &sizes));
    CHECK(!branches_parse("", &sizes));
}

static void loop_shorter_than_the_history_is_learned(void) {
    struct branches *branches = make();
    struct branch_counts counts = {0};
    for (int round = 0; round < 1000; round++) {
        if (round == 500) {
            counts = (struct branch_counts) {0};
        }
        for (int turn = 0; turn < 8; turn++) {
            branches_executed(branches, &counts, BRANCH_CONDITIONAL, ADDRESS, NEXT, turn < 7 ? TARGET : NEXT);
        }
    }
    CHECK_EQUAL(500 * 8, counts.conditional);
    CHECK_EQUAL(0, counts.conditional_wrong);
    CHECK_EQUAL(500 * 7, counts.taken);
    CHECK_EQUAL(0, counts.target_unknown);
    branches_free(branches);
}

static void loop_longer_than_the_history_ends_wrong_once(void) {
    struct branches *branches = make();
    struct branch_counts counts = {0};
    int mispredicted = 0;
    for (int round = 0; round < 200; round++) {
        if (round == 100) {
            counts = (struct branch_counts) {0};
            mispredicted = 0;
        }
        for (int turn = 0; turn < 50; turn++) {
            uint64_t to = turn < 49 ? TARGET : NEXT;
            mispredicted += branches_executed(branches, &counts, BRANCH_CONDITIONAL, ADDRESS, NEXT, to);
        }
    }
    CHECK_EQUAL(100, counts.conditional_wrong);
    CHECK_EQUAL(100, mispredicted);
    branches_free(branches);
}

static void stack_returns_as_deep_as_it_is(void) {
    struct branches *branches = make();
    struct branch_counts counts = {0};
    for (uint64_t depth = 1; depth <= 7; depth++) {
        branches_executed(branches, &counts, BRANCH_CALL, ADDRESS + depth * 16, NEXT + depth * 16, TARGET);
    }
    int mispredicted = 0;
    for (uint64_t depth = 7; depth >= 1; depth--) {
        mispredicted += branches_executed(branches, &counts, BRANCH_RETURN, TARGET, TARGET + 1, NEXT + depth * 16);
    }
    CHECK_EQUAL(3, mispredicted);
    CHECK_EQUAL(7, counts.returns);
    CHECK_EQUAL(3, counts.returns_wrong);
    branches_free(branches);
}

static void targets_in_turns_are_learned(void) {
    struct branches *branches = make();
    struct branch_counts counts = {0};
    uint64_t mispredicted = 0;
    for (int call = 0; call < 200; call++) {
        if (call == 100) {
            CHECK(counts.indirect_wrong > 0);
            CHECK_EQUAL(counts.indirect_wrong, mispredicted);
            counts = (struct branch_counts) {0};
        }
        mispredicted +=
            branches_executed(branches, &counts, BRANCH_INDIRECT_CALL, ADDRESS, NEXT, TARGET + (call & 1) * 64);
    }
    CHECK_EQUAL(100, counts.indirect);
    CHECK_EQUAL(0, counts.indirect_wrong);
    branches_free(branches);
}

static void buffer_keeps_the_targets_used_last(void) {
    struct branches *branches = make();
    struct branch_counts counts = {0};
    /* More branches than entries: in turns, none is found again; the same one twice is. */
    for (int round = 0; round < 2; round++) {
        for (uint64_t i = 0; i < 4096; i++) {
            CHECK(!branches_executed(branches, &counts, BRANCH_JUMP, ADDRESS + i * 8, NEXT + i * 8, TARGET));
            CHECK(!branches_executed(branches, &counts, BRANCH_JUMP, ADDRESS + i * 8, NEXT + i * 8, TARGET));
        }
    }
    CHECK_EQUAL(4 * 4096, counts.taken);
    CHECK_EQUAL(2 * 4096, counts.target_unknown);
    branches_free(branches);
}

int main(void) {
    RUN(sizes_are_read);
    RUN(loop_shorter_than_the_history_is_learned);
    RUN(loop_longer_than_the_history_ends_wrong_once);
    RUN(stack_returns_as_deep_as_it_is);
    RUN(targets_in_turns_are_learned);
    RUN(buffer_keeps_the_targets_used_last);
    return check_result();
}
