#if defined(__linux__)
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <sys/syscall.h>
#endif

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lockstep_papi.h"

/* Of PAPI's interface. */
#define PAPI_OK 0
#define PAPI_EINVAL (-1)
#define PAPI_ENOMEM (-2)
#define PAPI_ENOEVNT (-7)
#define PAPI_ECNFLCT (-8)
#define PAPI_ECOUNT (-23)
#define PAPI_NULL (-1)
#define PAPI_VERSION_OF(major, minor) ((major) << 24 | (minor) << 16)

/* Where the component of an event cannot be asked for: the processor's own counters are PAPI's first component. */
#define PROCESSOR_COMPONENT 0

/* Names that an event may have, the best first: PAPI's preset, then the kernel's generic event of the same meaning. */
#define CANDIDATES 3

static const char *const NAMES[LOCKSTEP_EVENTS][CANDIDATES] = {
    {"PAPI_TOT_INS", "perf::INSTRUCTIONS"},
    {"PAPI_TOT_CYC", "perf::CYCLES"},
    {"PAPI_L1_ICM", "perf::L1-ICACHE-LOAD-MISSES"},
    {"PAPI_L1_DCM", "perf::L1-DCACHE-LOAD-MISSES"},
    {"PAPI_L2_TCM"},
    {"PAPI_L3_TCM", "perf::LLC-LOAD-MISSES", "perf::CACHE-MISSES"},
    {"PAPI_TLB_IM", "perf::ITLB-LOAD-MISSES"},
    {"PAPI_TLB_DM", "perf::DTLB-LOAD-MISSES"},
    {"PAPI_BR_MSP", "perf::BRANCH-MISSES"},
};

/* Files that PAPI is installed as; those of later versions would be tried by the name of the first. */
static const char *const LIBRARIES[] = {
    "libpapi.so",     "libpapi.so.7.3", "libpapi.so.7.2", "libpapi.so.7.1",
    "libpapi.so.7.0", "libpapi.so.6.0", "libpapi.so.7",   "libpapi.so.6",
};

/* PAPI answers its own version only, so this many minor versions of each major one are offered. */
#define MINOR_VERSIONS 16
static const int MAJOR_VERSIONS[] = {7, 6, 8};

/* Instructions of the trial are a multiple of this; enough that no counter may show 0. */
#define TRIAL_ROUNDS 100000

struct lockstep_papi {
    int version;
    int codes[LOCKSTEP_EVENTS];
    int errors[LOCKSTEP_EVENTS];
    const char *names[LOCKSTEP_EVENTS];

    int (*library_init)(int);
    int (*thread_init)(unsigned long (*)(void));
    int (*multiplex_init)(void);
    char *(*strerror)(int);
    int (*num_cmp_hwctrs)(int);
    int (*event_name_to_code)(const char *, int *);
    int (*query_event)(int);
    int (*register_thread)(void);
    int (*unregister_thread)(void);
    int (*create_eventset)(int *);
    int (*assign_eventset_component)(int, int);
    int (*set_multiplex)(int);
    int (*add_event)(int, int);
    int (*start)(int);
    int (*read)(int, long long *);
    int (*stop)(int, long long *);
    int (*cleanup_eventset)(int);
    int (*destroy_eventset)(int *);
    /* May be null: it came with PAPI 5. */
    int (*get_event_component)(int);
};

struct lockstep_counting {
    struct lockstep_papi *papi;
    int event_set;
    int multiplexed;
    /* The event at each place of the event set. */
    int events[LOCKSTEP_EVENTS];
    int count;
};

static void put(char *text, int text_bytes, const char *value) {
    if (text_bytes > 0) {
        snprintf(text, (size_t) text_bytes, "%s", value == NULL ? "" : value);
    }
}

/*
 * Of the calling thread, begun and not stopped. PAPI frees all event sets of a thread that is unregistered, also one
 * that runs.
 */
static _Thread_local unsigned countings;

static unsigned long this_thread(void) {
    return (unsigned long) pthread_self();
}

