/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What one pass over the elements of arrays tells of them: how many there are, of what kind, extremes, mean, deviation.
 */
#ifndef APPS_STATS_MOMENTS_H
#define APPS_STATS_MOMENTS_H

#include <stdint.h>

#include <maniple.h>

/* A number of a table: which member it is depends on the column, and for extremes on the dtype. */
typedef union cell {
    double real;
    int64_t integer;  /* counts, and extremes of signed integers */
    uint64_t natural; /* extremes of unsigned ones, and of bools */
} cell;

/*
 * Columns.  Mean, squares (the sum of |x - mean|^2) and extremes are of the finite elements alone; complex numbers have
 * no extremes, and all of their infinities are above.
 */
enum {
    COLUMN_FINITE, /* how many, and so for the next three */
    COLUMN_NANS,
    COLUMN_ABOVE, /* infinities */
    COLUMN_BELOW,
    COLUMN_MEAN,
    COLUMN_IMAG, /* of the mean */
    COLUMN_SQUARES,
    COLUMN_LEAST,
    COLUMN_GREATEST,
    NUM_COLUMNS
};

typedef struct moments {
    cell cells[NUM_COLUMNS];
} moments;

/* A kernel for arrays of that dtype; release with mnp_reduction_free().  Not collective. */
mnp_status moments_kernel(mnp_ctx *ctx, mnp_dtype dtype, mnp_reduction **kernel_p);

/*
 * The moments of all elements (axis < 0), on every rank; or of every line along `axis`, as many as the other extents'
 * product, in C order, on rank 0: elsewhere `rows` is not touched.  Collective.
 */
mnp_status moments_measure(mnp_reduction *kernel, const mnp_array *array, int axis, int64_t count, moments *rows);

/* Add those of more elements of the same dtype; `total` begins as zeros. */
void moments_join(mnp_dtype dtype, const moments *more, moments *total);

/*
 * Of all elements but NaN: how many; the mean (part 0: real, 1: imaginary), standard deviation, and the least or the
 * greatest.  Of nothing they are NaN, but integers' extremes, which are not to be asked for then.
 */
int64_t moments_count(const moments *m);
double moments_mean(const moments *m, int part);
double moments_std(const moments *m);
cell moments_extreme(mnp_dtype dtype, const moments *m, int greatest);

#endif
