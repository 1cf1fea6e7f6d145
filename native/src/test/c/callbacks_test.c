/*
 * What the plugin does when QEMU calls it back: here the callbacks of several threads come one after the other, from
 * one thread, in an order that QEMU seldom has. Argument: a directory for files.
 */
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "blocks.h"
#include "check.h"
#include "state.h"

#define FILE_CHARACTERS_MAX 4096

/* Flushes of a test, and blocks translated before each: their records take more than 8 MB. */
#define FLUSHES 6
#define BLOCKS_BETWEEN_FLUSHES 200000

/* Of system calls on x86-64. */
#define CALL_YIELD 24
#define CALL_EXIT 60
#define CALL_PRCTL 157

/* QEMU's answer to a call that a signal came before, as in its linux-user. */
#define RESTART (-512)

/* Each may mark an operation. */
#define INSTRUCTION_BYTES LOCKSTEP_OPERATION_MARK_BYTES
#define BLOCK_INSTRUCTIONS 2
#define BASE ((uint64_t) 0x40000000)

/* What the stub of QEMU tells of a store. */
#define STORE_OF_WORD 2

/* Of a turn, in a test of turns. */
#define TURN_INSTRUCTIONS 10

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int count, char **arguments);

/* QEMU. */

struct qemu_plugin_insn {
    uint64_t address;
    uint8_t bytes[INSTRUCTION_BYTES];
    bool marks_phase;
    qemu_plugin_vcpu_udata_cb_t executed;
    void *executed_data;
    qemu_plugin_vcpu_mem_cb_t touched;
    void *touched_data;
};

struct qemu_plugin_tb {
    struct qemu_plugin_insn instructions[BLOCK_INSTRUCTIONS];
    qemu_plugin_vcpu_udata_cb_t executed;
    void *executed_data;
};

static const char *directory;
static qemu_plugin_vcpu_simple_cb_t begun;
static qemu_plugin_vcpu_tb_trans_cb_t translated;
static qemu_plugin_vcpu_syscall_cb_t called;
static qemu_plugin_vcpu_syscall_ret_cb_t returned;
static qemu_plugin_udata_cb_t ended;
static qemu_plugin_simple_cb_t flushed;

void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_simple_cb_t callback) {
    (void) id;
    begun = callback;
}

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_tb_trans_cb_t callback) {
    (void) id;
    translated = callback;
}

void qemu_plugin_register_flush_cb(qemu_plugin_id_t id, qemu_plugin_simple_cb_t callback) {
    (void) id;
    flushed = callback;
}

/* No test waits for phases. */
void qemu_plugin_reset(qemu_plugin_id_t id, qemu_plugin_simple_cb_t callback) {
    (void) id, (void) callback;
    abort();
}

void qemu_plugin_vcpu_for_each(qemu_plugin_id_t id, qemu_plugin_vcpu_simple_cb_t callback) {
    (void) id, (void) callback;
    abort();
}

void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_udata_cb_t callback, void *data) {
    (void) id, (void) data;
    ended = callback;
}

void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_syscall_cb_t callback) {
    (void) id;
    called = callback;
}

void qemu_plugin_register_vcpu_syscall_ret_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_syscall_ret_cb_t callback) {
    (void) id;
    returned = callback;
}

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block) {
    (void) block;
    return BLOCK_INSTRUCTIONS;
}

struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index) {
    return (struct qemu_plugin_insn *) &block->instructions[index];
}

const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *instruction) {
    return instruction->bytes;
}

size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *instruction) {
    return instruction->marks_phase ? LOCKSTEP_PHASE_MARK_BYTES : sizeof instruction->bytes;
}

uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *instruction) {
    return instruction->address;
}

void qemu_plugin_register_vcpu_tb_exec_cb(
    struct qemu_plugin_tb *block, qemu_plugin_vcpu_udata_cb_t callback, enum qemu_plugin_cb_flags flags, void *data) {
    (void) flags;
    block->executed = callback;
    block->executed_data = data;
}

