/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks and how they communicate: communicators, agreement, and the exchange of messages between device memories.
 */
#ifndef MNP__COMM_H
#define MNP__COMM_H

#include <stdbool.h>
#include <stddef.h>

#include <mpi.h>

#include "base/config.h"
#include "comm/peers.h"
#include "device/device.h"

typedef struct mnp__heap mnp__heap;
typedef struct mnp__nccl mnp__nccl;
typedef struct mnp__pulse mnp__pulse;
typedef struct mnp__waits mnp__waits;
typedef struct mnp__watch mnp__watch;

/* How bytes of device memory travel. */
typedef enum mnp__transport {
    MNP_TRANSPORT_MPI,    /* host device: MPI reads and writes the memory itself */
    MNP_TRANSPORT_STAGED, /* GPU: through pinned memory and MPI */
    MNP_TRANSPORT_NCCL    /* GPU: NCCL on a stream */
} mnp__transport;

typedef struct mnp__comm {
    const mnp__config *config;
    MPI_Comm mpi;      /* a duplicate, errors returned */
    MPI_Comm node;     /* the ranks of this host */
    mnp__watch *watch; /* over all ranks: watch.h */
    mnp__pulse *pulse; /* of this rank: pulse.h; NULL if there is one rank alone */
    int rank, size, node_rank, node_size, node_index, nodes;
    int ranks_on_device; /* ranks of this host that share this rank's GPU; 1 on the host device */
    mnp__peers *peers;   /* NULL until mnp__comm_meet() */
    mnp__device *device; /* borrowed; NULL until mnp__comm_attach(), like these */
    mnp__transport transport;
    mnp__nccl *nccl; /* NULL unless that is the transport */
    mnp__heap *heap;
    mnp__waits *waits; /* of kernels; NULL unless GPUs share the heap */
    bool checks;       /* the ranks compare their arguments: MANIPLE_CHECK */
    bool library_only; /* what is planned now goes by messages of NCCL or MPI alone: mnp_comm_set_algorithm() */
} mnp__comm;

/*
 * open: the communicators of MPI; the settings may still be found wrong.  meet: find the peers, who see each other's
 * pulse from then on.  close leaves the pulse, which ends after MPI.  All collective.
 */
mnp_status mnp__comm_open(MPI_Comm mpi, const mnp__config *config, mnp__comm *comm);
mnp_status mnp__comm_meet(mnp__comm *comm);

/*
 * Choose the transport for that device (MANIPLE_TRANSPORT), start NCCL where it is to be used, and open the heap.
 * detach: what needs the device, which is closed after it and runs nothing any more; not NCCL.  Both collective.
 */
mnp_status mnp__comm_attach(mnp__comm *comm, mnp__device *device);
void mnp__comm_detach(mnp__comm *comm);
void mnp__comm_close(mnp__comm *comm);

/*
 * MNP_OK if every rank says so; else own failures stay and the others get MNP_ERR_PEER with the words of the lowest
 * rank that failed.  It waits for others that are busy, with files or compilers, for MANIPLE_BUSY_DEADLINE, but not for
 * a rank that is lost (watch.h): then nobody agrees any more, and all get MNP_ERR_PEER, or MNP_ERR_TIMEOUT where they
 * gave up themselves.  Collective.
 */
mnp_status mnp__agree(const mnp__comm *comm, mnp_status status);

/*
 * With MANIPLE_CHECK=1 and in a debug build, prove that all ranks gave a collective call the same arguments, of which
 * `hash` is made: else MNP_ERR_ARG on all, naming the call.  Otherwise nothing is asked, and the hash is not computed.
 * Collective.
 */
mnp_status mnp__compare_hashes(const mnp__comm *comm, const char *call, uint64_t hash);
#define mnp__check_same(comm, call, hash) ((comm)->checks ? mnp__compare_hashes((comm), (call), (hash)) : MNP_OK)

/*
 * Collectives of the CPUs, for what is small, which wait as mnp__agree() does.  all_reduce works in place, for
 * operations whose order does not matter, as of integers; sizes are in bytes, of one rank's part; send and recv are
 * different memory. MNP_ERR_COMM, MNP_ERR_PEER, MNP_ERR_MEMORY.  Collective.
 */
