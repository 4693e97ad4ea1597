/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What maniple bench measures: operations between ranks, each beside what the libraries beneath offer for the same: MPI
 * on the host, NCCL between GPUs.
 */
#ifndef APPS_BENCH_BENCH_H
#define APPS_BENCH_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple.h>

typedef struct bench {
    mnp_ctx *ctx;
    int rank, ranks, repeats;
    bool on_host;     /* the host device: MPI can be given the same memory */
    const char *peer; /* whose times stand beside ours; NULL: nobody's */
    mnp_raw_module *module;
    mnp_raw_kernel *set_values, *take_margins;
} bench;

typedef struct bench_trial bench_trial; /* a case with its memory: bench_trial.h */

typedef struct bench_case {
    const char *name, *help;
    mnp_dtype dtype;
    bool has_size, needs_others, needs_graphs; /* moves data; is nothing for one rank alone; needs a GPU */
    int operations;                            /* of one run */
    int64_t most_bytes;                        /* of a rank; 0: as many as are asked for */
    double (*factor)(int ranks);               /* bandwidth to bus bandwidth */
    mnp_status (*prepare)(bench_trial *t, int64_t bytes);
    mnp_status (*ours)(bench_trial *t);
    int (*mpi)(bench_trial *t);
    /* around a run whose result is not in recv; or NULL */
    mnp_status (*clear)(bench_trial *t), (*collect)(bench_trial *t);
    /* The value at index i of the result on this rank, and whether there is one; NULL: nothing to compare. */
    bool (*expected)(const bench_trial *t, int64_t i, double *value_p);
} bench_case;

typedef struct measurement {
    const bench_case *which;
    int64_t bytes;       /* of a rank; 0 where the case has no size */
    double seconds;      /* of an operation: the median of the slowest rank's */
    double peer_seconds; /* the peer's; 0 where it was not measured */
} measurement;

/* The cases, in the order in which they are shown; NULL past the last one. */
const bench_case *bench_case_at(int index);

/*
 * Bytes a second: of the operation (bytes / seconds), and what every link has to carry for it where all are used alike,
 * by the factors of NCCL's tests (https://github.com/NVIDIA/nccl-tests, doc/PERFORMANCE.md).
 */
double bench_bandwidth(const measurement *m, double seconds);
double bench_bus_bandwidth(const measurement *m, double seconds, int ranks);

/* Fill in a bench whose context and repeats are known; close also accepts one that was not opened.  Collective. */
mnp_status bench_open(bench *b);
void bench_close(bench *b);

/*
 * Measure a case with about so many bytes a rank; the result is compared first: all of its elements, or so many, evenly
 * spread.  Collective.  MNP_ERR_INTERNAL if it is wrong; MNP_ERR_UNSUPPORTED if this context cannot do it;
 * MNP_ERR_MEMORY and what else the case can meet.
 */
enum { BENCH_MOST_COMPARED = 1 << 22 };
mnp_status bench_measure(const bench *b, const bench_case *which, int64_t bytes, measurement *m);

#endif
