/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What maniple bench comm measures: operations between ranks.  Each is compared with its peer, the same operation of
 * the library beneath: MPI on the host, NCCL between GPUs.
 */
#ifndef APPS_BENCH_MOVING_COMM_H
#define APPS_BENCH_MOVING_COMM_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple.h>

typedef struct comm_bench {
    mnp_ctx *ctx;
    int rank, ranks, repeats;
    bool on_host;     /* on the host device, where MPI can use the same memory */
    const char *peer; /* the library that is compared with; NULL: none */
    mnp_raw_module *module;
    mnp_raw_kernel *set_values, *take_margins;
} comm_bench;

typedef struct comm_trial comm_trial; /* a case with its memory: comm_trial.h */

typedef struct comm_case {
    const char *name, *help;
    mnp_dtype dtype;
    bool has_size, needs_others, needs_graphs; /* moves data; needs several ranks; needs a GPU */
    int operations;                            /* operations in one run */
    int64_t most_bytes;                        /* limit of bytes a rank; 0: none */
    double (*factor)(int ranks);               /* bus bandwidth divided by bandwidth */
    mnp_status (*prepare)(comm_trial *t, int64_t bytes);
    mnp_status (*ours)(comm_trial *t);
    int (*mpi)(comm_trial *t);
    /* called before and after a run whose result is not in recv; or NULL */
    mnp_status (*clear)(comm_trial *t), (*collect)(comm_trial *t);
    /* The value that index i of the result must have on this rank; false if it is undefined.  NULL: no comparison. */
    bool (*expected)(const comm_trial *t, int64_t i, double *value_p);
} comm_case;

typedef struct measurement {
    const comm_case *which;
    int64_t bytes;          /* bytes a rank; 0 if the case has no size */
    double seconds;         /* of one operation: the median over repeats of the slowest rank's time */
    double peer_seconds;    /* the same of the peer; 0 if it was not measured */
    double best, peer_best; /* the least of the repeats */
} measurement;

/* The cases in the order of the table; NULL after the last one, and where none has the name. */
const comm_case *comm_case_at(int index);
const comm_case *comm_case_named(const char *name);

enum { COMM_NUM_CASES = 13 };
extern const comm_case comm_cases[COMM_NUM_CASES];

/*
 * Bytes a second that each rank sends to all others at once, by the all-to-all of a large size; 0 where there is one
 * rank, or all share the memory of one host.  MNP_ERR_MEMORY, and the errors of comm_measure().  Collective.
 */
mnp_status comm_link_rate(mnp_ctx *ctx, double *rate_p);

/*
 * Bandwidths in bytes a second.  bandwidth: bytes / seconds.  bus_bandwidth: what every link carries if all are used
 * equally, by the factors of NCCL's tests (https://github.com/NVIDIA/nccl-tests, doc/PERFORMANCE.md).
 */
double comm_bandwidth(const measurement *m, double seconds);
double comm_bus_bandwidth(const measurement *m, double seconds, int ranks);

/* Open a comm_bench whose context and repeats are set; close also accepts one that was not opened.  Collective. */
mnp_status comm_open(comm_bench *b);
void comm_close(comm_bench *b);

/*
 * Measure a case with about `bytes` bytes a rank.  Its result is compared first: all elements, or COMM_MOST_COMPARED
 * of them, equally spaced.  MNP_ERR_INTERNAL if it is wrong; MNP_ERR_UNSUPPORTED if this context cannot do it;
 * MNP_ERR_MEMORY, and other errors of the operation.  Collective.
 */
enum { COMM_MOST_COMPARED = 1 << 22 };
mnp_status comm_measure(const comm_bench *b, const comm_case *which, int64_t bytes, measurement *m);

#endif