/* Finds all functions; returns the name of the first that is not there, or null. */
static const char *find_functions(struct lockstep_papi *papi, void *library) {
    const struct {
        const char *name;
        void *place;
    } functions[] = {
        {"PAPI_library_init", &papi->library_init},
        {"PAPI_thread_init", &papi->thread_init},
        {"PAPI_multiplex_init", &papi->multiplex_init},
        {"PAPI_strerror", &papi->strerror},
        {"PAPI_num_cmp_hwctrs", &papi->num_cmp_hwctrs},
        {"PAPI_event_name_to_code", &papi->event_name_to_code},
        {"PAPI_query_event", &papi->query_event},
        {"PAPI_register_thread", &papi->register_thread},
        {"PAPI_unregister_thread", &papi->unregister_thread},
        {"PAPI_create_eventset", &papi->create_eventset},
        {"PAPI_assign_eventset_component", &papi->assign_eventset_component},
        {"PAPI_set_multiplex", &papi->set_multiplex},
        {"PAPI_add_event", &papi->add_event},
        {"PAPI_start", &papi->start},
        {"PAPI_read", &papi->read},
        {"PAPI_stop", &papi->stop},
        {"PAPI_cleanup_eventset", &papi->cleanup_eventset},
        {"PAPI_destroy_eventset", &papi->destroy_eventset},
    };
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *function = dlsym(library, functions[i].name);
        if (function == NULL) {
            return functions[i].name;
        }
        memcpy(functions[i].place, &function, sizeof function);
    }
    void *component = dlsym(library, "PAPI_get_event_component");
    memcpy(&papi->get_event_component, &component, sizeof component);
    return NULL;
}

static void *open_library(const char *library, char *text, int text_bytes) {
    if (library != NULL) {
        void *opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
        put(text, text_bytes, opened == NULL ? dlerror() : "");
        return opened;
    }
    for (size_t i = 0; i < sizeof LIBRARIES / sizeof LIBRARIES[0]; i++) {
        void *opened = dlopen(LIBRARIES[i], RTLD_NOW | RTLD_LOCAL);
        if (opened != NULL) {
            return opened;
        }
        /* The first name is that of every version. */
        const char *error = dlerror();
        if (i == 0) {
            put(text, text_bytes, error);
        }
    }
    return NULL;
}

/* Returns PAPI's version, or the code that the last offer was refused with. */
static int initialize(struct lockstep_papi *papi) {
    int answer = PAPI_EINVAL;
    for (size_t major = 0; major < sizeof MAJOR_VERSIONS / sizeof MAJOR_VERSIONS[0]; major++) {
        for (int minor = 0; minor < MINOR_VERSIONS; minor++) {
            answer = papi->library_init(PAPI_VERSION_OF(MAJOR_VERSIONS[major], minor));
            if (answer != PAPI_EINVAL) {
                return answer;
            }
        }
    }
    return answer;
}

static void discard(struct lockstep_papi *papi, int event_set) {
    papi->cleanup_eventset(event_set);
    papi->destroy_eventset(&event_set);
}

static int component(const struct lockstep_papi *papi, int code) {
    int found = papi->get_event_component == NULL ? PROCESSOR_COMPONENT : papi->get_event_component(code);
    return found < 0 ? PROCESSOR_COMPONENT : found;
}

/* Finds out what counts an event, by adding each candidate to an event set of its own. */
static int find_event(struct lockstep_papi *papi, int event) {
    int error = PAPI_ENOEVNT;
    for (int i = 0; i < CANDIDATES && NAMES[event][i] != NULL; i++) {
        int code = 0;
        int answer = papi->event_name_to_code(NAMES[event][i], &code);
        if (answer == PAPI_OK) {
            answer = papi->query_event(code);
        }
        int event_set = PAPI_NULL;
        if (answer == PAPI_OK) {
            answer = papi->create_eventset(&event_set);
        }
        if (answer == PAPI_OK) {
            answer = papi->add_event(event_set, code);
            discard(papi, event_set);
        }
        if (answer == PAPI_OK) {
            papi->codes[event] = code;
            papi->names[event] = NAMES[event][i];
            return PAPI_OK;
        }
        /* What the preset was refused with says more than that a substitute does not exist. */
        if (i == 0) {
            error = answer;
        }
    }
    return error;
}

/* Counts once, because counters may be there and stand still, or be refused only when they start. */
static int try_counting(struct lockstep_papi *papi, int event, int *code) {
    struct lockstep_counting *counting;
    *code = lockstep_papi_start(papi, 1u << event, &counting);
    if (*code != PAPI_OK) {
        return LOCKSTEP_PAPI_REFUSED;
    }
    volatile unsigned work = 0;
    for (unsigned i = 0; i < TRIAL_ROUNDS; i++) {
        work += i;
    }
    int64_t counts[LOCKSTEP_EVENTS];
    *code = lockstep_papi_stop(counting, counts);
    if (*code != PAPI_OK) {
        return LOCKSTEP_PAPI_REFUSED;
    }
    /* Only instructions and cycles cannot be 0. */
    return event <= 1 && counts[event] <= 0 ? LOCKSTEP_PAPI_STANDS_STILL : LOCKSTEP_PAPI_READY;
}

