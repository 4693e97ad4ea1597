/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Meshes and layouts: which rank owns which box of a global index space.
 *
 * A mesh arranges the ranks 0 .. size-1 as an n-dimensional grid, the last axis fastest.  A layout maps every dimension
 * of a shape to a mesh axis, which cuts it, or to none.  A mesh axis that no dimension uses means replicas: ranks that
 * differ only along it own the same box.  Both are immutable pure arithmetic: nothing here communicates.
 *
 * A dimension is cut in one part for each place along its axis, or it is dealt out block-cyclically, as dense solvers
 * want their matrices: in blocks of one extent, block b to place b mod P of the axis (ScaLAPACK's distribution, from
 * process 0 on).  Most functions take arrays in layouts without such dimensions alone, and say so.
 */
#ifndef MANIPLE_LAYOUT_H
#define MANIPLE_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <maniple/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mnp_layout mnp_layout; /* opaque, immutable once made, counted: see mnp_layout_retain() */

#define MNP_NO_AXIS (-1) /* this dimension is not cut */

/*
 * Make a layout.  Not collective; equal arguments give equal layouts.
 *
 *   mesh_ndim  1 .. MNP_MAX_DIMS
 *   mesh       ranks along each mesh axis, each >= 1; their product is the number of ranks
 *   ndim       0 .. MNP_MAX_DIMS
 *   shape      global extent of each dimension, each >= 0; the product must fit int64_t
 *   axes       mesh axis that cuts each dimension, or MNP_NO_AXIS; an axis cuts one dimension at most
 *   cuts       NULL: every cut dimension of extent n over p parts is even, the first n % p parts hold one element more.
 *              Else cuts[d] is NULL (even) or p+1 non-decreasing values from 0 to shape[d]; part i is
 *              [cuts[d][i], cuts[d][i+1])
 *   layout_p   receives the layout; release with mnp_layout_free()
 *
 * MNP_ERR_ARG if a value is out of range; *layout_p is then untouched.
 */
MNP_API mnp_status mnp_layout_new(int mesh_ndim, const int *mesh, int ndim, const int64_t *shape, const int *axes,
                                  const int64_t *const *cuts, mnp_layout **layout_p);

/*
 * The same with dimensions that are dealt out: dimension d in blocks of extent blocks[d], or, where that is 0, evenly
 * in one part each.  Where no place would have more than one block the dimension is cut there, in one part each, and
 * counts as such.  Not collective.  MNP_ERR_ARG if a value is out of range; *layout_p is then untouched.
 */
MNP_API mnp_status mnp_layout_new_cyclic(int mesh_ndim, const int *mesh, int ndim, const int64_t *shape,
                                         const int *axes, const int64_t *blocks, mnp_layout **layout_p);

/*
 * The same elements on the same ranks, and what mnp_array_new(), mnp_copy(), mnp_redistribute() and element-wise
 * functions make in this layout is stored densely in that order: `order` has every dimension once, the slowest first;
 * {0, 1, ...} is C's, which all other layouts have, {..., 1, 0} is Fortran's.  The layouts of views go on in an order
 * that is not C's; other results, such as of reductions and files, are in C order.  Not collective.  MNP_ERR_ARG if
 * that is no permutation; *layout_p is then untouched.
 */
MNP_API mnp_status mnp_layout_with_order(const mnp_layout *layout, const int *order, mnp_layout **layout_p);

/*
 * The layout that Maniple chooses by itself: a mesh of as many axes as the array has dimensions, with the smallest
 * largest block and then the smallest surface between blocks.  Not collective.  MNP_ERR_ARG as above.
 */
MNP_API mnp_status mnp_layout_block(int nranks, int ndim, const int64_t *shape, mnp_layout **layout_p);

/* Every rank owns everything.  Not collective.  MNP_ERR_ARG as above. */
MNP_API mnp_status mnp_layout_replicated(int nranks, int ndim, const int64_t *shape, mnp_layout **layout_p);

