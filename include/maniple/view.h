/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Views: other shapes, axes and parts of an array, without copying.
 *
 * A view is a new array on the memory of another one: values that are written to one are seen in the other.  Both are
 * released with mnp_array_free(), in any order.
 *
 * *view_p is NULL or an array, as for all outputs.  But where other functions write into a given array, a view takes
 * its place, as a name of Python gets another value: the given array is released, by mnp_array_free(), after the view
 * has been made.  So a loop may make a view again and again in one variable, and mnp_transpose(x, NULL, &x) replaces x
 * by a view of it.  If the call fails, *view_p is unchanged.
 *
 * Elements stay on the ranks that own them, so views need no communication.  A row of a matrix that is cut along rows
 * is owned by some ranks alone, and a part of an array may be distributed unevenly over the ranks; mnp_redistribute()
 * balances it.
 *
 * All ranks must make the same views. mnp_reshape(), mnp_ravel(), mnp_sliding_window_view(), mnp_ascontiguousarray()
 * and mnp_asfortranarray(), which may have to copy, are collective; the other functions are not.
 */
#ifndef MANIPLE_VIEW_H
#define MANIPLE_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple/array.h>
#include <maniple/base.h>
#include <maniple/lists.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One subscript of x[2:10:3, -1, None, ...].  The macros below make it. */
typedef struct mnp_subscript {
    int kind;
    int64_t start, stop, step;
} mnp_subscript;

enum { MNP_SUBSCRIPT_SLICE, MNP_SUBSCRIPT_AT, MNP_SUBSCRIPT_NEWAXIS, MNP_SUBSCRIPT_ELLIPSIS };

#define MNP_NONE INT64_MIN /* a bound of a slice that is left out, as in 2: or :5 */

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
 * may have negative steps, an index drops its dimension, and dimensions without a subscript are kept whole.
 * MNP_ERR_ARG if an index is out of bounds, a step is 0, there are more subscripts than dimensions or several ellipses,
 * or the view has more than MNP_MAX_DIMS dimensions.  Not collective.
 */
MNP_API mnp_status mnp_slice(const mnp_array *x, int count, const mnp_subscript *subscripts, mnp_array **view_p);

/* mnp_slice() with the subscripts in the call: mnp_view(x, &v, MNP_RANGE(2, 10), MNP_AT(-1)). */
#define mnp_view(x, view_p, ...)                                                                                       \
    mnp_slice((x), MNP_COUNT_OF(mnp_subscript, __VA_ARGS__), MNP_LIST_OF(mnp_subscript, __VA_ARGS__), (view_p))

/*
 * mnp_slice() with the subscripts as Python text: mnp_index(x, "2:10:3, -1, None, ..., ::-1", &v).  `newaxis` means
 * None; "" and "()" are no subscripts.  MNP_ERR_ARG as for mnp_slice(), and with the position if the text cannot be
 * parsed.  Not collective.
 */
MNP_API mnp_status mnp_index(const mnp_array *x, const char *subscripts, mnp_array **view_p);

/*
 * x[subscripts] = y: write to the part of x that mnp_index() would give.  y is a scalar or an array of any layout, and
 * is broadcast to the shape of that part.  Values are cast as by mnp_astype(); y may share memory with x.  MNP_ERR_ARG
 * as for mnp_index(), if y does not broadcast to that part, or if x is a broadcast view.  Collective.
 */
MNP_API mnp_status mnp_set(mnp_array *x, const char *subscripts, const mnp_array *y);

#define MNP_MAX_SUBSCRIPTS (2 * MNP_MAX_DIMS + 1) /* no array can have more */

/*
 * Read subscripts from such a text; `items` has room for MNP_MAX_SUBSCRIPTS.  MNP_ERR_ARG with the position.  Not
 * collective.
 */
MNP_API mnp_status mnp_subscripts_parse(const char *text, mnp_subscript *items, int *count_p);

/*
 * Find the smallest box of an array that contains all elements which the subscripts select, for example to read only
 * these from a file.  The subscripts are changed so that they select the same elements from the box: mnp_slice() of the
 * box with the changed subscripts equals mnp_slice() of the array with the given ones.
 *
 *   items           `count` subscripts, which are changed
 *   start, extent   receive the box: its first index and its extent along each of the ndim dimensions.  Where no
 *                   element is selected an extent is 0
 *
 * MNP_ERR_ARG as for mnp_slice(); nothing is changed then.  Not collective.
 */
MNP_API mnp_status mnp_subscripts_box(int ndim, const int64_t *shape, int count, mnp_subscript *items, int64_t *start,
                                      int64_t *extent);

/*
 * The part of an array in a file that is read: x[subscripts], or a box of this.  If all members are 0, it is the whole
 * array.
 *
 *   subscripts    as for mnp_index(), "1:, ::-2, 0"; NULL: all of x
 *   start, shape  the first index and the shape of a box of x[subscripts], with an entry for each of its dimensions;
 *                 NULL: all of x[subscripts]
 *   ahead         nothing is read yet, and no array is made: a thread brings the bytes of this rank's block from the
 *                 disk to the memory of the operating system, while the program goes on, so that the same call without
 *                 `ahead` will find them there.  One such request of a context is under way at a time: a new one
 *                 replaces it.  What cannot be read ahead is no error; mistakes of the call are the usual ones
 */
typedef struct mnp_selection {
    const char *subscripts;
    const int64_t *start, *shape;
    bool ahead;
} mnp_selection;

/*
 * The shape of the part that a selection takes from an array of the given shape.
 *
 *   ndim_p, selected  receive the number of dimensions and up to MNP_MAX_DIMS extents
 *
 * MNP_ERR_ARG as for mnp_index(), or if the box does not lie in x[subscripts].  Not collective.
 */
