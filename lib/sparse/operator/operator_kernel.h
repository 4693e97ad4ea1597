/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operators over a grid, from C++ bodies.
 */
#ifndef MNP__SPARSE_OPERATOR_KERNEL_H
#define MNP__SPARSE_OPERATOR_KERNEL_H

#include "sparse/operator/operator.h"

/* What the operator is to be, as the caller wants it. */
typedef struct mnp__grid_request {
    const char *function; /* that was called */
    mnp_ctx *ctx;
    mnp_dtype dtype;
    int ndim;
    const int64_t *shape, *reach;
    const mnp_boundary *boundaries; /* NULL: 0 outside */
    const char *body[2];            /* of A, of A^H; the latter may be NULL */
    const mnp_input *arrays;
    int narrays;
    int64_t n, width; /* points of the grid; how far apart the numbers of neighbours can be */
    int points;       /* of a stencil; 0: not known */
} mnp__grid_request;

/* Check the dtype, the shape and the boundaries.  Not collective.  MNP_ERR_ARG, MNP_ERR_UNSUPPORTED. */
mnp_status mnp__grid_check(const mnp__grid_request *request);

/* Make the operator.  Collective.  MNP_ERR_ARG, MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_COMM. */
mnp_status mnp__grid_operator(mnp__grid_request *request, mnp_operator **operator_p);

#endif
