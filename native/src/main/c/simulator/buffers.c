#define _GNU_SOURCE
#include "buffers.h"

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/* As Linux bounds a vector. */
#define VECTORS_MAX 1024

/*
 * Numbers of system calls on x86-64, and what they do to the program's memory: the kernel writes what a program reads.
 * A vector is a list of buffers, and a message has such a list. sendfile is not among them: it moves data from file to
 * file, and the program has no buffer of it.
 */
struct call {
    int64_t number;
    int kind;
    enum { BUFFER, VECTOR, MESSAGE } form;
};

static const struct call CALLS[] = {
    {0, MODEL_STORE, BUFFER}, /* read */
    {1, MODEL_LOAD, BUFFER}, /* write */
    {17, MODEL_STORE, BUFFER}, /* pread64 */
    {18, MODEL_LOAD, BUFFER}, /* pwrite64 */
    {19, MODEL_STORE, VECTOR}, /* readv */
    {20, MODEL_LOAD, VECTOR}, /* writev */
    {44, MODEL_LOAD, BUFFER}, /* sendto */
    {45, MODEL_STORE, BUFFER}, /* recvfrom */
    {46, MODEL_LOAD, MESSAGE}, /* sendmsg */
    {47, MODEL_STORE, MESSAGE}, /* recvmsg */
    {295, MODEL_STORE, VECTOR}, /* preadv */
    {296, MODEL_LOAD, VECTOR}, /* pwritev */
    {318, MODEL_STORE, BUFFER}, /* getrandom, whose buffer comes first */
    {327, MODEL_STORE, VECTOR}, /* preadv2 */
    {328, MODEL_LOAD, VECTOR}, /* pwritev2 */
};

#define CALL_GETRANDOM 318

static const struct call *find(int64_t number) {
    for (size_t i = 0; i < sizeof CALLS / sizeof CALLS[0]; i++) {
        if (CALLS[i].number == number) {
            return &CALLS[i];
        }
    }
    return NULL;
}

bool buffers_read(uint64_t address, void *copy, size_t bytes) {
    struct iovec to = {copy, bytes};
    /* The program's addresses are this process's. */
    struct iovec from = {(void *) (uintptr_t) address, bytes};
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t) bytes;
}

bool buffers_write(uint64_t address, const void *bytes_new, size_t bytes) {
    struct iovec from = {(void *) (uintptr_t) bytes_new, bytes};
    struct iovec to = {(void *) (uintptr_t) address, bytes};
    return process_vm_writev(getpid(), &from, 1, &to, 1, 0) == (ssize_t) bytes;
}

bool buffers_work(void) {
    uint64_t word = 1;
    uint64_t copy = 0;
    return buffers_read((uintptr_t) &word, &copy, sizeof copy) && copy == word
        && buffers_write((uintptr_t) &copy, &word, sizeof word);
}

bool buffers_moves(int64_t number) {
    return find(number) != NULL;
}

static void touch_vectors(
    struct thread *thread, const struct call *call, uint64_t address, uint64_t count, uint64_t left) {
    for (uint64_t i = 0; i < count && i < VECTORS_MAX && left > 0; i++) {
        struct iovec vector;
        if (!buffers_read(address + i * sizeof vector, &vector, sizeof vector)) {
            return;
        }
        uint64_t bytes = vector.iov_len < left ? vector.iov_len : left;
        feed_access(thread, (uint64_t) (uintptr_t) vector.iov_base, bytes, call->kind);
        left -= bytes;
    }
}

void buffers_touch(struct thread *thread, int64_t number, const uint64_t arguments[3], int64_t result) {
    const struct call *call = find(number);
    if (call == NULL || result <= 0) {
        return;
    }
    uint64_t moved = (uint64_t) result;
    struct msghdr message;
    switch (call->form) {
        case VECTOR:
            touch_vectors(thread, call, arguments[1], arguments[2], moved);
            break;
        case MESSAGE:
            if (buffers_read(arguments[1], &message, sizeof message)) {
                touch_vectors(thread, call, (uint64_t) (uintptr_t) message.msg_iov, message.msg_iovlen, moved);
            }
            break;
        case BUFFER:
            feed_access(thread, arguments[number == CALL_GETRANDOM ? 0 : 1], moved, call->kind);
            break;
    }
}
