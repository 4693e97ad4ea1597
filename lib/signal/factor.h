/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Filters that are outer products of vectors.
 */
#ifndef MNP__SIGNAL_FACTOR_H
#define MNP__SIGNAL_FACTOR_H

#include <maniple/dtype.h>

#include "kernels/signal/extended_params.h"

/*
 * Find the vectors whose outer product is the filter: elimination with the largest element as pivot, which for a filter
 * of rank 1 ends after one step (cross approximation).  The filter has those extents, dense in C order; its dtype is
 * one of sums.  Floats are a product if no element differs from it by more than 16 eps times the largest one, nor all
 * together by more than 16 eps times the sum of all; integers (MNP_UINT64, taken as signed) if it is exact, in integer
 * vectors, all within 2^53.
 *
 *   factors_p  receives the vectors, one after the other: their real parts, extent[0] numbers, extent[1] ..., and then
 *              their imaginary parts; those of extent 1 are 1, if there is another.  Free it
 *   found      whether there is such a product
 *
 * Not collective.  MNP_ERR_MEMORY.
 */
mnp_status mnp__factor(mnp_dtype dtype, const int64_t *extent, const void *filter, double **factors_p, bool *found);

#endif