void qemu_plugin_register_vcpu_insn_exec_cb(
    struct qemu_plugin_insn *instruction, qemu_plugin_vcpu_udata_cb_t callback, enum qemu_plugin_cb_flags flags,
    void *data) {
    (void) flags;
    instruction->executed = callback;
    instruction->executed_data = data;
}

/* None accesses memory but the mark of a phase. */
void qemu_plugin_register_vcpu_mem_cb(
    struct qemu_plugin_insn *instruction, qemu_plugin_vcpu_mem_cb_t callback, enum qemu_plugin_cb_flags flags,
    enum qemu_plugin_mem_rw which, void *data) {
    (void) flags, (void) which;
    instruction->touched = callback;
    instruction->touched_data = data;
}

unsigned int qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info) {
    return info;
}

bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info) {
    return info != 0;
}

/* A program. */

/* A thread executes a block that lies in this line of 64 bytes; operation: the mark that it begins with, or none. */
static void execute(unsigned vcpu, uint64_t line, int operation) {
    struct qemu_plugin_tb block;
    memset(&block, 0, sizeof block);
    for (size_t i = 0; i < BLOCK_INSTRUCTIONS; i++) {
        block.instructions[i].address = BASE + line * 64 + i * INSTRUCTION_BYTES;
    }
    if (operation >= 0) {
        uint8_t mark[] = {0x0f, 0x1f, 0x80, (uint8_t) operation, (uint8_t) (operation >> 8), 0x53, 0x4c};
        memcpy(block.instructions[0].bytes, mark, sizeof mark);
    }
    translated(0, &block);
    block.executed(vcpu, block.executed_data);
    for (size_t i = 0; i < BLOCK_INSTRUCTIONS; i++) {
        if (block.instructions[i].executed != NULL) {
            block.instructions[i].executed(vcpu, block.instructions[i].executed_data);
        }
    }
}

static void call(unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3) {
    called(0, vcpu, number, a1, a2, a3, 0, 0, 0, 0, 0);
}

static void yield(unsigned vcpu) {
    call(vcpu, CALL_YIELD, 0, 0, 0);
}

static void come_back(unsigned vcpu) {
    returned(0, vcpu, running[vcpu]->call_number, 0);
}

static void mark(unsigned vcpu, long kind, uint64_t value) {
    call(vcpu, LOCKSTEP_MARKER_SYSTEM_CALL, (uint64_t) kind, value, 0);
}

/* A thread comes to a store that marks a phase, in a block that counts as executed before. */
static void mark_phase(unsigned vcpu, uint64_t offset) {
    struct qemu_plugin_tb block;
    memset(&block, 0, sizeof block);
    struct qemu_plugin_insn *store = &block.instructions[0];
    static const uint8_t MARK[] = {0xc7, 0x00, 0x48, 0x50, 0x53, 0x4c};
    memcpy(store->bytes, MARK, sizeof MARK);
    store->marks_phase = true;
    store->address = BASE;
    block.instructions[1].address = BASE + sizeof MARK;
    translated(0, &block);
    CHECK(store->touched != NULL);
    store->touched(vcpu, STORE_OF_WORD, LOCKSTEP_PHASE_PAGE_BYTES + offset, store->touched_data);
}

static void enter_phase(unsigned vcpu, uint64_t phase) {
    mark_phase(vcpu, 4 * phase);
}

static void leave_phase(unsigned vcpu, uint64_t phase) {
    mark_phase(vcpu, LOCKSTEP_PHASE_LEAVES + 4 * phase);
}

