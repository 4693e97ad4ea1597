/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranges, edges and checks that all functions about bins share.
 */
#ifndef MNP__OPS_STATISTICS_HISTOGRAM_H
#define MNP__OPS_STATISTICS_HISTOGRAM_H

#include <maniple/histogram.h>

#include "base/value.h"
#include "ops/reduction/reduction.h"

/* Bins of equal width. */
typedef struct mnp__even_bins {
    double low, high, step;
    int64_t bins;
    mnp_dtype dtype, arithmetic; /* of the edges; in which they are computed */
} mnp__even_bins;

/*
 * The range of the elements' histogram; waits where `range` is NULL.  Then how it is divided, and the edges, which all
 * ranks have.  Collective.  MNP_ERR_ARG if it is not finite, falls, or is too narrow.
 */
mnp_status mnp__even_range(const char *function, const mnp_array *x, const double *range, mnp__even_bins *even);
mnp_status mnp__even_divide(const char *function, int64_t bins, mnp__even_bins *even);
mnp_status mnp__even_edges(const char *function, mnp_ctx *ctx, const mnp__even_bins *even, mnp_array **edges_p);

/* The only element of an array of no dimensions.  Waits.  Collective. */
mnp_status mnp__read_one(const mnp_array *array, void *value);

/* The least and the greatest element, in the elements' type.  Waits.  Collective. */
mnp_status mnp__limits(const char *function, const mnp_array *x, mnp__value *least, mnp__value *most);

/* MNP_ERR_ARG unless x has real elements, and the weights, if any, its shape. */
mnp_status mnp__histogram_check(const char *function, const mnp_array *x, const mnp_array *weights);

/* MNP_ERR_ARG unless the edges are real, one dimension, of x's context, and rise.  Waits.  Collective. */
mnp_status mnp__check_edges(const char *function, const mnp_array *edges, const mnp_array *x);

/* Whether no value of one dimension is less than the one before it.  Waits.  Collective. */
mnp_status mnp__rises(const mnp_array *values, bool *rises_p);

#endif
