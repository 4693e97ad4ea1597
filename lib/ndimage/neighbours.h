/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Neighbourhood filters: results that depend on a window of the input around each element.
 *
 * A filter is described by its window, its dtypes and two generated functions (kernels/ndimage/neighbours.cu).  A rank
 * computes the elements of its own block.  Those whose windows lie in the block read it where it is, while the mover
 * brings to a small buffer what the windows of the others reach, at the borders of blocks along the dimensions of the
 * window that are cut; these are computed from there, one box of outputs for each border.  What is beyond the borders of
 * the whole array, the kernel finds by folding indices, or the mover brings it.
 *
 * Cost: one launch; where a dimension of the window is cut, an exchange of a few rows by a plan that the context keeps,
 * beside that launch, and after it two launches of as many rows.
 */
#ifndef MNP__NDIMAGE_NEIGHBOURS_H
#define MNP__NDIMAGE_NEIGHBOURS_H

#include <maniple/ndimage.h>
#include <maniple/signal.h>

#include "array/array.h"
#include "base/text.h"
#include "kernels/ndimage/neighbours_params.h"
#include "layout/layout.h"

enum { MNP__NEIGHBOURS_ROOM = 1 << 15, MNP__NEIGHBOURS_DEFINITIONS = 128 };

typedef struct mnp__neighbours {
    const char *function;         /* its name in messages: "mnp_ndimage_median_filter" */
    mnp_dtype value;              /* in which it computes: a real dtype, not of two bytes of float */
    mnp_dtype output;             /* of the result */
    int ordered;                  /* not 0: compute with unsigned integers that are ordered like the input's values, of
                                    at least so many bytes; `value` is ignored */
    int64_t low[MNP_MAX_DIMS];    /* the window of element o begins at o + low */
    int64_t span[MNP_MAX_DIMS];   /* its extents, at least 1 */
    int64_t number[MNP_MAX_DIMS]; /* how far apart neighbours along a dimension are in lists of the window's elements */
    mnp_boundary boundary[MNP_MAX_DIMS];
    double outside;                           /* the value beyond the borders for MNP_BOUNDARY_FILL */
    int columns, kept, run;                   /* MNP_COLUMNS, MNP_KEPT, MNP_RUN, which is odd */
    double weights[2][MNP_NEIGHBOUR_WEIGHTS]; /* of the two stages */
    const mnp_array *mask;                    /* NULL, or a bool array: where it is false, the result is the input */
    /*
     * NULL: ndimage/neighbours.cu; or another kernel for GPUs with the same parameters: the name of its source and its
     * function, and the outputs of a tile along the last two dimensions, threads and shared memory of a block.
     */
    const char *kernel;
    int64_t tile[2];
    int threads;
    size_t shared_bytes;
    char definitions[MNP__NEIGHBOURS_DEFINITIONS]; /* what the kernel is compiled with besides */
    /* how array dimensions are dimensions of the kernel: set by mnp__neighbours_start() */
    int ndim, kernel_ndim, place[MNP_MAX_DIMS];
    mnp__text body; /* the generated functions */
    /*
     * NULL, or writes the body of a filter that is a copy of this one, when the kernel is loaded; it depends on the
     * window, `rank`, and what the kernel is compiled with
     */
    void (*write)(struct mnp__neighbours *copy);
    int rank;
} mnp__neighbours;

/* Find the kernel's dimensions from the window; `room` of MNP__NEIGHBOURS_ROOM bytes is for the body. */
void mnp__neighbours_start(mnp__neighbours *filter, int ndim, char *room);

/* Extents of the window in the kernel's dimensions. */
void mnp__neighbours_spans(const mnp__neighbours *filter, int64_t *spans);

/* Extent of the kernel's second-last dimension, over all ranks. */
int64_t mnp__neighbours_rows(const mnp__neighbours *filter, const mnp_array *x);

/* Write the element of the window at these indices, one for each dimension of the array: "MNP_TAP(0, 2)". */
void mnp__neighbours_tap(mnp__neighbours *filter, const int64_t *at);

/* Run the filter over x, and free the body.  Collective. */
mnp_status mnp__neighbours_run(mnp__neighbours *filter, const mnp_array *x, mnp_array **y_p);

#endif
