/*
 * A copy of all code that was translated, by which code that a program has changed is told from code that is translated
 * again for other reasons: after a flush, or because a neighbour in its page was written.
 *
 * Threads: any call by any thread at any time.
 */
#ifndef LOCKSTEP_CODE_CHANGES_H
#define LOCKSTEP_CODE_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Notes the bytes of an instruction. Returns whether any of them differs from what was noted there before. Where memory
 * is short nothing is noted, and the answer is false.
 */
bool code_changes_note(uint64_t address, const uint8_t *bytes, size_t count);

/* Forgets everything. */
void code_changes_clear(void);

#endif