static int prepare(struct lockstep_papi *papi, int *code, char *text, int text_bytes) {
    papi->version = initialize(papi);
    if (papi->version == PAPI_EINVAL) {
        put(text, text_bytes, "unknown version");
        return LOCKSTEP_PAPI_UNFIT;
    }
    if (papi->version < 0) {
        *code = papi->version;
        put(text, text_bytes, "PAPI_library_init");
        return LOCKSTEP_PAPI_REFUSED;
    }
    *code = papi->thread_init(this_thread);
    if (*code != PAPI_OK) {
        put(text, text_bytes, "PAPI_thread_init");
        return LOCKSTEP_PAPI_REFUSED;
    }
    /* Without it, events that need multiplexing are refused when they are started, and say so then. */
    papi->multiplex_init();
    int first = -1;
    for (int event = 0; event < LOCKSTEP_EVENTS; event++) {
        papi->errors[event] = find_event(papi, event);
        if (papi->errors[event] == PAPI_OK && first < 0) {
            first = event;
        }
    }
    if (first < 0) {
        *code = papi->errors[0];
        lockstep_papi_error(papi, *code, text, text_bytes);
        return LOCKSTEP_PAPI_NO_EVENTS;
    }
    int status = try_counting(papi, first, code);
    if (status == LOCKSTEP_PAPI_REFUSED) {
        lockstep_papi_error(papi, *code, text, text_bytes);
    } else if (status == LOCKSTEP_PAPI_STANDS_STILL) {
        put(text, text_bytes, papi->names[first]);
    }
    return status;
}

struct lockstep_papi *lockstep_papi_open(const char *library, int *status, int *code, char *text, int text_bytes) {
    *code = PAPI_OK;
    put(text, text_bytes, "");
    *status = LOCKSTEP_PAPI_MISSING;
    void *opened = open_library(library, text, text_bytes);
    if (opened == NULL) {
        return NULL;
    }
    *status = LOCKSTEP_PAPI_UNFIT;
    struct lockstep_papi *papi = calloc(1, sizeof *papi);
    if (papi == NULL) {
        *status = LOCKSTEP_PAPI_REFUSED;
        *code = PAPI_ENOMEM;
        dlclose(opened);
        return NULL;
    }
    const char *absent = find_functions(papi, opened);
    if (absent != NULL) {
        put(text, text_bytes, absent);
        free(papi);
        dlclose(opened);
        return NULL;
    }
    *status = prepare(papi, code, text, text_bytes);
    if (*status != LOCKSTEP_PAPI_READY) {
        /* The library stays: it may have installed handlers and keys of threads. */
        free(papi);
        return NULL;
    }
    put(text, text_bytes, "");
    return papi;
}

int lockstep_papi_counters(const struct lockstep_papi *papi) {
    int counters = papi->num_cmp_hwctrs(PROCESSOR_COMPONENT);
    return counters < 0 ? 0 : counters;
}

int lockstep_papi_version(const struct lockstep_papi *papi) {
    return papi->version;
}

int lockstep_papi_event(const struct lockstep_papi *papi, int event, char *text, int text_bytes) {
    if (event < 0 || event >= LOCKSTEP_EVENTS) {
        return PAPI_EINVAL;
    }
    if (papi->errors[event] == PAPI_OK) {
        put(text, text_bytes, papi->names[event]);
    } else {
        lockstep_papi_error(papi, papi->errors[event], text, text_bytes);
    }
    return papi->errors[event];
}

void lockstep_papi_error(const struct lockstep_papi *papi, int code, char *text, int text_bytes) {
    put(text, text_bytes, papi->strerror(code));
}

