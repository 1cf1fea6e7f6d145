/*
 * What a validation program stands on in place of a C library, whose start-up, memory functions and stack addresses
 * would differ from one run and one instrument to the next: an entry point that moves to a stack at a fixed address,
 * arguments, threads and phase markers. x86-64 Linux; build with -static -no-pie -nostdlib -ffreestanding. A program
 * is one source file that includes this one and defines `program`.
 */
#ifndef LOCKSTEP_FREESTANDING_H
#define LOCKSTEP_FREESTANDING_H

#include <stdint.h>

/* System calls of x86-64 Linux. */
enum { CALL_WRITE = 1, CALL_MPROTECT = 10, CALL_CLONE = 56, CALL_EXIT = 60, CALL_FUTEX = 202, CALL_EXIT_GROUP = 231 };

/* Marker calls of the simulator, which no kernel has, and its marks of phases; see lockstep_marker.h. */
enum {
    CALL_MARKER = 0x4C5300,
    MARKER_REGION = 3,
    MARKER_THREAD_CORE = 5,
    PHASE_MARK = 0x4C535048,
    PHASE_PAGE_BYTES = 4096,
    PHASE_LEAVES = 2048
};

/* The phase whose counts are read. */
enum { PHASE_MEASURED = 1 };

/* Deeper than any program here needs; a power of two, so that the page below is never reached. */
enum { STACK_BYTES = 1 << 16 };

static unsigned char program_stack[STACK_BYTES] __attribute__((aligned(4096), used));

/* Set once before any thread starts: whether the simulator runs this program. */
static int simulated;

static inline long system_call(long number, long a, long b, long c, long d) {
    long result;
    register long fourth __asm__("r10") = d;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth)
                     : "rcx", "r11", "memory");
    return result;
}

static inline void marker_of_range(long kind, long first, long second, long third) {
    if (simulated) {
        system_call(CALL_MARKER, kind, first, second, third);
    }
}

static inline void marker(long kind, long value) {
    marker_of_range(kind, value, 0, 0);
}

static unsigned char phase_page[PHASE_PAGE_BYTES] __attribute__((aligned(PHASE_PAGE_BYTES)));

static inline void phase_store(int offset) {
    if (simulated) {
        __asm__ volatile("movl %1, (%0)\n"
                         "jmp 1f\n"
                         "1:"
                         :
                         : "a"(phase_page + offset), "i"(PHASE_MARK)
                         : "memory");
    }
}

static inline void phase_begin(void) {
    phase_store(4 * PHASE_MEASURED);
}

static inline void phase_end(void) {
    phase_store(PHASE_LEAVES + 4 * PHASE_MEASURED);
}

static inline int same_text(const char *left, const char *right) {
    while (*left != 0 && *left == *right) {
        left++;
        right++;
    }
    return *left == *right;
}

/* A decimal number without a sign; anything else ends the program with code 2. */
static inline long number_of(const char *text) {
    long value = 0;
    if (*text == 0) {
        system_call(CALL_EXIT_GROUP, 2, 0, 0, 0);
    }
    for (; *text != 0; text++) {
        if (*text < '0' || *text > '9') {
            system_call(CALL_EXIT_GROUP, 2, 0, 0, 0);
        }
        value = value * 10 + (*text - '0');
    }
    return value;
}

/*
 * Prints a number, so that the work that made it cannot be left out, and two runs can be compared; with zeros in front,
 * so that every number takes the same instructions.
 */
static inline void print_number(uint64_t value) {
    char text[21];
    int at = sizeof text;
    text[--at] = '\n';
    while (at > 0) {
        text[--at] = (char)('0' + value % 10);
        value /= 10;
    }
    system_call(CALL_WRITE, 1, (long)text, sizeof text, 0);
}

/* Does the work; returns a number that depends on all of it. */
static uint64_t program(int count, char **arguments);

/* Called by the entry point with what the kernel put on its stack: count, arguments, a null, the environment. */
__attribute__((noreturn, used)) static void program_start(long *from_kernel) {
    int count = (int)from_kernel[0];
    char **arguments = (char **)(from_kernel + 1);
    for (char **variable = arguments + count + 1; *variable != 0; variable++) {
        const char *expected = "LOCKSTEP_SIMULATED=";
        const char *found = *variable;
        while (*expected != 0 && *expected == *found) {
            expected++;
            found++;
        }
        if (*expected == 0) {
            simulated = 1;
        }
    }
    print_number(program(count, arguments));
    for (;;) {
        system_call(CALL_EXIT_GROUP, 0, 0, 0, 0);
    }
}

__asm__(".text\n"
        ".globl _start\n"
        ".type _start, @function\n"
        "_start:\n"
        "    xorl %ebp, %ebp\n"
        "    movq %rsp, %rdi\n"
        "    leaq program_stack+65536(%rip), %rsp\n"
        "    call program_start\n"
        "    hlt\n");
_Static_assert(STACK_BYTES == 65536, "the entry point names the size of the stack");

/* What GCC calls for large assignments even where there is no library. */
__attribute__((used)) void *memset(void *to, int value, unsigned long bytes) {
    unsigned char *at = to;
    for (unsigned long i = 0; i < bytes; i++) {
        at[i] = (unsigned char)value;
        __asm__ volatile("" ::: "memory");
    }
    return to;
}

__attribute__((used)) void *memcpy(void *restrict to, const void *restrict from, unsigned long bytes) {
    unsigned char *at = to;
    const unsigned char *source = from;
    for (unsigned long i = 0; i < bytes; i++) {
        at[i] = source[i];
        __asm__ volatile("" ::: "memory");
    }
    return to;
}

/* The pseudo-random numbers of G. Marsaglia, Xorshift RNGs, 2003: the state is never zero. */
static inline uint64_t next_random(uint64_t *state) {
    uint64_t x = *state;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    *state = x;
    return x;
}

#endif
