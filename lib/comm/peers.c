/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finding the peers and connecting them: stream sockets with abstract names, which Linux forgets with the process.
 * Their token is the lowest peer's; a process of another user is not spoken to.  Every rank listens before any
 * connects, the higher of two numbers connects to the lower and says its own, and nobody waits longer than the
 * deadline.
 */
#define _GNU_SOURCE /* SO_PEERCRED, accept4, POLLRDHUP */

#include "comm/peers.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/status.h"
#include "comm/comm.h"

/* While sockets wait, other ranks may need MPI to go on here. */
static mnp_status wait_for_socket(const mnp__peers *peers, int *tries, double begin, const char *what)
{
    int there;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, peers->mpi, &there, MPI_STATUS_IGNORE);
    if (++*tries < 100)
        sched_yield();
    else
        nanosleep(&(struct timespec){.tv_nsec = 100 * 1000}, NULL);
    if (MPI_Wtime() - begin > peers->deadline)
        return MNP_FAIL(MNP_ERR_TIMEOUT, "%s took longer than %g seconds (MANIPLE_DEADLINE)", what, peers->deadline);
    return MNP_OK;
}

/* ---- connecting ---- */

static struct sockaddr_un name_of(uint64_t token, int number, socklen_t *length_p)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX}; /* abstract: sun_path begins with a 0 byte */
    int written = snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "maniple-%016" PRIx64 "-%d", token, number);
    *length_p = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)written);
    return name;
}

static mnp_status socket_error(const char *call)
{
    return MNP_FAIL(MNP_ERR_COMM, "%s on a socket between the ranks of a node failed: %s", call, strerror(errno));
}

static mnp_status check_user(int socket_fd)
{
    struct ucred user;
    socklen_t length = sizeof user;
    if (getsockopt(socket_fd, SOL_SOCKET, SO_PEERCRED, &user, &length) != 0)
        return socket_error("getsockopt");
    if (user.uid != geteuid())
        return MNP_FAIL(MNP_ERR_COMM, "a process of user %ld answered in place of a rank", (long)user.uid);
    return MNP_OK;
}

static mnp_status listen_as(const mnp__peers *peers, uint64_t token, int *listener_p)
{
    socklen_t length;
    struct sockaddr_un name = name_of(token, peers->mine, &length);
    *listener_p = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (*listener_p < 0)
        return socket_error("socket");
    if (bind(*listener_p, (struct sockaddr *)&name, length) != 0)
        return socket_error("bind");
    return listen(*listener_p, peers->count) == 0 ? MNP_OK : socket_error("listen");
}

static mnp_status connect_to(mnp__peers *peers, uint64_t token, int number)
{
    socklen_t length;
    struct sockaddr_un name = name_of(token, number, &length);
    int tries = 0, fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    double begin = MPI_Wtime();
    if (fd < 0)
        return socket_error("socket");
    peers->sockets[number] = fd;
    while (connect(fd, (struct sockaddr *)&name, length) != 0) {
        if (errno != EAGAIN && errno != EINTR)
            return socket_error("connect");
        MNP_TRY(wait_for_socket(peers, &tries, begin, "connecting to a rank of the node"));
    }
    MNP_TRY(check_user(fd));
    if (send(fd, &peers->mine, sizeof peers->mine, MSG_NOSIGNAL) != (ssize_t)sizeof peers->mine)
        return socket_error("send");
    return MNP_OK;
}

/* The rank that has connected sends its number; the socket is kept under it. */
static mnp_status take_in(mnp__peers *peers, int fd)
{
    int number = -1, tries = 0;
    double begin = MPI_Wtime();
    mnp_status st = check_user(fd);
    while (st == MNP_OK && recv(fd, &number, sizeof number, 0) != (ssize_t)sizeof number) {
        if (errno != EAGAIN && errno != EINTR)
            st = socket_error("recv");
        else
            st = wait_for_socket(peers, &tries, begin, "the greeting of a rank of the node");
    }
    if (st == MNP_OK && (number <= peers->mine || number >= peers->count || peers->sockets[number] >= 0))
        st = MNP_FAIL(MNP_ERR_COMM, "a process that says it is number %d connected to number %d of a node's %d ranks",
                      number, peers->mine, peers->count);
    if (st == MNP_OK)
        peers->sockets[number] = fd;
    else
        close(fd);
    return st;
}

