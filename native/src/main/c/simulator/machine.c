#include "machine.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Far above any machine file; a larger one is not a machine file. */
#define FILE_BYTES_MAX (1 << 20)
#define LINE_CHARACTERS_MAX 256
/* More lines than a cache can have slots for in 32 bits, less a margin for sums of slots. */
#define CACHE_LINES_MAX (1u << 30)
#define LATENCY_CYCLES_MAX 1000000

static const char *const LEVEL_NAMES[LEVELS] = {"l1i", "l1d", "l2", "llc"};

struct report {
    char *error;
    size_t error_bytes;
};

static int refuse(const struct report *report, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (report->error_bytes > 0) {
        vsnprintf(report->error, report->error_bytes, format, arguments);
    }
    va_end(arguments);
    return -1;
}

void machine_default(struct machine *machine) {
    memset(machine, 0, sizeof *machine);
    machine->cores = 1;
    machine->smt = 1;
    machine->nodes = 1;
    machine->cache[LEVEL_L1I].geometry = (struct machine_geometry) {32 << 10, 8, 64};
    machine->cache[LEVEL_L1I].cores = 1;
    machine->cache[LEVEL_L1D].cores = 1;
    machine->cache[LEVEL_L2].cores = 1;
    machine->cache[LEVEL_LLC].cores = 1;
    machine->page_bytes = 4 << 10;
    machine->page_seed = 1;
    /* Of the order of a server processor of the 2020s at 3 GHz; a study of times states its own. */
    machine->latency_l2_cycles = 14;
    machine->latency_llc_cycles = 50;
    machine->latency_memory_cycles = 250;
    machine->latency_memory_remote_cycles = 400;
    machine->latency_transfer_cycles = 120;
    machine->latency_transfer_remote_cycles = 350;
    machine->latency_upgrade_cycles = 60;
    machine->latency_stlb_cycles = 7;
    machine->memory_bytes = (uint64_t) 2 << 30;
    machine->accounts = 1;
}

/* The shift that a suffix stands for; 0 where it is none. */
static uint32_t suffix_shift(char suffix) {
    switch (suffix) {
        case 'k':
        case 'K':
            return 10;
        case 'm':
        case 'M':
            return 20;
        case 'g':
        case 'G':
            return 30;
        default:
            return 0;
    }
}

/* A whole number with an optional suffix K, M or G that ends at end. */
static bool read_size(const char *text, const char *end, uint64_t *value) {
    uint64_t number = 0;
    const char *at = text;
    for (; at < end && *at >= '0' && *at <= '9'; at++) {
        uint64_t digit = (uint64_t) (*at - '0');
        if (number > (UINT64_MAX - digit) / 10) {
            return false;
        }
        number = number * 10 + digit;
    }
    if (at == text) {
        return false;
    }
    if (at < end) {
        uint32_t shift = suffix_shift(*at++);
        if (shift == 0 || number > UINT64_MAX >> shift) {
            return false;
        }
        number <<= shift;
    }
    *value = number;
    return at == end;
}

static bool read_number(const char *text, uint64_t least, uint64_t most, uint32_t *value) {
    uint64_t number;
    if (!read_size(text, text + strlen(text), &number) || number < least || number > most) {
        return false;
    }
    *value = (uint32_t) number;
    return true;
}

static bool read_geometry(const char *text, struct machine_geometry *geometry) {
    const char *first = strchr(text, ',');
    const char *second = first == NULL ? NULL : strchr(first + 1, ',');
    uint64_t bytes;
    uint64_t line_bytes;
    uint64_t ways;
    if (second == NULL || !read_size(text, first, &bytes)
            || !read_size(second + 1, text + strlen(text), &line_bytes)) {
        return false;
    }
    if (line_bytes < MACHINE_LINE_BYTES_MIN || line_bytes > MACHINE_LINE_BYTES_MAX
            || (line_bytes & (line_bytes - 1)) != 0 || bytes == 0 || bytes % line_bytes != 0
            || bytes / line_bytes > CACHE_LINES_MAX) {
        return false;
    }
    size_t characters = (size_t) (second - first - 1);
    if (characters == 6 && strncmp(first + 1, "direct", 6) == 0) {
        ways = 1;
    } else if (characters == 4 && strncmp(first + 1, "full", 4) == 0) {
        ways = bytes / line_bytes;
    } else if (!read_size(first + 1, second, &ways)) {
        return false;
    }
    if (ways == 0 || ways > bytes / line_bytes || bytes % (ways * line_bytes) != 0) {
        return false;
    }
    *geometry = (struct machine_geometry) {bytes, (uint32_t) ways, (uint32_t) line_bytes};
    return true;
}

