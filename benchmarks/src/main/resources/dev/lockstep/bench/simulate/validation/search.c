/* Words searched for in a text of four letters, by R. N. Horspool's method and letter by letter: `search ROUNDS`. */
#include "freestanding.h"

enum { TEXT_BYTES = 200000, WORDS = 6, WORD_BYTES = 11, LETTERS = 256 };

static unsigned char text[TEXT_BYTES];

/* R. N. Horspool: Practical Fast Searching in Strings, Software - Practice and Experience 10(6), 1980. */
static long count_by_skips(const unsigned char *word) {
    long skip[LETTERS];
    for (int i = 0; i < LETTERS; i++) {
        skip[i] = WORD_BYTES;
    }
    for (int i = 0; i < WORD_BYTES - 1; i++) {
        skip[word[i]] = WORD_BYTES - 1 - i;
    }
    long found = 0;
    for (long at = 0; at <= TEXT_BYTES - WORD_BYTES; at += skip[text[at + WORD_BYTES - 1]]) {
        int matched = WORD_BYTES;
        while (matched > 0 && text[at + matched - 1] == word[matched - 1]) {
            matched--;
        }
        found += matched == 0;
    }
    return found;
}

static long count_by_letters(const unsigned char *word) {
    long found = 0;
    for (long at = 0; at <= TEXT_BYTES - WORD_BYTES; at++) {
        int matched = 0;
        while (matched < WORD_BYTES && text[at + matched] == word[matched]) {
            matched++;
        }
        found += matched == WORD_BYTES;
    }
    return found;
}

static uint64_t program(int count, char **arguments) {
    long rounds = count == 2 ? number_of(arguments[1]) : 0;
    uint64_t random = 88172645463325252u;
    for (int i = 0; i < TEXT_BYTES; i++) {
        text[i] = "acgt"[next_random(&random) % 4];
    }
    uint64_t sum = 0;
    phase_begin();
    for (long round = 0; round < rounds; round++) {
        for (int i = 0; i < WORDS; i++) {
            const unsigned char *word = text + 1000 + i * 30001;
            sum += (uint64_t)(i % 3 == 0 ? count_by_letters(word) : count_by_skips(word));
        }
    }
    phase_end();
    return sum;
}
