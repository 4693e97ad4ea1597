/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Separable filters: sums along one dimension after another, of an array of 1 to 4 dimensions.
 *
 * A pass computes, along its axis,
 *
 *   y[o] = sum over j of taps[j] * x[o + first + j],  x extended by the pass's boundary,  o from 0 to extent - 1
 *
 * so that a correlation of n taps whose middle is at `origin`, as in scipy.ndimage.correlate1d, has
 * first = -(n / 2) - origin, and a convolution has the taps reversed.  Every boundary but FILL continues an
 * intermediate result beyond its borders as it does the input.  Ranks exchange what a pass needs of their neighbours'
 * blocks, which may be smaller than that, while they compute what needs nothing from others.
 *
 * Cost: each pass reads its input and writes its result once, and on GPUs two passes, one of which is along the last
 * dimension, do so together (fused.h); between passes there are two buffers of the largest intermediate block.
 */
#ifndef MNP__SIGNAL_SEPARABLE_H
#define MNP__SIGNAL_SEPARABLE_H

#include <maniple/signal.h>

#include "array/array.h"
#include "kernels/signal/fused_params.h"

/* What a pass makes of a window of the input: a number of kernels/signal/fused_params.h. */
typedef enum mnp__combination {
    MNP__SUMS = MNP_FUSED_SUM,
    MNP__MEANS = MNP_FUSED_MEAN,
    MNP__LEAST = MNP_FUSED_LEAST,
    MNP__GREATEST = MNP_FUSED_GREATEST
} mnp__combination;

typedef struct mnp__separable mnp__separable;

typedef struct mnp__pass {
    int axis;                       /* 0 .. ndim - 1; several passes may go along one axis */
    int64_t count;                  /* of the taps, at least 1 */
    const double *taps, *imaginary; /* of sums; imaginary: NULL for real taps */
    int64_t first;
    int64_t extent; /* of the result along the axis; 0: that of the input */
    mnp_boundary boundary;
    mnp__combination combination; /* LEAST and GREATEST only where mnp__separable_is_fused() */
} mnp__pass;

typedef struct mnp__separable_spec {
    mnp_dtype input, output;
    /* of taps and sums: MNP_UINT64 (exact modulo 2^64), MNP_FLOAT32, MNP_FLOAT64, MNP_COMPLEX64 or 128; of extremes the
       type in which values are compared */
    mnp_dtype sum;
    mnp_dtype between; /* of intermediate results; MNP_DTYPE_AUTO: `sum`.  scipy.ndimage keeps them as the output's */
    bool truncates;    /* sums that are stored as integers lose their fraction, as in C; otherwise to the nearest one */
    const mnp_layout *layout; /* of the input */
    int npasses;
    const mnp__pass *passes; /* in this order */
    double fillvalue;        /* beyond the borders, for MNP_BOUNDARY_FILL */
    /* fillvalue also stands beyond the borders of every intermediate result, as in scipy.ndimage; otherwise what the
       earlier passes make of it, which is the filter of the extended input */
    bool refills;
} mnp__separable_spec;

/* Whether fused kernels (fused.h) do all passes: on GPUs, for real numbers.  The same on all ranks.  Not collective. */
bool mnp__separable_is_fused(const mnp_ctx *ctx, const mnp__separable_spec *spec);

/* Store tap number j of a pass of sums or means in the type of the sums.  Not collective. */
void mnp__separable_tap(const mnp__pass *pass, int64_t j, mnp_dtype sum, void *element);

/*
 * Make a plan; the spec is not needed afterwards.  Without any pass, or for an empty array, a run casts.  Collective.
 * MNP_ERR_ARG for more than 4 dimensions and for a fillvalue that a dtype cannot hold; MNP_ERR_MEMORY, MNP_ERR_COMPILE.
 */
mnp_status mnp__separable_new(mnp_ctx *ctx, const mnp__separable_spec *spec, mnp__separable **plan_p);

/* The layout of results, which belongs to the plan: the input's, or with other extents the same mesh's. */
const mnp_layout *mnp__separable_layout(const mnp__separable *plan);

/*
 * Filter x, of the spec's dtype and layout, into y, of the output's dtype and mnp__separable_layout(); their blocks are
 * dense in C order and share no memory.  Collective; allocates nothing.
 */
mnp_status mnp__separable_run(mnp__separable *plan, const mnp_array *x, mnp_array *y);

/*
 * A plain call of that function: x, in any layout, is filtered by such a plan into an output of the user's or a new
 * one.  No pass changes the extent along its axis.  The spec's layout is not used: it is x's, in C order.  Collective.
 */
mnp_status mnp__separable_call(const char *function, const mnp__separable_spec *spec, const mnp_array *x,
                               mnp_array **y_p);

/* When the last run is done.  NULL is accepted.  Collective. */
void mnp__separable_free(mnp__separable *plan);

#endif
