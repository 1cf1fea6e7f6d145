#define _GNU_SOURCE
#include "threads.h"

#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "plugin.h"

const char *thread_class_name(enum thread_class class) {
    static const char *const NAMES[THREAD_CLASSES] = {"client", "carrier", "engine", "collector", "compiler", "jvm"};
    return NAMES[class];
}

struct prefix {
    const char *text;
    enum thread_class class;
};

/*
 * As HotSpot of JDK 25 names its threads, cut to what Linux keeps of a name. The VM Thread is the serial collector;
 * what else it does, such as stopping all others, is little beside that. Of a pool "ForkJoinPool-1-" is all that is
 * kept, so one that delays for the carriers of virtual threads ("-delayScheduler") is not told from them
 * ("-worker-1"). Those of the common pool ("ForkJoinPool.co") carry nobody.
 */
static const struct prefix PREFIXES[] = {
    {"C1 CompilerThre", THREAD_COMPILER}, {"C2 CompilerThre", THREAD_COMPILER}, {"JVMCI", THREAD_COMPILER},
    {"GC Thread", THREAD_COLLECTOR}, {"G1 ", THREAD_COLLECTOR}, {"ZWorker", THREAD_COLLECTOR},
    {"ZDriver", THREAD_COLLECTOR}, {"ZDirector", THREAD_COLLECTOR}, {"ZUncommitter", THREAD_COLLECTOR},
    {"ZStat", THREAD_COLLECTOR}, {"ZUnmapper", THREAD_COLLECTOR}, {"Shenandoah", THREAD_COLLECTOR},
    {"Epsilon", THREAD_COLLECTOR}, {"VM Thread", THREAD_COLLECTOR}, {"VM Periodic Tas", THREAD_JVM},
    {"Signal Dispatch", THREAD_JVM}, {"Service Thread", THREAD_JVM}, {"Monitor Deflati", THREAD_JVM},
    {"Notification Th", THREAD_JVM}, {"Reference Handl", THREAD_JVM}, {"Finalizer", THREAD_JVM},
    {"Common-Cleaner", THREAD_JVM}, {"Attach Listener", THREAD_JVM}, {"StringDedup", THREAD_JVM},
    {"DestroyJavaVM", THREAD_JVM}, {"ArchiveWorkerTh", THREAD_JVM}, {"JFR ", THREAD_JVM},
    {"VirtualThread-u", THREAD_JVM}, {"MainThread-unpa", THREAD_JVM}, {"MasterPoller", THREAD_JVM},
    {"Read-Poller", THREAD_JVM}, {"Write-Poller", THREAD_JVM}, {"ForkJoinPool-", THREAD_CARRIER},
    {"MVStore backgro", THREAD_ENGINE},
};

/* Lockstep's own are named "<scheduler>-carrier-<number>"; as much of it as is left of the longest usual name. */
#define CARRIER_MARK "-carrie"
/* And its engine's "lockstep-<task>", such as lockstep-log-writer. */
#define ENGINE_PREFIX "lockstep-"

enum thread_class thread_class_of(const char *name) {
    for (size_t i = 0; i < sizeof PREFIXES / sizeof PREFIXES[0]; i++) {
        if (strncmp(name, PREFIXES[i].text, strlen(PREFIXES[i].text)) == 0) {
            return PREFIXES[i].class;
        }
    }
    if (strstr(name, CARRIER_MARK) != NULL) {
        return THREAD_CARRIER;
    }
    return strncmp(name, ENGINE_PREFIX, strlen(ENGINE_PREFIX)) == 0 ? THREAD_ENGINE : THREAD_CLIENT;
}

void seat_open(struct seat *seat) {
    memset(seat, 0, sizeof *seat);
    pthread_mutex_init(&seat->latch, NULL);
}

/* The latch is held. */
static void append(struct seat *seat, struct thread *thread) {
    thread->waiter.queued = true;
    thread->waiter.next = NULL;
    if (seat->final == NULL) {
        seat->first = thread;
    } else {
        seat->final->waiter.next = thread;
    }
    seat->final = thread;
    atomic_fetch_add(&seat->waiting, 1);
}

/* The latch is held. The queue is as long as the threads of one processor, so this ends. */
static void unlink_waiter(struct seat *seat, struct thread *thread) {
    struct thread *before = NULL;
    for (struct thread *at = seat->first; at != NULL; before = at, at = at->waiter.next) {
        if (at == thread) {
            if (before == NULL) {
                seat->first = at->waiter.next;
            } else {
                before->waiter.next = at->waiter.next;
            }
            if (seat->final == at) {
                seat->final = before;
            }
            thread->waiter.queued = false;
            atomic_fetch_sub(&seat->waiting, 1);
            return;
        }
    }
}

/* The latch is held, and nobody sits. */
static void sit(struct seat *seat, struct thread *thread) {
    if (seat->last != thread) {
        seat->turns += seat->last != NULL;
        seat->last = thread;
    }
    seat->sitting = thread;
    thread->waiter.sits = true;
}

bool seat_take(struct seat *seat, struct thread *thread) {
    struct waiter *waiter = &thread->waiter;
    pthread_mutex_lock(&seat->latch);
    if (!waiter->sits && seat->sitting == NULL && seat->first == NULL) {
        sit(seat, thread);
    }
    if (!waiter->sits && !waiter->queued) {
        append(seat, thread);
    }
    uint32_t seen = atomic_load(&waiter->woken);
    bool sits = waiter->sits;
    pthread_mutex_unlock(&seat->latch);
    if (sits) {
        return true;
    }
    struct timespec bound = {0, SEAT_WAIT_NANOS_MAX};
    syscall(SYS_futex, &waiter->woken, FUTEX_WAIT_PRIVATE, seen, &bound, NULL, 0);
    pthread_mutex_lock(&seat->latch);
    sits = waiter->sits;
    seat->waits_bounded += !sits;
    pthread_mutex_unlock(&seat->latch);
    return sits;
}

/* The latch is held, and the thread sits. */
static void stand_up(struct seat *seat, struct thread *thread) {
    thread->waiter.sits = false;
    seat->sitting = NULL;
    struct thread *next = seat->first;
    if (next != NULL) {
        unlink_waiter(seat, next);
        sit(seat, next);
        atomic_fetch_add(&next->waiter.woken, 1);
        syscall(SYS_futex, &next->waiter.woken, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
}

void seat_pass_on(struct seat *seat, struct thread *thread) {
    pthread_mutex_lock(&seat->latch);
    if (seat->first != NULL) {
        stand_up(seat, thread);
        append(seat, thread);
    }
    pthread_mutex_unlock(&seat->latch);
}

bool seat_leave(struct seat *seat, struct thread *thread) {
    pthread_mutex_lock(&seat->latch);
    if (thread->waiter.queued) {
        unlink_waiter(seat, thread);
    }
    if (thread->waiter.sits) {
        stand_up(seat, thread);
    }
    bool empty = seat->sitting == NULL;
    pthread_mutex_unlock(&seat->latch);
    return empty;
}
