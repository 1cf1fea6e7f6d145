/*
 * A library with PAPI's interface and known counts, for tests of what is hard to come by: errors, too few counters,
 * some of the events only. The n-th reading of event e since the start of its event set, the stop included, is n *
 * (1000 + 100 * e). Built with macros that say what it should do:
 *
 *   FAKE_VERSION         the version that it accepts (default 7.0)
 *   FAKE_COUNTERS        counters of the processor (default 16)
 *   FAKE_EVENTS          how many of the preset events there are, from the first (default 9)
 *   FAKE_GENERIC         names only, no presets: the kernel's generic events
 *   FAKE_INIT_ERROR, FAKE_ADD_ERROR, FAKE_START_ERROR, FAKE_READ_ERROR, FAKE_STOP_ERROR   codes to answer with
 *   FAKE_ERRORS_AFTER    how many starts go well before START, READ and STOP errors begin (default 0)
 *   FAKE_STANDS_STILL    every count is 0
 *   FAKE_NEGATIVE        every count is below 0
 *   FAKE_WITHOUT_READ    PAPI_read is missing
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#if !defined(FAKE_VERSION)
#define FAKE_VERSION 0x07000000
#endif
#if !defined(FAKE_COUNTERS)
#define FAKE_COUNTERS 16
#endif
#if !defined(FAKE_EVENTS)
#define FAKE_EVENTS 9
#endif
#if !defined(FAKE_ERRORS_AFTER)
#define FAKE_ERRORS_AFTER 0
#endif

#define SETS 64
#define THREADS 64
#define SET_EVENTS 16
#define FIRST_CODE 0x40

#if defined(FAKE_GENERIC)
static const char *const NAMES[] = {
    "perf::INSTRUCTIONS",           "perf::CYCLES",    "perf::L1-ICACHE-LOAD-MISSES",
    "perf::L1-DCACHE-LOAD-MISSES",  "no such event",   "perf::CACHE-MISSES",
    "perf::ITLB-LOAD-MISSES",       "no such event",   "perf::BRANCH-MISSES",
};
#else
static const char *const NAMES[] = {
    "PAPI_TOT_INS", "PAPI_TOT_CYC", "PAPI_L1_ICM", "PAPI_L1_DCM", "PAPI_L2_TCM",
    "PAPI_L3_TCM",  "PAPI_TLB_IM",  "PAPI_TLB_DM", "PAPI_BR_MSP",
};
#endif

struct set {
    int used;
    int running;
    int component;
    int multiplexed;
    unsigned long owner;
    int count;
    int events[SET_EVENTS];
    long long readings;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct set sets[SETS];
static unsigned long (*identify)(void);
static int started;
static int made;
static int destroyed;
static unsigned long threads[THREADS];
static int registered;
static int initialized;

/* Event sets that were made and not destroyed. */
int fake_sets(void) {
    pthread_mutex_lock(&mutex);
    int left = made - destroyed;
    pthread_mutex_unlock(&mutex);
    return left;
}

/* Threads registered and not unregistered. */
int fake_threads(void) {
    pthread_mutex_lock(&mutex);
    int left = registered;
    pthread_mutex_unlock(&mutex);
    return left;
}

int PAPI_library_init(int version) {
    if (version != FAKE_VERSION) {
        return -1;
    }
#if defined(FAKE_INIT_ERROR)
    return FAKE_INIT_ERROR;
#else
    initialized = 1;
    return version;
#endif
}

int PAPI_thread_init(unsigned long (*identifier)(void)) {
    identify = identifier;
    return initialized ? 0 : -16;
}

int PAPI_multiplex_init(void) {
    return 0;
}

char *PAPI_strerror(int code) {
    switch (code) {
        case -7:
            return "fake: event does not exist";
        case -15:
            return "fake: permission";
        default:
            return "fake: error";
    }
}

int PAPI_num_cmp_hwctrs(int component) {
    return component == 0 ? FAKE_COUNTERS : -1;
}

int PAPI_event_name_to_code(const char *name, int *code) {
    for (int i = 0; i < FAKE_EVENTS; i++) {
        if (strcmp(name, NAMES[i]) == 0) {
            *code = FIRST_CODE + i;
            return 0;
        }
    }
    return -7;
}

int PAPI_query_event(int code) {
    return code >= FIRST_CODE && code < FIRST_CODE + FAKE_EVENTS ? 0 : -7;
}

int PAPI_get_event_component(int code) {
    return PAPI_query_event(code) == 0 ? 0 : -7;
}

/* The place of the calling thread; registered where it is not there. The mutex is held. */
static int find_thread(void) {
    int at = 0;
    while (at < registered && threads[at] != identify()) {
        at++;
    }
    return at;
}

int PAPI_register_thread(void) {
    pthread_mutex_lock(&mutex);
    int at = find_thread();
    int answer = at < THREADS ? 0 : -2;
    if (at == registered && answer == 0) {
        threads[registered++] = identify();
    }
    pthread_mutex_unlock(&mutex);
    return answer;
}

