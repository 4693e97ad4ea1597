/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Filters that are outer products of vectors, or sums of a few: how they are found (factor.c), and several as separable
 * filters whose results are added (terms.c).
 *
 * All passes of a product but the last one write a plane of a stack.  The last passes of all products are one direct
 * convolution of the stack, which sums over the planes as well: so the result is rounded once, as a direct sum is, and
 * the ranks exchange what the last pass needs of all planes together.
 *
 * Cost: that of the passes; the stack has as many blocks of intermediate results as there are products.
 */
#ifndef MNP__SIGNAL_TERMS_H
#define MNP__SIGNAL_TERMS_H

#include "kernels/signal/extended_params.h"
#include "signal/separable.h"

enum { MNP__MOST_TERMS = 8 };

/*
 * Find the vectors whose outer product is the filter, or as few outer products as are easily found whose sum it is, at
 * most `most`, from 1 to MNP__MOST_TERMS: elimination with the largest element as pivot, which for a matrix of rank r
 * ends after r steps (cross approximation); a filter of more dimensions is taken as a matrix, whose rows are filters of
 * the other dimensions.  The filter has those extents, dense in C order; its dtype is one of sums.  Floats are found if
 * no element differs from the sum by more than 16 eps times the largest one, nor all together by more than 16 eps times
 * the sum of all, and the absolute values of several products are together at most twice those of the filter, which
 * bounds the errors of sums; integers (MNP_UINT64, taken as signed) if it is exact, in integer vectors, all within
 * 2^53.
 *
 *   factors_p  receives, of each product, the vectors one after the other: their real parts, extent[0] numbers,
 *              extent[1] ..., and then their imaginary parts; those of extent 1 are 1, if there is another.  Free it
 *   count_p    the number of products; 0 if there are none, or too many
 *
 * Not collective.  MNP_ERR_MEMORY.
 */
mnp_status mnp__factor(mnp_dtype dtype, const int64_t *extent, const void *filter, int most, double **factors_p,
                       int *count_p);

typedef struct mnp__terms mnp__terms;

/*
 * Make a plan of `count` products, from 1 to MNP__MOST_TERMS, of at least two passes of sums each, along the same
 * axes, whose specs differ in their taps alone; a fillvalue is 0, and there are at most MNP_CONV_DIMS - 1 dimensions,
 * as the stack is one more.  The specs are not needed afterwards.  Collective.  MNP_ERR_MEMORY, MNP_ERR_COMPILE.
 */
mnp_status mnp__terms_new(mnp_ctx *ctx, int count, const mnp__separable_spec *specs, mnp__terms **plan_p);

/* As mnp__separable_run().  Collective; allocates nothing. */
mnp_status mnp__terms_run(mnp__terms *plan, const mnp_array *x, mnp_array *y);

/* When the last run is done.  NULL is accepted.  Collective. */
void mnp__terms_free(mnp__terms *plan);

#endif
