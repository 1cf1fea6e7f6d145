/* Reads the marks back from the bytes of the functions that Java calls; prints the first that is wrong. */
#include <stdio.h>
#include <string.h>

#include "lockstep_marker.h"

int main(void) {
    const uint8_t *functions = lockstep_operation_functions();
    if (functions == NULL) {
        puts("none");
        return 0;
    }
    for (int i = 0; i < LOCKSTEP_OPERATIONS; i++) {
        const uint8_t *function = functions + (long) i * LOCKSTEP_OPERATION_FUNCTION_BYTES;
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
        lockstep_operation((uint32_t) i);
    }
    printf("recognised=%d\n", LOCKSTEP_OPERATIONS);
    return 0;
}
