/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pasting writes an array into a part of a result; joining, padding, rolling and tiling each take a few such calls.
 */
#ifndef MNP__OPS_COMMON_PASTE_H
#define MNP__OPS_COMMON_PASTE_H

#include <maniple/signal.h>

#include "array/array.h"

/* Where a source goes: index i of the result is index i - origin of the source, which `boundary` extends. */
typedef struct mnp__paste_source {
    int64_t origin[MNP_MAX_DIMS];
    int64_t lo[MNP_MAX_DIMS], hi[MNP_MAX_DIMS]; /* the part of the result that is written: [lo, hi) of each dimension */
    mnp_boundary boundaries[MNP_MAX_DIMS];
} mnp__paste_source;

/* The default: the source's element 0 is at index 0 of the result, and nothing is written beyond its borders. */
mnp__paste_source mnp__paste_source_of(const mnp_array *result);

/*
 * Write a source of as many dimensions, and any dtype, to its place in `result`, with which it shares no memory.
 * Elements outside the source are left as they were where the boundary is MNP_BOUNDARY_FILL.  `function` names the
 * caller in messages, here and below.  Collective.
 */
mnp_status mnp__paste(const char *function, const mnp_array *source, const mnp__paste_source *where, mnp_array *result);

/* Set the part [lo, hi) of an array to *value, one element of its dtype.  Collective. */
mnp_status mnp__fill(const char *function, mnp_array *array, const int64_t *lo, const int64_t *hi, const void *value);

/*
 * Choose the layout of a result that is made of these arrays.  If their layouts agree in all dimensions that are kept
 * and do not cut the others, the result takes theirs, and nothing moves between ranks; otherwise it takes
 * mnp_layout_block().
 *
 *   kept   for every dimension of the result, the dimension of the arrays with the same extent that it corresponds to;
 *          -1: none
 */
mnp_status mnp__paste_layout(int count, const mnp_array *const *arrays, int ndim, const int64_t *shape, const int *kept,
                             mnp_layout **layout_p);

#endif
