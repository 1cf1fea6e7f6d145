/*
 * Keeps the threads of processors that go in step on one real processor. They run one at a time, so a second real one
 * gains nothing, and handing a turn over to a thread on it costs its wake-up from idle: eight processors in step
 * simulated 7.0 to 7.8 million instructions a second on two real ones, and 16.4 to 18.6 on one of them.
 *
 * A thread is held only while it sits on its simulated processor, which it never does in a system call: so the program
 * sees and sets its own affinity, and the threads it makes inherit that.
 *
 * Thread-safe; an affinity belongs to the calling thread.
 */
#ifndef LOCKSTEP_AFFINITY_H
#define LOCKSTEP_AFFINITY_H

#include <sched.h>
#include <stdbool.h>

/* All zero: not held. */
struct affinity {
    bool held;
    /* The thread's own, while it is held. */
    cpu_set_t own;
};

/* The thread, which is not held, runs only where all that are held do, if its own affinity allows that. */
void affinity_hold(struct affinity *affinity);

/* It may run again where its own affinity allows; nothing if it is not held. */
void affinity_release(struct affinity *affinity);

#endif
