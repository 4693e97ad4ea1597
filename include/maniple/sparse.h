/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sparse matrices, distributed over the ranks by rows, with the functions of scipy.sparse.
 *
 * A matrix of M rows and N columns has two layouts of one dimension.  Its row layout cuts the M rows and is the layout
 * of y in y = A x; its column layout cuts the N columns and is the layout of x.  Each gives every rank one contiguous
 * part, in the order of the ranks.  A rank stores its own rows in two pieces: the entries in columns that it owns, and
 * the entries in columns of other ranks, whose elements of x are called ghosts.  Shapes, indices and counts of entries
 * have 64 bits; the rows, columns, diagonals and ghosts of one rank are counted with 32 bits (MNP_ERR_UNSUPPORTED
 * beyond that).
 *
 * Values are float32, float64, complex64 or complex128.  Duplicate entries are summed, the columns of a row are sorted,
 * and explicit zeros are kept (mnp_sparse_eliminate_zeros() drops them).  A matrix never changes once it is made.
 *
 * The work is done on the device, on matrices in CSR.  Products with vectors and diagonals also work in every other
 * format; other functions first convert such a matrix to CSR on the CPU.  The CPU also reads and makes dense arrays,
 * makes elasticity matrices, and hands entries to the caller and to files: on a GPU that costs copies of the matrix.
 *
 * Functions are collective unless their comment says otherwise.  They fail with MNP_ERR_ARG where an argument is wrong;
 * those that make something can fail with MNP_ERR_MEMORY, MNP_ERR_DEVICE, MNP_ERR_COMM and MNP_ERR_TIMEOUT too.
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
#include <maniple/signal.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mnp_sparse mnp_sparse;

/*
 * How a rank's entries in its own columns are stored; entries in columns of other ranks are always in CSR.  Every
 * function takes every format.  mnp_sparse_astype(), _conj(), _abs(), _times(), _with_values(), _redistribute() and
 * _scale() keep the format; all others return CSR.  DIA and BSR drop explicit zeros.
 */
typedef enum mnp_sparse_format {
    MNP_CSR, /* by rows */
    MNP_CSC, /* by columns; a product takes one thread on the host, and atomic additions in no fixed order on a GPU */
    MNP_COO, /* entry by entry, in the order of CSR; a GPU adds atomically as in CSC */
    MNP_DIA, /* by diagonals, for banded matrices: no indices, but storage for every row in every diagonal */
    MNP_BSR, /* by dense blocks */
    MNP_SELL /* in slices of 32 rows, as long as their longest row, for GPUs */
} mnp_sparse_format;

/* ---- making one ---- */

/*
 * Make a matrix from triplets, scipy.sparse.coo_array((values, (rows, columns)), shape).tocsr().  Every rank passes
 * `count` entries in memory of the CPU, in any order and of any rows: entry k is values[k], of that dtype, in row
 * rows[k] and column columns[k].  Layouts may be NULL: rows and columns are then cut evenly over the ranks, and the
 * columns of a square matrix as its rows.  MNP_ERR_ARG for an index outside the matrix, with its number and value.
 */
MNP_API mnp_status mnp_sparse_from_triplets(mnp_ctx *ctx, mnp_dtype dtype, int64_t nrows, int64_t ncolumns,
                                            const mnp_layout *row_layout, const mnp_layout *column_layout,
                                            int64_t count, const int64_t *rows, const int64_t *columns,
                                            const void *values, mnp_sparse **matrix_p);

/*
 * The same from three arrays of one dimension and equal length, in any layouts; rows and columns are integers.
 *
 * If no row layout is given, all ranks get the same number of rows, however many entries these have.  A matrix of
 * 100,000 or more entries, of which one of several ranks gets more than 80 %, is made all the same, with a warning in
 * the log, which is stderr by default: mnp_sparse_balance() finds a better row layout.
 */
MNP_API mnp_status mnp_sparse_from_coo(const mnp_array *rows, const mnp_array *columns, const mnp_array *values,
                                       int64_t nrows, int64_t ncolumns, mnp_sparse **matrix_p);