static const char GEOMETRY_REMEDY[] = "give SIZE,WAYS,LINE such as 32K,8,64: LINE a power of two from 16 to 256, WAYS "
                                      "a number, direct or full, SIZE a multiple of WAYS * LINE";

static bool read_tlb(const char *text, struct machine_tlb *tlb) {
    if (strcmp(text, "none") == 0) {
        *tlb = (struct machine_tlb) {0, 0};
        return true;
    }
    const char *comma = strchr(text, ',');
    uint64_t entries;
    uint64_t ways;
    if (comma == NULL || !read_size(text, comma, &entries) || entries == 0 || entries > (1 << 20)) {
        return false;
    }
    if (strcmp(comma + 1, "full") == 0) {
        ways = entries;
    } else if (strcmp(comma + 1, "direct") == 0) {
        ways = 1;
    } else if (!read_size(comma + 1, text + strlen(text), &ways) || ways == 0 || ways > entries
            || entries % ways != 0) {
        return false;
    }
    *tlb = (struct machine_tlb) {(uint32_t) entries, (uint32_t) ways};
    return true;
}

static bool read_flag(const char *text, const char *no, const char *yes, bool *flag) {
    *flag = strcmp(text, yes) == 0;
    return *flag || strcmp(text, no) == 0;
}

static bool read_page(const char *text, uint64_t *bytes) {
    uint64_t value;
    if (!read_size(text, text + strlen(text), &value)
            || (value != 4 << 10 && value != 2 << 20 && value != 1 << 30)) {
        return false;
    }
    *bytes = value;
    return true;
}

static bool read_next_line(const char *text, bool next_line[LEVELS]) {
    bool chosen[LEVELS] = {false};
    if (strcmp(text, "none") != 0) {
        const char *at = text;
        /* Ends because each round takes at least one character, or returns. */
        for (;;) {
            size_t characters = strcspn(at, ",");
            int level = LEVEL_L1I;
            while (level <= LEVEL_L2
                    && (strlen(LEVEL_NAMES[level]) != characters || strncmp(at, LEVEL_NAMES[level], characters) != 0)) {
                level++;
            }
            if (level > LEVEL_L2) {
                return false;
            }
            chosen[level] = true;
            if (at[characters] == '\0') {
                break;
            }
            at += characters + 1;
        }
    }
    memcpy(next_line, chosen, sizeof chosen);
    return true;
}

static bool read_streams(const char *text, struct machine *machine) {
    if (strcmp(text, "none") == 0) {
        machine->streams = 0;
        machine->stream_depth = 0;
        return true;
    }
    const char *comma = strchr(text, ',');
    uint64_t streams;
    return comma != NULL && read_size(text, comma, &streams) && streams >= 1 && streams <= MACHINE_STREAMS_MAX
            && read_number(comma + 1, 1, MACHINE_STREAM_DEPTH_MAX, &machine->stream_depth)
            && (machine->streams = (uint32_t) streams) > 0;
}

static bool read_observer(const char *text, struct machine *machine) {
    if (machine->observers == MACHINE_OBSERVERS_MAX) {
        return false;
    }
    struct machine_observer *observer = &machine->observer[machine->observers];
    for (int level = LEVEL_L1I; level < LEVELS; level++) {
        size_t characters = strlen(LEVEL_NAMES[level]);
        if (strncmp(text, LEVEL_NAMES[level], characters) == 0 && text[characters] == ':'
                && read_geometry(text + characters + 1, &observer->geometry)) {
            observer->level = level;
            machine->observers++;
            return true;
        }
    }
    return false;
}

