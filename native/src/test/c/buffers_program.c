/*
 * System calls that move a program's memory, one kind in each phase, CALLS times with BYTES each: the kernel moves
 * them, and no instruction of the program touches them.
 *   1  read          2  write         3  pread         4  pwrite
 *   5  readv         6  writev        7  preadv        8  pwritev, each with vectors of half the bytes and all of them,
 *      of which the kernel moves so much as the file has or the program asked for
 *   9  sendto       10  recvfrom
 *  11  getrandom    12  a read that fails, and one at the file's end, which move nothing
 *  13  preadv2      14  pwritev2, as 7 and 8
 *  15  sendmsg      16  recvmsg, with both vectors
 *  17  sendfile, which moves nothing of the program's
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "lockstep_marker.h"

#define CALLS 10
#define BYTES (64 << 10)

static _Alignas(4096) unsigned char buffer[2 * BYTES];

/* In phase PHASE makes a call that has to return EXPECTED, as often as all do; what goes before each is in no phase. */
#define REPEAT(phase, before, call, expected) \
    do { \
        for (int turn = 0; turn < CALLS; turn++) { \
            before; \
            lockstep_phase_begin(phase); \
            ssize_t moved = call; \
            lockstep_phase_end(phase); \
            if (moved != (expected)) { \
                fprintf(stderr, "phase=%d moved=%zd\n", phase, moved); \
                return 1; \
            } \
        } \
    } while (0)

int main(void) {
    int file = memfd_create("buffers", 0);
    int sockets[2];
    int large = 4 * BYTES;
    struct iovec vectors[] = {{buffer, BYTES / 2}, {buffer + BYTES, BYTES}};
    memset(buffer, 1, sizeof buffer);
    /* One and a half times what is read in one call at the first place, so that vectors are filled. */
    if (file < 0 || pwrite(file, buffer, sizeof buffer, 0) != (ssize_t) sizeof buffer
            || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0
            || setsockopt(sockets[0], SOL_SOCKET, SO_SNDBUF, &large, sizeof large) != 0) {
        return 1;
    }
    REPEAT(1, lseek(file, 0, SEEK_SET), read(file, buffer, BYTES), BYTES);
    REPEAT(2, lseek(file, 0, SEEK_SET), write(file, buffer, BYTES), BYTES);
    REPEAT(3, , pread(file, buffer, BYTES, 0), BYTES);
    REPEAT(4, , pwrite(file, buffer, BYTES, 0), BYTES);
    /* Half a vector's bytes are left of the file: the second buffer is filled to its half. */
    REPEAT(5, lseek(file, BYTES, SEEK_SET), readv(file, vectors, 2), BYTES);
    REPEAT(6, lseek(file, 0, SEEK_SET), writev(file, vectors, 2), BYTES + BYTES / 2);
    REPEAT(7, , preadv(file, vectors, 2, BYTES), BYTES);
    REPEAT(8, , pwritev(file, vectors, 2, 0), BYTES + BYTES / 2);
    for (int turn = 0; turn < CALLS; turn++) {
        lockstep_phase_begin(9);
        ssize_t sent = sendto(sockets[0], buffer, BYTES, 0, NULL, 0);
        lockstep_phase_end(9);
        lockstep_phase_begin(10);
        ssize_t received = recvfrom(sockets[1], buffer, BYTES, MSG_WAITALL, NULL, NULL);
        lockstep_phase_end(10);
        if (sent != BYTES || received != BYTES) {
            fprintf(stderr, "sent=%zd received=%zd\n", sent, received);
            return 1;
        }
    }
    REPEAT(11, , getrandom(buffer, BYTES, 0), BYTES);
    REPEAT(12, lseek(file, 0, SEEK_END), read(-1, buffer, BYTES) + 1 + read(file, buffer, BYTES), 0);
    REPEAT(13, , preadv2(file, vectors, 2, BYTES, 0), BYTES);
    REPEAT(14, , pwritev2(file, vectors, 2, 0, 0), BYTES + BYTES / 2);
    struct msghdr message = {.msg_iov = vectors, .msg_iovlen = 2};
    for (int turn = 0; turn < CALLS; turn++) {
        lockstep_phase_begin(15);
        ssize_t sent = sendmsg(sockets[0], &message, 0);
        lockstep_phase_end(15);
        lockstep_phase_begin(16);
        ssize_t received = recvmsg(sockets[1], &message, MSG_WAITALL);
        lockstep_phase_end(16);
        if (sent != BYTES + BYTES / 2 || received != sent) {
            fprintf(stderr, "sent=%zd received=%zd of a message\n", sent, received);
            return 1;
        }
    }
    int copy = memfd_create("copy", 0);
    off_t from;
    REPEAT(17, (from = 0, lseek(copy, 0, SEEK_SET)), sendfile(copy, file, &from, BYTES), BYTES);
    return 0;
}