MNP_API mnp_status mnp_selection_shape(const mnp_selection *selection, int ndim, const int64_t *shape, int *ndim_p,
                                       int64_t *selected);

/* numpy.transpose: dimension d of the view is axes[d] of x; axes NULL reverses all.  MNP_ERR_ARG.  Not collective. */
MNP_API mnp_status mnp_transpose(const mnp_array *x, const int *axes, mnp_array **view_p);

/*
 * numpy.swapaxes, and numpy.moveaxis of one axis or several.  Negative axes count from the end.  MNP_ERR_ARG.  Not
 * collective.
 */
MNP_API mnp_status mnp_swapaxes(const mnp_array *x, int axis1, int axis2, mnp_array **view_p);
MNP_API mnp_status mnp_moveaxis(const mnp_array *x, int source, int destination, mnp_array **view_p);
MNP_API mnp_status mnp_moveaxes(const mnp_array *x, int count, const int *sources, const int *destinations,
                                mnp_array **view_p);

/*
 * numpy.squeeze: drop the given axes, which must have extent 1; axes NULL: all of extent 1.  MNP_ERR_ARG.  Not
 * collective.
 */
MNP_API mnp_status mnp_squeeze(const mnp_array *x, int naxes, const int *axes, mnp_array **view_p);

/*
 * numpy.expand_dims: insert dimensions of extent 1; `axes` are their places in the view.  MNP_ERR_ARG.  Not collective.
 */
MNP_API mnp_status mnp_expand_dims(const mnp_array *x, int naxes, const int *axes, mnp_array **view_p);

/* numpy.atleast_1d, atleast_2d and atleast_3d of one array.  MNP_ERR_ARG, MNP_ERR_MEMORY.  Not collective. */
MNP_API mnp_status mnp_atleast_1d(const mnp_array *x, mnp_array **view_p);
MNP_API mnp_status mnp_atleast_2d(const mnp_array *x, mnp_array **view_p);
MNP_API mnp_status mnp_atleast_3d(const mnp_array *x, mnp_array **view_p);

/*
 * numpy.broadcast_to: dimensions of extent 1 are repeated, and missing ones are added in front.  The view is read-only.
 * The rank that owns the element of a dimension of extent 1 owns all of its repetitions.  MNP_ERR_ARG if x does not
 * broadcast to the shape.  Not collective.
 */
MNP_API mnp_status mnp_broadcast_to(const mnp_array *x, int ndim, const int64_t *shape, mnp_array **view_p);

/* numpy.flip along the given axes; axes NULL: all.  MNP_ERR_ARG.  Not collective. */
MNP_API mnp_status mnp_flip(const mnp_array *x, int naxes, const int *axes, mnp_array **view_p);

/* numpy.rot90: rotate by k quarter turns, from the first axis towards the second.  MNP_ERR_ARG.  Not collective. */
MNP_API mnp_status mnp_rot90(const mnp_array *x, int k, int axis1, int axis2, mnp_array **view_p);

/*
 * numpy.real and numpy.imag: views of the real and imaginary parts of complex elements.  If x is real, mnp_real() gives
 * a view of x, and mnp_imag() a new array of zeros, for which it is collective.  MNP_ERR_MEMORY.
 */
MNP_API mnp_status mnp_real(const mnp_array *x, mnp_array **view_p);
MNP_API mnp_status mnp_imag(const mnp_array *x, mnp_array **view_p);

/*
 * numpy.reshape in C order.  It is a view if every rank's elements are a block of the new shape too and their strides
 * allow it.  It is a copy on the same ranks if only the strides prevent a view.  It is a new array in the layout of
 * mnp_layout_block() if elements have to move to other ranks.  One extent may be -1; it is computed from the others.
 * MNP_ERR_ARG if the number of elements differs; MNP_ERR_MEMORY, MNP_ERR_COMM.  Collective.
 */
MNP_API mnp_status mnp_reshape(const mnp_array *x, int ndim, const int64_t *shape, mnp_array **view_p);

/* numpy.ravel: mnp_reshape() to one dimension.  Collective. */
MNP_API mnp_status mnp_ravel(const mnp_array *x, mnp_array **view_p);

/*
 * numpy.lib.stride_tricks.sliding_window_view: all windows of an array.  The axes of the array become the positions of
 * the windows, so that an axis is shorter by the window's extent less 1; the axes of the windows themselves come last.
 *
 *   count    number of axes of a window
 *   window   its extents, each from 1 to that of its axis
 *   axes     the axes of x along which the window lies, which may be repeated; NULL: all axes of x, in order
 *
 * The result is a read-only view of x if no rank's windows reach into other ranks' blocks.  Otherwise it is a view of a
 * copy of x on the same ranks, with margins around the blocks for the elements that windows reach; later changes of x
 * are then not seen.  A window belongs to the rank that owns its first element.  MNP_ERR_ARG; MNP_ERR_MEMORY,
 * MNP_ERR_COMPILE, MNP_ERR_COMM.  Collective.
 */
MNP_API mnp_status mnp_sliding_window_view(const mnp_array *x, int count, const int64_t *window, const int *axes,
                                           mnp_array **view_p);

/*
 * numpy.ascontiguousarray and asfortranarray: a view of x if every rank's block is contiguous in that order already,
 * and otherwise a copy.  Collective.
 */
MNP_API mnp_status mnp_ascontiguousarray(const mnp_array *x, mnp_array **result_p);
MNP_API mnp_status mnp_asfortranarray(const mnp_array *x, mnp_array **result_p);

/*
 * Whether two arrays use the same memory, so that they may have elements in common.  The same on all ranks.  Not
 * collective.
 */
MNP_API bool mnp_may_share_memory(const mnp_array *x, const mnp_array *y);

#ifdef __cplusplus
}
#endif

#endif
