/*
 * What the parts of the plugin share while a program runs. Every name here is hidden from QEMU, whose own names the
 * plugin is loaded among.
 *
 * Invariants:
 *  - what is said to be fixed is written before the first callback, and then only read;
 *  - the latches are never held while a thread waits for a processor, and book_latch is the inner one.
 */
#ifndef LOCKSTEP_STATE_H
#define LOCKSTEP_STATE_H

#include <sys/types.h>

#include "plugin.h"
#include "qemu_api.h"
#include "traces.h"

#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

#define MESSAGE_BYTES 512

#pragma GCC visibility push(hidden)

/* Fixed. */
extern struct settings settings;
extern struct machine machine;
extern struct model *model;
/* Every event is gathered and handed over under the model's latch. */
extern bool gathers;
extern struct pace *pace;
extern struct seat *seats;
extern uint32_t processors;
extern bool wants_data;
/* By processor; NULL where branches are not predicted. A processor's is used by the thread that sits there. */
extern struct branch_unit *branch_units;
/* NULL where executed code is not recorded. */
extern struct code_lines *code;
/* NULL where operations are not traced. */
extern struct traces *traces;
extern pid_t process;
extern qemu_plugin_id_t plugin_id;

/* Guards the model where events are gathered. */
extern pthread_mutex_t model_latch;

/* By number of virtual processor; an entry is written by the thread that makes the processor. */
extern struct thread *running[THREADS_MAX];

/* Guards phases, tallies, accounts, the list of threads and what is handed out to them. */
extern pthread_mutex_t book_latch;
extern struct tallies tallies;
extern struct thread *threads;
extern _Atomic uint32_t phase_now;
extern uint64_t phase_began_nanos;
extern uint32_t account_phases[MACHINE_ACCOUNTS_MAX];
extern uint32_t account_operations[MACHINE_ACCOUNTS_MAX];
extern uint32_t accounts;
extern uint64_t accounts_lost;

/* What the program told of its memory; a range told again replaces what was told of it. Guarded by book_latch. */
extern struct told_region told_regions[REGIONS_MAX];
extern uint32_t told_region_count;

/* Instructions that QEMU broke off and executed alone. */
extern _Atomic uint64_t restarts;

/*
 * Address of the page of operations; 0 before the program has told it. Code that was translated before has no callbacks
 * for its stores of bytes, which a program has many of.
 */
extern _Atomic uint64_t operation_page;

/* Whether the model is fed: always, or in phases only. */
extern _Atomic bool feeds;

/*
 * Whether blocks have the callbacks of which the model is fed: from the first time on that it is, so that what is
 * translated between two phases has them in the second one. Blocks that were translated before only count their
 * instructions, since all else would slow a program down several times that only warms up; so all are translated anew
 * then.
 */
extern _Atomic bool called_back;

/* The model's memory has run out: it is fed no more, and what was counted is no result. */
extern _Atomic bool gave_up;

/* Set in a child of fork, which is not simulated. */
extern bool forked;

/* Nanoseconds of a clock that goes on evenly. */
uint64_t now_nanos(void);

/* Ends the program: the plugin cannot go on, and a result that lacks something must not look like one. */
_Noreturn void die(const char *message);

/* Zeroed memory; does not return without. */
void *allocate(size_t bytes);

/* books.c */

/* Charges what the thread's processor does from now on to the thread's phase and operation. The thread sits. */
void charge(struct thread *thread);

/* Adds what a thread executed to its class and phase. */
void tally(struct thread *thread);

/* feed.c */

/* Hands over what was gathered. The thread sits. */
void submit(struct thread *thread);

/* One more event, for later. */
void gather(struct thread *thread, uint64_t address, uint32_t bytes, int kind, uint32_t instructions);

/* Charges to a place what its processor has missed since this was called last, or charge was. The thread sits. */
void note_misses(struct thread *thread, uint64_t place);

/* Takes a thread's processor away; it does not sit. */
void displace(struct thread *thread);

/* Gives a thread, which does not sit, this processor. */
void place_at(struct thread *thread, uint32_t processor);

/* Gives a thread, which does not sit, a hardware thread of this core, the one with the fewest of its class. */
void place_on_core(struct thread *thread, uint32_t core);

/* Whether the model is fed by threads of this class. */
bool may_be_simulated(const struct thread *thread);

/* Gives the processor to others, until the thread asks for it again. */
void get_up(struct thread *thread);

/* Follows the phase of the program. */
void notice_phase(struct thread *thread);

/* Before a block that may have to wait: takes or gives up the processor, keeps step, notices a new phase. */
void ask(struct thread *thread);

/* Whether the thread sits, and has taken its seat over: what it does is charged to its account. */
static inline bool is_seated(const struct thread *thread) {
    return thread->mode == MODE_DIRECT || thread->mode == MODE_GATHER;
}

/* Of the calling thread, once it has asked; else NULL. */
struct thread *asking(void);

/* Room for the threads of each processor. */
void feed_open(void);

/* Hands over accesses to which no further piece can come. */
static inline void finish_accesses(struct thread *thread) {
    for (int i = 0; i < PENDING_MAX; i++) {
        struct pending *pending = &thread->pending[i];
        if (pending->bytes > 0) {
            if (UNLIKELY(thread->code != NULL)) {
                thread->place = code_place(thread->block, pending->offset);
                if (thread->mode != MODE_OUT) {
                    code_thread_touched(thread->code, pending->address, pending->bytes);
                }
            }
            feed_access(thread, pending->address, pending->bytes, pending->kind);
            pending->bytes = 0;
        }
    }
}

/* execution.c */

void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *translated);
void on_flush(qemu_plugin_id_t id);

/* calls.c */

/* Feeds the model no more, so that the program ends soon. */
void give_up(void);

/* A store that marks a phase. */
void on_phase(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *data);

struct thread *add_thread(uint32_t vcpu);
void on_vcpu(qemu_plugin_id_t id, unsigned int vcpu);
void on_call(
    qemu_plugin_id_t id, unsigned int vcpu, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4,
    uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8);
void on_return(qemu_plugin_id_t id, unsigned int vcpu, int64_t number, int64_t result);

/* plugin.c */

/* After a flush, when all callbacks were taken back: registers them again. */
void on_reset(qemu_plugin_id_t id);

#pragma GCC visibility pop

#endif
