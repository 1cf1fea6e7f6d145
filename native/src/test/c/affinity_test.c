/* Threads held on one real processor, without QEMU. */
#define _GNU_SOURCE
#include <pthread.h>

#include "affinity.h"
#include "check.h"

static cpu_set_t mask(void) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CHECK_EQUAL(0, sched_getaffinity(0, sizeof set, &set));
    return set;
}

static cpu_set_t held;

static void *is_held_there_too(void *own) {
    struct affinity affinity = {0};
    affinity_hold(&affinity);
    cpu_set_t now = mask();
    CHECK(CPU_EQUAL(&held, &now));
    affinity_release(&affinity);
    now = mask();
    CHECK(CPU_EQUAL((cpu_set_t *) own, &now));
    return NULL;
}

static void all_are_held_on_one_and_get_their_own_back(void) {
    cpu_set_t own = mask();
    struct affinity affinity = {0};
    affinity_hold(&affinity);
    held = mask();
    CHECK_EQUAL(1, CPU_COUNT(&held));
    CHECK_EQUAL(CPU_COUNT(&own) > 1, affinity.held);
    affinity_release(&affinity);
    cpu_set_t now = mask();
    CHECK(CPU_EQUAL(&own, &now));
    CHECK(!affinity.held);
    pthread_t other;
    CHECK_EQUAL(0, pthread_create(&other, NULL, is_held_there_too, &own));
    pthread_join(other, NULL);
}

static void *is_elsewhere(void *elsewhere) {
    CHECK_EQUAL(0, sched_setaffinity(0, sizeof(cpu_set_t), elsewhere));
    struct affinity affinity = {0};
    affinity_hold(&affinity);
    cpu_set_t now = mask();
    CHECK(CPU_EQUAL((cpu_set_t *) elsewhere, &now));
    CHECK(!affinity.held);
    affinity_release(&affinity);
    return NULL;
}

/* After the test before it, which chose the processor. */
static void who_may_not_run_there_is_left_alone(void) {
    cpu_set_t elsewhere = mask();
    CPU_XOR(&elsewhere, &elsewhere, &held);
    if (CPU_COUNT(&elsewhere) > 0) {
        pthread_t other;
        CHECK_EQUAL(0, pthread_create(&other, NULL, is_elsewhere, &elsewhere));
        pthread_join(other, NULL);
    }
}

int main(void) {
    RUN(all_are_held_on_one_and_get_their_own_back);
    RUN(who_may_not_run_there_is_left_alone);
    return check_result();
}
