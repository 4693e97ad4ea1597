/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sparse matrices, spread over the ranks by rows, in the words of scipy.sparse.
 *
 * A matrix of M rows and N columns has two layouts of one dimension: its row layout cuts the M rows, and is that of y
 * in y = A x; its column layout cuts the N columns, and is that of x.  Either is cut in one part for each rank, in
 * their order.  A rank stores its own rows: the entries in columns that it owns itself and, apart from them, those in
 * others' columns, the ghosts.  Shapes, indices and counts of entries are 64 bits wide; a rank's own rows, columns,
 * diagonals and ghosts are counted by 32 bits (MNP_ERR_UNSUPPORTED where there are more).
 *
 * Values are float32, float64, complex64 or complex128.  Duplicates are summed, the columns of a row rise, zeros that
 * are given stay (mnp_sparse_eliminate_zeros()).  A matrix does not change once it is made.
 *
 * Work is done on the device, and on parts in CSR: others than products with vectors and diagonals convert a matrix in
 * another format first, which the CPU does, and what they make, where it keeps the format.  Dense arrays, identities and
 * what is handed out to the caller or a file are the CPU's work too: on a GPU that costs copies of the matrix.
 *
 * Unless something else is said, functions are collective; they fail with MNP_ERR_ARG where an argument is wrong, and
 * all that make something with MNP_ERR_MEMORY, MNP_ERR_DEVICE, MNP_ERR_COMM or MNP_ERR_TIMEOUT.
 */
#ifndef MANIPLE_SPARSE_H
#define MANIPLE_SPARSE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <maniple/array.h>
#include <maniple/base.h>
#include <maniple/dtype.h>
#include <maniple/layout.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mnp_sparse mnp_sparse;

/*
 * How a rank's entries in its own columns lie in memory; its ghosts are always CSR.  All formats have products, and all
 * functions take all of them.  mnp_sparse_astype(), _conj(), _redistribute() and _scale() keep the format, what others
 * make is CSR.  DIA and BSR have no entries that are 0: those are dropped.
 */
typedef enum mnp_sparse_format {
    MNP_CSR, /* by rows */
    MNP_CSC, /* by columns; products take one thread on the host, and atomic additions on a GPU, in no fixed order */
    MNP_COO, /* entry by entry, in the order of CSR; a GPU adds as in CSC */
    MNP_DIA, /* by diagonals, for banded matrices: no indices, but a place for every row in every diagonal */
    MNP_BSR, /* by dense blocks */
    MNP_SELL /* in slices of 32 rows, as long as their longest row, for GPUs */
} mnp_sparse_format;

/* ---- making one ---- */

/*
 * From entries that any rank may hold in any order, `count` of them here in memory of the CPU: entry k is values[k], of
 * that dtype, at row rows[k], column columns[k].  scipy.sparse.coo_array((values, (rows, columns)), shape).tocsr().
 * Layouts NULL: rows (columns) cut evenly over all ranks, and columns as rows where the matrix is square.
 * MNP_ERR_ARG, too, for an index that is outside, with its number and value.
 */
MNP_API mnp_status mnp_sparse_from_triplets(mnp_ctx *ctx, mnp_dtype dtype, int64_t nrows, int64_t ncolumns,
                                            const mnp_layout *row_layout, const mnp_layout *column_layout,
                                            int64_t count, const int64_t *rows, const int64_t *columns,
                                            const void *values, mnp_sparse **matrix_p);

/* The same from three arrays of one dimension and length, in any layouts: rows and columns of integers, and values. */
MNP_API mnp_status mnp_sparse_from_coo(const mnp_array *rows, const mnp_array *columns, const mnp_array *values,
                                       int64_t nrows, int64_t ncolumns, mnp_sparse **matrix_p);

/*
 * A grid's matrix, one row for every point of a grid of that shape in C order: the point at index i is coupled to those
 * at i + offsets[k], k < npoints, by coefficients[k] (of that dtype), as far as they lie in the grid.  `offsets` has
 * npoints times ndim elements, and no point twice.  Rows are cut evenly.
 */
MNP_API mnp_status mnp_csr_from_stencil(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape, int npoints,
                                        const int64_t *offsets, const void *coefficients, mnp_sparse **matrix_p);