/* Keys of one cache: its geometry, and what follows a dot. 1: not a key of a cache; 0: taken; -1: refused. */
static int read_cache(struct machine *machine, const char *key, const char *value, const struct report *report) {
    int level = 0;
    size_t characters = 0;
    for (; level < LEVELS; level++) {
        characters = strlen(LEVEL_NAMES[level]);
        if (strncmp(key, LEVEL_NAMES[level], characters) == 0
                && (key[characters] == '\0' || key[characters] == '.')) {
            break;
        }
    }
    if (level == LEVELS) {
        return 1;
    }
    struct machine_cache *cache = &machine->cache[level];
    const char *attribute = key + characters;
    bool outer = level == LEVEL_L2 || level == LEVEL_LLC;
    if (*attribute == '\0') {
        if (strcmp(value, "none") == 0) {
            cache->geometry = (struct machine_geometry) {0, 0, 0};
            return 0;
        }
        return read_geometry(value, &cache->geometry)
                ? 0
                : refuse(report, "%s=%s is no geometry: %s", key, value, GEOMETRY_REMEDY);
    }
    if (strcmp(attribute, ".write") == 0 && level != LEVEL_L1I) {
        return read_flag(value, "back", "through", &cache->write_through)
                ? 0
                : refuse(report, "%s=%s is no write policy: give back or through", key, value);
    }
    if (strcmp(attribute, ".inclusive") == 0 && outer) {
        return read_flag(value, "no", "yes", &cache->inclusive)
                ? 0
                : refuse(report, "%s=%s is neither yes nor no", key, value);
    }
    if (strcmp(attribute, ".cores") == 0 && outer) {
        if (strcmp(value, "all") == 0) {
            cache->cores = 0;
            return 0;
        }
        return read_number(value, 1, MACHINE_CORES_MAX, &cache->cores)
                ? 0
                : refuse(report, "%s=%s is no number of cores: give 1 to %d, or all", key, value, MACHINE_CORES_MAX);
    }
    return 1;
}

struct number_key {
    const char *key;
    size_t offset;
    uint64_t least;
    uint64_t most;
};

#define NUMBER(key, field, least, most) {key, offsetof(struct machine, field), least, most}

static const struct number_key NUMBER_KEYS[] = {
    NUMBER("cores", cores, 1, MACHINE_CORES_MAX),
    NUMBER("smt", smt, 1, MACHINE_SMT_MAX),
    NUMBER("nodes", nodes, 1, MACHINE_CORES_MAX),
    NUMBER("latency.l2", latency_l2_cycles, 0, LATENCY_CYCLES_MAX),
    NUMBER("latency.llc", latency_llc_cycles, 0, LATENCY_CYCLES_MAX),
    NUMBER("latency.memory", latency_memory_cycles, 0, LATENCY_CYCLES_MAX),
    NUMBER("latency.memory_remote", latency_memory_remote_cycles, 0, LATENCY_CYCLES_MAX),
    NUMBER("latency.transfer", latency_transfer_cycles, 0, LATENCY_CYCLES_MAX),
    NUMBER("latency.transfer_remote", latency_transfer_remote_cycles, 0, LATENCY_CYCLES_MAX),
    NUMBER("latency.upgrade", latency_upgrade_cycles, 0, LATENCY_CYCLES_MAX),
    NUMBER("latency.stlb", latency_stlb_cycles, 0, LATENCY_CYCLES_MAX),
    NUMBER("accounts", accounts, 1, MACHINE_ACCOUNTS_MAX),
};

static int read_numbers(struct machine *machine, const char *key, const char *value, const struct report *report) {
    for (size_t i = 0; i < sizeof NUMBER_KEYS / sizeof NUMBER_KEYS[0]; i++) {
        const struct number_key *number = &NUMBER_KEYS[i];
        if (strcmp(key, number->key) == 0) {
            uint32_t *field = (uint32_t *) (void *) ((char *) machine + number->offset);
            return read_number(value, number->least, number->most, field)
                    ? 0
                    : refuse(report, "%s=%s is out of range: give a whole number from %llu to %llu", key, value,
                            (unsigned long long) number->least, (unsigned long long) number->most);
        }
    }
    return 1;
}

