/*
 * The QEMU plugin: turns what a program executes into events of the model. Arguments: see ARGUMENTS below.
 *
 *   plugin.c      arguments, callbacks, the end
 *   execution.c   translated and executed blocks, accesses
 *   calls.c       threads, system calls, marks
 *   feed.c        who sits on which processor, and when it hands its events to the model
 *   books.c       what is charged to which phase and operation
 *   pace.c        processors in step
 *   affinity.c    their threads on one real processor
 *   traces.c      the instructions of single operations
 *   discards.c    changed code, for processors that share nothing
 *
 * Threads: QEMU calls back on the thread of the virtual processor that is meant, many at a time. While it flushes its
 * translations, and when the program ends, no virtual processor executes what calls back, but threads may be in
 * callbacks of system calls.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "blocks.h"
#include "buffers.h"
#include "code_lines.h"
#include "state.h"

/* Instructions for which a simulated processor may be ahead: see pace.h. */
#define QUANTUM_DEFAULT 200

/* Some milliseconds of a real processor, as an operating system's time slice. */
#define TURN_DEFAULT 1000000

static const char ARGUMENTS[] =
    "config=FILE (machine), out=FILE (results), code=FILE (executed lines), trace=FILE (instructions of operations),"
    " step=INSTRUCTIONS (0: not in step),"
    " turn=INSTRUCTIONS, buffers=on|off, engine=on|off, jvm=on|off,"
    " branches=COUNTERS:TARGETS:INDIRECT:RETURNS (entries, powers of two but for the last),"
    " wait=on|off (outside phases, only count)";

QEMU_API int qemu_plugin_version = QEMU_PLUGIN_INTERFACE;

struct settings settings = {
    .quantum = QUANTUM_DEFAULT, .turn = TURN_DEFAULT, .buffers = true};
struct machine machine;
struct model *model;
bool gathers;
struct pace *pace;
struct seat *seats;
uint32_t processors;
bool wants_data;
struct branch_unit *branch_units;
struct code_lines *code;
struct traces *traces;
pid_t process;
qemu_plugin_id_t plugin_id;

static uint64_t began_nanos;

static void on_end(qemu_plugin_id_t id, void *data) {
    (void) id, (void) data;
    if (getpid() != process) {
        /* A child of fork has a copy of this memory, and nothing to tell. */
        return;
    }
    uint64_t now = now_nanos();
    tallies.nanos[atomic_load(&phase_now)] += now - phase_began_nanos;
    for (struct thread *thread = threads; thread != NULL; thread = thread->older) {
        if (!thread->ended) {
            if (is_seated(thread)) {
                finish_accesses(thread);
                submit(thread);
            }
            tally(thread);
        }
    }
    model_end_lifetimes(model);
    struct results results = {
        .branch_units = branch_units, .settings = &settings, .machine = &machine, .model = model, .seats = seats,
        .pace = pace, .tallies = &tallies,
        .threads = threads, .nanos = now - began_nanos, .account_phases = account_phases,
        .account_operations = account_operations, .accounts = accounts, .accounts_lost = accounts_lost,
        .flushes = blocks_flushes(), .blocks = blocks_total(), .restarts = atomic_load(&restarts),
        .regions = told_regions, .region_count = told_region_count};
    int error = results_write(&results);
    if (error != 0) {
        fprintf(stderr, "lockstep: the results cannot be written: file=%s: %s\n", settings.out, strerror(error));
    }
    char message[MESSAGE_BYTES];
    if (traces != NULL && traces_close(traces, message, sizeof message) != 0) {
        fprintf(stderr, "lockstep: %s\n", message);
    }
    if (code != NULL && code_lines_write(code, message, sizeof message) != 0) {
        fprintf(stderr, "lockstep: %s\n", message);
    }
}

static void register_callbacks(qemu_plugin_id_t id) {
    qemu_plugin_register_vcpu_init_cb(id, on_vcpu);
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    qemu_plugin_register_vcpu_syscall_cb(id, on_call);
    qemu_plugin_register_vcpu_syscall_ret_cb(id, on_return);
    qemu_plugin_register_flush_cb(id, on_flush);
    qemu_plugin_register_atexit_cb(id, on_end, NULL);
}

/* A thread that began while nobody was told. */
static void on_vcpu_there(qemu_plugin_id_t id, unsigned int vcpu) {
    if (vcpu < THREADS_MAX && (running[vcpu] == NULL || running[vcpu]->ended)) {
        on_vcpu(id, vcpu);
    }
}

void on_reset(qemu_plugin_id_t id) {
    qemu_plugin_vcpu_for_each(id, on_vcpu_there);
    register_callbacks(id);
}

static bool parse_count(const char *text, uint64_t *count) {
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno != 0 || end == text || *end != 0 || *text == '-') {
        return false;
    }
    *count = value;
    return true;
}

static bool parse_switch(const char *text, bool *on) {
    *on = strcmp(text, "on") == 0;
    return *on || strcmp(text, "off") == 0;
}