/*
 * Make the matrix of a stencil on a grid: one row for every point of a grid of that shape, in C order.  The row of the
 * point at index i has coefficients[k] (of that dtype) in the column of the point at i + offsets[k], for every k <
 * npoints, where that point lies in the grid.  `offsets` has npoints times ndim elements, and no point twice.  Rows are
 * cut evenly.
 *
 * `boundaries` says for each dimension how the grid continues beyond its ends, such as MNP_BOUNDARY_WRAP where it is
 * periodic (maniple/signal.h).  Points outside then stand for points of the grid, and coefficients for the same column
 * are added.  With MNP_BOUNDARY_FILL, or NULL for all dimensions, points outside have the value 0, and their
 * coefficients are left out.
 */
MNP_API mnp_status mnp_csr_from_stencil(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape,
                                        const mnp_boundary *boundaries, int npoints, const int64_t *offsets,
                                        const void *coefficients, mnp_sparse **matrix_p);

/* The elements of a 2-D array that are not 0: scipy.sparse.csr_array(dense).  Rows are cut evenly. */
MNP_API mnp_status mnp_sparse_from_dense(const mnp_array *dense, mnp_sparse **matrix_p);

/* Ones on diagonal k: scipy.sparse.eye_array(nrows, ncolumns, k=k).  Rows are cut evenly. */
MNP_API mnp_status mnp_sparse_eye(mnp_ctx *ctx, mnp_dtype dtype, int64_t nrows, int64_t ncolumns, int64_t k,
                                  mnp_sparse **matrix_p);

/*
 * Generate a matrix from a text, in float64 if dtype is MNP_DTYPE_AUTO.  The points of a grid are in C order, and
 * values outside it count as 0.  Rows are cut evenly, and each rank makes its own.
 *
 *   poisson:NX[xNY[xNZ]]       minus the Laplacian by second differences: 2 a dimension on the diagonal, -1 to each
 *                              neighbour
 *   hpcg:NXxNYxNZ              26 on the diagonal, -1 to all 26 neighbours (https://www.hpcg-benchmark.org)
 *   convdiff:NX[xNY[xNZ]][@P]  poisson plus convection along each dimension by upwind differences: P, the cell Peclet
 *                              number (velocity times spacing by diffusivity), is added to the diagonal and subtracted
 *                              from the upwind neighbour, the one before, or the one after where P < 0; one number, or
 *                              PxP.. for each dimension; 1 where it is left out
 *   elasticity:NXxNY[@NU]      plane stress in NX x NY bilinear square elements, with Young's modulus 1 and Poisson's
 *                              ratio NU (0.3); the unknowns are the displacements along x and y of every node, in turn;
 *                              nodes are in C order, (NX + 1) x (NY + 1) of them, of which the first NY + 1 are fixed
 *                              and left out (T. J. R. Hughes, The Finite Element Method, 1987)
 *
 * MNP_ERR_ARG for any other text.
 */
MNP_API mnp_status mnp_sparse_generate(mnp_ctx *ctx, const char *text, mnp_dtype dtype, mnp_sparse **matrix_p);

/* Whether a text begins with the name of a generator and a colon.  Not collective. */
MNP_API bool mnp_sparse_is_generator(const char *text);

/* Release; NULL is accepted. */
MNP_API void mnp_sparse_free(mnp_sparse *matrix);

/* ---- what it is ---- */

/*
 * Properties; none of these is collective, and pointers belong to the matrix.  The shape is {M, N}.  nnz is the number
 * of stored entries on all ranks, without the padding of a format, and local_nnz the number on this rank; ghosts is the
 * number of columns of other ranks in which this rank's rows have entries.
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
 * Copy this rank's rows to memory of the CPU, as CSR in any format: offsets (one more than this rank's rows, the first
 * is 0), global columns and values (local_nnz each).  Waits.  Not collective.  MNP_ERR_MEMORY, MNP_ERR_DEVICE.
 */
MNP_API mnp_status mnp_sparse_get_local(const mnp_sparse *matrix, int64_t *offsets, int64_t *columns, void *values);

