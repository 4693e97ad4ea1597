/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Products of distributed matrices and tensors, in NumPy's words: mnp_matmul(a, b, &c) is numpy.matmul(a, b).
 *
 * Operands may have any layout and be views.  Dtypes are promoted as NumPy does it; bfloat16 and float16 are summed in
 * float32 and rounded once.  Sums of integers wrap around; a sum of bools is true if any product is.  The order in
 * which floats are summed is that of the library that does the work, which is OpenBLAS or another BLAS on the host, and
 * cuBLAS on GPUs; products of integers and bool are computed by kernels of Maniple's own.
 *
 * A model chooses the cheapest way to bring blocks of different ranks together: either operand or the result stays
 * where it is, or a new mesh of the ranks is used, on which rows, columns, the summed dimension or a batch is cut; see
 * mnp_matmul_describe().  If both operands are cut along the same dimension of a batch, it needs no communication.
 *
 * A new result is on the mesh of a if a is cut along rows or a batch, or b is along neither columns nor a batch, and
 * otherwise on that of b.  Its rows are cut as those of a, its columns as those of b, its batch as that of either, as
 * far as these are on that mesh and an axis does not cut two dimensions; where this leaves nothing cut, rows are cut
 * along the axis that cut the summed dimension.  A given output may have any layout.
 *
 * Operands that are block-cyclic are brought to blocks first, in which the same mesh axes cut the same dimensions.
 *
 * All functions are collective, except where they say so.  MNP_ERR_ARG for shapes that do not fit, and scalars
 * (MNP_SCALAR); MNP_ERR_UNSUPPORTED where there is no BLAS; MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE,
 * MNP_ERR_COMM.
 */
#ifndef MANIPLE_LINALG_H
#define MANIPLE_LINALG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <maniple/array.h>
#include <maniple/base.h>
#include <maniple/layout.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * numpy.matmul: a (..., m, k) times b (..., k, n), whose first dimensions are broadcast; a vector a is taken as one
 * row, a vector b as one column, and the result does not have that dimension.
 */
MNP_API mnp_status mnp_matmul(const mnp_array *a, const mnp_array *b, mnp_array **out_p);

/*
 * How float32, float64, complex64 and complex128 are multiplied from now on by the functions of this header.  A context
 * begins with the setting MANIPLE_MATMUL, by default PLAIN.
 *
 *   PLAIN     in their own precision
 *   TF32      float32 and complex64 on a GPU's tensor cores, which round elements to 10 bits of fraction and sum in
 *             float32; several times as fast.  No effect on the host
 *   EMULATED  by products of integers of 8 bits on tensor cores (Ozaki scheme II), 7 of them for float32 and complex64,
 *             14 for float64 and complex128.  It is faster than PLAIN for large matrices on GPUs whose tensor cores
 *             multiply such integers quickly; on the host the same is computed by BLAS in float64, which is slow
 *
 * With u = 2^-24 for float32 and complex64 and 2^-53 otherwise, an element of an emulated product (..., m, k) times
 * (..., k, n) differs from the exact one by at most
 *
 *   (sqrt(k) + 1) u |a| |b|, or twice that for complex numbers
 *
 * where |a| and |b| are the Euclidean norms of its row and its column, beside underflow.  |a| |b| is at most k times
 * the product of the largest elements.  Where k is cut in parts over ranks, add u |a| |b| for each part.  Rows of A and
 * columns of B may have any scale, but elements below u times the norm of their row or column count for nothing.
 * Matrices of integers have the exact product, rounded once, if |a| and |b| are below 2^27, or 2^54 in double.
 * If a row of A or a column of B holds a NaN or an infinity, that row or column of the product has the infinities and
 * NaN of a plain one; others are what they would be without it.
 *
 * A product with a vector is plain.  An emulated one takes memory for what is in between, up to 1/16 of the device's
 * where that is free, and less if there is less; where there is not even a little: MNP_ERR_MEMORY, on all ranks.  It
 * cannot be recorded into a graph.  Collective; all ranks give the same.  MNP_ERR_ARG.
 */
typedef enum mnp_matmul_precision { MNP_MATMUL_PLAIN, MNP_MATMUL_TF32, MNP_MATMUL_EMULATED } mnp_matmul_precision;
MNP_API mnp_status mnp_matmul_set_precision(mnp_ctx *ctx, mnp_matmul_precision precision);

/* What mnp_matmul() does; numbers are those of this rank unless they are said to be of all. */
typedef struct mnp_matmul_info {
    const char *method;       /* a phrase: "stationary A", "stationary B", "stationary C", "A's rows, all of B", "B's
                                 columns, all of A", "k in parts", "the batch in parts", "a mesh", "one rank" */
    int parts;                /* in how many parts the summed dimension is cut; partial sums move if that is above 1 */
    int64_t bytes, all_bytes; /* received from other ranks: by this rank, by all together */
    int64_t messages;         /* received, one from each rank for each array that moves; without the partial sums */
    int64_t workspace;        /* bytes of temporary blocks */
    int integer_products;     /* how many products of 8-bit integers emulate it; 0: it is not emulated */
} mnp_matmul_info;

/*
 * Tell what mnp_matmul(a, b, out) would do for an output of that layout; NULL: for a new output.  Not collective; all
 * ranks find the same method.  MNP_ERR_ARG as mnp_matmul(), if an operand or the layout is block-cyclic, and if the
 * layout does not have the shape of the result.
 */
MNP_API mnp_status mnp_matmul_describe(const mnp_array *a, const mnp_array *b, const mnp_layout *layout,
                                       mnp_matmul_info *info);