/* From an array of two dimensions, its entries that are not 0: scipy.sparse.csr_array(dense).  Rows are cut evenly. */
MNP_API mnp_status mnp_sparse_from_dense(const mnp_array *dense, mnp_sparse **matrix_p);

/* Ones on diagonal k: scipy.sparse.eye_array(nrows, ncolumns, k=k).  Rows are cut evenly. */
MNP_API mnp_status mnp_sparse_eye(mnp_ctx *ctx, mnp_dtype dtype, int64_t nrows, int64_t ncolumns, int64_t k,
                                  mnp_sparse **matrix_p);

/*
 * A matrix made on the spot, of dtype float64 where that is MNP_DTYPE_AUTO.  A grid's points are in C order; outside it
 * all is 0.  Rows are cut evenly, and a rank makes its own.
 *
 *   poisson:NX[xNY[xNZ]]       minus the Laplacian by second differences: 2 a dimension on the diagonal, -1 to each
 *                              neighbour
 *   hpcg:NXxNYxNZ              26 on the diagonal, -1 to all 26 neighbours (https://www.hpcg-benchmark.org)
 *   convdiff:NX[xNY[xNZ]][@P]  Poisson's, and convection along each dimension, by upwind differences: P, the cell
 *                              Peclet number (velocity times distance by diffusivity), is added to the diagonal and
 *                              taken from what is upwind, the neighbour before, or behind where P < 0; one number, or
 *                              PxP.. for each; without it 1
 *   elasticity:NXxNY[@NU]      plane stress in NX x NY square elements, bilinear, with Young's modulus 1 and Poisson's
 *                              ratio NU (0.3): the shifts along x and y of every node, in turn; nodes are in C order,
 *                              (NX + 1) x (NY + 1) of them, of which the first NY + 1 are held and left out (T. J. R.
 *                              Hughes, The Finite Element Method, 1987)
 *
 * MNP_ERR_ARG for a text that is none of these.
 */
MNP_API mnp_status mnp_sparse_generate(mnp_ctx *ctx, const char *text, mnp_dtype dtype, mnp_sparse **matrix_p);

/* Whether a text begins as these do, NAME and a colon.  Not collective. */
MNP_API bool mnp_sparse_is_generator(const char *text);

/* Release; NULL is accepted. */
MNP_API void mnp_sparse_free(mnp_sparse *matrix);

/* ---- what it is ---- */

/*
 * Not collective, all of them; pointers belong to the matrix.  The shape is {M, N}.  nnz counts the stored entries of
 * all ranks, without what fills a format, local_nnz those of this rank; ghosts: columns of others that this rank's rows
 * touch.
 */
MNP_API mnp_ctx *mnp_sparse_ctx(const mnp_sparse *matrix);
MNP_API mnp_dtype mnp_sparse_dtype(const mnp_sparse *matrix);
MNP_API mnp_sparse_format mnp_sparse_get_format(const mnp_sparse *matrix);
MNP_API const int64_t *mnp_sparse_shape(const mnp_sparse *matrix);
MNP_API int64_t mnp_sparse_nnz(const mnp_sparse *matrix);
MNP_API int64_t mnp_sparse_local_nnz(const mnp_sparse *matrix);
MNP_API int64_t mnp_sparse_ghosts(const mnp_sparse *matrix);
MNP_API const mnp_layout *mnp_sparse_row_layout(const mnp_sparse *matrix);
MNP_API const mnp_layout *mnp_sparse_column_layout(const mnp_sparse *matrix);

/*
 * This rank's rows as CSR in memory of the CPU, whatever the format: offsets (one more than rows, from 0 on), global
 * columns and values (local_nnz each).  Waits.  Not collective.  MNP_ERR_MEMORY, MNP_ERR_DEVICE.
 */
MNP_API mnp_status mnp_sparse_get_local(const mnp_sparse *matrix, int64_t *offsets, int64_t *columns, void *values);

/* How far a square matrix is from symmetries; 0: it has them exactly.  Entries that are not stored are 0. */
typedef struct mnp_sparse_symmetry {
    bool pattern;          /* where an entry is stored at (i, j), one is at (j, i) */
    double symmetric;      /* largest |a_ij - a_ji|; scipy.linalg.issymmetric */
    double skew_symmetric; /* largest |a_ij + a_ji| */
    double hermitian;      /* largest |a_ij - conj(a_ji)|; scipy.linalg.ishermitian */
} mnp_sparse_symmetry;