/* The plugin in a process that begins: one thread, number 0. */
static void install(const char *text) {
    char config[FILE_CHARACTERS_MAX];
    char out[FILE_CHARACTERS_MAX];
    char lines[FILE_CHARACTERS_MAX];
    snprintf(config, sizeof config, "config=%s/machine.txt", directory);
    snprintf(out, sizeof out, "out=%s/results.json", directory);
    snprintf(lines, sizeof lines, "code=%s/lines.txt", directory);
    FILE *file = fopen(strchr(config, '=') + 1, "w");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) {
        printf("cannot write %s\n", config);
        exit(EXIT_FAILURE);
    }
    char *arguments[] = {config, out, lines};
    struct qemu_info info = {.target_name = "x86_64"};
    if (qemu_plugin_install(0, &info, 3, arguments) != 0) {
        exit(EXIT_FAILURE);
    }
}

static uint64_t counted(uint32_t phase, uint32_t operation) {
    uint64_t sum = 0;
    for (uint32_t account = 0; account < accounts; account++) {
        if (account_phases[account] == phase && account_operations[account] == operation) {
            struct model_counts counts;
            model_counts(model, 0, account, &counts);
            sum += counts.instructions;
        }
    }
    return sum;
}

/* Misses of instructions that a thread has charged to its code in a phase. */
static uint64_t missed(unsigned vcpu, uint32_t phase) {
    uint64_t sum = 0;
    for (const struct code_table *table = running[vcpu]->code->first; table != NULL; table = table->next) {
        for (uint32_t i = 0; i < table->missed_capacity && table->phase == phase; i++) {
            sum += table->missed[i].level[LEVEL_L1I];
        }
    }
    return sum;
}

/*
 * On the one processor sits thread 0, in operation 1; thread 1, in operation 2, has waited in vain and executed a block
 * meanwhile. Then thread 0 hands the processor over, by a mark that it does not come back from.
 */
static void hand_over(const char *text, bool enters_phase) {
    install(text);
    begun(0, 1);
    come_back(0);
    execute(0, 0, 1);
    execute(0, 1, -1);
    execute(0, 2, -1);
    come_back(1);
    execute(1, 3, 2);
    execute(1, 4, -1);
    CHECK_EQUAL(MODE_DEFER, running[1]->mode);
    CHECK(!running[1]->waiter.sits);
    if (enters_phase) {
        enter_phase(0, 1);
    } else {
        mark(0, 0, 1);
    }
    CHECK(running[1]->waiter.sits);
}

static const char PRIVATE_MACHINE[] = "l1i=32K,8,64\n";
static const char GATHERING_MACHINE[] = "l1i=32K,8,64\nitlb=64,4\n";

/* Of the block that marks an operation, all belongs to the operation before. */
static void check_handed_over(void) {
    CHECK_EQUAL(2, counted(0, 0));
    CHECK_EQUAL(4, counted(0, 1));
    CHECK_EQUAL(3, missed(0, 0));
}

static void a_thread_that_was_handed_its_seat_sits_down_before_it_leaves(void) {
    hand_over(PRIVATE_MACHINE, false);
    yield(1);
    check_handed_over();
    CHECK_EQUAL(4, counted(0, 2));
    CHECK_EQUAL(2, missed(1, 0));
}

static void the_same_where_events_are_gathered(void) {
    hand_over(GATHERING_MACHINE, false);
    yield(1);
    check_handed_over();
    CHECK_EQUAL(4, counted(0, 2));
    CHECK_EQUAL(2, missed(1, 0));
}

static void it_sits_down_before_it_follows_the_phase(void) {
    hand_over(PRIVATE_MACHINE, true);
    execute(1, 5, -1);
    yield(1);
    check_handed_over();
    CHECK_EQUAL(4, counted(0, 2));
    CHECK_EQUAL(2, counted(1, 2));
}

static void it_adds_nothing_to_others_at_the_end(void) {
    hand_over(PRIVATE_MACHINE, false);
    ended(0, NULL);
    check_handed_over();
    CHECK_EQUAL(0, missed(1, 0));
}

