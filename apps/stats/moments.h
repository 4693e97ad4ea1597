/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Moments of the elements of arrays, computed in one pass: counts of elements by kind, extremes, mean and deviation.
 */
#ifndef APPS_STATS_MOMENTS_H
#define APPS_STATS_MOMENTS_H

#include <stdint.h>

#include <maniple.h>

/* A number in a table; the member in use depends on the column, and for extremes on the dtype. */
typedef union cell {
    double real;
    int64_t integer;  /* counts, and extremes of signed integers */
    uint64_t natural; /* extremes of unsigned integers and of bools */
} cell;

/*
 * Columns.  The mean, squares (the sum of |x - mean|^2) and extremes are those of the finite elements.  Complex numbers
 * have no extremes, and all of their infinities count as above.
 */
enum {
    COLUMN_FINITE, /* this and the next three columns are counts */
    COLUMN_NANS,
    COLUMN_ABOVE, /* positive infinities; then negative ones */
    COLUMN_BELOW,
    COLUMN_MEAN,
    COLUMN_IMAG, /* the imaginary part of the mean */
    COLUMN_SQUARES,
    COLUMN_LEAST,
    COLUMN_GREATEST,
    NUM_COLUMNS
};

typedef struct moments {
    cell cells[NUM_COLUMNS];
} moments;

/* Make the reduction for arrays of that dtype; release it with mnp_reduction_free().  Not collective. */
mnp_status moments_kernel(mnp_ctx *ctx, mnp_dtype dtype, mnp_reduction **kernel_p);

/*
 * Compute the moments of all elements (axis < 0), on every rank; or those of every line along `axis`, in C order of the
 * other dimensions, on rank 0: other ranks do not use `rows`.  Collective.
 */
mnp_status moments_measure(mnp_reduction *kernel, const mnp_array *array, int axis, int64_t count, moments *rows);

/* Add the moments of more elements of the same dtype; `total` begins as zeros. */
void moments_join(mnp_dtype dtype, const moments *more, moments *total);

/*
 * The number of elements that are not NaN, their mean (part 0: real, 1: imaginary) and standard deviation, and the
 * least or the greatest of them.  Without elements they are NaN; extremes of integers are then undefined.
 */
int64_t moments_count(const moments *m);
double moments_mean(const moments *m, int part);
double moments_std(const moments *m);
cell moments_extreme(mnp_dtype dtype, const moments *m, int greatest);

#endif
