/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layouts: which rank owns which block of an array.
 *
 * A mesh arranges the ranks 0 .. size-1 as an n-dimensional grid, the last axis fastest.  A layout maps every dimension
 * of a shape to a mesh axis, which cuts it, or to none.  Ranks that differ only along a mesh axis to which no dimension
 * is mapped are replicas: they own the same elements.
 *
 * A dimension is cut into one contiguous part for each coordinate along its mesh axis, or it is distributed
 * block-cyclically as in ScaLAPACK: in blocks of one extent, of which block b belongs to coordinate b mod P of the
 * axis.  Copies, element-wise functions and linear algebra take arrays with block-cyclic dimensions, and results can be
 * written to such arrays; most other functions do not take them, and say so.
 *
 * A layout is immutable.  It is computed on each rank alone: no function here communicates.
 */
#ifndef MANIPLE_LAYOUT_H
#define MANIPLE_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <maniple/base.h>
#include <maniple/context.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mnp_layout mnp_layout; /* opaque, immutable, with a reference count: see mnp_layout_retain() */

#define MNP_NO_AXIS (-1) /* this dimension is not cut */

/*
 * Make a layout.  Equal arguments give equal layouts.
 *
 *   mesh_ndim   1 ..  MNP_MAX_DIMS
 *   mesh        ranks along each mesh axis, each >= 1; their product is the number of ranks
 *   ndim        0 ..  MNP_MAX_DIMS
 *   shape       global extent of each dimension, each >= 0; the product must fit int64_t
 *   axes        mesh axis that cuts each dimension, or MNP_NO_AXIS; an axis cuts one dimension at most
 *   cuts        NULL: every cut dimension is divided equally; with extent n and p parts, the first n % p parts have one
 *               element more.  Otherwise cuts[d] is NULL (divided equally) or has p+1 non-decreasing values from 0 to
 *               shape[d]; part i is [cuts[d][i], cuts[d][i+1])
 *   layout_p    receives the layout; release with mnp_layout_free()
 *
 * MNP_ERR_ARG if a value is out of range; *layout_p is then unchanged.  Not collective.
 */
MNP_API mnp_status mnp_layout_new(int mesh_ndim, const int *mesh, int ndim, const int64_t *shape, const int *axes,
                                  const int64_t *const *cuts, mnp_layout **layout_p);

/*
 * Make a layout with block-cyclic dimensions: dimension d is distributed in blocks of extent blocks[d], or divided
 * equally if that is 0.  If no rank would get more than one block of a dimension, the dimension counts as cut, not as
 * block-cyclic.  The other arguments are as for mnp_layout_new().  MNP_ERR_ARG if a value is out of range; *layout_p is
 * then unchanged.  Not collective.
 */
MNP_API mnp_status mnp_layout_new_cyclic(int mesh_ndim, const int *mesh, int ndim, const int64_t *shape,
                                         const int *axes, const int64_t *blocks, mnp_layout **layout_p);

/*
 * Make a layout with the same elements on the same ranks, but another storage order: blocks are stored densely with
 * dimension order[0] the slowest and order[ndim-1] the fastest. {0, 1, ...} is C order, which all other functions here
 * give; {..., 1, 0} is Fortran order. mnp_array_new(), mnp_copy(), mnp_redistribute() and element-wise functions store
 * new arrays of this layout in its order, except that element-wise functions and casts of transposed arrays keep the
 * order in which these are stored.  Other results, such as those of reductions and files, are stored in C order.  A
 * view of an array whose layout has another order than C has the corresponding order.  MNP_ERR_ARG if `order` is not a
 * permutation; *layout_p is then unchanged.  Not collective.
 */
MNP_API mnp_status mnp_layout_with_order(const mnp_layout *layout, const int *order, mnp_layout **layout_p);

/*
 * The default layout: a mesh of as many axes as the array has dimensions, which minimises the largest block, then the
 * surface between blocks.  MNP_ERR_ARG as for mnp_layout_new().  Not collective.
 */
MNP_API mnp_status mnp_layout_block(int nranks, int ndim, const int64_t *shape, mnp_layout **layout_p);

/* Every rank owns all elements.  MNP_ERR_ARG as for mnp_layout_new().  Not collective. */
MNP_API mnp_status mnp_layout_replicated(int nranks, int ndim, const int64_t *shape, mnp_layout **layout_p);

/*
 * Rank `root` owns all elements, the others none.  MNP_ERR_ARG as for mnp_layout_new(), or if there is no such rank.
 * Not collective.
 */
MNP_API mnp_status mnp_layout_on_root(int nranks, int root, int ndim, const int64_t *shape, mnp_layout **layout_p);

