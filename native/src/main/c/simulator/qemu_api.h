/*
 * The part of QEMU's TCG plugin interface, version 1, that the simulator uses. QEMU 7.2 exports these functions from
 * its own executable; distributions ship no header for them, so the ones needed are declared here, in our own words.
 * They resolve when QEMU loads the plugin.
 *
 * Strings, blocks and instructions belong to QEMU and live as long as the callback that got them.
 */
#ifndef LOCKSTEP_QEMU_API_H
#define LOCKSTEP_QEMU_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_API __attribute__((visibility("default")))

/* The interface that this plugin is written for; QEMU refuses to load a plugin of another one. */
#define QEMU_PLUGIN_INTERFACE 1

typedef uint64_t qemu_plugin_id_t;

/* How an access was made; only qemu_plugin_mem_* know its bits. */
typedef uint32_t qemu_plugin_meminfo_t;

struct qemu_plugin_tb;
struct qemu_plugin_insn;

/* What QEMU says about itself. Only the first fields are declared: the rest differs between versions. */
struct qemu_info {
    const char *target_name;
    struct {
        int oldest;
        int current;
    } interface;
    bool system_emulation;
};

/* What a callback may do to the registers. */
enum qemu_plugin_cb_flags {
    QEMU_PLUGIN_CB_NO_REGS = 0,
    QEMU_PLUGIN_CB_R_REGS = 1,
    QEMU_PLUGIN_CB_RW_REGS = 2,
};

/*
 * Which accesses a callback is for. Only both together are declared: QEMU 7.2 takes loads for stores where callbacks
 * are for one kind.
 */
enum qemu_plugin_mem_rw {
    QEMU_PLUGIN_MEM_RW = 3,
};

typedef void (*qemu_plugin_simple_cb_t)(qemu_plugin_id_t id);
typedef void (*qemu_plugin_udata_cb_t)(qemu_plugin_id_t id, void *data);
typedef void (*qemu_plugin_vcpu_simple_cb_t)(qemu_plugin_id_t id, unsigned int vcpu);
typedef void (*qemu_plugin_vcpu_udata_cb_t)(unsigned int vcpu, void *data);
typedef void (*qemu_plugin_vcpu_tb_trans_cb_t)(qemu_plugin_id_t id, struct qemu_plugin_tb *block);
typedef void (*qemu_plugin_vcpu_mem_cb_t)(
    unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *data);
typedef void (*qemu_plugin_vcpu_syscall_cb_t)(
    qemu_plugin_id_t id, unsigned int vcpu, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4,
    uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8);
typedef void (*qemu_plugin_vcpu_syscall_ret_cb_t)(
    qemu_plugin_id_t id, unsigned int vcpu, int64_t number, int64_t result);

/* A thread gets a virtual processor, on its creator's thread; it loses it, on its own. Numbers are used again. */
void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_simple_cb_t callback);
void qemu_plugin_register_vcpu_exit_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_simple_cb_t callback);

/* A block is translated: the only time at which callbacks can be put into it. */
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_tb_trans_cb_t callback);

/* All translations were thrown away; no virtual processor runs meanwhile. */
void qemu_plugin_register_flush_cb(qemu_plugin_id_t id, qemu_plugin_simple_cb_t callback);

/*
 * Soon, while no virtual processor runs: throws all translations away, with the callback of a flush, then forgets all
 * callbacks and calls this one, which registers them anew.
 */
void qemu_plugin_reset(qemu_plugin_id_t id, qemu_plugin_simple_cb_t callback);

/* Calls back, at once and on this thread, for each virtual processor there is. */
void qemu_plugin_vcpu_for_each(qemu_plugin_id_t id, qemu_plugin_vcpu_simple_cb_t callback);

/* The program ends. */
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_udata_cb_t callback, void *data);

/* Before and after a system call; calls that do not return have no second callback. */
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_syscall_cb_t callback);
void qemu_plugin_register_vcpu_syscall_ret_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_syscall_ret_cb_t callback);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);

const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *instruction);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *instruction);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *instruction);

/* Called before the block, or the instruction, is executed. */
void qemu_plugin_register_vcpu_tb_exec_cb(
    struct qemu_plugin_tb *block, qemu_plugin_vcpu_udata_cb_t callback, enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(
    struct qemu_plugin_insn *instruction, qemu_plugin_vcpu_udata_cb_t callback, enum qemu_plugin_cb_flags flags,
    void *data);

/* Called after an access that succeeded. */
void qemu_plugin_register_vcpu_mem_cb(
    struct qemu_plugin_insn *instruction, qemu_plugin_vcpu_mem_cb_t callback, enum qemu_plugin_cb_flags flags,
    enum qemu_plugin_mem_rw which, void *data);

/* The power of two that an access has bytes. */
unsigned int qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);

/* Whether it writes; an atomic access that QEMU makes in one step does both. */
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);

#endif