/* Makes an event set of the events asked for, and leaves none behind where it fails. */
static int fill(struct lockstep_counting *counting, unsigned events) {
    struct lockstep_papi *papi = counting->papi;
    counting->event_set = PAPI_NULL;
    counting->count = 0;
    int answer = papi->create_eventset(&counting->event_set);
    if (answer != PAPI_OK) {
        return answer;
    }
    for (int event = 0; event < LOCKSTEP_EVENTS && answer == PAPI_OK; event++) {
        if ((events >> event & 1) == 0) {
            continue;
        }
        answer = papi->errors[event];
        if (answer == PAPI_OK && counting->count == 0 && counting->multiplexed) {
            answer = papi->assign_eventset_component(counting->event_set, component(papi, papi->codes[event]));
            if (answer == PAPI_OK) {
                answer = papi->set_multiplex(counting->event_set);
            }
        }
        if (answer == PAPI_OK) {
            answer = papi->add_event(counting->event_set, papi->codes[event]);
        }
        counting->events[counting->count++] = event;
    }
    if (answer != PAPI_OK) {
        discard(papi, counting->event_set);
    }
    return answer;
}

static int fill_and_start(struct lockstep_counting *counting, unsigned events) {
    int answer = fill(counting, events);
    if (answer == PAPI_OK) {
        answer = counting->papi->start(counting->event_set);
        if (answer != PAPI_OK) {
            discard(counting->papi, counting->event_set);
        }
    }
    return answer;
}

static void unregister_if_idle(struct lockstep_papi *papi) {
    if (countings == 0) {
        papi->unregister_thread();
    }
}

int lockstep_papi_start(struct lockstep_papi *papi, unsigned events, struct lockstep_counting **counting) {
    *counting = NULL;
    if (events == 0 || events >> LOCKSTEP_EVENTS != 0) {
        return PAPI_EINVAL;
    }
    struct lockstep_counting *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return PAPI_ENOMEM;
    }
    made->papi = papi;
    /* A thread that PAPI knows already is no mistake. */
    papi->register_thread();
    int answer = fill_and_start(made, events);
    if (answer == PAPI_ECNFLCT || answer == PAPI_ECOUNT) {
        made->multiplexed = 1;
        answer = fill_and_start(made, events);
    }
    if (answer != PAPI_OK) {
        unregister_if_idle(papi);
        free(made);
        return answer;
    }
    countings++;
    *counting = made;
    return PAPI_OK;
}

int lockstep_papi_multiplexed(const struct lockstep_counting *counting) {
    return counting->multiplexed;
}

static void spread(const struct lockstep_counting *counting, const long long *values, int64_t *counts) {
    for (int event = 0; event < LOCKSTEP_EVENTS; event++) {
        counts[event] = -1;
    }
    for (int i = 0; i < counting->count; i++) {
        /* A derived event is a difference, and that of two estimates may fall below 0. */
        counts[counting->events[i]] = values[i] < 0 ? 0 : values[i];
    }
}

int lockstep_papi_read(struct lockstep_counting *counting, int64_t *counts) {
    long long values[LOCKSTEP_EVENTS] = {0};
    int answer = counting->papi->read(counting->event_set, values);
    spread(counting, values, counts);
    return answer;
}

int lockstep_papi_stop(struct lockstep_counting *counting, int64_t *counts) {
    struct lockstep_papi *papi = counting->papi;
    long long values[LOCKSTEP_EVENTS] = {0};
    int answer = papi->stop(counting->event_set, values);
    spread(counting, values, counts);
    discard(papi, counting->event_set);
    countings--;
    unregister_if_idle(papi);
    free(counting);
    return answer;
}

static int answer_of(int error) {
    switch (error) {
        case 0:
            return LOCKSTEP_PERF_COUNTS;
        case EPERM:
        case EACCES:
            return LOCKSTEP_PERF_FORBIDDEN;
        case ENOENT:
        case ENODEV:
        case EOPNOTSUPP:
            return LOCKSTEP_PERF_NO_COUNTERS;
        case ENOSYS:
            return LOCKSTEP_PERF_NO_CALL;
        case EBUSY:
            return LOCKSTEP_PERF_BUSY;
        default:
            return LOCKSTEP_PERF_FAILED;
    }
}

int lockstep_perf_probe(int *error) {
    *error = ENOSYS;
#if defined(__linux__) && defined(SYS_perf_event_open)
    struct perf_event_attr event;
    memset(&event, 0, sizeof event);
    event.size = sizeof event;
    event.type = PERF_TYPE_HARDWARE;
    event.config = PERF_COUNT_HW_INSTRUCTIONS;
    event.disabled = 1;
    event.exclude_kernel = 1;
    event.exclude_hv = 1;
    /* This thread, on any processor, in no group. */
    long file = syscall(SYS_perf_event_open, &event, 0, -1, -1, 0);
    *error = file < 0 ? errno : 0;
    if (file >= 0) {
        close((int) file);
    }
#endif
    return answer_of(*error);
}