/*
 * Compare a matrix with its transposed one.  NaN and infinities differ by infinity.  MNP_ERR_ARG if it is not square.
 */
MNP_API mnp_status mnp_sparse_find_symmetry(const mnp_sparse *matrix, mnp_sparse_symmetry *symmetry_p);

/* ---- changing form ---- */

/*
 * The same matrix in another format: scipy.sparse's tocsr(), tocsc(), todia() and so on.  `block`: the side of BSR's
 * blocks, up to 64; 0: the largest up to 4 whose blocks are 7 tenths full, as scipy.sparse chooses.  Other formats
 * ignore it.
 */
MNP_API mnp_status mnp_sparse_convert(const mnp_sparse *matrix, mnp_sparse_format format, int block,
                                      mnp_sparse **converted_p);

/* The same matrix in other layouts.  NULL: as it is. */
MNP_API mnp_status mnp_sparse_redistribute(const mnp_sparse *matrix, const mnp_layout *row_layout,
                                           const mnp_layout *column_layout, mnp_sparse **moved_p);

/* A row layout that gives every rank about as many entries; for mnp_sparse_redistribute(). */
MNP_API mnp_status mnp_sparse_balance(const mnp_sparse *matrix, mnp_layout **row_layout_p);

/* With values of another dtype, as numpy.ndarray.astype(): complex values lose their imaginary parts. */
MNP_API mnp_status mnp_sparse_astype(const mnp_sparse *matrix, mnp_dtype dtype, mnp_sparse **cast_p);

/* As an array of two dimensions, cut by rows as the matrix is: A.toarray(). */
MNP_API mnp_status mnp_sparse_to_dense(const mnp_sparse *matrix, mnp_array **dense_p);

/* A.T, whose row layout is A's column layout, and the other way round; A.conj(); and A without entries that are 0. */
MNP_API mnp_status mnp_sparse_transpose(const mnp_sparse *matrix, mnp_sparse **transposed_p);
MNP_API mnp_status mnp_sparse_conj(const mnp_sparse *matrix, mnp_sparse **conjugate_p);
MNP_API mnp_status mnp_sparse_eliminate_zeros(const mnp_sparse *matrix, mnp_sparse **out_p);

/* A[start:stop], with Python's meaning of what is negative or outside.  Rows stay with their ranks. */
MNP_API mnp_status mnp_sparse_rows(const mnp_sparse *matrix, int64_t start, int64_t stop, mnp_sparse **rows_p);

/* The lower (upper) triangle up to (from) diagonal k: scipy.sparse.tril, triu. */
MNP_API mnp_status mnp_sparse_tril(const mnp_sparse *matrix, int64_t k, mnp_sparse **out_p);
MNP_API mnp_status mnp_sparse_triu(const mnp_sparse *matrix, int64_t k, mnp_sparse **out_p);

/* ---- arithmetic ---- */

/*
 * y = A x, scipy.sparse's A @ x: x of shape (N,) or (N, k), several vectors side by side; of any dtype, with which A's
 * is promoted.  A dense x that is cut as the column layout is used where it lies, others are brought to it.  The result
 * is cut as the row layout, by rows alone.  Ghosts travel while the own part is computed; who needs which is found at
 * the first product.  MNP_ERR_COMPILE, too.
 *
 * A GPU takes a large matrix in CSR by the kernel that is fastest for it, which is measured at its first product with
 * one vector, for as long as some dozens of products take.  The format that it reads, such as DIA, is kept beside CSR
 * where that leaves as much memory.  The choice does not change a bit of the result.  MANIPLE_SPMV chooses without
 * measuring.
 */
MNP_API mnp_status mnp_sparse_matmul(const mnp_sparse *matrix, const mnp_array *x, mnp_array **y_p);

/*
 * y = A.T x, or A.conj().T x: x is cut as the rows and y as the columns.  The matrix keeps its transpose from then on.
 */
MNP_API mnp_status mnp_sparse_matmul_transposed(const mnp_sparse *matrix, bool conjugate, const mnp_array *x,
                                                mnp_array **y_p);

/*
 * How large the matrix is, and the kernel that was chosen for products with what was measured: a line, from rank 0.
 * Not collective.
 */
