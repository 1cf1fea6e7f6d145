/*
 * Hardware counters through PAPI, which is opened at run time: no header and no library of PAPI is needed to build this
 * or to load it. What is taken for granted of PAPI is its documented interface: names of functions and events, integer
 * codes and the format of version numbers; none of its structures is read.
 *
 * Counts are those of one thread, in user mode. A counting belongs to the thread that started it, which alone may read
 * and stop it. Countings of different threads may run at the same time. lockstep_papi_open must not run at the same
 * time in two threads.
 *
 * Functions return 0 or a negative code of PAPI unless they say otherwise.
 */
#ifndef LOCKSTEP_PAPI_H
#define LOCKSTEP_PAPI_H

#include <stdint.h>

/* Events, as the enum CounterEvent numbers them. */
#define LOCKSTEP_EVENTS 9

/* How lockstep_papi_open went. */
#define LOCKSTEP_PAPI_READY 0
/* dlopen failed; the text is what it said. */
#define LOCKSTEP_PAPI_MISSING 1
/* The library lacks a function, which the text names, or is of no version that is known here. */
#define LOCKSTEP_PAPI_UNFIT 2
/* A call failed; the text names it and the code is PAPI's. */
#define LOCKSTEP_PAPI_REFUSED 3
/* PAPI runs and can count none of the events; the code is that of the first one. */
#define LOCKSTEP_PAPI_NO_EVENTS 4
/* A trial ran and its instructions or cycles were counted as 0. */
#define LOCKSTEP_PAPI_STANDS_STILL 5

struct lockstep_papi;
struct lockstep_counting;

/*
 * Opens the PAPI library of this name, or the usual ones where it is null, and tries every event once on the calling
 * thread. Returns null unless the status is LOCKSTEP_PAPI_READY; what it returns lives as long as the process.
 */
struct lockstep_papi *lockstep_papi_open(const char *library, int *status, int *code, char *text, int text_bytes);

/* Number of hardware counters of a processor, 0 where PAPI does not know. */
int lockstep_papi_counters(const struct lockstep_papi *papi);

/* PAPI's version as it counts itself: major, minor, revision and increment in a byte each, from the highest. */
int lockstep_papi_version(const struct lockstep_papi *papi);

/* Whether an event can be counted; if so the text is PAPI's name of what counts it, else what PAPI says. */
int lockstep_papi_event(const struct lockstep_papi *papi, int event, char *text, int text_bytes);

/* What PAPI says of a code. */
void lockstep_papi_error(const struct lockstep_papi *papi, int code, char *text, int text_bytes);

/*
 * Starts counting these events, bit n being event n, from 0 on the calling thread. Where the processor has too few
 * counters for them it multiplexes: each event is counted for a part of the time only and its count is an estimate.
 */
int lockstep_papi_start(struct lockstep_papi *papi, unsigned events, struct lockstep_counting **counting);

/* Whether the counting multiplexes, 0 or 1. */
int lockstep_papi_multiplexed(const struct lockstep_counting *counting);

/* Reads LOCKSTEP_EVENTS counts without stopping; -1 stands for an event that was not asked for. */
int lockstep_papi_read(struct lockstep_counting *counting, int64_t *counts);

/* Reads as lockstep_papi_read, stops, and frees the counting, even where it returns an error. */
int lockstep_papi_stop(struct lockstep_counting *counting, int64_t *counts);

/* What the kernel answers. */
#define LOCKSTEP_PERF_COUNTS 0
#define LOCKSTEP_PERF_FORBIDDEN 1
#define LOCKSTEP_PERF_NO_COUNTERS 2
#define LOCKSTEP_PERF_NO_CALL 3
#define LOCKSTEP_PERF_BUSY 4
#define LOCKSTEP_PERF_FAILED 5

/*
 * Asks the kernel, without PAPI, for a counter of instructions of the calling thread in user mode. Returns what it
 * answers, and in error the errno value, 0 when it gave one.
 */
int lockstep_perf_probe(int *error);

#endif