static mnp_status accept_others(mnp__peers *peers, int listener)
{
    int tries = 0, left = peers->count - 1 - peers->mine;
    double begin = MPI_Wtime();
    while (left > 0) {
        int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd >= 0) {
            MNP_TRY(take_in(peers, fd));
            left--;
        } else if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED) {
            MNP_TRY(wait_for_socket(peers, &tries, begin, "waiting for a rank of the node to connect"));
        } else {
            return socket_error("accept");
        }
    }
    return MNP_OK;
}

/* Whether no rank of `mpi` has failed; no sentence travels. */
static bool all_well(MPI_Comm mpi, bool well)
{
    int mine = well, least = 0;
    return MPI_Allreduce(&mine, &least, 1, MPI_INT, MPI_MIN, mpi) == MPI_SUCCESS && least;
}

static mnp_status connect_all(mnp__peers *peers, int listener, uint64_t token)
{
    for (int i = 0; i < peers->mine; i++)
        MNP_TRY(connect_to(peers, token, i));
    return accept_others(peers, listener);
}

/* Connect all peers, or none: false on all ranks of `mpi`, and the words of the one that failed are recorded there. */
static bool connect_peers(mnp__peers *peers, MPI_Comm mpi)
{
    uint64_t token = 0;
    int listener = -1;
    mnp_status st = MNP_OK;
    if (peers->mine == 0 && getrandom(&token, sizeof token, GRND_NONBLOCK) != (ssize_t)sizeof token)
        token = (uint64_t)getpid() << 32 ^ (uint64_t)time(NULL);
    if (MPI_Bcast(&token, 1, MPI_UINT64_T, 0, peers->mpi) != MPI_SUCCESS)
        st = MNP_FAIL(MNP_ERR_COMM, "MPI_Bcast among the ranks of a node failed");
    if (st == MNP_OK && peers->count > 1)
        st = listen_as(peers, token, &listener);
    bool well = all_well(mpi, st == MNP_OK);
    if (well) {
        st = connect_all(peers, listener, token);
        well = all_well(mpi, st == MNP_OK);
    }
    if (listener >= 0)
        close(listener);
    if (st != MNP_OK)
        MNP_LOG(peers->log, MNP_LOG_INFO, "the ranks of a node do not share memory: %s", mnp_error_message());
    return well;
}

/* ---- opening and closing ---- */

static void close_sockets(mnp__peers *peers)
{
    for (int i = 0; peers->sockets && i < peers->count; i++) {
        if (peers->sockets[i] >= 0)
            close(peers->sockets[i]);
        peers->sockets[i] = -1;
    }
}

/* The status, or a failure if another rank's is one: it had no memory. */
static mnp_status all_have_memory(MPI_Comm mpi, mnp_status st)
{
    return all_well(mpi, st == MNP_OK) || st != MNP_OK
               ? st
               : MNP_FAIL(MNP_ERR_PEER, "another rank has no memory for a list of its node's ranks");
}

