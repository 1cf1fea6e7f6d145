/* Threads for a validation program, without a C library: each has its own stack at a fixed address. */
#ifndef LOCKSTEP_THREADS_H
#define LOCKSTEP_THREADS_H

#include "freestanding.h"

enum { THREADS_MAX = 64, THREAD_STACK_BYTES = 1 << 14, FUTEX_WAIT = 0 };

/* CLONE_VM, FS, FILES, SIGHAND, THREAD, SYSVSEM and CHILD_CLEARTID: what a thread of the same program is. */
enum { THREAD_FLAGS = 0x100 | 0x200 | 0x400 | 0x800 | 0x10000 | 0x40000 | 0x200000 };

/* One to a page, so that a thread's own state shares no line with another's. */
struct thread {
    volatile int alive;
    int index;
    void (*body)(int index);
    unsigned char stack[THREAD_STACK_BYTES] __attribute__((aligned(4096)));
} __attribute__((aligned(4096)));

static struct thread threads[THREADS_MAX];

__attribute__((noreturn, used)) static void thread_main(struct thread *self) {
    marker(MARKER_THREAD_CORE, self->index);
    self->body(self->index);
    for (;;) {
        system_call(CALL_EXIT, 0, 0, 0, 0);
    }
}

/* long thread_clone(flags, stack, unused, cleared, argument): the child calls thread_main(argument). */
long thread_clone(long flags, void *stack, long unused, volatile int *cleared, struct thread *argument);
__asm__(".text\n"
        ".type thread_clone, @function\n"
        "thread_clone:\n"
        "    movq %rcx, %r10\n"
        "    movq %r8, %r9\n"
        "    xorl %r8d, %r8d\n"
        "    movl $56, %eax\n"
        "    syscall\n"
        "    testq %rax, %rax\n"
        "    jz 1f\n"
        "    ret\n"
        "1:  xorl %ebp, %ebp\n"
        "    movq %r9, %rdi\n"
        "    call thread_main\n"
        "    hlt\n");

static volatile uint64_t arrived __attribute__((aligned(256)));
static volatile uint64_t begun __attribute__((aligned(256)));
static volatile uint64_t under_way __attribute__((aligned(256)));

/* Returns when all threads have called it. */
static inline void await_all(volatile uint64_t *counter, int count) {
    __atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST);
    while (*counter != (uint64_t)count) {
        __builtin_ia32_pause();
    }
}

/*
 * Called by each of `count` threads: begins the measured phase when all have come, so that starting them is not
 * counted, and lets them go on when each has executed something in it. One that the system had not let run since
 * would otherwise begin when others are done.
 */
static inline void begin_together(int index, int count) {
    await_all(&arrived, count);
    if (index == 0) {
        phase_begin();
        begun = 1;
    }
    while (begun == 0) {
        __builtin_ia32_pause();
    }
    await_all(&under_way, count);
}

/* Runs the body on `count` threads at once, the caller being the first, and returns when all have ended. */
static void run_threads(int count, void (*body)(int index)) {
    if (count < 1 || count > THREADS_MAX) {
        system_call(CALL_EXIT_GROUP, 2, 0, 0, 0);
    }
    for (int i = 1; i < count; i++) {
        threads[i].alive = 1;
        threads[i].index = i;
        threads[i].body = body;
        long id = thread_clone(
            THREAD_FLAGS, threads[i].stack + THREAD_STACK_BYTES, 0, &threads[i].alive, &threads[i]);
        if (id < 0) {
            system_call(CALL_EXIT_GROUP, 1, 0, 0, 0);
        }
    }
    marker(MARKER_THREAD_CORE, 0);
    body(0);
    for (int i = 1; i < count; i++) {
        /* The kernel clears the word and wakes us when the thread has ended. */
        while (threads[i].alive != 0) {
            system_call(CALL_FUTEX, (long)&threads[i].alive, FUTEX_WAIT, 1, 0);
        }
    }
}

#endif
