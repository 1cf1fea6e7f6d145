/* Reads the marks back from the bytes of functions that make one each; prints the first that is wrong. */
#include <stdio.h>
#include <string.h>

#include "lockstep_marker.h"

#if defined(__x86_64__)
#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

/* Bytes of a function: seven of nopl and one of ret. */
#define FUNCTION_BYTES 8

__asm__(
    ".text\n"
    ".set operation_number, 0\n"
    "operation_functions:\n"
    ".rept " TEXT(LOCKSTEP_OPERATIONS) "\n"
    "nopl " TEXT(LOCKSTEP_OPERATION_MARK) " + operation_number(%rax)\n"
    "ret\n"
    ".set operation_number, operation_number + 1\n"
    ".endr\n");

extern const uint8_t operation_functions[];

/* The mark of a phase, as the assembler makes it; never executed here. */
extern const uint8_t phase_mark[];
__asm__("phase_mark:\n"
        "movl $" TEXT(LOCKSTEP_PHASE_MARK) ", (%rax)\n");

static int is_phase_recognised(void) {
    if (!lockstep_marks_phase(phase_mark, LOCKSTEP_PHASE_MARK_BYTES)
            || lockstep_marks_phase(phase_mark, LOCKSTEP_PHASE_MARK_BYTES - 1)
            || lockstep_marks_phase(phase_mark, LOCKSTEP_PHASE_MARK_BYTES + 1)) {
        return 0;
    }
    for (int byte = 0; byte < LOCKSTEP_PHASE_MARK_BYTES; byte++) {
        uint8_t other[LOCKSTEP_PHASE_MARK_BYTES];
        memcpy(other, phase_mark, sizeof other);
        other[byte] ^= 0x80;
        if (lockstep_marks_phase(other, sizeof other)) {
            return 0;
        }
    }
    return 1;
}

int main(void) {
    if (!is_phase_recognised()) {
        puts("the mark of a phase is not recognised, or others are");
        return 1;
    }
    const uint8_t *functions = operation_functions;
    for (int i = 0; i < LOCKSTEP_OPERATIONS; i++) {
        const uint8_t *function = functions + (long) i * FUNCTION_BYTES;
        int marked = lockstep_operation_marked(function, LOCKSTEP_OPERATION_MARK_BYTES);
        if (marked != i || function[LOCKSTEP_OPERATION_MARK_BYTES] != 0xc3) {
            printf("operation=%d marked=%d\n", i, marked);
            return 1;
        }
        /* Every byte matters but the two of the number, of whose second only four bits are used. */
        for (int byte = 0; byte < LOCKSTEP_OPERATION_MARK_BYTES; byte++) {
            uint8_t other[LOCKSTEP_OPERATION_MARK_BYTES];
            memcpy(other, function, sizeof other);
            other[byte] ^= 0x80;
            marked = lockstep_operation_marked(other, sizeof other);
            if (marked != (byte == 3 ? (i ^ 0x80) : -1)) {
                printf("operation=%d byte=%d marked=%d\n", i, byte, marked);
                return 1;
            }
        }
        if (lockstep_operation_marked(function, LOCKSTEP_OPERATION_MARK_BYTES - 1) != -1
                || lockstep_operation_marked(function, LOCKSTEP_OPERATION_MARK_BYTES + 1) != -1) {
            printf("operation=%d is recognised at another length\n", i);
            return 1;
        }
        ((void (*)(void)) (uintptr_t) function)();
    }
    printf("recognised=%d\n", LOCKSTEP_OPERATIONS);
    return 0;
}
#else
int main(void) {
    puts("none");
    return 0;
}
#endif