static void misses_gathered_before_a_phase_are_not_its_own(void) {
    install(GATHERING_MACHINE);
    begun(0, 1);
    come_back(0);
    execute(0, 0, -1);
    execute(0, 1, -1);
    enter_phase(1, 1);
    execute(0, 2, -1);
    yield(0);
    CHECK_EQUAL(4, counted(0, 0));
    CHECK_EQUAL(2, missed(0, 0));
    CHECK_EQUAL(2, counted(1, 0));
    CHECK_EQUAL(1, missed(0, 1));
}

static void a_phase_is_left_by_its_own_mark_alone(void) {
    install(PRIVATE_MACHINE);
    begun(0, 1);
    come_back(0);
    enter_phase(0, LOCKSTEP_PHASE_MAX);
    execute(0, 0, -1);
    leave_phase(0, 1);
    mark_phase(0, 0);
    mark_phase(0, LOCKSTEP_PHASE_LEAVES);
    mark_phase(0, 4 * (LOCKSTEP_PHASE_MAX + 1));
    execute(0, 1, -1);
    leave_phase(0, LOCKSTEP_PHASE_MAX);
    execute(0, 2, -1);
    yield(0);
    CHECK_EQUAL(4, counted(LOCKSTEP_PHASE_MAX, 0));
    CHECK_EQUAL(2, counted(0, 0));
}

static void a_renamed_thread_keeps_its_core_and_is_forgotten_by_it(void) {
    install("cores=2\nl1i=32K,8,64\n");
    begun(0, 1);
    mark(1, LOCKSTEP_MARKER_THREAD_CORE, 1);
    char name[THREAD_NAME_BYTES] = "lockstep-writer";
    call(1, CALL_PRCTL, PR_SET_NAME, (uint64_t) (uintptr_t) name, 0);
    CHECK_EQUAL(THREAD_ENGINE, running[1]->class);
    CHECK_EQUAL(1, running[1]->processor);
    call(1, CALL_EXIT, 0, 0, 0);
    for (unsigned vcpu = 2; vcpu <= 3; vcpu++) {
        begun(0, vcpu);
        come_back(vcpu);
        CHECK_EQUAL(vcpu - 2, running[vcpu]->processor);
    }
}

static void threads_bound_to_a_core_take_its_hardware_threads(void) {
    install("cores=2\nsmt=2\nl1i=32K,8,64\n");
    static const uint64_t CORES[] = {0, 1, 1, 0, 2};
    static const uint32_t PROCESSORS[] = {0, 2, 3, 1, 0};
    for (unsigned i = 0; i < sizeof CORES / sizeof CORES[0]; i++) {
        begun(0, i + 1);
        mark(i + 1, LOCKSTEP_MARKER_THREAD_CORE, CORES[i]);
        CHECK_EQUAL(PROCESSORS[i], running[i + 1]->processor);
    }
    mark(2, LOCKSTEP_MARKER_THREAD_CORE, 1);
    CHECK_EQUAL(2, running[2]->processor);
}

/* Of memory that the process really has. */
static uint64_t resident_bytes(void) {
    unsigned long all = 0;
    unsigned long resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%lu %lu", &all, &resident) != 2) {
        exit(EXIT_FAILURE);
    }
    fclose(file);
    return resident * (uint64_t) sysconf(_SC_PAGESIZE);
}

