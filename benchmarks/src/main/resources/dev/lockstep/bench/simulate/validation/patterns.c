/*
 * Access patterns whose instructions and misses follow from the geometry of the cache by counting:
 *
 *   patterns load|store|update|swap ROUNDS COUNT STRIDE OFFSET    the same COUNT places in each round
 *   patterns load-fresh|store-fresh ROUNDS COUNT STRIDE OFFSET    places that no round has touched before
 *   patterns load-large ROUNDS COUNT STRIDE OFFSET                load, where the arena is said to be in pages of 2 MB
 *   patterns load-remote ROUNDS COUNT STRIDE OFFSET               load on core 1, of what core 0 has touched first
 *   patterns load32|move|fill ROUNDS COUNT STRIDE OFFSET          a 32-byte load; string instructions of 64 bytes
 *   patterns code ROUNDS LINES                                    LINES lines of straight code and one with the jump
 *   patterns modify|modify-near ROUNDS                            a function that is changed before each call
 *
 * The places are 8 bytes wide. A round executes COUNT times the instructions between the inner labels, and those of the
 * outer loop; the loops touch no memory but the places, and their code begins with a page, so that its sets are known.
 */
#include "freestanding.h"

enum { ARENA_BYTES = 1 << 26, LINE_BYTES = 64, CODE_LINES = 5120, PAGE_BYTES = 4096, LARGE_PAGE_BYTES = 1 << 21 };

/* PROT_READ, PROT_WRITE and PROT_EXEC. */
enum { PROTECTION_ALL = 7 };

static unsigned char arena[ARENA_BYTES] __attribute__((aligned(1 << 21)));

/* Repeats one access at count places, each round from the start: 4 * count + 4 instructions a round. */
#define REPEATED(name, instruction)                                                                                  \
    __attribute__((noinline)) static void name(unsigned char *base, long rounds, long count, long stride) {          \
        __asm__ volatile(".p2align 12\n"                                                                             \
                         "1:  movq %[base], %%rsi\n"                                                                 \
                         "    movq %[count], %%r9\n"                                                                 \
                         "2:  " instruction "\n"                                                                     \
                         "    addq %[stride], %%rsi\n"                                                               \
                         "    subq $1, %%r9\n"                                                                       \
                         "    jnz 2b\n"                                                                              \
                         "    subq $1, %[rounds]\n"                                                                  \
                         "    jnz 1b\n"                                                                              \
                         : [rounds] "+r"(rounds)                                                                     \
                         : [base] "r"(base), [count] "r"(count), [stride] "r"(stride)                                \
                         : "rax", "rsi", "r9", "xmm0", "memory", "cc");                                              \
    }

/* The same, but each round goes on where the last one ended: 4 * count + 3 instructions a round. */
#define FRESH(name, instruction)                                                                                     \
    __attribute__((noinline)) static void name(unsigned char *base, long rounds, long count, long stride) {          \
        __asm__ volatile(".p2align 12\n"                                                                             \
                         "1:  movq %[count], %%r9\n"                                                                 \
                         "2:  " instruction "\n"                                                                     \
                         "    addq %[stride], %[base]\n"                                                             \
                         "    subq $1, %%r9\n"                                                                       \
                         "    jnz 2b\n"                                                                              \
                         "    subq $1, %[rounds]\n"                                                                  \
                         "    jnz 1b\n"                                                                              \
                         : [rounds] "+r"(rounds), [base] "+r"(base)                                                  \
                         : [count] "r"(count), [stride] "r"(stride)                                                  \
                         : "rax", "r9", "memory", "cc");                                                             \
    }

REPEATED(load, "movq (%%rsi), %%rax")
REPEATED(store, "movq %%r9, (%%rsi)")
REPEATED(update, "lock addq $1, (%%rsi)")
REPEATED(swap, "xchgq %%rax, (%%rsi)")
REPEATED(load32, "vmovdqu (%%rsi), %%ymm0")
FRESH(load_fresh, "movq (%[base]), %%rax")
FRESH(store_fresh, "movq %%r9, (%[base])")

/* rep movsb of a line to the half of the arena above: 7 instructions a place and 4 a round. */
__attribute__((noinline)) static void move(unsigned char *base, long rounds, long count, long stride) {
    __asm__ volatile(".p2align 12\n"
                     "1:  movq %[base], %%r10\n"
                     "    movq %[count], %%r9\n"
                     "2:  movq %%r10, %%rsi\n"
                     "    leaq 33554432(%%r10), %%rdi\n"
                     "    movl $64, %%ecx\n"
                     "    rep movsb\n"
                     "    addq %[stride], %%r10\n"
                     "    subq $1, %%r9\n"
                     "    jnz 2b\n"
                     "    subq $1, %[rounds]\n"
                     "    jnz 1b\n"
                     : [rounds] "+r"(rounds)
                     : [base] "r"(base), [count] "r"(count), [stride] "r"(stride)
                     : "rcx", "rsi", "rdi", "r9", "r10", "memory", "cc");
}
_Static_assert(ARENA_BYTES / 2 == 33554432, "move copies to the upper half");

