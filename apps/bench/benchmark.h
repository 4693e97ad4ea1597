/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a benchmark of maniple bench is: a subject, such as reductions, with cases that are timed one after the other.
 * It makes its data itself, compares results with what they should be, prints a line for every case, and records it
 * (measure.h).  All are listed in command_line.c.
 */
#ifndef APPS_BENCH_BENCHMARK_H
#define APPS_BENCH_BENCHMARK_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple.h>

#include "picture/request.h"

/* What the command line asks for.  bench.c says which options belong to which benchmark. */
typedef struct bench_options {
    bool chooses;     /* cases are named */
    int64_t elements; /* 0: as many as the case has */
    int repeats;
    mnp_dtype dtype; /* MNP_DTYPE_AUTO: the benchmark's own */
    /* comm */
    int64_t min, max, step; /* max 0: the device's usual one */
    bool json;
    picture_request picture;
    /* conv */
    int64_t image, kernel;
    int dims, restore; /* iterations of Richardson-Lucy; 0: convolutions */
    bool outer;
    mnp_conv_method method;
    mnp_boundary boundary;
    /* sparse, solve and eigen */
    const char *matrix; /* NULL: the case's own */
    bool weak, matrix_free;
    mnp_sparse_format format;
    int iterations, restart, count, maxiter; /* restart, maxiter 0: the method's own */
    double tol;
    mnp_precond_kind precond;
    /* What is known when a benchmark runs */
    double copy_rate; /* bytes a second that a copy reads and writes, of all ranks; 0: not measured */
} bench_options;

typedef struct benchmark {
    const char *name, *help;
    int repeats; /* unless told */
    /* The cases: structs that begin with their names, of that size; several may have one name */
    const void *cases;
    size_t size;
    int count;
    /* Whether that, which is none of their names, is a case too; NULL: nothing else is */
    bool (*has_case)(const char *name);
    /*
     * Whether these names can run with the options, which rank 0 asks before all else; NULL: they can.  Not collective
     */
    mnp_status (*check)(int ranks, int count, const char *const *names, const bench_options *o);
    /* Time one of the cases; or all of these names, in `run`, which returns the exit status.  Collective. */
    void (*time_case)(mnp_ctx *ctx, const void *one, const bench_options *o);
    int (*run)(mnp_ctx *ctx, int count, const char *const *names, const bench_options *o);
} benchmark;

/* The members of a benchmark that name its cases. */
#define BENCH_CASES(array) .cases = (array), .size = sizeof *(array), .count = (int)(sizeof(array) / sizeof *(array))

/* Names of mnp_sparse_format, ended by NULL. */
extern const char *const bench_format_names[];

extern const benchmark ceilings_benchmark, comm_benchmark, conv_benchmark, eigen_benchmark, elementwise_benchmark,
    fft_benchmark, halo_benchmark, histogram_benchmark, linalg_benchmark, matmul_benchmark, ndimage_benchmark,
    random_benchmark, redistribute_benchmark, reduce_benchmark, scan_benchmark, signal_benchmark, solve_benchmark,
    sort_benchmark, sparse_benchmark, views_benchmark;

/*
 * Measure and print the rate of a copy, and that of the links where ranks have any between them; returns the former, in
 * bytes a second of all ranks.  Collective.
 */
double ceilings_measure(mnp_ctx *ctx);

/* Print the cases of two recordings beside each other, and which are slower; returns the exit status. */
enum { EXIT_SLOWER = 3 }; /* one of Maniple is */
int bench_compare(const char *before, const char *after, double tolerance);

/*
 * The scripts beside the command: bench/plot, and the peers.  bench_find_scripts() looks for their folder; MNP_ERR_IO
 * if there is none.  bench_run_script() runs one with Python and returns its exit status, EXIT_FAILED after a message
 * if it cannot be run; `arguments` ends with NULL.  Not collective, and not while MPI runs.
 */
mnp_status bench_find_scripts(void);
int bench_run_script(const char *script, const char *const *arguments);

#endif
