#include "decode.h"

#define PREFIX_LOCK 0xf0
#define PREFIX_REPEAT_NOT_EQUAL 0xf2
#define PREFIX_REPEAT 0xf3

static bool is_legacy_prefix(uint8_t byte) {
    switch (byte) {
        case PREFIX_LOCK:
        case PREFIX_REPEAT_NOT_EQUAL:
        case PREFIX_REPEAT:
        case 0x26: /* segments */
        case 0x2e:
        case 0x36:
        case 0x3e:
        case 0x64:
        case 0x65:
        case 0x66: /* operand size */
        case 0x67: /* address size */
            return true;
        default:
            return false;
    }
}

static bool is_string(uint8_t opcode) {
    return (opcode >= 0xa4 && opcode <= 0xa7) /* movs, cmps */
        || (opcode >= 0xaa && opcode <= 0xaf) /* stos, lods, scas */
        || (opcode >= 0x6c && opcode <= 0x6f); /* ins, outs */
}

static enum branch_kind indirect(uint8_t modrm) {
    switch (modrm >> 3 & 7) {
        case 2:
        case 3:
            return BRANCH_INDIRECT_CALL;
        case 4:
        case 5:
            return BRANCH_INDIRECT_JUMP;
        default:
            return BRANCH_NONE;
    }
}

/* The branch of an instruction that begins, after its prefixes, with these bytes. */
static enum branch_kind branch(const uint8_t *bytes, size_t count) {
    uint8_t opcode = bytes[0];
    if ((opcode >= 0x70 && opcode <= 0x7f) || (opcode >= 0xe0 && opcode <= 0xe3)) {
        return BRANCH_CONDITIONAL;
    }
    switch (opcode) {
        case 0x0f:
            return count > 1 && bytes[1] >= 0x80 && bytes[1] <= 0x8f ? BRANCH_CONDITIONAL : BRANCH_NONE;
        case 0xe8:
            return BRANCH_CALL;
        case 0xe9:
        case 0xeb:
            return BRANCH_JUMP;
        case 0xc2:
        case 0xc3:
            return BRANCH_RETURN;
        case 0xff:
            return count > 1 ? indirect(bytes[1]) : BRANCH_NONE;
        default:
            return BRANCH_NONE;
    }
}

struct instruction decode(const uint8_t *bytes, size_t count) {
    struct instruction found = {0};
    bool locked = false;
    bool repeated = false;
    size_t at = 0;
    while (at < count && is_legacy_prefix(bytes[at])) {
        locked |= bytes[at] == PREFIX_LOCK;
        repeated |= bytes[at] == PREFIX_REPEAT || bytes[at] == PREFIX_REPEAT_NOT_EQUAL;
        at++;
    }
    if (at < count && bytes[at] >= 0x40 && bytes[at] <= 0x4f) {
        at++;
    }
    if (at >= count) {
        return found;
    }
    uint8_t opcode = bytes[at];
    bool to_memory = at + 1 < count && bytes[at + 1] >> 6 != 3;
    bool exchange = (opcode == 0x86 || opcode == 0x87) && to_memory;
    /* xchg, mov of a register, mov of a constant, whose opcode has others in the place of its register. */
    found.stores_byte = to_memory
        && (opcode == 0x86 || opcode == 0x88 || (opcode == 0xc6 && (bytes[at + 1] >> 3 & 7) == 0));
    found.atomic = locked || exchange;
    found.repeated_string = repeated && is_string(opcode);
    found.branch = branch(bytes + at, count - at);
    return found;
}
