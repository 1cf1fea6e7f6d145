/*
 * Instructions whose accesses QEMU reports otherwise than a processor makes them, 1,000 times each, one kind in each
 * phase; every turn has 2 further instructions (dec, jnz), and string copies 3 more.
 *   1  a load of 32 bytes, which QEMU makes in four pieces
 *   2  a copy of 256 bytes by one string instruction, which QEMU makes byte by byte
 *   3  a locked addition, which QEMU makes as a load and a store before there are threads
 *   4  the same while there is another thread
 *   5  a locked addition across two lines, which QEMU breaks off and makes alone
 *   6  a load across two lines
 */
#include <pthread.h>
#include <stdint.h>

#include "lockstep_marker.h"

#define TURNS 1000
#define LINE_BYTES 64
#define COPY_BYTES 256

static _Alignas(LINE_BYTES) unsigned char from[2 * COPY_BYTES];
static _Alignas(LINE_BYTES) unsigned char to[2 * COPY_BYTES];
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

/* Executes an instruction TURNS times, with an address in rdx. */
#define REPEAT(instruction, address) \
    do { \
        long turns = TURNS; \
        __asm__ volatile("1: " instruction "\n\tdec %0\n\tjnz 1b" \
                         : "+r"(turns) \
                         : "d"(address) \
                         : "cc", "memory", "xmm0", "rax"); \
    } while (0)

static void copy(void) {
    long turns = TURNS;
    __asm__ volatile("1: mov %1, %%rsi\n\tmov %2, %%rdi\n\tmov %3, %%ecx\n\trep movsb\n\tdec %0\n\tjnz 1b"
                     : "+r"(turns)
                     : "r"(from), "r"(to), "i"(COPY_BYTES)
                     : "cc", "memory", "rsi", "rdi", "rcx");
}

static void *wait_for_the_end(void *nothing) {
    pthread_mutex_lock(&held);
    pthread_mutex_unlock(&held);
    return nothing;
}

int main(void) {
    pthread_t thread;
    /* Touched before, so that no phase has faults. */
    for (int i = 0; i < 2 * COPY_BYTES; i++) {
        ((volatile unsigned char *) from)[i] = 1;
        ((volatile unsigned char *) to)[i] = 1;
    }
    lockstep_phase_begin(1);
    REPEAT("vmovdqu (%%rdx), %%ymm0", from);
    lockstep_phase_end(1);
    lockstep_phase_begin(2);
    copy();
    lockstep_phase_end(2);
    lockstep_phase_begin(3);
    REPEAT("lock addq $1, (%%rdx)", from);
    lockstep_phase_end(3);
    pthread_mutex_lock(&held);
    if (pthread_create(&thread, NULL, wait_for_the_end, NULL) != 0) {
        return 1;
    }
    lockstep_phase_begin(4);
    REPEAT("lock addq $1, (%%rdx)", from);
    lockstep_phase_end(4);
    lockstep_phase_begin(5);
    REPEAT("lock addq $1, (%%rdx)", from + LINE_BYTES - 4);
    lockstep_phase_end(5);
    lockstep_phase_begin(6);
    REPEAT("mov (%%rdx), %%rax", from + LINE_BYTES - 4);
    lockstep_phase_end(6);
    pthread_mutex_unlock(&held);
    pthread_join(thread, NULL);
    return 0;
}
