/*
 * The threads of the simulated program, and the processors of the simulated machine they sit on.
 *
 * State belongs to a thread's lifetime: QEMU gives the number of a virtual processor to another thread when its thread
 * has ended. Threads of the same processor take turns: one sits, the others wait until it makes a system call or its
 * turn ends. A wait is bounded, for the reason that pace.h gives.
 *
 * Invariants:
 *  - a processor has at most one thread that sits on it, and only that thread feeds the model with that processor;
 *  - a thread waits for at most one processor, its own, and never while it sits or the kernel executes its system call;
 *  - the fields of a thread are written by itself, or by others only where they say so.
 */
#ifndef LOCKSTEP_THREADS_H
#define LOCKSTEP_THREADS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct site;

/*
 * How long a thread waits for its processor before it executes one block without: the reason is that of
 * PACE_WAIT_NANOS_MAX. Shorter, because threads wait here for whole turns, and then nobody may stop all of them; long
 * enough for what is executed meanwhile to find room among a thread's events.
 */
#define SEAT_WAIT_NANOS_MAX 5000000

/* Bytes of a thread's name, as Linux keeps them, its zero included. */
#define THREAD_NAME_BYTES 16

/* What a thread is for, by its name. */
enum thread_class {
    /* Runs the program, or what its clients asked for. */
    THREAD_CLIENT,
    /* Runs other threads' work: S-threads, virtual threads. */
    THREAD_CARRIER,
    /*
     * Does the database's own work behind them: writes the log and pages, takes checkpoints. Where it is to run on the
     * simulated processors, as on a server's, what it does is charged to an account of its own.
     */
    THREAD_ENGINE,
    /* Collects the JVM's garbage; the VM Thread too, which is who does so for the serial collector. */
    THREAD_COLLECTOR,
    THREAD_COMPILER,
    /* The JVM's own, beside these two. */
    THREAD_JVM,
    THREAD_CLASSES,
};

/* The name of a class in results. */
const char *thread_class_name(enum thread_class class);

/* The class of a thread with this name; java: the program is a JVM, whose own threads are known by their names. */
enum thread_class thread_class_of(const char *name);

struct thread;

/* One simulated processor, a hardware thread of a core. */
struct seat {
    pthread_mutex_t latch;
    /* Who sits; NULL when nobody does. */
    struct thread *sitting;
    /* Who sat last, or sits: whose counts have not been charged since. */
    struct thread *last;
    /* Those who wait, first come first. */
    struct thread *first;
    struct thread *final;
    /* Read without the latch by the one that sits, to see whether its turn is wanted. */
    _Atomic uint32_t waiting;
    /* Times a thread took the processor from another one. */
    uint64_t turns;
    /* Waits that ended by their bound. */
    uint64_t waits_bounded;
};

/* The queue's part of a thread. */
struct waiter {
    struct seat *seat;
    /* Guarded by the seat's latch. */
    struct thread *next;
    bool queued;
    bool sits;
    /* Changes when the seat is handed over. */
    _Atomic uint32_t woken;
};

void seat_open(struct seat *seat);

/*
 * Sits down, or waits for the seat, at most SEAT_WAIT_NANOS_MAX; a thread that waited in vain keeps its place in the
 * queue and calls again. Returns whether the thread sits.
 */
bool seat_take(struct seat *seat, struct thread *thread);

/* Gets up, or leaves the queue, and hands the seat to the next. Returns whether nobody sits now. */
bool seat_leave(struct seat *seat, struct thread *thread);

/*
 * Gets up for those who wait, and waits behind them, at once: between the two the system may keep this thread from
 * running, and who sits meanwhile would find nobody waiting at the end of its turn. Stays where nobody waits.
 */
void seat_pass_on(struct seat *seat, struct thread *thread);

#endif