/* How far a square matrix is from each symmetry; 0: it is exactly symmetric.  Entries that are not stored are 0. */
typedef struct mnp_sparse_symmetry {
    bool pattern;          /* where an entry is stored at (i, j), one is at (j, i) */
    double symmetric;      /* largest |a_ij - a_ji|; scipy.linalg.issymmetric */
    double skew_symmetric; /* largest |a_ij + a_ji| */
    double hermitian;      /* largest |a_ij - conj(a_ji)|; scipy.linalg.ishermitian */
} mnp_sparse_symmetry;

/*
 * Compare a matrix with its transpose.  NaN and infinities differ by infinity.  MNP_ERR_ARG if it is not square.
 */
MNP_API mnp_status mnp_sparse_find_symmetry(const mnp_sparse *matrix, mnp_sparse_symmetry *symmetry_p);

/* Properties of a matrix that mnp_sparse_find_traits() finds in one pass over its entries. */
typedef struct mnp_sparse_traits {
    /*
     * a hash of shape, dtype and entries, which does not depend on the number of ranks, layout or format; another
     * matrix has the same fingerprint with a probability of about 2^-64
     */
    uint64_t fingerprint;
    bool hermitian;         /* square and, up to rounding, A = A^H: seen from a sum with random weights */
    bool positive_diagonal; /* all elements of the diagonal are real and positive */
    bool full_diagonal;     /* none of them is 0 */
} mnp_sparse_traits;

/* Find out.  Takes about as long as one product with a vector, and much less than mnp_sparse_find_symmetry(). */
MNP_API mnp_status mnp_sparse_find_traits(const mnp_sparse *matrix, mnp_sparse_traits *traits_p);

/* The matrix's kind in words, such as "symmetric with a positive diagonal"; a constant.  Not collective. */
MNP_API const char *mnp_sparse_traits_text(const mnp_sparse *matrix, const mnp_sparse_traits *traits);

/* ---- conversions ---- */

/*
 * Convert to another format: scipy.sparse's tocsr(), tocsc(), todia() and so on.  `block` is the side of BSR's blocks,
 * up to 64; 0 chooses the largest up to 4 whose blocks are 70 % full, as scipy.sparse does.  Other formats ignore it.
 */
MNP_API mnp_status mnp_sparse_convert(const mnp_sparse *matrix, mnp_sparse_format format, int block,
                                      mnp_sparse **converted_p);

/* Move to other layouts; a layout that is NULL stays. */
MNP_API mnp_status mnp_sparse_redistribute(const mnp_sparse *matrix, const mnp_layout *row_layout,
                                           const mnp_layout *column_layout, mnp_sparse **moved_p);

/* Find a row layout that gives every rank about as many entries, for mnp_sparse_redistribute(). */
MNP_API mnp_status mnp_sparse_balance(const mnp_sparse *matrix, mnp_layout **row_layout_p);

/* Convert the values as numpy.ndarray.astype() does: complex values lose their imaginary parts. */
MNP_API mnp_status mnp_sparse_astype(const mnp_sparse *matrix, mnp_dtype dtype, mnp_sparse **cast_p);

/* The absolute values, abs(A), which are real; and alpha A, where alpha is a real and an imaginary part: A * alpha. */
MNP_API mnp_status mnp_sparse_abs(const mnp_sparse *matrix, mnp_sparse **magnitudes_p);
MNP_API mnp_status mnp_sparse_times(const double *alpha, const mnp_sparse *matrix, mnp_sparse **scaled_p);

/*
 * The values as an array of one dimension, in which every rank has those of its entries, in an order of the matrix's
 * own; and the matrix with other values in that order, in any layout, which shares all else with it.  Of DIA, BSR and
 * SELL they are those of the matrix in CSR, which with_values makes.
 */
MNP_API mnp_status mnp_sparse_values(const mnp_sparse *matrix, mnp_array **values_p);
MNP_API mnp_status mnp_sparse_with_values(const mnp_sparse *matrix, const mnp_array *values, mnp_sparse **made_p);

/* A.toarray(): a 2-D array, cut by rows as the matrix is. */
MNP_API mnp_status mnp_sparse_to_dense(const mnp_sparse *matrix, mnp_array **dense_p);

/*
 * The row, column and value of every stored entry, in the order of rows and columns, as three arrays of one dimension
 * and equal layout, in which every rank has its own entries: row, col and data of scipy.sparse's A.tocoo().  Rows and
 * columns are int64.  mnp_sparse_from_coo() makes a matrix of them.
 */
