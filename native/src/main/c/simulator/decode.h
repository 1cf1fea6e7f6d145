/*
 * As much of x86-64's instruction format as the plugin has to know: what ends a block, which instructions QEMU
 * executes in several steps, and which may mark an operation. Everything else is left to QEMU.
 */
#ifndef LOCKSTEP_DECODE_H
#define LOCKSTEP_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How control leaves an instruction. */
enum branch_kind {
    BRANCH_NONE,
    BRANCH_CONDITIONAL,
    BRANCH_JUMP,
    BRANCH_CALL,
    BRANCH_INDIRECT_JUMP,
    BRANCH_INDIRECT_CALL,
    BRANCH_RETURN,
};

struct instruction {
    /* A string instruction with a repeat prefix: QEMU executes it once for each element, each time as a block. */
    bool repeated_string;
    /* Locked, or an exchange with memory: QEMU may break it off and execute it again alone. */
    bool atomic;
    /* A mov or xchg of one byte to memory. */
    bool stores_byte;
    enum branch_kind branch;
};

/* Decodes one instruction. Never reads past the bytes given; what it does not know has all fields false. */
struct instruction decode(const uint8_t *bytes, size_t count);

#endif
