/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Making arrays from numbers and from indices, in NumPy's words.
 *
 * New arrays have the layout of mnp_layout_block().  A given array must have the result's shape, may have any layout,
 * and any dtype to which the result can be cast under "same_kind".  Values are functions of the global index, computed
 * by the rank that owns the element: nothing moves between ranks.  All functions are collective; where nothing else is
 * said, failures are MNP_ERR_ARG and MNP_ERR_MEMORY, and MNP_ERR_COMPILE at the first call of a kind.
 */
#ifndef MANIPLE_CREATE_H
#define MANIPLE_CREATE_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple/array.h>
#include <maniple/base.h>
#include <maniple/dtype.h>

#ifdef __cplusplus
extern "C" {
#endif

/* numpy.ones.  It is as mnp_full() of array.h, also in what it requires of a given array. */
MNP_API mnp_status mnp_ones(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape, mnp_array **array_p);

/*
 * numpy.empty_like, zeros_like, ones_like, full_like: the shape and layout of `prototype`, and its dtype where
 * MNP_DTYPE_AUTO is given.  `value` is one element of the result's dtype.  The result is dense, in C order.
 */
MNP_API mnp_status mnp_empty_like(const mnp_array *prototype, mnp_dtype dtype, mnp_array **array_p);
MNP_API mnp_status mnp_zeros_like(const mnp_array *prototype, mnp_dtype dtype, mnp_array **array_p);
MNP_API mnp_status mnp_ones_like(const mnp_array *prototype, mnp_dtype dtype, mnp_array **array_p);
MNP_API mnp_status mnp_full_like(const mnp_array *prototype, mnp_dtype dtype, const void *value, mnp_array **array_p);

/*
 * numpy.arange: the values start + i * step before `stop`, of which there are ceil((stop - start) / step).  As in NumPy
 * the first two values are rounded to the dtype, and their difference gives the others.  MNP_DTYPE_AUTO is float64,
 * int64 and uint64 in the three functions; values that do not fit an integer type wrap around.  MNP_ERR_ARG if step is
 * 0, the length is NaN or too large, or if the dtype is bool and there are more than two values.
 */
MNP_API mnp_status mnp_arange(mnp_ctx *ctx, double start, double stop, double step, mnp_dtype dtype,
                              mnp_array **array_p);
MNP_API mnp_status mnp_arange_int(mnp_ctx *ctx, int64_t start, int64_t stop, int64_t step, mnp_dtype dtype,
                                  mnp_array **array_p);
MNP_API mnp_status mnp_arange_uint(mnp_ctx *ctx, uint64_t start, uint64_t stop, int64_t step, mnp_dtype dtype,
                                   mnp_array **array_p);

/*
 * numpy.linspace: `count` values from start to stop, which is the last one if `endpoint`.  *step_p, which may be NULL,
 * receives the distance between them (NaN where there is none).  MNP_DTYPE_AUTO is float64; integers are rounded
 * down.  MNP_ERR_ARG if count is negative.
 */
MNP_API mnp_status mnp_linspace(mnp_ctx *ctx, double start, double stop, int64_t count, bool endpoint, mnp_dtype dtype,
                                double *step_p, mnp_array **array_p);

/*
 * The same of complex numbers: start, stop and the step are two numbers each, real and imaginary part.  MNP_DTYPE_AUTO
 * is complex128; dtypes that are not complex are MNP_ERR_ARG.
 */
MNP_API mnp_status mnp_linspace_complex(mnp_ctx *ctx, const double *start, const double *stop, int64_t count,
                                        bool endpoint, mnp_dtype dtype, double *step_p, mnp_array **array_p);

/* numpy.logspace: base to the power of mnp_linspace(). */
MNP_API mnp_status mnp_logspace(mnp_ctx *ctx, double start, double stop, int64_t count, bool endpoint, double base,
                                mnp_dtype dtype, mnp_array **array_p);

/* numpy.geomspace: a geometric progression from start to stop, neither of which may be 0 (MNP_ERR_ARG). */
MNP_API mnp_status mnp_geomspace(mnp_ctx *ctx, double start, double stop, int64_t count, bool endpoint, mnp_dtype dtype,
                                 mnp_array **array_p);

/* numpy.eye: ones on diagonal k (above the main one if k > 0), zeros elsewhere; and numpy.identity. */
MNP_API mnp_status mnp_eye(mnp_ctx *ctx, mnp_dtype dtype, int64_t rows, int64_t columns, int64_t k,
                           mnp_array **array_p);
MNP_API mnp_status mnp_identity(mnp_ctx *ctx, mnp_dtype dtype, int64_t n, mnp_array **array_p);

/* numpy.tri: ones on and below diagonal k. */
MNP_API mnp_status mnp_tri(mnp_ctx *ctx, mnp_dtype dtype, int64_t rows, int64_t columns, int64_t k,
                           mnp_array **array_p);

/*
 * numpy.tril, triu: x, with zeros above, or below, diagonal k of its last two dimensions.  MNP_ERR_ARG if x has fewer
 * than two (where NumPy makes a matrix of one).  Here and in the two functions below a block-cyclic x is brought to
 * blocks first.
 */
MNP_API mnp_status mnp_tril(const mnp_array *x, int64_t k, mnp_array **result_p);
MNP_API mnp_status mnp_triu(const mnp_array *x, int64_t k, mnp_array **result_p);

/*
 * numpy.diag: for a vector of n elements, the square matrix of n + |k| rows with the vector on diagonal k; for a
 * matrix, a copy of its diagonal k.  Only the diagonal moves between ranks.  MNP_ERR_ARG unless x has one or two
 * dimensions.
 */
MNP_API mnp_status mnp_diag(const mnp_array *x, int64_t k, mnp_array **result_p);

/*
 * numpy.diagonal, as a copy: x without its dimensions axis1 and axis2, whose diagonal `offset` is the last dimension of
 * the result.  Where both dimensions are cut, and x is no matrix, x is first brought to another layout.
 */
MNP_API mnp_status mnp_diagonal(const mnp_array *x, int64_t offset, int axis1, int axis2, mnp_array **result_p);

/* numpy.meshgrid's indexing: with XY the first two dimensions of the results change places. */
typedef enum mnp_indexing { MNP_INDEXING_XY, MNP_INDEXING_IJ } mnp_indexing;

/*
 * numpy.meshgrid of `count` vectors (at most MNP_MAX_DIMS; 0-dimensional arrays count as vectors of one element): as
 * many arrays of `count` dimensions; array i has the values of vector i along its own dimension, and repeats them along
 * the others, whose extents are 1 if `sparse`.  Each grids[i] is an output: NULL, or a given array.
 */
MNP_API mnp_status mnp_meshgrid(const mnp_array *const *vectors, int count, mnp_indexing indexing, bool sparse,
                                mnp_array **grids);

/*
 * numpy.indices: an array of shape (ndim, shape...), whose part i along the first dimension has the indices along
 * dimension i of the given shape.  MNP_DTYPE_AUTO is int64.
 */
MNP_API mnp_status mnp_indices(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape, mnp_array **array_p);

/*
 * numpy.copyto: write `source` to the elements of `target`, for example of a view.  The source is a scalar or an array
 * of any layout, is broadcast to the target's shape, and may be a view of the same memory.  MNP_ERR_ARG if the shapes
 * do not fit, the target is a broadcast view, or `casting` does not allow the conversion.
 */
MNP_API mnp_status mnp_copyto(mnp_array *target, const mnp_array *source, mnp_casting casting);

#ifdef __cplusplus
}
#endif

#endif