MNP_API mnp_status mnp_sparse_to_coo(const mnp_sparse *matrix, mnp_array **rows_p, mnp_array **columns_p,
                                     mnp_array **values_p);

/* A.T, whose row layout is A's column layout and vice versa; A.conj(); and A without explicit zeros. */
MNP_API mnp_status mnp_sparse_transpose(const mnp_sparse *matrix, mnp_sparse **transposed_p);
MNP_API mnp_status mnp_sparse_conj(const mnp_sparse *matrix, mnp_sparse **conjugate_p);
MNP_API mnp_status mnp_sparse_eliminate_zeros(const mnp_sparse *matrix, mnp_sparse **out_p);

/* A[start:stop], with Python's rules for indices that are negative or outside.  Rows stay on their ranks. */
MNP_API mnp_status mnp_sparse_rows(const mnp_sparse *matrix, int64_t start, int64_t stop, mnp_sparse **rows_p);

/*
 * A[indices] (axis 0) or A[:, indices] (axis 1): rows or columns in any order, also several times.  The indices are
 * integers in one dimension, in any layout, and count from the end if negative.  It is a product with a matrix of ones,
 * whose rows are cut evenly.  Waits.  MNP_ERR_ARG for an index outside.
 */
MNP_API mnp_status mnp_sparse_take(const mnp_sparse *matrix, const mnp_array *indices, int axis, mnp_sparse **taken_p);

/* The lower (upper) triangle up to (from) diagonal k: scipy.sparse.tril, triu. */
MNP_API mnp_status mnp_sparse_tril(const mnp_sparse *matrix, int64_t k, mnp_sparse **out_p);
MNP_API mnp_status mnp_sparse_triu(const mnp_sparse *matrix, int64_t k, mnp_sparse **out_p);

/* ---- arithmetic ---- */

/*
 * y = A x, scipy.sparse's A @ x.  x has the shape (N,) or (N, k), k vectors side by side, in any layout and dtype; the
 * result has the promoted dtype, and is cut by rows as the matrix is.  A dense x in the column layout is used in place;
 * any other is redistributed first.  Ghosts are exchanged while the own part is multiplied; which rank needs which is
 * found at the first product.  MNP_ERR_COMPILE, too.
 *
 * On a GPU, several kernels compete for a large matrix in CSR.  The first product with one vector times them, which
 * takes as long as some dozens of products, and the fastest is used from then on; the format that it reads, such as
 * DIA, is kept beside CSR where memory allows.  The choice does not change a bit of the result.  The environment
 * variable MANIPLE_SPMV (stream, rows, sell or dia) chooses without timing.
 */
MNP_API mnp_status mnp_sparse_matmul(const mnp_sparse *matrix, const mnp_array *x, mnp_array **y_p);

/*
 * y = A.T x, or A.conj().T x: x has the row layout and y the column layout.  The first call makes the transpose, which
 * the matrix keeps.
 */
MNP_API mnp_status mnp_sparse_matmul_transposed(const mnp_sparse *matrix, bool conjugate, const mnp_array *x,
                                                mnp_array **y_p);

/*
 * Rank 0 writes a line: the size of the matrix, the kernel that was chosen for products, and what was measured.  Not
 * collective.
 */
MNP_API void mnp_sparse_describe(const mnp_sparse *matrix, FILE *file);

/*
 * C = A B, scipy.sparse's A @ B.  Rows of B are fetched for A's ghost columns.  Entries whose sum is 0 are stored.
 * Sums are taken in the order of A's columns, so the result is the same bit by bit on any number of ranks.
 */
MNP_API mnp_status mnp_sparse_matmul_sparse(const mnp_sparse *a, const mnp_sparse *b, mnp_sparse **c_p);

/*
 * alpha A + beta B, and the elementwise product A.multiply(B).  Shapes are equal, and the result has A's layouts.
 * alpha and beta are a real and an imaginary part each; NULL: 1.  An imaginary part other than 0 makes the result
 * complex.  Elements whose result is 0 are not stored.
 */
MNP_API mnp_status mnp_sparse_add(const double *alpha, const mnp_sparse *a, const double *beta, const mnp_sparse *b,
                                  mnp_sparse **c_p);
