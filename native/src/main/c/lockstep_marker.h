/*
 * Marks by which a program tells Lockstep's simulator what it is doing. Harmless on a real processor.
 *
 * Phases belong to the process: what is measured, say. The mark is a store of four bytes to a page, at an offset that
 * names the phase, 4 * phase where the process enters it and LOCKSTEP_PHASE_LEAVES + 4 * phase where it leaves it,
 * movl $LOCKSTEP_PHASE_MARK, (%rax), which the plugin recognises by its bytes when it translates code, so that no other
 * store pays for it; the page is known as the one that the address lies in:
 *
 *     byte     0    1    2    3    4    5
 *            0xc7 0x00 0x48 0x50 0x53 0x4c
 *
 * Descriptions carry a payload. They are a system call with a number that no kernel knows: a kernel answers ENOSYS, the
 * simulator's plugin sees number and arguments (kind, a, b, c) in its system-call callback. Linux only.
 *
 * Frequent marks name the operation that the calling thread is in, 0 to LOCKSTEP_OPERATIONS - 1, and last until the
 * thread's next one. There are two kinds. A store of one byte to a known page, at an offset that is the operation: a
 * few instructions for a compiler that knows neither assembler nor the operation in advance, such as Java's. Blocks are
 * charged whole, so what is left of the store's block counts as what was before. And one instruction that does nothing,
 * nopl disp32(%rax) with disp32 = LOCKSTEP_OPERATION_MARK + operation, which the plugin recognises by its bytes when it
 * translates code:
 *
 *     byte     0    1    2    3         4         5    6
 *            0x0f 0x1f 0x80 low byte  high byte 0x53 0x4c
 *                           of the operation
 *
 * x86-64 only. A program in C needs this header alone (the functions below); Java uses what lockstep_marker.c exports,
 * through dev.lockstep.counters.Markers. All functions may be called by any thread.
 */
#ifndef LOCKSTEP_MARKER_H
#define LOCKSTEP_MARKER_H

#include <stdint.h>

#if defined(__linux__)
#include <unistd.h>
#endif

/* Number of the system call of descriptions: "LS" and a zero byte. */
#define LOCKSTEP_MARKER_SYSTEM_CALL 0x4C5300

/* Kinds of descriptions: the first argument. Other arguments are 0 where none is named. */

/*
 * a = address, b = bytes, c = bytes of a page, 4,096 or more: how this range is mapped. The bits of c below a page's
 * say what is there: bits 0 to 3 a LOCKSTEP_REGION_, bits 4 to 11 1 more than the node that the memory was taken from,
 * or 0 where that is the node of whoever touches a page first.
 */
#define LOCKSTEP_MARKER_REGION 3
/* a = epoch, the number of the JVMTI agent's event: code that is translated from now on belongs to it. */
#define LOCKSTEP_MARKER_CODE_EVENT 4
/*
 * a = simulated core, from 0, that the calling thread runs on from now on; the first one again after the last. Of its
 * hardware threads it takes the one with the fewest threads of its class, so that two bound to a core can run at once.
 */
#define LOCKSTEP_MARKER_THREAD_CORE 5
/*
 * a = address of 8 bytes that the plugin sets to the cycles that the simulated processors have run: a program's only
 * way to the simulated time. They stay as they are where nobody simulates. No mark: changes nothing, not even whose
 * turn it is on a processor.
 */
#define LOCKSTEP_MARKER_CLOCK 6
/*
 * a = address of LOCKSTEP_OPERATIONS bytes: from now on a store of one byte there (mov or xchg, no string instruction)
 * marks the operation that is its offset. There is one such page in a process; the last one told of counts.
 */
#define LOCKSTEP_MARKER_OPERATION_PAGE 7

/* What a region holds. */
#define LOCKSTEP_REGION_OTHER 0
#define LOCKSTEP_REGION_BUFFER_POOL 1
#define LOCKSTEP_REGION_HEAP 2
#define LOCKSTEP_REGION_CODE_CACHE 3
#define LOCKSTEP_REGION_METASPACE 4
#define LOCKSTEP_REGION_MASK 0xf
#define LOCKSTEP_REGION_NODE_SHIFT 4
#define LOCKSTEP_REGION_NODE_MASK 0xff
#define LOCKSTEP_REGION_PAGE_MASK (~0xfffL)

/* The phase of what is measured: of a workload, of a JMH iteration, of a program in C. 0 is outside any phase. */
#define LOCKSTEP_PHASE_MEASURED 1
#define LOCKSTEP_PHASE_MAX 255

/* What the mark of a phase stores: "HPSL". */
#define LOCKSTEP_PHASE_MARK 0x4C535048

