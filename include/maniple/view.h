/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Views: other ways to look at an array's elements, without copying.
 *
 * A view is a new array on the memory of another one: what is written to one shows in the other.  Both are released by
 * mnp_array_free(), in any order.  The output is always a new array; what *view_p held before is overwritten, not
 * reused.
 *
 * Elements stay with the ranks that own them, so views communicate nothing; all ranks must make the same ones.  So a
 * row of a matrix cut along rows is owned by some ranks alone, and a part of an array may lie unevenly over the ranks:
 * mnp_redistribute() evens it out.  mnp_reshape(), mnp_ravel(), mnp_ascontiguousarray() and mnp_asfortranarray(), which
 * may have to copy, are collective; the others are not, but for that rule.
 */
#ifndef MANIPLE_VIEW_H
#define MANIPLE_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple/array.h>
#include <maniple/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What stands between the brackets of x[2:10:3, -1, None, ...], for one dimension.  Made by the macros below. */
typedef struct mnp_subscript {
    int kind;
    int64_t start, stop, step;
} mnp_subscript;

enum { MNP_SUBSCRIPT_SLICE, MNP_SUBSCRIPT_AT, MNP_SUBSCRIPT_NEWAXIS, MNP_SUBSCRIPT_ELLIPSIS };

#define MNP_NONE INT64_MIN /* an end of a slice that is left out, as in 2: or :5 */

#ifdef __cplusplus
#define MNP_SUBSCRIPT(...)                                                                                             \
    mnp_subscript                                                                                                      \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
#else
#define MNP_SUBSCRIPT(...) ((mnp_subscript){__VA_ARGS__})
#endif
#define MNP_SLICE(start, stop, step) MNP_SUBSCRIPT(MNP_SUBSCRIPT_SLICE, (start), (stop), (step)) /* start:stop:step */
#define MNP_RANGE(start, stop) MNP_SLICE(start, stop, 1)                                         /* start:stop */
#define MNP_ALL MNP_SLICE(MNP_NONE, MNP_NONE, 1)                                                 /* : */
#define MNP_AT(index) MNP_SUBSCRIPT(MNP_SUBSCRIPT_AT, (index), 0, 0)                             /* index */
#define MNP_NEWAXIS MNP_SUBSCRIPT(MNP_SUBSCRIPT_NEWAXIS, 0, 0, 0)                                /* None */
#define MNP_ELLIPSIS MNP_SUBSCRIPT(MNP_SUBSCRIPT_ELLIPSIS, 0, 0, 0)                              /* ... */

/*
 * x[subscripts], as NumPy's basic indexing: negative indices count from the end, slices are clipped to the extent and
 * may go backwards, an index drops its dimension, and dimensions without a subscript are kept whole.  MNP_ERR_ARG if an
 * index is out of bounds, a step is 0, there are more subscripts than dimensions or several ellipses, or the view has
 * more than MNP_MAX_DIMS dimensions.
 */
MNP_API mnp_status mnp_slice(const mnp_array *x, int count, const mnp_subscript *subscripts, mnp_array **view_p);

/* The same with the subscripts in the call (not in C++): mnp_view(x, &v, MNP_RANGE(2, 10), MNP_AT(-1)). */
#define mnp_view(x, view_p, ...)                                                                                       \
    mnp_slice((x), (int)(sizeof((mnp_subscript[]){__VA_ARGS__}) / sizeof(mnp_subscript)),                              \
              (mnp_subscript[]){__VA_ARGS__}, (view_p))

/*
 * The same with the subscripts in Python's words: mnp_index(x, "2:10:3, -1, None, ..., ::-1", &v).  Also `newaxis` for
 * None, and "" or "()" for none at all.  MNP_ERR_ARG as above, and with the position if the text cannot be read.
 */
MNP_API mnp_status mnp_index(const mnp_array *x, const char *subscripts, mnp_array **view_p);

/* numpy.transpose: dimension d of the view is axes[d] of x; axes NULL reverses them all.  MNP_ERR_ARG. */
MNP_API mnp_status mnp_transpose(const mnp_array *x, const int *axes, mnp_array **view_p);