MNP_API mnp_status mnp_sparse_multiply(const mnp_sparse *a, const mnp_sparse *b, mnp_sparse **c_p);

/*
 * The Kronecker product, scipy.sparse.kron: a_ij B at the place of every entry a_ij of A; and one matrix of nrows times
 * ncolumns blocks, in C order, of which those that are NULL are zero: scipy.sparse.block_array, of which hstack, vstack
 * and block_diag are kinds.  Values have the promoted dtype, stored zeros are kept, and rows are cut evenly.
 * MNP_ERR_ARG if blocks do not fit beside each other, and if all of a row or column are NULL.
 */
MNP_API mnp_status mnp_sparse_kron(const mnp_sparse *a, const mnp_sparse *b, mnp_sparse **c_p);
MNP_API mnp_status mnp_sparse_block(int nrows, int ncolumns, const mnp_sparse *const *blocks, mnp_sparse **matrix_p);

/* diags_array(left) @ A @ diags_array(right) for arrays of shape (M,) and (N,) in any layout; NULL: ones. */
MNP_API mnp_status mnp_sparse_scale(const mnp_sparse *matrix, const mnp_array *left, const mnp_array *right,
                                    mnp_sparse **scaled_p);

/* A.diagonal(k), cut as the rows that it crosses; empty where k is outside the matrix. */
MNP_API mnp_status mnp_sparse_diagonal(const mnp_sparse *matrix, int64_t k, mnp_array **diagonal_p);

/* A.sum(axis): along axis 0 (shape (N,)), axis 1 (shape (M,)), or both, -1 (shape ()); in the matrix's dtype. */
MNP_API mnp_status mnp_sparse_sum(const mnp_sparse *matrix, int axis, mnp_array **sum_p);

/*
 * scipy.sparse.linalg.norm, the same on all ranks: 'f' the Frobenius norm; of absolute values, '1' the largest column
 * sum, 'i' the largest row sum, 'm' the largest entry.  A matrix without entries has norm 0.
 */
MNP_API mnp_status mnp_sparse_norm(const mnp_sparse *matrix, char which, double *norm_p);

/* ---- triangular solves ---- */

/*
 * Solve A x = b, scipy.sparse.linalg.spsolve_triangular.  A is lower triangular, or upper triangular, in any format;
 * with unit_diagonal its diagonal counts as ones and is not read.  b has the shape (N,) or (N, k) and any dtype; x has
 * the promoted dtype and is cut by rows as A is.  The result is the same bit by bit on any number of ranks.
 *
 * MNP_ERR_ARG, on other ranks MNP_ERR_PEER, if an entry on the other side of the diagonal is not 0, or one on the
 * diagonal is.
 */
MNP_API mnp_status mnp_sparse_solve_triangular(const mnp_sparse *matrix, bool lower, bool unit_diagonal,
                                               const mnp_array *b, mnp_array **x_p);

/*
 * A plan for repeated solves with one triangle: which rows depend on which.  Rows at the same depth of dependence, a
 * level, are solved at the same time; ranks that depend on each other's rows take turns.  (E. Anderson, Y. Saad,
 * "Solving sparse triangular linear systems on parallel computers", 1989.)
 */
typedef struct mnp_triangular mnp_triangular;

/*
 * Plan solves with vectors of a dtype that can hold the matrix's values (MNP_DTYPE_AUTO: the matrix's).  With
 * own_blocks, entries in columns of other ranks are left out, so that every rank solves with its diagonal block
 * without waiting for others.  The matrix is not needed afterwards.  Errors as above; *plan_p is then untouched.
 */
MNP_API mnp_status mnp_triangular_new(const mnp_sparse *matrix, mnp_dtype dtype, bool lower, bool unit_diagonal,
                                      bool own_blocks, mnp_triangular **plan_p);

/* Solve; x has the plan's dtype.  MNP_ERR_ARG if that cannot hold b's values. */
MNP_API mnp_status mnp_triangular_solve(const mnp_triangular *plan, const mnp_array *b, mnp_array **x_p);

/* Release; NULL is accepted. */
MNP_API void mnp_triangular_free(mnp_triangular *plan);

#ifdef __cplusplus
}
#endif

#endif