static void records_of_blocks_are_reclaimed_at_a_flush(void) {
    install("l1i=32K,8,64\n");
    begun(0, 1);
    come_back(0);
    struct qemu_plugin_tb block;
    memset(&block, 0, sizeof block);
    uint64_t begin_bytes = resident_bytes();
    uint64_t filled_bytes = 0;
    for (uint32_t i = 0; i < FLUSHES; i++) {
        for (uint32_t j = 0; j < BLOCKS_BETWEEN_FLUSHES; j++) {
            block.instructions[0].address = BASE;
            block.instructions[1].address = BASE + INSTRUCTION_BYTES;
            translated(0, &block);
        }
        block.executed(0, block.executed_data);
        filled_bytes = i == 0 ? resident_bytes() - begin_bytes : filled_bytes;
        CHECK(running[0]->previous == block.executed_data);
        flushed(0);
        CHECK(running[0]->previous == NULL);
    }
    CHECK(filled_bytes >= (uint64_t) 8 << 20);
    CHECK(resident_bytes() - begin_bytes < 2 * filled_bytes);
    CHECK_EQUAL(FLUSHES, blocks_flushes());
    CHECK_EQUAL(FLUSHES * BLOCKS_BETWEEN_FLUSHES, blocks_total());
    yield(0);
    CHECK_EQUAL(FLUSHES * BLOCK_INSTRUCTIONS, counted(0, 0));
}

/* The first thread is a compiler's, which is not simulated, and leaves an operation and instructions behind. */
static void a_thread_with_the_number_of_an_ended_one_begins_anew(void) {
    install("cores=2\nl1i=32K,8,64\n");
    begun(0, 1);
    mark(1, LOCKSTEP_MARKER_THREAD_CORE, 1);
    char name[THREAD_NAME_BYTES] = "C2 CompilerThre";
    call(1, CALL_PRCTL, PR_SET_NAME, (uint64_t) (uintptr_t) name, 0);
    come_back(1);
    execute(1, 0, 2);
    execute(1, 1, -1);
    struct thread *compiler = running[1];
    CHECK_EQUAL(MODE_OUT, compiler->mode);
    call(1, CALL_EXIT, 0, 0, 0);
    begun(0, 1);
    struct thread *client = running[1];
    CHECK(client != compiler);
    CHECK_EQUAL(THREAD_CLIENT, client->class);
    CHECK_EQUAL(0, client->instructions);
    come_back(1);
    execute(1, 2, -1);
    CHECK_EQUAL(0, client->processor);
    yield(1);
    /* What each executed stays its own. */
    CHECK_EQUAL(4, compiler->instructions);
    CHECK_EQUAL(2, client->instructions);
    CHECK_EQUAL(2, counted(0, 0));
    CHECK_EQUAL(0, counted(0, 2));
    tally(client);
    CHECK_EQUAL(4, tallies.instructions[0][THREAD_COMPILER]);
    CHECK_EQUAL(2, tallies.instructions[0][THREAD_CLIENT]);
}

/* It writes a log, say, behind the one that is simulated. */
static void threads_of_the_engine_are_simulated_where_that_is_asked_for(void) {
    install("cores=2\nl1i=32K,8,64\n");
    for (unsigned vcpu = 1; vcpu <= 2; vcpu++) {
        begun(0, vcpu);
        char name[THREAD_NAME_BYTES] = "lockstep-log-wr";
        call(vcpu, CALL_PRCTL, PR_SET_NAME, (uint64_t) (uintptr_t) name, 0);
        settings.engine_threads = vcpu == 2;
        come_back(vcpu);
        execute(vcpu, 0, -1);
        CHECK_EQUAL(vcpu == 2 ? MODE_DIRECT : MODE_OUT, running[vcpu]->mode);
        yield(vcpu);
        CHECK_EQUAL(vcpu == 2 ? BLOCK_INSTRUCTIONS : 0, counted(0, OPERATION_ENGINE));
        CHECK_EQUAL(BLOCK_INSTRUCTIONS, running[vcpu]->instructions);
        tally(running[vcpu]);
        CHECK_EQUAL(vcpu * BLOCK_INSTRUCTIONS, tallies.instructions[0][THREAD_ENGINE]);
    }
}