/* Rank `root` owns everything, the others nothing.  Not collective.  MNP_ERR_ARG as above, or if root is no rank. */
MNP_API mnp_status mnp_layout_on_root(int nranks, int root, int ndim, const int64_t *shape, mnp_layout **layout_p);

/*
 * The same mesh cutting another shape of as many dimensions, evenly or in blocks of the same extent, in the same order.
 * Not collective.  MNP_ERR_ARG as above.
 */
MNP_API mnp_status mnp_layout_like(const mnp_layout *layout, const int64_t *shape, mnp_layout **layout_p);

/* One more owner of the layout; returns it.  Not collective. */
MNP_API mnp_layout *mnp_layout_retain(const mnp_layout *layout);

/* One owner less; the last one frees it.  NULL is accepted.  Not collective. */
MNP_API void mnp_layout_free(mnp_layout *layout);

/* Not collective, all of them; the arrays they give belong to the layout. */
MNP_API int mnp_layout_nranks(const mnp_layout *layout);
MNP_API int mnp_layout_ndim(const mnp_layout *layout);
MNP_API const int64_t *mnp_layout_shape(const mnp_layout *layout);
MNP_API int64_t mnp_layout_size(const mnp_layout *layout);     /* elements of the global array */
MNP_API const int *mnp_layout_order(const mnp_layout *layout); /* see mnp_layout_with_order() */
MNP_API bool mnp_layout_is_cyclic(const mnp_layout *layout);   /* whether any dimension is dealt out */

/* Whether they give the same elements to the same ranks, in any order of storage. */
MNP_API bool mnp_layout_equal(const mnp_layout *a, const mnp_layout *b);

/* The extent of the blocks in which dimension `dim` is dealt out, or 0. */
MNP_API int64_t mnp_layout_block_size(const mnp_layout *layout, int dim);

/*
 * Parts that dimension `dim` is cut into (1 if it is not cut), and the parts + 1 points of the cuts.  Which rank has a
 * part is mnp_layout_owner()'s to say: in the layout of a view, such as of a row, or with the order of elements
 * reversed, parts may go backwards over the ranks, and ranks may own nothing.  Of a dimension that is dealt out the
 * points only tell how many indices a part has: cuts[i + 1] - cuts[i].
 */
MNP_API int mnp_layout_parts(const mnp_layout *layout, int dim);
MNP_API const int64_t *mnp_layout_cuts(const mnp_layout *layout, int dim);

/*
 * The box that `rank` owns: first index and extent of each dimension; all zeros where a view left that rank nothing.
 * In a layout with dimensions that are dealt out it is the smallest box that holds all that the rank owns.
 */
MNP_API void mnp_layout_box(const mnp_layout *layout, int rank, int64_t *lo, int64_t *extent);

/* How many indices of each dimension `rank` owns: the shape of its block. */
MNP_API void mnp_layout_local_shape(const mnp_layout *layout, int rank, int64_t *shape);

/*
 * Between a rank's block and the whole array, along dimension `dim`: the global index of what is at place `local` of
 * the block, and the place in the block of what has that global index; -1 where the rank has no such element.
 */
MNP_API int64_t mnp_layout_global(const mnp_layout *layout, int dim, int rank, int64_t local);
MNP_API int64_t mnp_layout_local(const mnp_layout *layout, int dim, int rank, int64_t index);

/* The lowest rank that owns the element at `index`. */
MNP_API int mnp_layout_owner(const mnp_layout *layout, const int64_t *index);

/*
 * Draw who owns what, as text of at most 100 columns and 40 lines: in words the shape, the mesh, what cuts what, the
 * order if it is not C's, and the extremes of the blocks' sizes in elements; then up to two dimensions as a drawing,
 * more as a table of boxes.  Cut points stand beside the drawing, numbers of ranks within.  Not collective: one rank
 * prints. MNP_ERR_MEMORY; MNP_ERR_IO if it cannot be written.
 */
MNP_API mnp_status mnp_layout_print(const mnp_layout *layout, FILE *file);

#ifdef __cplusplus
}
#endif

#endif