/*
 * Make a layout of the context's ranks from a text, which has for each dimension, with commas between them:
 *
 *   0         the mesh axis that cuts the dimension into one part for each rank along the axis
 *   0(32)     the mesh axis along which it is dealt out in blocks of 32: block-cyclic
 *   *         it is not cut; - means the same
 *
 * and may end with a mesh, "on 2 x 3", in which an extent of 0 is chosen as by mnp_mesh_dims().  Without one the mesh
 * has the axes up to the highest that is named, all of them chosen.  On six ranks:
 *
 *   "0, *"              by rows                    "0, 1"              in 3 x 2 blocks
 *   "*, 0"              by columns                 "0, 1 on 2 x 3"     in 2 x 3 blocks
 *   "*, *"              every rank has all         "0(8), 1(8)"        dealt out in blocks of 8 x 8
 *   "0, * on 2 x 3"     in two parts, each of which three ranks have
 *
 * mnp_layout_print() and `maniple info --layout` show the text of a layout, if it has one.  MNP_ERR_ARG, with the
 * column if the text cannot be read, and if it does not have `ndim` dimensions; MNP_ERR_MEMORY; *layout_p is then
 * unchanged.  Not collective.
 */
MNP_API mnp_status mnp_layout_parse(const mnp_ctx *ctx, int ndim, const int64_t *shape, const char *text,
                                    mnp_layout **layout_p);

/*
 * Make a layout like this one for another shape with as many dimensions: the same mesh axes cut them, equally or in
 * blocks of the same extent, and the storage order is the same.  MNP_ERR_ARG as for mnp_layout_new().  Not collective.
 */
MNP_API mnp_status mnp_layout_like(const mnp_layout *layout, const int64_t *shape, mnp_layout **layout_p);

/* Increment the reference count; returns the layout.  Not collective. */
MNP_API mnp_layout *mnp_layout_retain(const mnp_layout *layout);

/* Decrement the reference count, and free the layout when it is 0.  NULL is accepted.  Not collective. */
MNP_API void mnp_layout_free(mnp_layout *layout);

/* Properties of a layout; the arrays that they return belong to it.  No function below is collective. */
MNP_API int mnp_layout_nranks(const mnp_layout *layout);
MNP_API int mnp_layout_ndim(const mnp_layout *layout);
MNP_API const int64_t *mnp_layout_shape(const mnp_layout *layout);
MNP_API int64_t mnp_layout_size(const mnp_layout *layout);     /* elements of the global array */
MNP_API const int *mnp_layout_order(const mnp_layout *layout); /* see mnp_layout_with_order() */
MNP_API bool mnp_layout_is_cyclic(const mnp_layout *layout);   /* whether any dimension is block-cyclic */

/* Whether two layouts give the same elements to the same ranks; their storage orders may differ. */
MNP_API bool mnp_layout_equal(const mnp_layout *a, const mnp_layout *b);

/* The extent of the blocks if dimension `dim` is block-cyclic, otherwise 0. */
MNP_API int64_t mnp_layout_block_size(const mnp_layout *layout, int dim);

/*
 * The number of parts of dimension `dim` (1 if it is not cut), and the parts + 1 points where they begin and end.
 * mnp_layout_owner() tells which rank has a part: in the layout of a view, such as of a row or of a reversed array, the
 * parts may belong to the ranks in descending order, and ranks may own nothing.  If the dimension is block-cyclic, the
 * points only tell how many indices a part has: cuts[i + 1] - cuts[i].
 */
MNP_API int mnp_layout_parts(const mnp_layout *layout, int dim);
MNP_API const int64_t *mnp_layout_cuts(const mnp_layout *layout, int dim);

/*
 * The box that `rank` owns: first index and extent of each dimension; all zeros if the rank owns nothing of a view.  In
 * a block-cyclic layout it is the smallest box that contains all elements of the rank.
 */
MNP_API void mnp_layout_box(const mnp_layout *layout, int rank, int64_t *lo, int64_t *extent);

/* How many indices of each dimension `rank` owns: the shape of its block. */
MNP_API void mnp_layout_local_shape(const mnp_layout *layout, int rank, int64_t *shape);

/*
 * Conversions between local indices of a rank's block and global indices along dimension `dim`: the global index of
 * local index `local`, and the local index of global index `index`, or -1 if the rank does not own it.
 */
MNP_API int64_t mnp_layout_global(const mnp_layout *layout, int dim, int rank, int64_t local);
MNP_API int64_t mnp_layout_local(const mnp_layout *layout, int dim, int rank, int64_t index);

/* The lowest rank that owns the element at `index`. */
MNP_API int mnp_layout_owner(const mnp_layout *layout, const int64_t *index);

/*
 * Print who owns what, as text of at most 100 columns and 40 lines: the shape, the mesh, which axis cuts which
 * dimension, the text for mnp_layout_parse() if it has one, the storage order if it is not C's, and the fewest and most
 * elements of a rank.  Then follows a drawing if there are at most two dimensions, with the cut points beside it and
 * the ranks inside, and otherwise a table of boxes.  Not collective: one rank prints.  MNP_ERR_MEMORY; MNP_ERR_IO if
 * writing fails.
 */
MNP_API mnp_status mnp_layout_print(const mnp_layout *layout, FILE *file);

#ifdef __cplusplus
}
#endif

#endif
