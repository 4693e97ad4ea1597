/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The machines that plans are made for: how fast their parts are, and where the figures come from.  What plans
 * say has its figures from this table alone; the library chooses how to convolve by its own, in lib/signal/method.c.
 */
#ifndef APPS_PLAN_MACHINE_H
#define APPS_PLAN_MACHINE_H

#include <stdbool.h>

#include <maniple.h>

/* Kinds of arithmetic, which reach different rates. */
typedef enum machine_work {
    WORK_PRODUCTS,   /* products of dense matrices */
    WORK_FACTORS,    /* LU of a matrix */
    WORK_SPECTRUM,   /* eigenvalues of a square matrix */
    WORK_TALL,       /* decompositions of tall matrices */
    WORK_WINDOWS,    /* a multiplication and an addition for each element of a window */
    WORK_TRANSFORMS, /* Fourier transforms, 5 n log2(n) for n complex points */
    WORK_REAL,       /* of real ones, half of it */
    MACHINE_WORKS
} machine_work;

/*
 * A rank of a machine: a GPU, or a core.  Rates are of float64 or complex128, and of float32 or complex64; 0: not
 * measured.  Memory and links have bytes a second.
 */
typedef struct machine {
    const char *name, *what, *source;
    bool gpu;
    double memory; /* read and written */
    double fresh,
        fresh_shared; /* used for the first time: by one rank alone; by ranks that share it; 0: it costs nothing */
    double link, link_latency;       /* between ranks of a host: what one rank sends; seconds a message */
    double network, network_latency; /* between hosts, nominal: see network_source */
    const char *network_source;
    double join;                    /* seconds of an all-reduce of a few numbers inside a host */
    double launch;                  /* seconds of a kernel's launch */
    double rates[MACHINE_WORKS][2]; /* operations a second: double, single */
    struct {
        double ilu0, ic0, relaxation; /* making a preconditioner: seconds for each entry of a rank's rows */
    } setup;
} machine;

extern const machine machines[]; /* ends with a row without name */

/* The machine that a context runs on, or the nearest one that was measured. */
const machine *machine_of(const mnp_ctx *ctx);

/* Operations a second in that type; 0: not measured. */
double machine_rate(const machine *m, machine_work work, mnp_dtype dtype);

#endif