/* The thread's event sets are gone then, running or not. */
int PAPI_unregister_thread(void) {
    pthread_mutex_lock(&mutex);
    int at = find_thread();
    if (at < registered) {
        threads[at] = threads[--registered];
    }
    for (int i = 0; i < SETS; i++) {
        sets[i].used = sets[i].used && sets[i].owner != identify();
    }
    pthread_mutex_unlock(&mutex);
    return 0;
}

int PAPI_create_eventset(int *number) {
    if (*number != -1) {
        return -1;
    }
    pthread_mutex_lock(&mutex);
    int answer = -2;
    for (int i = 0; i < SETS && answer != 0; i++) {
        if (!sets[i].used) {
            memset(&sets[i], 0, sizeof sets[i]);
            sets[i].used = 1;
            made++;
            sets[i].component = -1;
            sets[i].owner = identify();
            *number = i;
            answer = 0;
        }
    }
    pthread_mutex_unlock(&mutex);
    return answer;
}

/* The set, when it is the calling thread's; its other fields then belong to this thread. */
static struct set *find(int number) {
    if (number < 0 || number >= SETS) {
        return NULL;
    }
    pthread_mutex_lock(&mutex);
    struct set *found = sets[number].used && sets[number].owner == identify() ? &sets[number] : NULL;
    pthread_mutex_unlock(&mutex);
    return found;
}

int PAPI_assign_eventset_component(int number, int component) {
    struct set *set = find(number);
    if (set == NULL || set->count > 0) {
        return -11;
    }
    set->component = component;
    return 0;
}

int PAPI_set_multiplex(int number) {
    struct set *set = find(number);
    if (set == NULL || set->component != 0) {
        return -17;
    }
    set->multiplexed = 1;
    return 0;
}

int PAPI_add_event(int number, int code) {
    struct set *set = find(number);
    if (set == NULL || set->running || set->count == SET_EVENTS) {
        return -11;
    }
#if defined(FAKE_ADD_ERROR)
    return FAKE_ADD_ERROR;
#endif
    if (set->count >= FAKE_COUNTERS && !set->multiplexed) {
        return -8;
    }
    set->component = 0;
    set->events[set->count++] = code - FIRST_CODE;
    return 0;
}

#if defined(FAKE_START_ERROR) || defined(FAKE_READ_ERROR) || defined(FAKE_STOP_ERROR)
static int errors_begin(void) {
    pthread_mutex_lock(&mutex);
    int begin = started > FAKE_ERRORS_AFTER;
    pthread_mutex_unlock(&mutex);
    return begin;
}
#endif

int PAPI_start(int number) {
    struct set *set = find(number);
    if (set == NULL || set->count == 0) {
        return -11;
    }
    pthread_mutex_lock(&mutex);
    started++;
    int other = 0;
    for (int i = 0; i < SETS; i++) {
        other |= sets[i].used && sets[i].running && sets[i].owner == set->owner;
    }
    pthread_mutex_unlock(&mutex);
    if (other) {
        return -10;
    }
#if defined(FAKE_START_ERROR)
    if (errors_begin()) {
        return FAKE_START_ERROR;
    }
#endif
    pthread_mutex_lock(&mutex);
    set->running = 1;
    pthread_mutex_unlock(&mutex);
    return 0;
}

static void fill(struct set *set, long long *values) {
    set->readings++;
    for (int i = 0; i < set->count; i++) {
        values[i] = set->readings * (1000 + 100 * set->events[i]);
#if defined(FAKE_STANDS_STILL)
        values[i] = 0;
#endif
#if defined(FAKE_NEGATIVE)
        values[i] = started > 1 ? -values[i] : values[i];
#endif
    }
}

#if !defined(FAKE_WITHOUT_READ)
int PAPI_read(int number, long long *values) {
    struct set *set = find(number);
    if (set == NULL || !set->running) {
        return -9;
    }
#if defined(FAKE_READ_ERROR)
    if (errors_begin()) {
        return FAKE_READ_ERROR;
    }
#endif
    fill(set, values);
    return 0;
}
#endif

int PAPI_stop(int number, long long *values) {
    struct set *set = find(number);
    if (set == NULL || !set->running) {
        return -9;
    }
    pthread_mutex_lock(&mutex);
    set->running = 0;
    pthread_mutex_unlock(&mutex);
#if defined(FAKE_STOP_ERROR)
    if (errors_begin()) {
        return FAKE_STOP_ERROR;
    }
#endif
    fill(set, values);
    return 0;
}

int PAPI_cleanup_eventset(int number) {
    struct set *set = find(number);
    if (set == NULL || set->running) {
        return -10;
    }
    set->count = 0;
    return 0;
}

int PAPI_destroy_eventset(int *number) {
    struct set *set = find(*number);
    if (set == NULL || set->count > 0) {
        return -11;
    }
    pthread_mutex_lock(&mutex);
    set->used = 0;
    destroyed++;
    pthread_mutex_unlock(&mutex);
    *number = -1;
    return 0;
}
