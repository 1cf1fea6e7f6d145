/*
 * Instructions whose accesses QEMU reports otherwise than a processor makes them, 1,000 times each, one kind in each
 * phase; every turn has 2 further instructions (dec, jnz), and string instructions 2 or more to prepare.
 *   1  a load of 32 bytes, which QEMU makes in four pieces
 *   2  a copy of 256 bytes by one string instruction, which QEMU makes byte by byte
 *   3  a locked addition, which QEMU makes as a load and a store before there are threads
 *   4  the same while there is another thread
 *   5  a locked addition across two lines, which QEMU breaks off and makes alone
 *   6  a load across two lines
 *   7  a comparison of 256 bytes by one string instruction, which loads from two places
 *   8  a search through 256 bytes by one string instruction
 *   9  a copy of 256 bytes from the last one to the first
 *  10, 11, 12  prefetches for a load and for a store, and a flush of a line, which touch nothing
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

/* The second halves: locked additions change the first one of what is compared. */
static void compare(void) {
    long turns = TURNS;
    __asm__ volatile("1: mov %1, %%rsi\n\tmov %2, %%rdi\n\tmov %3, %%ecx\n\trepe cmpsb\n\tdec %0\n\tjnz 1b"
                     : "+r"(turns)
                     : "r"(from + COPY_BYTES), "r"(to + COPY_BYTES), "i"(COPY_BYTES)
                     : "cc", "memory", "rsi", "rdi", "rcx");
}

static void search(void) {
    long turns = TURNS;
    __asm__ volatile("1: mov %1, %%rdi\n\tmov %2, %%ecx\n\trepne scasb\n\tdec %0\n\tjnz 1b"
                     : "+r"(turns)
                     : "r"(from + COPY_BYTES), "i"(COPY_BYTES), "a"(0)
                     : "cc", "memory", "rdi", "rcx");
}

static void copy_backward(void) {
    long turns = TURNS;
    __asm__ volatile("std\n1: mov %1, %%rsi\n\tmov %2, %%rdi\n\tmov %3, %%ecx\n\trep movsb\n\tdec %0\n\tjnz 1b\n\t"
                     "cld"
                     : "+r"(turns)
                     : "r"(from + COPY_BYTES - 1), "r"(to + COPY_BYTES - 1), "i"(COPY_BYTES)
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
    lockstep_phase_begin(7);
    compare();
    lockstep_phase_end(7);
    lockstep_phase_begin(8);
    search();
    lockstep_phase_end(8);
    lockstep_phase_begin(9);
    copy_backward();
    lockstep_phase_end(9);
    lockstep_phase_begin(10);
    REPEAT("prefetcht0 (%%rdx)", from);
    lockstep_phase_end(10);
    lockstep_phase_begin(11);
    REPEAT("prefetchw (%%rdx)", from);
    lockstep_phase_end(11);
    lockstep_phase_begin(12);
    REPEAT("clflush (%%rdx)", from);
    lockstep_phase_end(12);
    pthread_mutex_unlock(&held);
    pthread_join(thread, NULL);
    return 0;
}
