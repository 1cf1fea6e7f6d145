/* What the plugin has to know of instructions, by bytes as the assembler makes them. */
#include "check.h"
#include "decode.h"
#include "threads.h"

#define DECODE(...) decode((const uint8_t[]) {__VA_ARGS__}, sizeof (const uint8_t[]) {__VA_ARGS__})

static void branches(void) {
    CHECK_EQUAL(BRANCH_CONDITIONAL, DECODE(0x74, 0x05).branch); /* je */
    CHECK_EQUAL(BRANCH_CONDITIONAL, DECODE(0x0f, 0x85, 0, 1, 0, 0).branch); /* jne */
    CHECK_EQUAL(BRANCH_CONDITIONAL, DECODE(0xe2, 0xfe).branch); /* loop */
    CHECK_EQUAL(BRANCH_JUMP, DECODE(0xeb, 0xfe).branch);
    CHECK_EQUAL(BRANCH_JUMP, DECODE(0xe9, 0, 0, 0, 0).branch);
    CHECK_EQUAL(BRANCH_CALL, DECODE(0xe8, 0, 0, 0, 0).branch);
    CHECK_EQUAL(BRANCH_RETURN, DECODE(0xc3).branch);
    CHECK_EQUAL(BRANCH_RETURN, DECODE(0xf3, 0xc3).branch); /* repz ret */
    CHECK_EQUAL(BRANCH_INDIRECT_CALL, DECODE(0xff, 0xd0).branch); /* call *%rax */
    CHECK_EQUAL(BRANCH_INDIRECT_CALL, DECODE(0x41, 0xff, 0x57, 0x10).branch); /* call *16(%r15) */
    CHECK_EQUAL(BRANCH_INDIRECT_JUMP, DECODE(0xff, 0xe0).branch); /* jmp *%rax */
    CHECK_EQUAL(BRANCH_NONE, DECODE(0xff, 0xc0).branch); /* inc %eax */
    CHECK_EQUAL(BRANCH_NONE, DECODE(0x0f, 0x05).branch); /* syscall */
    CHECK_EQUAL(BRANCH_NONE, DECODE(0x0f, 0x1f, 0x00).branch); /* nopl (%rax) */
}

static void strings(void) {
    CHECK(DECODE(0xf3, 0xa4).repeated_string); /* rep movsb */
    CHECK(DECODE(0xf3, 0x48, 0xab).repeated_string); /* rep stosq */
    CHECK(DECODE(0xf2, 0xae).repeated_string); /* repne scasb */
    CHECK(!DECODE(0xa4).repeated_string); /* movsb */
    CHECK(!DECODE(0xf3, 0x90).repeated_string); /* pause */
}

static void atomics(void) {
    CHECK(DECODE(0xf0, 0x48, 0x83, 0x00, 0x01).atomic); /* lock addq $1,(%rax) */
    CHECK(DECODE(0x87, 0x03).atomic); /* xchg %eax,(%rbx) */
    CHECK(DECODE(0x66, 0x87, 0x03).atomic);
    CHECK(!DECODE(0x87, 0xc3).atomic); /* xchg %eax,%ebx */
    CHECK(!DECODE(0x48, 0x83, 0x00, 0x01).atomic);
}

static void stores_of_a_byte(void) {
    CHECK(DECODE(0x88, 0x03).stores_byte); /* mov %al,(%rbx) */
    CHECK(DECODE(0x45, 0x88, 0x14, 0x24).stores_byte); /* mov %r10b,(%r12) */
    CHECK(DECODE(0xc6, 0x04, 0x08, 0x00).stores_byte); /* movb $0,(%rax,%rcx) */
    CHECK(DECODE(0x41, 0xc6, 0x00, 0x00).stores_byte); /* movb $0,(%r8) */
    CHECK(DECODE(0x86, 0x03).stores_byte); /* xchg %al,(%rbx) */
    CHECK(!DECODE(0x88, 0xc3).stores_byte); /* mov %al,%bl */
    CHECK(!DECODE(0xc6, 0xc0, 0x00).stores_byte); /* mov $0,%al */
    CHECK(!DECODE(0xc6, 0xf8, 0x00).stores_byte); /* xabort $0 */
    CHECK(!DECODE(0x8a, 0x03).stores_byte); /* mov (%rbx),%al */
    CHECK(!DECODE(0x89, 0x03).stores_byte); /* mov %eax,(%rbx) */
    CHECK(!DECODE(0x0f, 0x88, 0, 1, 0, 0).stores_byte); /* js */
    CHECK(!DECODE(0x88).stores_byte);
}

static void cut_off_bytes_are_nothing(void) {
    struct instruction none = decode((const uint8_t *) "", 0);
    CHECK_EQUAL(BRANCH_NONE, none.branch);
    CHECK(!none.atomic && !none.repeated_string);
    CHECK(!DECODE(0xf0).atomic);
    CHECK(!DECODE(0x87).atomic);
    CHECK_EQUAL(BRANCH_NONE, DECODE(0xff).branch);
    CHECK_EQUAL(BRANCH_NONE, DECODE(0x0f).branch);
}

static void threads_are_classed_by_name(void) {
    CHECK_EQUAL(THREAD_CARRIER, thread_class_of("lockstep-carrie"));
    CHECK_EQUAL(THREAD_CARRIER, thread_class_of("a-carrier-12"));
    CHECK_EQUAL(THREAD_CARRIER, thread_class_of("ForkJoinPool-1-"));
    CHECK_EQUAL(THREAD_COMPILER, thread_class_of("C2 CompilerThre"));
    CHECK_EQUAL(THREAD_COLLECTOR, thread_class_of("GC Thread#0"));
    CHECK_EQUAL(THREAD_COLLECTOR, thread_class_of("G1 Conc#0"));
    CHECK_EQUAL(THREAD_COLLECTOR, thread_class_of("VM Thread"));
    CHECK_EQUAL(THREAD_JVM, thread_class_of("VM Periodic Tas"));
    CHECK_EQUAL(THREAD_JVM, thread_class_of("MasterPoller"));
    CHECK_EQUAL(THREAD_JVM, thread_class_of("Read-Poller"));
    CHECK_EQUAL(THREAD_JVM, thread_class_of("VirtualThread-u"));
    CHECK_EQUAL(THREAD_CLIENT, thread_class_of("ForkJoinPool.co"));
    CHECK_EQUAL(THREAD_ENGINE, thread_class_of("lockstep-log-wr"));
    CHECK_EQUAL(THREAD_ENGINE, thread_class_of("lockstep-page-w"));
    CHECK_EQUAL(THREAD_ENGINE, thread_class_of("lockstep-checkp"));
    CHECK_EQUAL(THREAD_ENGINE, thread_class_of("lockstep-io-3"));
    CHECK_EQUAL(THREAD_ENGINE, thread_class_of("lockstep-file-1"));
    CHECK_EQUAL(THREAD_ENGINE, thread_class_of("MVStore backgro"));
    CHECK_EQUAL(THREAD_CLIENT, thread_class_of("lockstep"));
    CHECK_EQUAL(THREAD_CLIENT, thread_class_of("main"));
    CHECK_EQUAL(THREAD_CLIENT, thread_class_of("terminal-3"));
    CHECK_EQUAL(THREAD_CLIENT, thread_class_of(""));
}

int main(void) {
    RUN(branches);
    RUN(strings);
    RUN(atomics);
    RUN(stores_of_a_byte);
    RUN(cut_off_bytes_are_nothing);
    RUN(threads_are_classed_by_name);
    return check_result();
}