/* Bytes of the instruction that stores it. */
#define LOCKSTEP_PHASE_MARK_BYTES 6

/* Of the page that it is stored to, at a multiple of as many bytes. */
#define LOCKSTEP_PHASE_PAGE_BYTES 4096

/* Offset in the page of phase 0, if it could be left. */
#define LOCKSTEP_PHASE_LEAVES 2048

/* Operations are numbered from 0, which is outside any operation. */
#define LOCKSTEP_OPERATIONS 4096

/* The displacement of operation 0. */
#define LOCKSTEP_OPERATION_MARK 0x4C530000

/* Bytes of the marking instruction. */
#define LOCKSTEP_OPERATION_MARK_BYTES 7

/* A description. Returns what the system call returned, which says nothing. */
static inline long lockstep_mark(long kind, long a, long b, long c) {
#if defined(__linux__)
    return syscall(LOCKSTEP_MARKER_SYSTEM_CALL, kind, a, b, c);
#else
    return kind + a + b + c;
#endif
}

/* Blocks are charged whole: behind the mark one ends, so that what follows belongs to the phase. */
static inline void lockstep_phase_store(int offset) {
#if defined(__x86_64__)
    static uint8_t page[LOCKSTEP_PHASE_PAGE_BYTES] __attribute__((aligned(LOCKSTEP_PHASE_PAGE_BYTES)));
    __asm__ volatile("movl %1, (%0)\n"
                     "jmp 1f\n"
                     "1:"
                     :
                     : "a"(page + offset), "i"(LOCKSTEP_PHASE_MARK)
                     : "memory");
#else
    (void) offset;
#endif
}

/* The whole process enters a phase, 1 to LOCKSTEP_PHASE_MAX. */
static inline void lockstep_phase_begin(int phase) {
    lockstep_phase_store(4 * phase);
}

/* The whole process leaves it, unless it is in another one. */
static inline void lockstep_phase_end(int phase) {
    lockstep_phase_store(LOCKSTEP_PHASE_LEAVES + 4 * phase);
}

/* Whether the bytes of an instruction are those of the mark of a phase. */
static inline int lockstep_marks_phase(const uint8_t *instruction, uint64_t bytes) {
    return bytes == LOCKSTEP_PHASE_MARK_BYTES && instruction[0] == 0xc7 && instruction[1] == 0x00
        && instruction[2] == (LOCKSTEP_PHASE_MARK & 0xff) && instruction[3] == (LOCKSTEP_PHASE_MARK >> 8 & 0xff)
        && instruction[4] == (LOCKSTEP_PHASE_MARK >> 16 & 0xff) && instruction[5] == LOCKSTEP_PHASE_MARK >> 24;
}

/* Marks the operation, a constant; a macro, because the number is part of the instruction. */
#if defined(__x86_64__)
#define LOCKSTEP_OPERATION(operation) \
    __asm__ volatile("nopl %c0(%%rax)" : : "i"(LOCKSTEP_OPERATION_MARK | (operation)) : "memory")
#else
#define LOCKSTEP_OPERATION(operation) ((void) (operation))
#endif

/*
 * The operation that the bytes of an instruction mark, or -1 when they are no mark. At least
 * LOCKSTEP_OPERATION_MARK_BYTES bytes are read only if there are as many.
 */
static inline int lockstep_operation_marked(const uint8_t *instruction, uint64_t bytes) {
    if (bytes != LOCKSTEP_OPERATION_MARK_BYTES || instruction[0] != 0x0f || instruction[1] != 0x1f
            || instruction[2] != 0x80 || instruction[5] != ((LOCKSTEP_OPERATION_MARK >> 16) & 0xff)
            || instruction[6] != LOCKSTEP_OPERATION_MARK >> 24) {
        return -1;
    }
    int operation = instruction[3] | instruction[4] << 8;
    return operation < LOCKSTEP_OPERATIONS ? operation : -1;
}

/*
 * Exported for Java: lockstep_mark as a function, but that of kind LOCKSTEP_MARKER_CLOCK, whose other arguments mean
 * nothing, it returns the clock, 0 where nobody simulates.
 */
long lockstep_marker(long kind, long a, long b, long c);

/* Exported for Java: the process enters a phase, or leaves it where begins is 0. */
void lockstep_phase(long phase, long begins);

/*
 * Exported for Java: the page that LOCKSTEP_MARKER_OPERATION_PAGE is told of, LOCKSTEP_OPERATIONS bytes. Null where
 * there are no frequent marks.
 */
void *lockstep_operation_page(void);

#endif