/* rep stosb of a line: 6 instructions a place and 4 a round. */
__attribute__((noinline)) static void fill(unsigned char *base, long rounds, long count, long stride) {
    __asm__ volatile(".p2align 12\n"
                     "1:  movq %[base], %%r10\n"
                     "    movq %[count], %%r9\n"
                     "2:  movq %%r10, %%rdi\n"
                     "    movl $64, %%ecx\n"
                     "    rep stosb\n"
                     "    addq %[stride], %%r10\n"
                     "    subq $1, %%r9\n"
                     "    jnz 2b\n"
                     "    subq $1, %[rounds]\n"
                     "    jnz 1b\n"
                     : [rounds] "+r"(rounds)
                     : [base] "r"(base), [count] "r"(count), [stride] "r"(stride)
                     : "rax", "rcx", "rdi", "r9", "r10", "memory", "cc");
}

/*
 * CODE_LINES lines of 16 instructions of 4 bytes and, in the line behind them, the jump back: 16 * lines + 3
 * instructions a round, the last round one less.
 */
extern unsigned char code_end[];
void code_block(void);
__asm__(".text\n"
        ".p2align 12\n"
        "code_block:\n"
        ".rept 5120 * 16\n"
        "    addq $1, %rax\n"
        ".endr\n"
        ".globl code_end\n"
        "code_end:\n"
        "    subq $1, %rdi\n"
        "    jz 1f\n"
        "    jmp *%rsi\n"
        "1:  ret\n"
        ".p2align 6\n");
_Static_assert(CODE_LINES == 5120, "the block repeats that often");

__attribute__((noinline)) static void code(long rounds, long lines) {
    unsigned char *entry = code_end - lines * LINE_BYTES;
    __asm__ volatile("call *%%rsi" : "+D"(rounds), "+S"(entry) : : "rax", "memory", "cc");
}

/* movl $imm32, %eax; ret */
static unsigned char changed[PAGE_BYTES] __attribute__((aligned(PAGE_BYTES)));

/* Changes the operand of the function at `function` and calls it: 7 instructions a round. */
__attribute__((noinline)) static uint64_t modify(unsigned char *function, long rounds) {
    uint64_t sum = 0;
    function[0] = 0xB8;
    function[5] = 0xC3;
    __asm__ volatile(".p2align 12\n"
                     "1:  movl %%edi, 1(%%rsi)\n"
                     "    call *%%rsi\n"
                     "    addq %%rax, %%rdx\n"
                     "    subq $1, %%rdi\n"
                     "    jnz 1b\n"
                     : "+D"(rounds), "+d"(sum)
                     : "S"(function)
                     : "rax", "memory", "cc");
    return sum;
}

/* The same where the function lies in the page of the code that changes it: 7 instructions a round. */
uint64_t modify_near(long rounds);
extern unsigned char near_page[];
__asm__(".text\n"
        ".p2align 12\n"
        "near_page:\n"
        "modify_near:\n"
        "    xorl %edx, %edx\n"
        "    .p2align 6\n"
        "1:  movl %edi, 2f+1(%rip)\n"
        "    call 2f\n"
        "    addq %rax, %rdx\n"
        "    subq $1, %rdi\n"
        "    jnz 1b\n"
        "    movq %rdx, %rax\n"
        "    ret\n"
        "    .p2align 6\n"
        "2:  movl $0, %eax\n"
        "    ret\n"
        "    .p2align 12\n");

/* The function that walks the arena so, or null. */
static void (*walk_named(const char *name))(unsigned char *, long, long, long) {
    if (same_text(name, "load") || same_text(name, "load-large") || same_text(name, "load-remote")) {
        return load;
    } else if (same_text(name, "store")) {
        return store;
    } else if (same_text(name, "update")) {
        return update;
    } else if (same_text(name, "swap")) {
        return swap;
    } else if (same_text(name, "load32")) {
        return load32;
    } else if (same_text(name, "load-fresh")) {
        return load_fresh;
    } else if (same_text(name, "store-fresh")) {
        return store_fresh;
    } else if (same_text(name, "move")) {
        return move;
    } else if (same_text(name, "fill")) {
        return fill;
    }
    return 0;
}

static uint64_t program(int count, char **arguments) {
    if (count < 3) {
        system_call(CALL_EXIT_GROUP, 2, 0, 0, 0);
    }
    const char *name = arguments[1];
    long rounds = number_of(arguments[2]);
    uint64_t result = (uint64_t)rounds;
    void (*walk)(unsigned char *, long, long, long) = walk_named(name);
    if (walk != 0 && count == 6) {
        long places = number_of(arguments[3]);
        long stride = number_of(arguments[4]);
        long offset = number_of(arguments[5]);
        if (same_text(name, "load-large")) {
            marker_of_range(MARKER_REGION, (long)arena, ARENA_BYTES, LARGE_PAGE_BYTES);
        }
        marker(MARKER_THREAD_CORE, 0);
        phase_begin();
        if (same_text(name, "load-remote")) {
            walk(arena + offset, 1, places, stride);
            marker(MARKER_THREAD_CORE, 1);
        }
        walk(arena + offset, rounds, places, stride);
    } else if (same_text(name, "code") && count == 4) {
        long lines = number_of(arguments[3]);
        phase_begin();
        code(rounds, lines);
    } else if (same_text(name, "modify") && count == 3) {
        system_call(CALL_MPROTECT, (long)changed, PAGE_BYTES, PROTECTION_ALL, 0);
        phase_begin();
        result = modify(changed, rounds);
    } else if (same_text(name, "modify-near") && count == 3) {
        system_call(CALL_MPROTECT, (long)near_page, PAGE_BYTES, PROTECTION_ALL, 0);
        phase_begin();
        result = modify_near(rounds);
    } else {
        system_call(CALL_EXIT_GROUP, 2, 0, 0, 0);
    }
    phase_end();
    return result;
}
