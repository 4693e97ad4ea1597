/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scattering: applying values to the elements of an array that indices name, on any rank.
 */
#ifndef MNP__OPS_INDEXING_SCATTER_H
#define MNP__OPS_INDEXING_SCATTER_H

#include "array/array.h"

/* What a value does to its element, as kernels/indexing/scatter.cu has it. */
typedef struct mnp__scatter {
    const char *generated; /* the text that is compiled */
    mnp_dtype value;       /* of the values in memory */
    int mode;              /* of the indices, as in kernels/indexing/indexed_params.h */
} mnp__scatter;

/*
 * Apply values to the elements of x whose numbers in C order are the indices, which are in range with
 * MNP_INDEXED_RAISE; where indices are equal, in their order.  There are as many values as indices; both may have any
 * shape and layout, and share memory with x; values are cast.  Collective, and agreed upon.  MNP_ERR_MEMORY,
 * MNP_ERR_COMPILE, MNP_ERR_DEVICE, MNP_ERR_COMM.
 */
mnp_status mnp__scatter_run(const mnp__scatter *scatter, mnp_array *x, const mnp_array *indices,
                            const mnp_array *values);

/* The text of a scatter where a value takes the element's place; both have that dtype. */
const char *mnp__scatter_assign(mnp_dtype dtype);

/*
 * An array or a number as an array of that dtype (unsafe casting) and shape, to which it is broadcast: *fitted_p is to
 * be freed.  Collective.  MNP_ERR_ARG if it does not broadcast.
 */
mnp_status mnp__values_fit(const char *function, mnp_ctx *ctx, const mnp_array *values, mnp_dtype dtype, int ndim,
                           const int64_t *shape, mnp_array **fitted_p);

/* The same as a vector of `count` of its elements in C order, which are repeated if there are fewer. */
mnp_status mnp__values_repeat(mnp_ctx *ctx, const mnp_array *values, mnp_dtype dtype, int64_t count,
                              mnp_array **repeated_p);

#endif