static bool parse(char *argument) {
    char *value = strchr(argument, '=');
    if (value == NULL) {
        return false;
    }
    *value++ = 0;
    if (strcmp(argument, "config") == 0) {
        return (settings.config = strdup(value)) != NULL;
    }
    if (strcmp(argument, "out") == 0) {
        return (settings.out = strdup(value)) != NULL;
    }
    if (strcmp(argument, "code") == 0) {
        return (settings.code = strdup(value)) != NULL;
    }
    if (strcmp(argument, "trace") == 0) {
        return (settings.trace = strdup(value)) != NULL;
    }
    if (strcmp(argument, "step") == 0) {
        return parse_count(value, &settings.quantum);
    }
    if (strcmp(argument, "turn") == 0) {
        return parse_count(value, &settings.turn) && settings.turn > 0;
    }
    if (strcmp(argument, "buffers") == 0) {
        return parse_switch(value, &settings.buffers);
    }
    if (strcmp(argument, "engine") == 0) {
        return parse_switch(value, &settings.engine_threads);
    }
    if (strcmp(argument, "jvm") == 0) {
        return parse_switch(value, &settings.jvm_threads);
    }
    if (strcmp(argument, "branches") == 0) {
        return branches_parse(value, &settings.branches);
    }
    if (strcmp(argument, "wait") == 0) {
        return parse_switch(value, &settings.waits);
    }
    return false;
}

static bool create_machine(void) {
    char error[MESSAGE_BYTES];
    if (machine_read(&machine, settings.config, error, sizeof error) != 0) {
        fprintf(stderr, "lockstep: %s\n", error);
        return false;
    }
    machine.accounts = MACHINE_ACCOUNTS_MAX;
    model = model_create(&machine);
    if (model == NULL) {
        fprintf(stderr, "lockstep: no memory is left for the simulated machine, or it cannot be simulated: %s\n",
            settings.config);
        return false;
    }
    processors = machine_processors(&machine);
    seats = calloc(processors, sizeof *seats);
    bool shares = !model_parallel(model);
    bool translates = machine.itlb.entries + machine.dtlb.entries + machine.stlb.entries > 0;
    gathers = shares || translates;
    pace = shares && processors > 1 && settings.quantum > 0 ? pace_create(processors, settings.quantum) : NULL;
    if (seats == NULL || (pace == NULL && shares && processors > 1 && settings.quantum > 0)) {
        fprintf(stderr, "lockstep: no memory is left for the simulated machine.\n");
        return false;
    }
    for (uint32_t i = 0; i < processors; i++) {
        seat_open(&seats[i]);
    }
    feed_open();
    wants_data = model_wants_data(model);
    if (settings.branches.counters > 0) {
        branch_units = allocate(processors * sizeof *branch_units);
        for (uint32_t i = 0; i < processors; i++) {
            branch_units[i].branches = branches_create(&settings.branches);
            if (branch_units[i].branches == NULL) {
                die("no memory is left for the branch predictors; make them smaller.");
            }
        }
    }
    return true;
}

QEMU_API int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int count, char **arguments) {
    if (info->system_emulation || strcmp(info->target_name, "x86_64") != 0) {
        fprintf(stderr, "lockstep: the simulator is for programs of x86-64 under qemu-x86_64, not for %s.\n",
            info->target_name);
        return -1;
    }
    for (int i = 0; i < count; i++) {
        char *copy = strdup(arguments[i]);
        if (copy == NULL || !parse(copy)) {
            fprintf(stderr, "lockstep: the plugin does not know the argument %s; it takes %s.\n", arguments[i],
                ARGUMENTS);
            return -1;
        }
        free(copy);
    }
    if (!buffers_work()) {
        fprintf(stderr,
            "lockstep: the plugin cannot read and write the program's memory, since the system forbids the calls"
            " process_vm_readv and process_vm_writev: %s; remedy: allow them, in a container by its seccomp profile.\n",
            strerror(errno));
        return -1;
    }
    if (settings.config == NULL || settings.out == NULL) {
        fprintf(stderr, "lockstep: the plugin needs config=FILE and out=FILE.\n");
        return -1;
    }
    if (!create_machine()) {
        return -1;
    }
    char error[MESSAGE_BYTES];
    if (settings.code != NULL && (code = code_lines_open(settings.code, error, sizeof error)) == NULL) {
        fprintf(stderr, "lockstep: %s\n", error);
        return -1;
    }
    if (settings.trace != NULL && (traces = traces_open(settings.trace, error, sizeof error)) == NULL) {
        fprintf(stderr, "lockstep: %s\n", error);
        return -1;
    }
    process = getpid();
    atomic_store(&feeds, !settings.waits);
    atomic_store(&called_back, !settings.waits);
    began_nanos = phase_began_nanos = now_nanos();
    running[0] = add_thread(0);
    plugin_id = id;
    register_callbacks(id);
    return 0;
}