MNP_API void mnp_sparse_describe(const mnp_sparse *matrix, FILE *file);

/*
 * C = A B: scipy.sparse's A @ B.  Rows of B that A's ghosts name are fetched.  Entries that come to 0 stay.  Sums are
 * in the order of A's columns, so the result is the same on any number of ranks, bit by bit.
 */
MNP_API mnp_status mnp_sparse_matmul_sparse(const mnp_sparse *a, const mnp_sparse *b, mnp_sparse **c_p);

/*
 * alpha A + beta B, and A.multiply(B), element by element, of equal shapes, in A's layouts.  alpha and beta are a real
 * and an imaginary part each, NULL: 1; an imaginary part that is not 0 makes the result complex.  What comes to 0 is
 * not stored.
 */
MNP_API mnp_status mnp_sparse_add(const double *alpha, const mnp_sparse *a, const double *beta, const mnp_sparse *b,
                                  mnp_sparse **c_p);
MNP_API mnp_status mnp_sparse_multiply(const mnp_sparse *a, const mnp_sparse *b, mnp_sparse **c_p);

/* diags_array(left) @ A @ diags_array(right), of arrays of shape (M,) and (N,), in any layout; NULL: ones. */
MNP_API mnp_status mnp_sparse_scale(const mnp_sparse *matrix, const mnp_array *left, const mnp_array *right,
                                    mnp_sparse **scaled_p);

/* A.diagonal(k), cut as the rows that it goes through; of no elements where k is outside. */
MNP_API mnp_status mnp_sparse_diagonal(const mnp_sparse *matrix, int64_t k, mnp_array **diagonal_p);

/* A.sum(axis) along axis 0 (shape (N,)), 1 (shape (M,)) or both, -1 (shape ()); in the matrix's dtype. */
MNP_API mnp_status mnp_sparse_sum(const mnp_sparse *matrix, int axis, mnp_array **sum_p);

/*
 * scipy.sparse.linalg.norm: 'f' Frobenius, '1' the largest column sum, 'i' the largest row sum, 'm' the largest entry,
 * of absolute values; 0 of a matrix without entries.  The same on all ranks.
 */
MNP_API mnp_status mnp_sparse_norm(const mnp_sparse *matrix, char which, double *norm_p);

/* ---- triangular solves ---- */

/*
 * Solve A x = b, scipy.sparse.linalg.spsolve_triangular: A is lower triangular, or upper triangular, in any format;
 * with unit_diagonal its diagonal is taken for ones, whatever is stored there.  b has the shape (N,) or (N, k) and any
 * dtype, with which A's is promoted; x is cut as A's rows, by rows alone.  The same on any number of ranks, bit by bit.
 *
 * MNP_ERR_ARG, on other ranks MNP_ERR_PEER, if an entry on the other side of the diagonal is not 0, or one on the
 * diagonal is.
 */
MNP_API mnp_status mnp_sparse_solve_triangular(const mnp_sparse *matrix, bool lower, bool unit_diagonal,
                                               const mnp_array *b, mnp_array **x_p);

/*
 * What is worth computing once for several solves with one triangle: which rows wait for which.  A rank solves for the
 * rows that wait for the same number of others, one after another, at once; ranks that need each other's rows take
 * turns, and others do not.  (E. Anderson, Y. Saad, "Solving sparse triangular linear systems on parallel computers",
 * 1989.)
 */
typedef struct mnp_triangular mnp_triangular;

/*
 * For vectors of a dtype that holds the matrix's values (MNP_DTYPE_AUTO: the matrix's).  own_blocks: entries between
 * ranks are left out, so that every rank solves with its diagonal block, all at the same time.  The matrix is not
 * needed afterwards.  Errors as above; *plan_p is then untouched.
 */
MNP_API mnp_status mnp_triangular_new(const mnp_sparse *matrix, mnp_dtype dtype, bool lower, bool unit_diagonal,
                                      bool own_blocks, mnp_triangular **plan_p);

/* x of the plan's dtype, which must hold b's values, else MNP_ERR_ARG. */
MNP_API mnp_status mnp_triangular_solve(const mnp_triangular *plan, const mnp_array *b, mnp_array **x_p);

/* Release; NULL is accepted. */
MNP_API void mnp_triangular_free(mnp_triangular *plan);

#ifdef __cplusplus
}
#endif

#endif