/* numpy.swapaxes, numpy.moveaxis of one axis or several.  Negative axes count from the end.  MNP_ERR_ARG. */
MNP_API mnp_status mnp_swapaxes(const mnp_array *x, int axis1, int axis2, mnp_array **view_p);
MNP_API mnp_status mnp_moveaxis(const mnp_array *x, int source, int destination, mnp_array **view_p);
MNP_API mnp_status mnp_moveaxes(const mnp_array *x, int count, const int *sources, const int *destinations,
                                mnp_array **view_p);

/* numpy.squeeze: drop these axes, which must have extent 1; axes NULL: all that have.  MNP_ERR_ARG. */
MNP_API mnp_status mnp_squeeze(const mnp_array *x, int naxes, const int *axes, mnp_array **view_p);

/* numpy.expand_dims: the view has a new dimension of extent 1 at these axes, counted in the view.  MNP_ERR_ARG. */
MNP_API mnp_status mnp_expand_dims(const mnp_array *x, int naxes, const int *axes, mnp_array **view_p);

/* numpy.atleast_1d, 2d, 3d of one array. */
MNP_API mnp_status mnp_atleast_1d(const mnp_array *x, mnp_array **view_p);
MNP_API mnp_status mnp_atleast_2d(const mnp_array *x, mnp_array **view_p);
MNP_API mnp_status mnp_atleast_3d(const mnp_array *x, mnp_array **view_p);

/*
 * numpy.broadcast_to: dimensions of extent 1 are repeated, and missing ones are put in front.  It cannot be written.
 * What owned the one element along a dimension owns all of its repetitions.  MNP_ERR_ARG if x does not broadcast to the
 * shape.
 */
MNP_API mnp_status mnp_broadcast_to(const mnp_array *x, int ndim, const int64_t *shape, mnp_array **view_p);

/* numpy.flip along these axes; axes NULL: all.  MNP_ERR_ARG. */
MNP_API mnp_status mnp_flip(const mnp_array *x, int naxes, const int *axes, mnp_array **view_p);

/* numpy.rot90: turn k times by a quarter, from the first axis towards the second.  MNP_ERR_ARG. */
MNP_API mnp_status mnp_rot90(const mnp_array *x, int k, int axis1, int axis2, mnp_array **view_p);

/*
 * numpy.real and numpy.imag: views of the parts of complex elements.  Of real x, real is a view of x itself and imag a
 * new array of zeros (collective then).  MNP_ERR_MEMORY.
 */
MNP_API mnp_status mnp_real(const mnp_array *x, mnp_array **view_p);
MNP_API mnp_status mnp_imag(const mnp_array *x, mnp_array **view_p);

/*
 * numpy.reshape in C order: a view where every rank's elements are a block of the new shape too and their strides allow
 * it.  Else a new array: on the same ranks where only the strides are in the way, in the layout of mnp_layout_block()
 * where elements have to move.  One extent may be -1, and is then what is left.  Collective.  MNP_ERR_ARG if the number
 * of elements differs; MNP_ERR_MEMORY, MNP_ERR_COMM.
 */
MNP_API mnp_status mnp_reshape(const mnp_array *x, int ndim, const int64_t *shape, mnp_array **view_p);

/* numpy.ravel: mnp_reshape() to one dimension.  Collective. */
MNP_API mnp_status mnp_ravel(const mnp_array *x, mnp_array **view_p);

/*
 * numpy.ascontiguousarray and asfortranarray of every rank's block: a view of x if all are in order already, and otherwise a
 * copy.  Collective.
 */
MNP_API mnp_status mnp_ascontiguousarray(const mnp_array *x, mnp_array **result_p);
MNP_API mnp_status mnp_asfortranarray(const mnp_array *x, mnp_array **result_p);

/*
 * Whether two arrays are on the same memory, so that they may have elements in common: alike on all ranks.  Not
 * collective.
 */
MNP_API bool mnp_may_share_memory(const mnp_array *x, const mnp_array *y);

#ifdef __cplusplus
}
#endif

#endif
