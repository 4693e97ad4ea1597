/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Systems whose matrix is given by few numbers, which every rank has, while the columns of the right-hand sides are
 * dealt out over the ranks: banded.c and toeplitz.c.
 */
#ifndef MNP__LINALG_BANDS_H
#define MNP__LINALG_BANDS_H

#include "linalg/dense/dense.h"

typedef struct mnp__bands {
    const char *function;
    mnp_ctx *ctx;
    int64_t n;
    bool vector;
    mnp_dtype dtype, result; /* in which is computed; of x */
    mnp__place place;        /* for the numbers of the matrix, which are on every rank */
    mnp__place columns;      /* for b, whose columns are dealt out */
    mnp__dense b;            /* which the solutions replace */
    void *data;              /* this rank's columns on the CPU, n elements apart */
} mnp__bands;

/*
 * Check b, a vector or a matrix of n rows, and x; find the dtype, and bring b to the CPUs.  `wide`: computed in float64
 * or complex128 in any case.  Close also after a failure.  Collective.
 */
mnp_status mnp__bands_open(const char *function, const mnp_array *a, int64_t n, bool wide, const mnp_array *b,
                           const mnp_array *x, mnp__bands *bands);
void mnp__bands_close(mnp__bands *bands);

/* An array of the matrix's numbers, of two dimensions, on this rank, in column-major order, of bands->dtype. */
mnp_status mnp__bands_read(const mnp__bands *bands, const mnp_array *a, mnp__dense *numbers);

/* Give the solutions to the caller.  Collective. */
mnp_status mnp__bands_give(mnp__bands *bands, mnp_array **x_p);

#endif