static int read_words(struct machine *machine, const char *key, const char *value, const struct report *report) {
    bool taken;
    const char *remedy;
    if (strcmp(key, "coherence") == 0) {
        taken = read_flag(value, "none", "mesi", &machine->coherent);
        remedy = "none or mesi";
    } else if (strcmp(key, "classes") == 0) {
        taken = true;
        if (strcmp(value, "no") == 0) {
            machine->classes = CLASSES_NO;
        } else if (strcmp(value, "merged") == 0) {
            machine->classes = CLASSES_MERGED;
        } else if (strcmp(value, "split") == 0) {
            machine->classes = CLASSES_SPLIT;
        } else {
            taken = false;
        }
        remedy = "no, merged or split";
    } else if (strcmp(key, "itlb") == 0 || strcmp(key, "dtlb") == 0 || strcmp(key, "stlb") == 0) {
        taken = read_tlb(value, *key == 'i' ? &machine->itlb : *key == 'd' ? &machine->dtlb : &machine->stlb);
        remedy = "ENTRIES,WAYS such as 64,4, with WAYS a divisor of ENTRIES, direct or full; or none";
    } else if (strcmp(key, "page") == 0) {
        taken = read_page(value, &machine->page_bytes);
        remedy = "4K, 2M or 1G";
    } else if (strcmp(key, "memory") == 0) {
        uint64_t bytes;
        taken = read_size(value, value + strlen(value), &bytes) && bytes >= MACHINE_MEMORY_BYTES_MIN
                && bytes <= MACHINE_MEMORY_BYTES_MAX;
        machine->memory_bytes = taken ? bytes : machine->memory_bytes;
        remedy = "8M to 1024G";
    } else if (strcmp(key, "page.map") == 0) {
        taken = read_flag(value, "identity", "random", &machine->page_random);
        remedy = "identity or random";
    } else if (strcmp(key, "page.seed") == 0) {
        taken = read_size(value, value + strlen(value), &machine->page_seed);
        remedy = "a whole number";
    } else if (strcmp(key, "prefetch.next_line") == 0) {
        taken = read_next_line(value, machine->next_line);
        remedy = "l1i, l1d and l2 separated by commas, or none";
    } else if (strcmp(key, "prefetch.stream") == 0) {
        taken = read_streams(value, machine);
        remedy = "STREAMS,LINES such as 16,4, with at most 64 streams and 32 lines; or none";
    } else if (strcmp(key, "observe") == 0) {
        taken = read_observer(value, machine);
        remedy = "l1i:, l1d: or l2: and a geometry such as l1i:16K,4,64, at most 128 times";
    } else {
        return refuse(report, "%s=%s is unknown: see machine.h for the keys there are", key, value);
    }
    return taken ? 0 : refuse(report, "%s=%s is not understood: give %s", key, value, remedy);
}

static int read_key(struct machine *machine, const char *key, const char *value, const struct report *report) {
    int result = read_cache(machine, key, value, report);
    if (result == 1) {
        result = read_numbers(machine, key, value, report);
    }
    return result == 1 ? read_words(machine, key, value, report) : result;
}

static bool given_before(const char *text, const char *line, const char *key) {
    size_t characters = strlen(key);
    if (strcmp(key, "observe") == 0) {
        return false;
    }
    /* Each round goes on behind a newline, up to the line asked about. */
    while (text < line) {
        if (strncmp(text, key, characters) == 0 && text[characters] == '=') {
            return true;
        }
        text = strchr(text, '\n') + 1;
    }
    return false;
}

int machine_parse(struct machine *machine, const char *name, const char *text, char *error, size_t error_bytes) {
    char reason[512];
    struct report inner = {reason, sizeof reason};
    struct report report = {error, error_bytes};
    struct machine read;
    machine_default(&read);
    /* 0 stands for all until the number of cores is known. */
    read.cache[LEVEL_LLC].cores = 0;
    int number = 0;
    for (const char *line = text; *line != '\0';) {
        size_t characters = strcspn(line, "\n");
        const char *next = line + characters + (line[characters] == '\n');
        number++;
        if (characters > 0 && line[characters - 1] == '\r') {
            characters--;
        }
        if (characters > 0 && *line != '#') {
            char copy[LINE_CHARACTERS_MAX];
            if (characters >= sizeof copy) {
                return refuse(&report, "%s, line %d: longer than %d characters", name, number, LINE_CHARACTERS_MAX - 1);
            }
            memcpy(copy, line, characters);
            copy[characters] = '\0';
            char *equals = strchr(copy, '=');
            if (equals == NULL) {
                return refuse(&report, "%s, line %d: \"%s\" has no '=': give key=value", name, number, copy);
            }
            *equals = '\0';
            if (given_before(text, line, copy)) {
                return refuse(&report, "%s, line %d: %s is given twice; keep one", name, number, copy);
            }
            if (read_key(&read, copy, equals + 1, &inner) != 0) {
                return refuse(&report, "%s, line %d: %s", name, number, reason);
            }
        }
        line = next;
    }
    for (int level = LEVEL_L2; level < LEVELS; level++) {
        if (read.cache[level].cores == 0) {
            read.cache[level].cores = read.cores;
        }
    }
    if (machine_check(&read, reason, sizeof reason) != 0) {
        return refuse(&report, "%s: %s", name, reason);
    }
    *machine = read;
    return 0;
}