/*
 * numpy.dot: the sum over the last dimension of a and the last but one of b, or its only one.  An operand without
 * dimensions, or a scalar, multiplies the other one.
 */
MNP_API mnp_status mnp_dot(const mnp_array *a, const mnp_array *b, mnp_array **out_p);

/* numpy.inner: the sum over the last dimension of both.  Scalars are treated as in mnp_dot(). */
MNP_API mnp_status mnp_inner(const mnp_array *a, const mnp_array *b, mnp_array **out_p);

/* numpy.vdot: the sum of conj(a) b over all elements in C order, of operands with as many elements. */
MNP_API mnp_status mnp_vdot(const mnp_array *a, const mnp_array *b, mnp_array **out_p);

/* numpy.outer: a[:, None] * b of the operands as vectors. */
MNP_API mnp_status mnp_outer(const mnp_array *a, const mnp_array *b, mnp_array **out_p);

/*
 * numpy.vecdot, matvec and vecmat, for stacks of vectors and matrices, which are broadcast: the sum of conj(a) b along
 * an axis; matrices times vectors; conjugated vectors times matrices.
 */
MNP_API mnp_status mnp_vecdot(const mnp_array *a, const mnp_array *b, int axis, mnp_array **out_p);
MNP_API mnp_status mnp_matvec(const mnp_array *a, const mnp_array *x, mnp_array **out_p);
MNP_API mnp_status mnp_vecmat(const mnp_array *x, const mnp_array *a, mnp_array **out_p);

/*
 * numpy.cross: cross products of vectors of 3 elements, which lie along axis_a of a, axis_b of b and `axis` of the
 * result; negative axes count from the end.  The other dimensions are broadcast.  The elements may be integers or
 * floats, real or complex; complex ones are not conjugated.  The result has the layout of an operand in which no vector
 * is cut.  MNP_ERR_ARG also if the extent of an axis is not 3, and for bools.
 */
MNP_API mnp_status mnp_cross(const mnp_array *a, const mnp_array *b, int axis_a, int axis_b, int axis,
                             mnp_array **out_p);

/*
 * numpy.tensordot: the sum over `naxes` pairs of axes, axes_a[i] of a with axes_b[i] of b; negative ones count from the
 * end.  NULL: the last ones of a, the first ones of b, so that tensordot(a, b, axes=2) is mnp_tensordot(a, b, 2, NULL,
 * NULL, &c).  The operands are reshaped to matrices as mnp_reshape() does it, which may copy them and move them to
 * other ranks.
 */
MNP_API mnp_status mnp_tensordot(const mnp_array *a, const mnp_array *b, int naxes, const int *axes_a,
                                 const int *axes_b, mnp_array **out_p);

/* numpy.kron, of operands with at most MNP_MAX_DIMS / 2 dimensions. */
MNP_API mnp_status mnp_kron(const mnp_array *a, const mnp_array *b, mnp_array **out_p);

/*
 * numpy.linalg.matrix_power of square matrices (..., n, n) for n >= 0, by repeated squaring.  For a negative n take the
 * power of the inverse: MNP_ERR_ARG.
 */
MNP_API mnp_status mnp_matrix_power(const mnp_array *a, int64_t n, mnp_array **out_p);

/*
 * numpy.linalg.multi_dot: the product of 2 to 64 matrices in the order with the fewest operations; the first and the
 * last one may be vectors, a row and a column.
 */
MNP_API mnp_status mnp_multi_dot(const mnp_array *const *arrays, int count, mnp_array **out_p);

/*
 * In which order mnp_einsum() contracts its operands, two at a time.  GREEDY: always the pair whose result is the
 * smallest compared with the two.  OPTIMAL: with the fewest operations, up to ten operands; beyond that as GREEDY.
 * IN_ORDER: from the first to the last.
 */
typedef enum mnp_einsum_order { MNP_EINSUM_GREEDY, MNP_EINSUM_OPTIMAL, MNP_EINSUM_IN_ORDER } mnp_einsum_order;

/*
 * numpy.einsum of 1 to 32 operands, with subscripts as there: "ij,jk->ik"; without an arrow the result has the letters
 * that are there once, in alphabetical order; a letter twice in an operand is its diagonal; an ellipsis stands for
 * dimensions that are broadcast.  First diagonals are taken, and dimensions that only one operand has are summed; then
 * each pair is a product of stacks of matrices, for which it is reshaped as mnp_reshape() does it, or, if it sums
 * nothing, an element-wise product.  The result of a pair must not have more than MNP_MAX_DIMS dimensions.  All is
 * computed in the dtype of the result, to which the results of pairs are rounded.
 */
MNP_API mnp_status mnp_einsum(const char *subscripts, const mnp_array *const *arrays, int count, mnp_einsum_order order,
                              mnp_array **out_p);

/*
 * numpy.einsum_path: the order in which mnp_einsum() contracts the operands, for subscripts in which no dimension
 * belongs to one operand alone and is summed.
 *
 *   path          receives 2 (count - 1) numbers: step s contracts numbers path[2 s] < path[2 s + 1] of the list of
 *                 operands that are left, removes them, and puts the result at its end
 *   operations_p  NULL, or receives the number of products that are added up
 *
 * Not collective.  MNP_ERR_ARG as mnp_einsum().
 */
MNP_API mnp_status mnp_einsum_path(const char *subscripts, const mnp_array *const *arrays, int count,
                                   mnp_einsum_order order, int *path, double *operations_p);

#ifdef __cplusplus
}
#endif

#endif
