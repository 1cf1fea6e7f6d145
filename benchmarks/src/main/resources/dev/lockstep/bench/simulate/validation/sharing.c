/*
 * Threads that share lines in ways whose misses can be counted:
 *
 *   sharing PATTERN ROUNDS THREADS
 *
 * In all patterns but `adders` two threads take turns through a word of their own line, `turn`, so that each does
 * ROUNDS turns, one after the other; a turn costs its taker one true-sharing miss and one upgrade on that line.
 *
 *   turns         nothing else
 *   write-own     each writes its own word of one line: a false-sharing miss a turn
 *   write-same    each writes the same word of one line: a true-sharing miss a turn, for each first reads it
 *   read-changed  one writes a word; the other reads another word of the line, then that one: true sharing
 *   read-other    one writes a word; the other reads only another word of the line: false sharing
 *   read-both     both only read one line that nobody writes: no miss
 *   modify        one changes a function before it calls it; the other only calls it: an L1-I miss a turn, for both
 *   adders        THREADS threads that each add to one shared word ROUNDS times, about 1,000 instructions apart
 */
#include "threads.h"

enum { LINE_BYTES = 64, WORDS = LINE_BYTES / 8 };

struct line {
    volatile uint64_t words[WORDS];
} __attribute__((aligned(256)));

static struct line turn, data;

enum { PAGE_BYTES = 4096, PROTECTION_ALL = 7 };

/* movl $imm32, %eax; ret: 6 bytes. */
static unsigned char changed[PAGE_BYTES] __attribute__((aligned(PAGE_BYTES)));

static long rounds;
static int threads_wanted;
static int pattern;

enum { TURNS, WRITE_OWN, WRITE_SAME, READ_CHANGED, READ_OTHER, READ_BOTH, MODIFY, ADDERS, PATTERNS };

static const char *const PATTERN_NAMES[PATTERNS] = {
    "turns", "write-own", "write-same", "read-changed", "read-other", "read-both", "modify",
    "adders"};

static void modify_and_call(int index, long round) {
    if (index == 0) {
        *(volatile uint32_t *)(void *)(changed + 1) = (uint32_t)round;
    }
    uint32_t (*function)(void) = (uint32_t (*)(void))(void *)changed;
    data.words[index] += function();
}

static void use_data(int index, long round) {
    switch (pattern) {
        case WRITE_OWN:
            data.words[index] = 1;
            break;
        case WRITE_SAME:
            data.words[0] = data.words[0] + 1;
            break;
        case READ_CHANGED:
        case READ_OTHER:
            if (index == 0) {
                data.words[0] = 1;
            } else {
                (void)data.words[1];
                if (pattern == READ_CHANGED) {
                    (void)data.words[0];
                }
            }
            break;
        case READ_BOTH:
            (void)data.words[index];
            break;
        case MODIFY:
            modify_and_call(index, round);
            break;
        default:
            break;
    }
}

/* Its loop ends because the other thread, whose turn it is, hands over after each of its rounds. */
static void take_turns(int index) {
    begin_together(index, threads_wanted);
    for (long round = 0; round < rounds; round++) {
        while (turn.words[0] != (uint64_t)index) {
            __builtin_ia32_pause();
        }
        use_data(index, round);
        turn.words[0] = (uint64_t)(1 - index);
    }
}

/*
 * 400 to 600 turns of a loop of two instructions between two additions: with as many each time, all would depend on how
 * far apart the threads happened to begin.
 */
static void add(int index) {
    uint64_t random = 88172645463325252u + (uint64_t)index * 0x9E3779B97F4A7C15u;
    begin_together(index, threads_wanted);
    for (long round = 0; round < rounds; round++) {
        __atomic_fetch_add(&data.words[0], 1, __ATOMIC_SEQ_CST);
        long left = 400 + (long)(next_random(&random) % 201);
        __asm__ volatile("1: subq $1, %0\n"
                         "   jnz 1b\n"
                         : "+r"(left)
                         :
                         : "cc");
    }
}

static uint64_t program(int count, char **arguments) {
    if (count != 4) {
        system_call(CALL_EXIT_GROUP, 2, 0, 0, 0);
    }
    while (pattern < PATTERNS && !same_text(arguments[1], PATTERN_NAMES[pattern])) {
        pattern++;
    }
    rounds = number_of(arguments[2]);
    threads_wanted = (int)number_of(arguments[3]);
    if (pattern == PATTERNS || (pattern != ADDERS && threads_wanted != 2)) {
        system_call(CALL_EXIT_GROUP, 2, 0, 0, 0);
    }
    changed[0] = 0xB8;
    changed[5] = 0xC3;
    system_call(CALL_MPROTECT, (long)changed, PAGE_BYTES, PROTECTION_ALL, 0);
    run_threads(threads_wanted, pattern == ADDERS ? add : take_turns);
    phase_end();
    return pattern == ADDERS ? data.words[0] : turn.words[0] + data.words[0];
}