mnp_status mnp__all_reduce(const mnp__comm *comm, void *values, int count, MPI_Datatype type, MPI_Op op);
mnp_status mnp__all_gather(const mnp__comm *comm, const void *send, void *recv, size_t size);
mnp_status mnp__all_to_all(const mnp__comm *comm, const void *send, void *recv, size_t size);
mnp_status mnp__broadcast(const mnp__comm *comm, void *data, size_t size, int root);

/*
 * MPI's own words for an error code of its calls; MNP_OK for MPI_SUCCESS; MNP_ERR_PEER where MPI says that a process
 * failed.
 */
mnp_status mnp__mpi_status(int code, const char *call);

/*
 * End all ranks of MPI_COMM_WORLD, at the latest after some seconds, with that sentence on stderr.  Where several ranks
 * of a node do so at a time one speaks.  Not collective.
 */
_Noreturn void mnp__abort_job(int rank, const char *sentence, int exit_status);

/* From now on mnp_exit() ends the process without MPI_Finalize(), as a library that is called there would crash. */
void mnp__exit_at_once(void);

/*
 * Wait for a point on a stream, at most the deadline once communication is all that is missing: as it takes a lost rank
 * or a fault of NCCL for a failure, it also fails if a kernel on any stream has waited past the deadline.
 */
mnp_status mnp__comm_wait_event(mnp__comm *comm, mnp__device_event *event);
mnp_status mnp__comm_wait_stream(mnp__comm *comm, mnp__stream *stream); /* for what it holds now */

/* One message: `bytes` at `data` in device memory, to or from `peer` (never this rank). */
typedef struct mnp__message {
    int peer;
    void *data;
    size_t bytes;
} mnp__message;
size_t mnp__messages_bytes(int count, const mnp__message *messages); /* of all together */

/*
 * A set of messages that is exchanged again and again.  Made once, with everything it needs; begin and finish allocate
 * nothing.  A rank receives its messages from one peer in the order in which that peer sends them.  A rank that begins
 * an exchange later than another by more than the deadline makes it fail there with MNP_ERR_TIMEOUT.
 */
typedef struct mnp__exchange mnp__exchange;

/* Not collective, but the sends and receives of all ranks must match. */
mnp_status mnp__exchange_new(mnp__comm *comm, int nsends, const mnp__message *sends, int nrecvs,
                             const mnp__message *recvs, mnp__exchange **exchange_p);

/*
 * begin: what `stream` holds so far is done first; then the data may go.  finish: work enqueued on `stream` afterwards
 * finds what was received.  Between the two the caller enqueues work on other streams, which goes on meanwhile.
 */
mnp_status mnp__exchange_begin(mnp__exchange *exchange, mnp__stream *stream);
mnp_status mnp__exchange_finish(mnp__exchange *exchange, mnp__stream *stream);

/*
 * Where messages move only when MPI is called, which is on the host device, whoever computes on the CPU between begin
 * and finish calls help now and then.
 */
bool mnp__exchange_needs_help(const mnp__exchange *exchange);
mnp_status mnp__exchange_help(mnp__exchange *exchange);

/*
 * NULL is accepted.  Where, after a failure, MPI may still use the messages' memory, the device retains it.
 */
void mnp__exchange_free(mnp__exchange *exchange);

/*
 * NCCL (nccl.c; nccl_absent.c where it is not compiled in).  All polled with the deadline; a communicator in error is
 * aborted.  start: collective, id over MPI; exchange: grouped sends and receives on the stream, with peers that are
 * NCCL's own numbers or, where `ranks` is not NULL, places in that list of them; check: MNP_ERR_COMM if
 * NCCL has found a fault since; whether a call has begun on its stream (its turn has come) and is not over; and how
 * many are over.  abort and free accept NULL.
 */
mnp_status mnp__nccl_start(const mnp__comm *comm, mnp__nccl **nccl_p);
mnp_status mnp__nccl_exchange(mnp__nccl *nccl, int nsends, const mnp__message *sends, int nrecvs,
                              const mnp__message *recvs, const int *ranks, mnp__stream *stream);
mnp_status mnp__nccl_check(mnp__nccl *nccl, bool *communicating_p, uint32_t *over_p);
void mnp__nccl_abort(mnp__nccl *nccl);
void mnp__nccl_free(mnp__nccl *nccl);
int mnp__nccl_versions(mnp_version_info *versions, int room); /* as mnp__cuda_versions() */
bool mnp__nccl_available(void);

#endif