/* Both execute a block in turns of their own; who does not sit keeps what it executes for when it does. */
static void threads_of_a_core_sit_one_at_a_time_for_the_stated_turn(void) {
    install("l1i=32K,8,64\n");
    settings.turn = TURN_INSTRUCTIONS;
    begun(0, 1);
    come_back(0);
    come_back(1);
    uint32_t blocks_of_turn = 0;
    struct thread *sitting = running[0];
    for (int i = 0; i < 6 * TURN_INSTRUCTIONS; i++) {
        execute(0, 0, -1);
        execute(1, 1, -1);
        CHECK(!running[0]->waiter.sits || !running[1]->waiter.sits);
        CHECK(running[0]->waiter.sits || running[1]->waiter.sits);
        blocks_of_turn++;
        if (seats[0].sitting != sitting) {
            /* The first turn began with the call that thread 0 came back from. */
            CHECK(blocks_of_turn * BLOCK_INSTRUCTIONS >= TURN_INSTRUCTIONS);
            CHECK(blocks_of_turn * BLOCK_INSTRUCTIONS <= TURN_INSTRUCTIONS + BLOCK_INSTRUCTIONS);
            sitting = seats[0].sitting;
            blocks_of_turn = 0;
        }
    }
    CHECK(seats[0].turns >= 10);
    CHECK(seats[0].turns <= 12);
}

static void who_passes_its_seat_on_waits_for_it_at_once(void) {
    install("l1i=32K,8,64\n");
    begun(0, 1);
    come_back(0);
    seat_pass_on(&seats[0], running[0]);
    CHECK(running[0]->waiter.sits);
    come_back(1);
    CHECK_EQUAL(1, seats[0].waiting);
    seat_pass_on(&seats[0], running[0]);
    CHECK(seats[0].sitting == running[1]);
    CHECK(seats[0].first == running[0]);
    CHECK_EQUAL(1, seats[0].waiting);
}

static void a_thread_whose_exit_is_restarted_stays_ended(void) {
    install(GATHERING_MACHINE);
    begun(0, 1);
    come_back(1);
    execute(1, 0, -1);
    call(1, CALL_EXIT, 0, 0, 0);
    /* A signal came first: the program handles it, and then calls again. */
    returned(0, 1, CALL_EXIT, RESTART);
    CHECK(seats[0].sitting == NULL);
    execute(1, 1, -1);
    call(1, CALL_EXIT, 0, 0, 0);
    CHECK(running[1]->ended);
    CHECK_EQUAL(2, counted(0, 0));
}

/* In a process of its own, because the plugin is installed once. */
#define RUN_APART(test) run_apart(#test, test)

static void run_apart(const char *name, void (*test)(void)) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        check_test = name;
        check_failures = 0;
        test();
        exit(check_failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    int status = -1;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
        check_failures++;
        printf("%s: status=%d\n", name, status);
    }
}

int main(int count, char **arguments) {
    directory = count > 1 ? arguments[1] : ".";
    RUN_APART(a_thread_that_was_handed_its_seat_sits_down_before_it_leaves);
    RUN_APART(the_same_where_events_are_gathered);
    RUN_APART(it_sits_down_before_it_follows_the_phase);
    RUN_APART(it_adds_nothing_to_others_at_the_end);
    RUN_APART(misses_gathered_before_a_phase_are_not_its_own);
    RUN_APART(a_phase_is_left_by_its_own_mark_alone);
    RUN_APART(a_renamed_thread_keeps_its_core_and_is_forgotten_by_it);
    RUN_APART(threads_bound_to_a_core_take_its_hardware_threads);
    RUN_APART(records_of_blocks_are_reclaimed_at_a_flush);
    RUN_APART(a_thread_with_the_number_of_an_ended_one_begins_anew);
    RUN_APART(threads_of_the_engine_are_simulated_where_that_is_asked_for);
    RUN_APART(threads_of_a_core_sit_one_at_a_time_for_the_stated_turn);
    RUN_APART(who_passes_its_seat_on_waits_for_it_at_once);
    RUN_APART(a_thread_whose_exit_is_restarted_stays_ended);
    return check_result();
}
