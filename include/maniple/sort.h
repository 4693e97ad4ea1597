/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sorting and partitioning along an axis, over all ranks, with NumPy's names and meaning: mnp_sort(x, -1, &y),
 * mnp_argsort(x, MNP_FLATTENED, &order).
 *
 * The order is NumPy's: numbers rise, complex numbers by their real parts and then by the imaginary ones, NaN come
 * last, zeros of either sign are equal.  Every sort here is stable, as NumPy's with kind="stable": what is equal keeps
 * its order, so results do not depend on layouts or on the number of ranks, bit for bit.
 *
 * Where the axis is not cut, every rank sorts its own lines.  Where it is cut, lines are brought together if there are
 * enough of them for all ranks.  Otherwise all ranks share each line: they sort their parts, find where to cut the
 * sorted parts so that each rank receives exactly its block (P. Varman, S. Scheufler, B. Iyer, G. Ricard, Merging
 * Multiple Lists on Hierarchical-memory Multiprocessors, 1991, by samples), exchange the pieces, and merge them (S.
 * Odeh, O. Green, Z. Mwassi, O. Shmueli, Y. Birk, Merge Path, 2012).  However the keys are distributed, no rank
 * receives more elements than its block has.
 *
 * An axis counts from the end if it is negative; MNP_FLATTENED (axis=None) is that of the flattened array.  A new
 * result has the layout of x, or of its mnp_ravel(), where its shape is that.  An output that is given must have the
 * result's shape, may have any layout and any type that the result can be cast to under "same_kind", and may share
 * memory with the input.
 *
 * All of them are collective.  MNP_ERR_ARG, with the values, for an axis, a position or a count that is out of bounds;
 * MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE, MNP_ERR_COMM.
 */
#ifndef MANIPLE_SORT_H
#define MANIPLE_SORT_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple/array.h>
#include <maniple/base.h>
#include <maniple/join.h>

#ifdef __cplusplus
extern "C" {
#endif

/* numpy.sort.  With x itself as the output it is numpy.ndarray.sort. */
MNP_API mnp_status mnp_sort(const mnp_array *x, int axis, mnp_array **out_p);

/* numpy.argsort: the indices, int64, of x's elements in sorted order. */
MNP_API mnp_status mnp_argsort(const mnp_array *x, int axis, mnp_array **out_p);

/*
 * The same with the largest first, as sort and argsort of the array API standard with descending=True: equal elements
 * keep their order, and NaN comes before all numbers.
 */
MNP_API mnp_status mnp_sort_descending(const mnp_array *x, int axis, mnp_array **out_p);
MNP_API mnp_status mnp_argsort_descending(const mnp_array *x, int axis, mnp_array **out_p);

/* numpy.lexsort: the indices that sort by several keys of one shape; the last key is the primary one. */
MNP_API mnp_status mnp_lexsort(const mnp_array *const *keys, int count, int axis, mnp_array **out_p);

/* numpy.sort_complex: sorted along the last axis; complex64 of integers of up to 16 bits, complex128 of other reals. */
MNP_API mnp_status mnp_sort_complex(const mnp_array *x, mnp_array **out_p);

/*
 * numpy.partition and numpy.argpartition: each of the `count` positions `kth` (negative ones from the end) receives the
 * element that a sort would put there, with smaller ones before it and larger ones after it.  Here the result is
 * sorted.  Along an axis without elements the positions are not looked at.
 */
MNP_API mnp_status mnp_partition(const mnp_array *x, int count, const int64_t *kth, int axis, mnp_array **out_p);
MNP_API mnp_status mnp_argpartition(const mnp_array *x, int count, const int64_t *kth, int axis, mnp_array **out_p);

/*
 * The k largest or smallest elements along an axis, and their indices (int64), as torch.topk with sorted=True: the best
 * first, and among equal ones the one of the lowest index.  NaN is larger than all numbers.  Where k is small, each
 * rank sends at most k elements of a line.  Both results have x's shape with k along the axis.  MNP_ERR_ARG if k is
 * negative or too large.
 */
MNP_API mnp_status mnp_topk(const mnp_array *x, int64_t k, int axis, bool largest, mnp_array **values_p,
                            mnp_array **indices_p);

#ifdef __cplusplus
}
#endif

#endif