/* The ranks of that communicator as peers that are not connected yet. */
static mnp_status list_peers(MPI_Comm mpi, MPI_Comm own, mnp__peers *peers)
{
    int rank;
    MPI_Comm_rank(mpi, &rank);
    peers->mpi = own;
    MPI_Comm_set_errhandler(peers->mpi, MPI_ERRORS_RETURN);
    MPI_Comm_rank(peers->mpi, &peers->mine);
    MPI_Comm_size(peers->mpi, &peers->count);
    mnp_status st = mnp__calloc((size_t)peers->count, sizeof *peers->ranks, &peers->ranks);
    if (st == MNP_OK)
        st = mnp__calloc((size_t)peers->count, sizeof *peers->sockets, &peers->sockets);
    for (int i = 0; st == MNP_OK && i < peers->count; i++)
        peers->sockets[i] = -1;
    MNP_TRY(all_have_memory(mpi, st));
    return mnp__mpi_status(MPI_Allgather(&rank, 1, MPI_INT, peers->ranks, 1, MPI_INT, peers->mpi), "MPI_Allgather");
}

/* This rank is to be alone. */
static mnp_status leave(MPI_Comm mpi, mnp__peers *peers)
{
    int rank;
    MPI_Comm alone;
    MPI_Comm_rank(mpi, &rank);
    close_sockets(peers);
    MNP_TRY(mnp__mpi_status(MPI_Comm_dup(MPI_COMM_SELF, &alone), "MPI_Comm_dup"));
    MPI_Comm_free(&peers->mpi);
    MPI_Comm_set_errhandler(alone, MPI_ERRORS_RETURN);
    peers->mpi = alone;
    peers->count = 1;
    peers->mine = 0;
    peers->ranks[0] = rank;
    return MNP_OK;
}

mnp_status mnp__peers_open(const mnp__config *config, MPI_Comm mpi, MPI_Comm node, mnp__peers **peers_p)
{
    mnp__peers *peers = NULL;
    MPI_Comm own = MPI_COMM_NULL;
    int node_rank, most;
    MPI_Comm_rank(node, &node_rank);
    mnp_status st = mnp__calloc(1, sizeof *peers, &peers);
    if (st == MNP_OK)
        peers->mpi = MPI_COMM_NULL;
    MNP_TRY_OR(all_have_memory(mpi, st), st, fail);
    peers->deadline = config->deadline_seconds;
    peers->log = &config->logger;
    int part = config->node_ranks > 0 ? node_rank / config->node_ranks : 0;
    MNP_TRY_OR(mnp__mpi_status(MPI_Comm_split(node, part, node_rank, &own), "MPI_Comm_split"), st, fail);
    MNP_TRY_OR(list_peers(mpi, own, peers), st, fail);
    if (!connect_peers(peers, mpi))
        MNP_TRY_OR(leave(mpi, peers), st, fail);
    MNP_TRY_OR(mnp__mpi_status(MPI_Allreduce(&peers->count, &most, 1, MPI_INT, MPI_MAX, mpi), "MPI_Allreduce"), st,
               fail);
    peers->most = most;
    *peers_p = peers;
    return MNP_OK;
fail:
    mnp__peers_close(peers);
    return st;
}

void mnp__peers_close(mnp__peers *peers)
{
    if (!peers)
        return;
    close_sockets(peers);
    if (peers->mpi != MPI_COMM_NULL)
        MPI_Comm_free(&peers->mpi);
    free(peers->ranks);
    free(peers->sockets);
    free(peers);
}

void mnp__peers_part(mnp__peers *peers)
{
    MPI_Request request;
    int here = 0, tries = 0;
    double begin = MPI_Wtime();
    if (MPI_Ibarrier(peers->mpi, &request) != MPI_SUCCESS)
        return;
    while (!here && MPI_Test(&request, &here, MPI_STATUS_IGNORE) == MPI_SUCCESS) {
        if (!here && wait_for_socket(peers, &tries, begin, "the end of a rank of the node") != MNP_OK) {
            peers->mpi = MPI_COMM_NULL; /* MPI is still busy with it, and would stumble if it were released */
            return;
        }
    }
}

int mnp__peers_find(const mnp__peers *peers, int rank)
{
    for (int i = 0; i < peers->count; i++) {
        if (peers->ranks[i] == rank)
            return i;
    }
    return -1;
}

/* ---- file descriptors ---- */

/* A message of one byte that carries a file descriptor; `room` is for the control data. */
union control {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int))];
};

