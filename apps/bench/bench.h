/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What maniple bench measures: operations between ranks.  Each is compared with its peer, the same operation of the
 * library beneath: MPI on the host, NCCL between GPUs.
 */
#ifndef APPS_BENCH_BENCH_H
#define APPS_BENCH_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple.h>

typedef struct bench {
    mnp_ctx *ctx;
    int rank, ranks, repeats;
    bool on_host;     /* on the host device, where MPI can use the same memory */
    const char *peer; /* the library that is compared with; NULL: none */
    mnp_raw_module *module;
    mnp_raw_kernel *set_values, *take_margins;
} bench;

typedef struct bench_trial bench_trial; /* a case with its memory: bench_trial.h */

typedef struct bench_case {
    const char *name, *help;
    mnp_dtype dtype;
    bool has_size, needs_others, needs_graphs; /* moves data; needs several ranks; needs a GPU */
    int operations;                            /* operations in one run */
    int64_t most_bytes;                        /* limit of bytes a rank; 0: none */
    double (*factor)(int ranks);               /* bus bandwidth divided by bandwidth */
    mnp_status (*prepare)(bench_trial *t, int64_t bytes);
    mnp_status (*ours)(bench_trial *t);
    int (*mpi)(bench_trial *t);
    /* called before and after a run whose result is not in recv; or NULL */
    mnp_status (*clear)(bench_trial *t), (*collect)(bench_trial *t);
    /* The value that index i of the result must have on this rank; false if it is undefined.  NULL: no comparison. */
    bool (*expected)(const bench_trial *t, int64_t i, double *value_p);
} bench_case;

typedef struct measurement {
    const bench_case *which;
    int64_t bytes;       /* bytes a rank; 0 if the case has no size */
    double seconds;      /* of one operation: the median over repeats of the slowest rank's time */
    double peer_seconds; /* the same of the peer; 0 if it was not measured */
} measurement;

/* The cases in the order of the table; NULL after the last one. */
const bench_case *bench_case_at(int index);

/*
 * Bandwidths in bytes a second.  bandwidth: bytes / seconds.  bus_bandwidth: what every link carries if all are used
 * equally, by the factors of NCCL's tests (https://github.com/NVIDIA/nccl-tests, doc/PERFORMANCE.md).
 */
double bench_bandwidth(const measurement *m, double seconds);
double bench_bus_bandwidth(const measurement *m, double seconds, int ranks);

/* Open a bench whose context and repeats are set; close also accepts one that was not opened.  Collective. */
mnp_status bench_open(bench *b);
void bench_close(bench *b);

/*
 * Measure a case with about `bytes` bytes a rank.  Its result is compared first: all elements, or BENCH_MOST_COMPARED
 * of them, equally spaced.  MNP_ERR_INTERNAL if it is wrong; MNP_ERR_UNSUPPORTED if this context cannot do it;
 * MNP_ERR_MEMORY, and other errors of the operation.  Collective.
 */
enum { BENCH_MOST_COMPARED = 1 << 22 };
mnp_status bench_measure(const bench *b, const bench_case *which, int64_t bytes, measurement *m);

#endif
