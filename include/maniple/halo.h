/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Halos: arrays with margins around every rank's block, and the exchange that fills them from the neighbours' blocks,
 * for stencils and other kernels that read neighbouring elements.
 *
 *   mnp_array_new_margins(ctx, MNP_FLOAT32, layout, (int64_t[]){1, 1}, (int64_t[]){1, 1}, &u);
 *   mnp_halo_new(ctx, 1, (mnp_array *[]){u}, &(mnp_halo_options){.boundary = wrap}, &halo);
 *   for (...) {
 *       mnp_halo_begin(halo);
 *       ...                      the part of the block that needs no margin: mnp_halo_interior()
 *       mnp_halo_finish(halo);
 *       ...                      the rest: mnp_halo_borders()
 *   }
 *
 * A margin is memory that belongs to no index of the array: functions of this library neither read nor write it.  The
 * caller's own kernels find it around the block, by the block's strides: local indices from -before[d] to
 * local_shape[d] + after[d] - 1 may be used.
 */
#ifndef MANIPLE_HALO_H
#define MANIPLE_HALO_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple/array.h>
#include <maniple/base.h>
#include <maniple/context.h>
#include <maniple/dtype.h>
#include <maniple/layout.h>
#include <maniple/signal.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Make an array as mnp_array_new() does, with before[d] more elements of memory below, and after[d] above every
 * rank's block along dimension d (NULL: none).  Values are undefined, in the margins too.  A rank whose block is
 * empty has no margins.  Views of the array and copies of it have none.  Collective.  MNP_ERR_ARG for a width that is
 * negative, and a layout that deals dimensions out block-cyclically; MNP_ERR_MEMORY.
 */
MNP_API mnp_status mnp_array_new_margins(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *layout, const int64_t *before,
                                         const int64_t *after, mnp_array **array_p);

/* The widths of an array's margins, as many as it has dimensions; either may be NULL.  Not collective. */
MNP_API void mnp_array_margins(const mnp_array *array, int64_t *before, int64_t *after);

typedef struct mnp_halo_options {
    /* Widths to be filled, for each dimension, at most the margins'; NULL: all of each array's margins. */
    const int64_t *before, *after;
    /* How arrays continue beyond their borders, for each dimension; NULL: MNP_BOUNDARY_FILL along all. */
    const mnp_boundary *boundary;
    /* For MNP_BOUNDARY_FILL: one element for each array, of its dtype; NULL: zeros. */
    const void *const *fill;
    /* For MNP_BOUNDARY_FILL: nothing is written beyond the borders; what the program has set there stays. */
    bool keep_outside;
    /* Leave out corners and edges, which lie beside the block along several dimensions: crosses do not need them. */
    bool faces_only;
} mnp_halo_options;

typedef struct mnp_halo mnp_halo;

/*
 * Prepare the exchange of the margins of `count` arrays of equally many dimensions, of any dtypes and layouts: after it
 * the margins of every rank's block have the values that the array has there, continued beyond its borders as by
 * numpy.pad in the boundary's mode.  A margin may be wider than the neighbours' blocks.  options NULL: the defaults.
 *
 * The arrays must live as long as the halo.  Release it with mnp_halo_free().  Collective.  MNP_ERR_ARG for a width
 * that is negative or more than an array's margin, scalars, arrays of another context or with other numbers of
 * dimensions; MNP_ERR_MEMORY, MNP_ERR_COMPILE.
 */
MNP_API mnp_status mnp_halo_new(mnp_ctx *ctx, int count, mnp_array *const *arrays, const mnp_halo_options *options,
                                mnp_halo **halo_p);

/*
 * Exchange, any number of times; nothing is allocated.  The exchange starts after the work that the compute stream
 * holds at begin.  Between begin and finish the blocks may be read but not written, and the margins must not be used.
 * Work that is enqueued after finish finds the margins filled.  Several halos may be under way at once, and any
 * function may be called in between.
 *
 * Collective.  MNP_ERR_ARG for begin while the exchange is under way, and for finish while it is not, as after a begin
 * that failed; MNP_ERR_DEVICE, MNP_ERR_COMM, MNP_ERR_TIMEOUT, MNP_ERR_PEER.
 */
MNP_API mnp_status mnp_halo_begin(mnp_halo *halo);
MNP_API mnp_status mnp_halo_finish(mnp_halo *halo);

/* begin and finish.  Collective. */
MNP_API mnp_status mnp_halo_exchange(mnp_halo *halo);

/*
 * Keep messages moving.  On the host device they may move only while the library is called, so call this now and then
 * in long work between begin and finish.  On GPUs it does nothing.  Not collective.  MNP_ERR_COMM, MNP_ERR_TIMEOUT.
 */
MNP_API mnp_status mnp_halo_progress(mnp_halo *halo);

/* A box of a rank's block: local indices lo[d] to lo[d] + shape[d] - 1. */
typedef struct mnp_halo_box {
    int64_t lo[MNP_MAX_DIMS], shape[MNP_MAX_DIMS];
} mnp_halo_box;

/*
 * Divide this rank's block of array number k (from 0 on) for a stencil as wide as the halo: into the interior, whose
 * elements need no margin, for the time between begin and finish; and the borders, at most two boxes for each
 * dimension, for the time afterwards.  The boxes do not overlap, and together are the whole block.  mnp_halo_borders()
 * returns the number of boxes of the borders; none of these is empty, but the interior may be.  Not collective.
 */
MNP_API void mnp_halo_interior(const mnp_halo *halo, int k, mnp_halo_box *interior);
MNP_API int mnp_halo_borders(const mnp_halo *halo, int k, mnp_halo_box *borders);

/* Release a halo that is not under way; NULL is accepted.  Collective. */
MNP_API void mnp_halo_free(mnp_halo *halo);

#ifdef __cplusplus
}
#endif

#endif
