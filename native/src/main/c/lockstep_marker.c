#if defined(__linux__)
#define _GNU_SOURCE
#endif

#include <stddef.h>

#include "lockstep_marker.h"

long lockstep_marker(long kind, long a, long b, long c) {
    if (kind == LOCKSTEP_MARKER_CLOCK) {
        volatile int64_t clock = 0;
        (void) lockstep_mark(kind, (long) (uintptr_t) &clock, 0, 0);
        return (long) clock;
    }
    return lockstep_mark(kind, a, b, c);
}

#if defined(__x86_64__) && defined(__linux__)
#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

/*
 * Seven bytes of nopl and one of ret: no padding, so that the index alone gives a function's address. Java calls the one
 * with an argument: the address of a function that never changes is a constant of the compiled call, where one that is
 * chosen anew each time has to be unpacked and checked, which took more instructions than all else of a mark.
 */
__asm__(
    ".text\n"
    ".balign 64\n"
    ".type lockstep_operation_first, @function\n"
    "lockstep_operation_first:\n"
    ".set lockstep_operation_number, 0\n"
    ".rept " TEXT(LOCKSTEP_OPERATIONS) "\n"
    "nopl " TEXT(LOCKSTEP_OPERATION_MARK) " + lockstep_operation_number(%rax)\n"
    "ret\n"
    ".set lockstep_operation_number, lockstep_operation_number + 1\n"
    ".endr\n"
    ".size lockstep_operation_first, . - lockstep_operation_first\n"
    ".globl lockstep_operation\n"
    ".type lockstep_operation, @function\n"
    "lockstep_operation:\n"
    "movl %edi, %edi\n"
    "leaq lockstep_operation_first(%rip), %rax\n"
    "leaq (%rax, %rdi, " TEXT(LOCKSTEP_OPERATION_FUNCTION_BYTES) "), %rax\n"
    "jmp *%rax\n"
    ".size lockstep_operation, . - lockstep_operation\n");

extern const char lockstep_operation_first[] __attribute__((visibility("hidden")));

const void *lockstep_operation_functions(void) {
    return lockstep_operation_first;
}
#else
const void *lockstep_operation_functions(void) {
    return NULL;
}

void lockstep_operation(uint32_t operation) {
    (void) operation;
}
#endif