int machine_read(struct machine *machine, const char *file, char *error, size_t error_bytes) {
    struct report report = {error, error_bytes};
    FILE *stream = fopen(file, "rb");
    if (stream == NULL) {
        return refuse(&report, "%s cannot be opened: %s", file, strerror(errno));
    }
    char *text = malloc(FILE_BYTES_MAX + 1);
    size_t bytes = text == NULL ? 0 : fread(text, 1, FILE_BYTES_MAX + 1, stream);
    bool failed = ferror(stream) != 0;
    fclose(stream);
    int result;
    if (text == NULL) {
        result = refuse(&report, "%s cannot be read: no memory", file);
    } else if (failed) {
        result = refuse(&report, "%s cannot be read", file);
    } else if (bytes > FILE_BYTES_MAX) {
        result = refuse(&report, "%s is larger than %d bytes, so it is no machine file", file, FILE_BYTES_MAX);
    } else if (memchr(text, '\0', bytes) != NULL) {
        result = refuse(&report, "%s holds a zero byte, so it is no machine file", file);
    } else {
        text[bytes] = '\0';
        result = machine_parse(machine, file, text, error, error_bytes);
    }
    free(text);
    return result;
}

static int check_cache(const struct machine *machine, int level, const struct report *report) {
    const struct machine_cache *cache = &machine->cache[level];
    const struct machine_geometry *geometry = &cache->geometry;
    if (cache->cores == 0 || machine->cores % cache->cores != 0) {
        return refuse(report, "%s.cores=%u does not divide cores=%u: give a divisor, or all", LEVEL_NAMES[level],
                cache->cores, machine->cores);
    }
    for (int inner = LEVEL_L1I; inner < level; inner++) {
        const struct machine_cache *above = &machine->cache[inner];
        if (above->geometry.bytes == 0 || geometry->bytes == 0 || level < LEVEL_L2) {
            continue;
        }
        if (above->geometry.line_bytes > geometry->line_bytes) {
            return refuse(report, "%s has lines of %u bytes, longer than the %u of %s: an outer level needs the longer "
                    "ones", LEVEL_NAMES[inner], above->geometry.line_bytes, geometry->line_bytes, LEVEL_NAMES[level]);
        }
        if (cache->cores % above->cores != 0) {
            return refuse(report, "%s.cores=%u is no multiple of %s.cores=%u: an outer level is shared by whole groups "
                    "of the inner one", LEVEL_NAMES[level], cache->cores, LEVEL_NAMES[inner], above->cores);
        }
    }
    return 0;
}

int machine_check(const struct machine *machine, char *error, size_t error_bytes) {
    struct report report = {error, error_bytes};
    if (machine->cores % machine->nodes != 0) {
        return refuse(&report, "nodes=%u does not divide cores=%u: give a divisor", machine->nodes, machine->cores);
    }
    for (int level = 0; level < LEVELS; level++) {
        if (check_cache(machine, level, &report) != 0) {
            return -1;
        }
    }
    bool data = machine->cache[LEVEL_L1D].geometry.bytes != 0;
    bool outer = machine->cache[LEVEL_L2].geometry.bytes != 0 || machine->cache[LEVEL_LLC].geometry.bytes != 0;
    if ((outer || machine->coherent) && !data) {
        return refuse(&report, "l1d=none, but l2, llc and coherence need it: give l1d a geometry");
    }
    if (outer && machine->cache[LEVEL_L1I].geometry.bytes == 0) {
        return refuse(&report, "l1i=none, but l2 and llc need it: give l1i a geometry");
    }
    if (machine->stlb.entries != 0 && machine->itlb.entries == 0 && machine->dtlb.entries == 0) {
        return refuse(&report, "stlb=%u,%u has no first level: give itlb or dtlb as well", machine->stlb.entries,
                machine->stlb.ways);
    }
    if (machine->next_line[LEVEL_L2] && machine->cache[LEVEL_L2].geometry.bytes == 0) {
        return refuse(&report, "prefetch.next_line=l2, but l2=none: give l2 a geometry, or leave it out");
    }
    if ((machine->streams != 0 || machine->next_line[LEVEL_L1D]) && !data) {
        return refuse(&report, "prefetching of data needs l1d: give l1d a geometry");
    }
    return 0;
}
