/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Selections: where the elements of an array that is read or written lie in an array of a file, as in x[1:, ::-2, 0].
 *
 * A box of the array corresponds to a box of the file whose indices may be several apart.  Reading such a box element
 * by element costs a call of the operating system for each run of elements that lie side by side, which is about as
 * much as reading 16 KiB.  So elements that are less far apart are read with all that lies between them, and picked out
 * in memory.  Pure arithmetic, but for mnp__selection_pick().
 */
#ifndef MNP__IO_SELECTION_H
#define MNP__IO_SELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <maniple/view.h>

#include "array/view.h"

typedef struct mnp__selection {
    int ndim; /* of the array */
    int64_t shape[MNP_MAX_DIMS];
    mnp__view_dim dims[MNP_MAX_DIMS]; /* where the array's dimensions come from; those of the file are in their order */
    int file_ndim;
    int64_t file_shape[MNP_MAX_DIMS];
    int64_t at[MNP_MAX_DIMS]; /* the index of dimensions of the file that the array does not have */
} mnp__selection;

/* A box of a file's array: `count` indices along each dimension from `start` on, `step` apart, step >= 1. */
typedef struct mnp__file_box {
    int ndim;
    int64_t start[MNP_MAX_DIMS], step[MNP_MAX_DIMS], count[MNP_MAX_DIMS];
} mnp__file_box;

/*
 * Find what is selected of an array of a file, which messages call `what` if it is not NULL; `wanted` NULL: all of it.
 * MNP_ERR_ARG if subscripts do not fit the shape or a box lies outside.
 */
mnp_status mnp__selection_new(const char *what, int ndim, const int64_t *shape, const mnp_selection *wanted,
                              mnp__selection *selection);

/* The box of the file that has the elements of the array's box [lo, lo + extent); it has none of an empty one. */
void mnp__selection_box(const mnp__selection *selection, const int64_t *lo, const int64_t *extent, mnp__file_box *box);

/*
 * The box to read for the elements of `box`, of `item` bytes: the same, or a larger one with step 1 along some
 * dimensions.
 *
 *   unit  extents of the chunks that the file stores its elements in; NULL: all elements are in C order
 */
void mnp__selection_cover(const mnp__selection *selection, const mnp__file_box *box, const int64_t *unit, size_t item,
                          mnp__file_box *cover);

int64_t mnp__file_box_size(const mnp__file_box *box);

/* Whether the elements of the array's boxes lie in the order in which a file's box has them, without gaps. */
bool mnp__selection_is_plain(const mnp__selection *selection, const mnp__file_box *box, const mnp__file_box *cover);

/*
 * Copy the elements of the array's box [lo, lo + extent) from the elements of `cover`, dense in C order, to `to`, which
 * is dense in C order too.
 */
void mnp__selection_pick(const mnp__selection *selection, const int64_t *lo, const int64_t *extent,
                         const mnp__file_box *cover, size_t item, const void *from, void *to);

/*
 * How indices along dimension d of the array lie to chunks of `chunk` indices of the file: an index plus this number
 * is divisible by `chunk` where a chunk begins.  0 if the array has not all indices of a chunk.
 */
int64_t mnp__selection_phase(const mnp__selection *selection, int d, int64_t chunk);

#endif