static mnp_status send_fd(const mnp__peers *peers, int number, int fd)
{
    char byte = 'f';
    union control control = {.room = {0}};
    struct iovec data = {.iov_base = &byte, .iov_len = 1};
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = control.room, .msg_controllen = sizeof control.room};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    int tries = 0;
    double begin = MPI_Wtime();
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(header), &fd, sizeof fd);
    while (sendmsg(peers->sockets[number], &message, MSG_NOSIGNAL) != 1) {
        if (errno != EAGAIN && errno != EINTR && errno != ETOOMANYREFS)
            return MNP_FAIL(MNP_ERR_PEER, "rank %d cannot be sent shared memory: %s", peers->ranks[number],
                            strerror(errno));
        MNP_TRY(wait_for_socket(peers, &tries, begin, "sending shared memory to a rank of the node"));
    }
    return MNP_OK;
}

static mnp_status receive_fd(const mnp__peers *peers, int number, int *fd_p)
{
    char byte;
    union control control = {.room = {0}};
    struct iovec data = {.iov_base = &byte, .iov_len = 1};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1};
    int tries = 0;
    double begin = MPI_Wtime();
    for (;;) {
        message.msg_control = control.room;
        message.msg_controllen = sizeof control.room;
        ssize_t got = recvmsg(peers->sockets[number], &message, MSG_CMSG_CLOEXEC);
        if (got == 1)
            break;
        if (got == 0)
            return MNP_FAIL(MNP_ERR_PEER, "rank %d has ended", peers->ranks[number]);
        if (errno != EAGAIN && errno != EINTR)
            return MNP_FAIL(MNP_ERR_PEER, "rank %d does not send shared memory: %s", peers->ranks[number],
                            strerror(errno));
        MNP_TRY(wait_for_socket(peers, &tries, begin, "waiting for shared memory of a rank of the node"));
    }
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (!header || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(sizeof *fd_p))
        return MNP_FAIL(MNP_ERR_COMM, "rank %d sent no shared memory; this process may have too many files open",
                        peers->ranks[number]);
    memcpy(fd_p, CMSG_DATA(header), sizeof *fd_p);
    return MNP_OK;
}

/*
 * In round k a rank sends to the one k after it, and receives from the one k before it: so there are never more file
 * descriptors under way than ranks, as Linux allows a user no more of them than a process may have open.  Everything is
 * sent and received also after a failure, so that later messages are not taken for these.
 */
mnp_status mnp__peers_share(const mnp__peers *peers, int mine, int *all)
{
    mnp_status st = MNP_OK;
    for (int i = 0; i < peers->count; i++)
        all[i] = i == peers->mine ? mine : -1;
    for (int k = 1; k < peers->count; k++) {
        int to = (peers->mine + k) % peers->count, from = (peers->mine + peers->count - k) % peers->count;
        mnp_status sent = send_fd(peers, to, mine), received = receive_fd(peers, from, &all[from]);
        st = st != MNP_OK ? st : sent != MNP_OK ? sent : received;
    }
    for (int i = 0; i < peers->count && st != MNP_OK; i++) {
        if (all[i] >= 0)
            close(all[i]);
        all[i] = -1;
    }
    return st;
}

/* ---- who is still there ---- */

int mnp__peers_gone(const mnp__peers *peers)
{
    for (int i = 0; i < peers->count; i++) {
        struct pollfd one = {.fd = peers->sockets[i], .events = POLLRDHUP};
        if (one.fd >= 0 && poll(&one, 1, 0) > 0 && (one.revents & (POLLRDHUP | POLLHUP | POLLERR)))
            return peers->ranks[i];
    }
    return -1;
}

mnp_status mnp__peers_check(const mnp__peers *peers)
{
    int gone = mnp__peers_gone(peers);
    return gone < 0 ? MNP_OK : MNP_FAIL(MNP_ERR_PEER, "rank %d has ended", gone);
}
