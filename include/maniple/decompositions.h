/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Factorisations of dense matrices and what follows from them, with the names of numpy.linalg and scipy.linalg:
 * mnp_inv(a, &b) is numpy.linalg.inv(a), mnp_svd(a, false, &u, &s, &vh) is numpy.linalg.svd(a, full_matrices=False).
 * numpy.linalg.solve is mnp_linalg_solve(), as mnp_solve() solves systems of operators by iteration
 * (<maniple/solve.h>).
 *
 * The matrices are the last two dimensions of an array; the others are the batch, and every matrix of it is treated
 * alone.  Arrays may have any layout of blocks, and be views.
 *
 *   matrices that are not cut    are treated where they lie; a batch that is cut over ranks needs no communication
 *   a batch of cut matrices      is first cut along its longest batch dimension instead, and so are its results
 *   one matrix that is cut       solve, inv, det, cholesky, lu, qr and those that use their factors deal its columns
 *                                out over all ranks, which work together, if it has at least 256 rows and columns; so
 *                                do, on the host, eigh and eigvalsh from 1536 rows on, svd, svdvals and those that use
 *                                them from 2048 rows and columns on, or as MANIPLE_SPREAD_ROWS says, also on GPUs.
 *                                Others, and smaller ones, are gathered on rank 0, which computes alone.  Results are
 *                                cut as `a` is, or if they have other dimensions as mnp_layout_block() does
 *   one tall matrix              qr, svd, svdvals and those that use them work where its rows are, see mnp_qr(), and
 *                                leave results as they were made
 *
 * The dtypes are those of numpy.linalg: float32, float64, complex64 and complex128 are kept, integers and bool are
 * taken as float64, float16 and bfloat16 are refused.  OpenBLAS or another LAPACK does the work on the host, cuSOLVER
 * and cuBLAS on GPUs.  Elements that are NaN or infinite are treated as these libraries do it: a matrix with NaN has an
 * inverse of NaN on the host and, up to 64 x 64, on a GPU; a larger one is said to be singular there.
 *
 * Arrays may be block-cyclic, as those of ScaLAPACK: such inputs are brought to blocks first, in which the same mesh
 * axes cut the same dimensions, and results have a layout of blocks, except for given arrays.
 *
 * All functions are collective.  MNP_ERR_LINALG, on all ranks, where numpy.linalg raises LinAlgError: a matrix is
 * singular or not positive definite, or an iteration did not converge; the message has the number of the matrix within
 * the batch, in C order, and what LAPACK says of it.  MNP_ERR_ARG for shapes and dtypes that do not fit, and for
 * numbers; MNP_ERR_UNSUPPORTED where neither OpenBLAS nor LAPACK is installed, cuSOLVER does not have a function, or a
 * matrix needs a workspace of 2^31 numbers or more, which LAPACK cannot count; MNP_ERR_MEMORY, MNP_ERR_COMPILE,
 * MNP_ERR_DEVICE, MNP_ERR_COMM.  After any of them outputs are as before, except that given arrays may have been
 * written to.
 */
#ifndef MANIPLE_DECOMPOSITIONS_H
#define MANIPLE_DECOMPOSITIONS_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple/array.h>
#include <maniple/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- systems and inverses ---- */

/* What is known of a matrix: the argument assume_a of scipy.linalg.solve. */
typedef enum mnp_assume {
    MNP_ASSUME_GENERAL,
    MNP_ASSUME_POSITIVE, /* Hermitian and positive definite; the lower triangle is read */
    MNP_ASSUME_UPPER,    /* triangular; the rest is not read */
    MNP_ASSUME_LOWER
} mnp_assume;

/*
 * numpy.linalg.solve: x with a x = b, by an LU factorisation with partial pivoting, or as `assume_a` tells.  b is one
 * vector if it has one dimension; otherwise its last two are matrices, whose columns are right-hand sides, as in
 * NumPy 2.  The batches of a and b are broadcast.  x is cut as b is if that is one matrix or vector.  Waits.
 */
MNP_API mnp_status mnp_linalg_solve(const mnp_array *a, const mnp_array *b, mnp_assume assume_a, mnp_array **x_p);

/*
 * The same in float64 and complex128, by a factorisation in float32 or complex64 and corrections of the solution
 * until the residual is that of a stable method in the whole precision, as LAPACK's dsgesv does it.  Where corrections
 * do not converge, as for conditions of about 1e7 and more, mnp_linalg_solve() is called, also for other dtypes: that
 * takes more time, but costs no accuracy.  assume_a is MNP_ASSUME_GENERAL or MNP_ASSUME_POSITIVE, for which both
 * triangles of a are to be given.
 *
 *   corrections_p  NULL, or receives how many corrections there were; -1: mnp_linalg_solve() was called
 *
 * Waits.
 */
MNP_API mnp_status mnp_linalg_solve_mixed(const mnp_array *a, const mnp_array *b, mnp_assume assume_a, mnp_array **x_p,
                                          int *corrections_p);

/*
 * scipy.linalg.solve_triangular: x with op(a) x = b, where trans is 0 for a, 1 for its transpose and 2 for its
 * conjugate transpose.  With `lower` the lower triangle of a is read, otherwise the upper one; with
 * `unit_diagonal` the diagonal is not read, but taken as ones.  Waits.
 */
MNP_API mnp_status mnp_solve_triangular(const mnp_array *a, const mnp_array *b, int trans, bool lower,
                                        bool unit_diagonal, mnp_array **x_p);

/*
 * scipy.linalg.solve_banded((l, u), ab, b): x with a x = b for a matrix of n rows with l diagonals below the main one
 * and u above it, given as ab[u + i - j, j] = a[i, j] (l + u + 1 x n).  solveh_banded(ab, b, lower=lower): of a
 * Hermitian positive definite one, whose u diagonals on one side are given alike, or with `lower` as
 * ab[i - j, j] = a[i, j].
 * solve_toeplitz((c, r), b): a[i, j] is c[i - j], or above the main diagonal r[j - i]; r NULL: conj(c), as if a were
 * Hermitian; by Levinson's recursion, with n^2 operations, which needs all leading minors of a to be other than 0.
 *
 * b is a vector or a matrix (n x k).  Every rank has all of the diagonals and solves for its share of b's columns on
 * its CPU, by LAPACK's gbsv and pbsv, also beside a GPU.  x is cut as b is.  MNP_ERR_LINALG as numpy.linalg.solve.
 * Waits.
 */
MNP_API mnp_status mnp_solve_banded(int64_t l, int64_t u, const mnp_array *ab, const mnp_array *b, mnp_array **x_p);
MNP_API mnp_status mnp_solveh_banded(const mnp_array *ab, const mnp_array *b, bool lower, mnp_array **x_p);
MNP_API mnp_status mnp_solve_toeplitz(const mnp_array *c, const mnp_array *r, const mnp_array *b, mnp_array **x_p);

/* numpy.linalg.inv.  Waits. */
MNP_API mnp_status mnp_inv(const mnp_array *a, mnp_array **inverse_p);

/* numpy.linalg.det, and slogdet: the sign, of modulus 1 or 0, and the logarithm of the absolute value.  Waits. */
MNP_API mnp_status mnp_det(const mnp_array *a, mnp_array **det_p);
MNP_API mnp_status mnp_slogdet(const mnp_array *a, mnp_array **sign_p, mnp_array **logabsdet_p);

/* ---- factorisations ---- */

/*
 * numpy.linalg.cholesky: lower triangular c with a = c c^H, or if `upper` upper triangular c with a = c^H c.  Only that
 * triangle of `a` is read; a is taken as Hermitian.  Waits.
 */
MNP_API mnp_status mnp_cholesky(const mnp_array *a, bool upper, mnp_array **c_p);

/* scipy.linalg.cho_solve((c, lower), b): x with a x = b, by the result of mnp_cholesky().  Waits. */
MNP_API mnp_status mnp_cho_solve(const mnp_array *c, bool lower, const mnp_array *b, mnp_array **x_p);

/*
 * scipy.linalg.ldl, by Bunch and Kaufman's method: a = lu d lu^H with a d of blocks of 1 x 1 and 2 x 2 on its diagonal,
 * or of complex symmetric matrices, without `hermitian`, a = lu d lu^T; for real ones these are the same.  The rows
 * `perm` (n, int64) of lu, lu[perm], are triangular with ones on the diagonal: lower triangular if `lower`, and only
 * that triangle of `a` is read.  A singular matrix is no error.  The CPU does the work for complex Hermitian matrices,
 * which cuSOLVER lacks, and puts lu together, also beside a GPU.  Waits.
 */
MNP_API mnp_status mnp_ldl(const mnp_array *a, bool lower, bool hermitian, mnp_array **lu_p, mnp_array **d_p,
                           mnp_array **perm_p);

/*
 * scipy.linalg.lu: a = p l u with a permutation p of real dtype, l of ones on the diagonal, and u; matrices need not be
 * square.  A singular matrix is no error.  Waits.
 */
MNP_API mnp_status mnp_lu(const mnp_array *a, mnp_array **p_p, mnp_array **l_p, mnp_array **u_p);

/*
 * scipy.linalg.lu_factor: l and u in one matrix, and min(m, n) int32: row i was interchanged with row piv[i].  A
 * singular matrix is no error.  scipy.linalg.lu_solve((lu, piv), b, trans): trans is 0, 1 or 2 as of
 * mnp_solve_triangular().  Waits.
 */
MNP_API mnp_status mnp_lu_factor(const mnp_array *a, mnp_array **lu_p, mnp_array **piv_p);
MNP_API mnp_status mnp_lu_solve(const mnp_array *lu, const mnp_array *piv, int trans, const mnp_array *b,
                                mnp_array **x_p);

/*
 * numpy.linalg.qr: a = q r.  `mode` is NULL or "reduced": q has min(m, n) columns; "complete": q is square; "r": r
 * alone, q_p is not used and may be NULL; "raw": the transposed reflectors of LAPACK, and their factors instead of
 * r.  One tall matrix of m x n (1 to 2048 columns, m >= 512, m >= 8 n, and m >= n times the number of ranks), of which
 * modes "reduced" and "r" are asked, is factored by Cholesky's method twice, or, if its condition is too bad for that,
 * by reflectors of each rank's rows and then of all r; q is then cut by rows, if `a` is cut at all, and r is on every
 * rank.  GPUs that are as fast in float64 take Cholesky's method more often where the condition asks for it, for real
 * matrices of at most 64 columns, and in twice the precision for any matrix of float32 or complex64 with 1024 columns
 * or more that one of them has alone.  Other matrices that all ranks hold together are factored by reflectors of their
 * panels, as ScaLAPACK does it.  Waits.
 */
MNP_API mnp_status mnp_qr(const mnp_array *a, const char *mode, mnp_array **q_p, mnp_array **r_p);

/*
 * scipy.linalg.qr(a, pivoting=True): a[:, piv] = q r, where piv (n, int32) has in each place the column of which most
 * is left, so that the diagonal of r falls in modulus, by LAPACK's geqp3.  `mode` is as of mnp_qr().  One matrix is
 * factored by the CPU of one rank, a batch by those of all, as for mnp_schur(), and q is made by the device.  Waits.
 */
MNP_API mnp_status mnp_qr_pivoted(const mnp_array *a, const char *mode, mnp_array **q_p, mnp_array **r_p,
                                  mnp_array **piv_p);

/*
 * numpy.linalg.svd: a = u diag(s) vh, the singular values in descending order; u and vh are square if `full_matrices`.
 * svdvals: the values alone.  One tall matrix is first factored by mnp_qr(), unless `full_matrices`; s and vh are then
 * on every rank, and u is cut as mnp_matmul() makes the product of q and a matrix that is on every rank.  All ranks
 * together reduce another large one to bidiagonal form, as ScaLAPACK does it, whose singular values rank 0 then
 * finds by LAPACK's divide and conquer, in float64 on the CPU: n x n numbers for each of u and vh there, and 3 n x n of
 * workspace, with n the lesser of rows and columns.
 *
 * On GPUs matrices so small that they fit into a multiprocessor's memory, up to about 169 x 169 of float32 and
 * 119 x 119 of float64, are decomposed by Jacobi's rotations, all of a batch in one launch.  Larger ones of float32 and
 * complex64 are by the eigenvalues of a^H a in float64; one of float64 or complex128 is by its polar decomposition, if
 * that is accurate, and otherwise by cuSOLVER, as batches are.  MNP_ERR_LINALG if a has NaN or an infinity.
 * Waits.
 */
MNP_API mnp_status mnp_svd(const mnp_array *a, bool full_matrices, mnp_array **u_p, mnp_array **s_p, mnp_array **vh_p);
MNP_API mnp_status mnp_svdvals(const mnp_array *a, mnp_array **s_p);

/*
 * The k largest singular values of one matrix (m x n), and their vectors u (m x k) and vh (k x n), by products with
 * k + oversampling random vectors, min(m, n) at most: N. Halko, P. G. Martinsson and J. A. Tropp, Finding structure
 * with randomness, SIAM Review 53, 2011, algorithms 4.4 and 5.1.
 *
 *   k             from 1 to min(m, n)
 *   oversampling  0 or more; 10 is enough where the values decay
 *   iterations    0 or more: how often A A^H is applied to the vectors, which are made orthonormal each time; 2 mostly
 *   seed          of the random vectors, which are the same on any number of ranks and in any layout
 *
 * The columns of u are orthonormal, and so are the rows of vh, but they are those of A's part in the space that was
 * found: the values are too small, the less so the faster they decay from the k-th one on, and the more iterations
 * there are.  With iterations 0 and an oversampling p of 2 or more, the norm of A - u diag(s) vh is expected to be at
 * most (2 + sqrt(k / (p - 1))) t + e sqrt(k + p) / p r, where t is A's value behind the k-th one, and r the root of the
 * sum of the squares of all behind it (their theorem 10.6).  The time is that of 2 iterations + 2 products of A and so
 * many vectors.  Waits.
 */
MNP_API mnp_status mnp_svd_randomised(const mnp_array *a, int64_t k, int64_t oversampling, int iterations,
                                      uint64_t seed, mnp_array **u_p, mnp_array **s_p, mnp_array **vh_p);

/* ---- what follows from singular values ---- */

/*
 * numpy.linalg.lstsq: the x of least norm that makes the norm of b - a x least, for one matrix a (m x n) and a vector
 * or a matrix b, in the dtype that both have room in.  Singular values up to rcond times the largest are taken as 0;
 * negative: max(m, n) eps, NumPy's None.
 *
 *   residuals_p  NULL, or receives the sums of the squares of b - a x of every column; empty, as in NumPy, unless the
 *                rank is n and m > n
 *   rank_p       NULL, or receives how many singular values count
 *   s_p          NULL, or receives the singular values
 *
 * A matrix with at least twice as many rows as columns is first factored by mnp_qr().  Waits.
 */
MNP_API mnp_status mnp_lstsq(const mnp_array *a, const mnp_array *b, double rcond, mnp_array **x_p,
                             mnp_array **residuals_p, int64_t *rank_p, mnp_array **s_p);

/*
 * The same in float64 and complex128, by mnp_qr() in float32 or complex64 and corrections of x by A. Bjorck's corrected
 * seminormal equations (1987), until the error is that of a stable method in the whole precision.  No singular values
 * are computed.  The method is used where the factor shows that `a` has full rank: an upper bound of its condition, up
 * to min(m, n) times as large, is below 2.6e5 and below 0.5 / rcond.  Otherwise, where corrections do not converge, and
 * for other dtypes mnp_lstsq() is called: that takes more time, but costs no accuracy.
 *
 *   residuals_p    NULL, or as above
 *   rank_p         NULL, or receives min(m, n), or what mnp_lstsq() finds
 *   corrections_p  NULL, or receives how many corrections there were; -1: mnp_lstsq() was called
 *
 * Waits.
 */
MNP_API mnp_status mnp_lstsq_mixed(const mnp_array *a, const mnp_array *b, double rcond, mnp_array **x_p,
                                   mnp_array **residuals_p, int64_t *rank_p, int *corrections_p);

/*
 * numpy.linalg.pinv and matrix_rank: the inverse on the range, and the rank, int64, of each matrix (m x n).  Singular
 * values up to rtol times the largest are taken as 0; negative: max(m, n) eps, as in SciPy.  Waits.
 */
MNP_API mnp_status mnp_pinv(const mnp_array *a, double rtol, mnp_array **out_p);
MNP_API mnp_status mnp_matrix_rank(const mnp_array *a, double rtol, mnp_array **rank_p);

/*
 * numpy.linalg.matrix_norm and cond.  `ord` is a text: NULL or "fro", "nuc", "1", "-1", "2", "-2", "inf", "-inf"; NULL
 * of cond is "2".  "2" and "-2" are the largest and the least singular value, "nuc" is their sum.  The condition is
 * that norm times that of the inverse.  A single singular matrix has an infinite condition; in a batch it is
 * MNP_ERR_LINALG, unless ord is "2" or "-2".  The condition is also infinite where it would be 0 / 0, as for a matrix
 * of zeros, and NaN only where the matrix has NaN.  An empty matrix has none: MNP_ERR_ARG.  Waits.
 */
MNP_API mnp_status mnp_matrix_norm(const mnp_array *x, const char *ord, bool keepdims, mnp_array **out_p);
MNP_API mnp_status mnp_cond(const mnp_array *a, const char *ord, mnp_array **out_p);

/*
 * scipy.linalg.orth and null_space: orthonormal columns that span the range of one matrix, or its null space.  How many
 * there are depends on the values; rcond is as rtol of mnp_pinv().  Waits.
 */
MNP_API mnp_status mnp_orth(const mnp_array *a, double rcond, mnp_array **out_p);
MNP_API mnp_status mnp_null_space(const mnp_array *a, double rcond, mnp_array **out_p);

/*
 * scipy.linalg.polar: a = u p, or if `left` a = p u, with orthonormal columns or rows of u and a positive semidefinite
 * p.  Waits.
 */
MNP_API mnp_status mnp_polar(const mnp_array *a, bool left, mnp_array **u_p, mnp_array **p_p);

/* scipy.linalg.expm: the exponential of square matrices.  Waits. */
MNP_API mnp_status mnp_expm(const mnp_array *a, mnp_array **out_p);

/*
 * scipy.linalg.cosm, sinm, tanm, coshm, sinhm, tanhm: functions of square matrices, computed from exponentials, and the
 * two tangents by solving a system of equations.  Waits.
 */
MNP_API mnp_status mnp_cosm(const mnp_array *a, mnp_array **out_p);
MNP_API mnp_status mnp_sinm(const mnp_array *a, mnp_array **out_p);
MNP_API mnp_status mnp_tanm(const mnp_array *a, mnp_array **out_p);
MNP_API mnp_status mnp_coshm(const mnp_array *a, mnp_array **out_p);
MNP_API mnp_status mnp_sinhm(const mnp_array *a, mnp_array **out_p);
MNP_API mnp_status mnp_tanhm(const mnp_array *a, mnp_array **out_p);

/*
 * scipy.linalg.sqrtm and logm: the principal square root and the principal logarithm of square matrices, by Schur's
 * decomposition in complex128.  The results are always complex, also where SciPy's are real because all imaginary parts
 * are 0.  A matrix whose eigenvalues are 0 has no logarithm, MNP_ERR_LINALG; where it has no square root either,
 * elements of the result are infinite or NaN.  The CPU computes, also beside a GPU; see mnp_schur().  Waits.
 */
MNP_API mnp_status mnp_sqrtm(const mnp_array *a, mnp_array **out_p);
MNP_API mnp_status mnp_logm(const mnp_array *a, mnp_array **out_p);

/*
 * scipy.linalg.funm: apply a function to square matrices, given the caller's function of numbers, by Schur's
 * decomposition in complex128 and Parlett's recurrence.  The result is always complex.
 *
 *   function  writes f(x) to y for the eigenvalues x; both are complex128 and have the shape of the batch and n.  All
 *             ranks call it alike, and return the same status; any other than MNP_OK ends the call.
 *   error_p   NULL, or receives an estimate of the relative error in the norm: eps times the norm of the triangular
 *             factor above its diagonal, divided by the least distance of two eigenvalues, and 1 at most
 *
 * The recurrence divides by differences of eigenvalues, so digits are lost where two are close to each other.  Where
 * two are equal and belong to one Jordan block the result is wrong and the estimate 1.  The functions above do not have
 * this limit: use them where one of them is asked.  The CPU computes, also beside a GPU.  Waits.
 */
typedef mnp_status (*mnp_matrix_function)(void *argument, const mnp_array *x, mnp_array *y);
MNP_API mnp_status mnp_funm(const mnp_array *a, mnp_matrix_function function, void *argument, mnp_array **out_p,
                            double *error_p);

/* ---- eigenvalues ---- */

/*
 * numpy.linalg.eigh and eigvalsh: eigenvalues of Hermitian matrices in ascending order, and vectors in columns.  The
 * lower triangle of `a` is read, or with `upper` the upper one.  All ranks together reduce a large matrix to
 * tridiagonal form, as ScaLAPACK does it, whose eigenvalues rank 0 then finds by LAPACK's divide and conquer, in
 * float64 on the CPU: n x n numbers of memory there, and as many of workspace.  Waits.
 */
MNP_API mnp_status mnp_eigh(const mnp_array *a, bool upper, mnp_array **w_p, mnp_array **v_p);
MNP_API mnp_status mnp_eigvalsh(const mnp_array *a, bool upper, mnp_array **w_p);

/* Which of the eigenvalues in ascending order. */
typedef enum mnp_subset {
    MNP_SUBSET_ALL,
    MNP_SUBSET_INDICES, /* those of numbers `from` to `to`, both included, counted from 0 */
    MNP_SUBSET_VALUES   /* those above `from` and up to `to`, which may be infinite; of one matrix */
} mnp_subset;

/*
 * scipy.linalg.eigh(a, b, type=type, subset_by_index=(from, to)), or subset_by_value: some of the eigenvalues w of
 * Hermitian matrices, in ascending order, and vectors x in columns, of a x = w x, or with b, which is Hermitian and
 * positive definite, of a x = w b x if type is 1, of a b x = w x if it is 2, of b a x = w x if it is 3.  With b the
 * vectors have x^H b x = 1, or x^H b^-1 x = 1 if type is 3.  Only the lower triangles of both matrices are read, or
 * with `upper` the upper ones; their batches are broadcast.
 *
 *   b    NULL: there is none, and `type` is not used
 *   v_p  NULL: the values alone
 *
 * A subset takes less time than all: one large matrix is reduced to tridiagonal form as for mnp_eigh(), whose k values
 * rank 0 finds by bisection, and their vectors by inverse iteration (LAPACK's stebz and stein), with n x k numbers of
 * memory; other matrices are treated by LAPACK's syevr, or on GPUs by cuSOLVER's Xsyevdx.  MNP_ERR_ARG if there are no
 * such numbers, or no such values because from >= to; MNP_ERR_LINALG where b is not positive definite, and on the host
 * where `a` has NaN or infinities.  Waits.
 */
MNP_API mnp_status mnp_eigh_subset(const mnp_array *a, const mnp_array *b, int type, bool upper, mnp_subset subset,
                                   double from, double to, mnp_array **w_p, mnp_array **v_p);

/*
 * scipy.linalg.eigh_tridiagonal: all or some eigenvalues w, in ascending order, of the real symmetric matrix with the
 * diagonal d (n) and the diagonals e (n - 1) beside it, and its vectors (n, as many as values).  Integers are taken as
 * float64; w and v are float32 if d and e are.  Every rank has d, e and the vectors on its CPU, where rank 0 computes
 * in float64: all vectors by LAPACK's divide and conquer, with n^2 numbers of workspace, or k of them by bisection and
 * inverse iteration.
 *
 *   v_p  NULL: the values alone
 *
 * MNP_ERR_ARG as for mnp_eigh_subset(); MNP_ERR_LINALG where d or e has NaN or infinities.  Waits.
 */
MNP_API mnp_status mnp_eigh_tridiagonal(const mnp_array *d, const mnp_array *e, mnp_subset subset, double from,
                                        double to, mnp_array **w_p, mnp_array **v_p);

/*
 * numpy.linalg.eig and eigvals: eigenvalues of general matrices, and right vectors of norm 1 in columns.  The results
 * are always complex, also where NumPy's are real because all imaginary parts are 0.  Waits.
 */
MNP_API mnp_status mnp_eig(const mnp_array *a, mnp_array **w_p, mnp_array **v_p);
MNP_API mnp_status mnp_eigvals(const mnp_array *a, mnp_array **w_p);

/*
 * scipy.linalg.eig(a, b, homogeneous_eigvals=True): the eigenvalues of pairs of matrices, as alpha / beta, which is
 * infinite where beta alone is 0, with vectors in columns: a x beta = b x alpha for the right ones, and
 * x^H a beta = x^H b alpha for the left ones.  b may be singular.  a and b have one shape.
 *
 *   vl_p, vr_p  receive the left and the right vectors, whose largest element has a sum of moduli of both parts of 1;
 *               NULL: not wanted
 *
 * The results are complex, as of mnp_eig().  By LAPACK's ggev.  MNP_ERR_LINALG.  The CPU computes, as for mnp_schur().
 * Waits.
 */
MNP_API mnp_status mnp_eig_pair(const mnp_array *a, const mnp_array *b, mnp_array **alpha_p, mnp_array **beta_p,
                                mnp_array **vl_p, mnp_array **vr_p);

/*
 * scipy.linalg.schur: a = z t z^H with unitary z and upper triangular t; of real matrices, unless `complex_output`,
 * both are real, and t has blocks of 2 x 2 on its diagonal for pairs of complex eigenvalues.  cuSOLVER has no such
 * function: beside a GPU the CPU computes, on copies of the matrices.  Waits.
 */
MNP_API mnp_status mnp_schur(const mnp_array *a, bool complex_output, mnp_array **t_p, mnp_array **z_p);

/*
 * What scipy.linalg.schur does with `sort`: the decomposition t, z of mnp_schur() in another order, in which the
 * eigenvalues that `select` (bool, the batch and n) names on t's diagonal come first; of a pair in a block of 2 x 2 one
 * is enough.  t and z have one shape and dtype.  By LAPACK's trsen.  MNP_ERR_LINALG where two eigenvalues are too close
 * to each other to change places, or t has NaN or an infinity.  The CPU computes, as for mnp_schur().  Waits.
 */
MNP_API mnp_status mnp_schur_reorder(const mnp_array *t, const mnp_array *z, const mnp_array *select, mnp_array **t_p,
                                     mnp_array **z_p);

/*
 * scipy.linalg.qz: a = q aa z^H and b = q bb z^H with unitary q and z, and upper triangular aa and bb; of real
 * matrices, unless `complex_output`, all are real, and aa has blocks of 2 x 2 on its diagonal for pairs of complex
 * eigenvalues, where bb is diagonal.  The eigenvalues of the pair are those of aa's diagonal blocks over those of bb,
 * whose diagonal is not negative, and infinite where that is 0.  a and b have one shape; the results have the dtype
 * that both have room in.  By LAPACK's gges.  MNP_ERR_LINALG.  The CPU computes, as for mnp_schur().  Waits.
 */
MNP_API mnp_status mnp_qz(const mnp_array *a, const mnp_array *b, bool complex_output, mnp_array **aa_p,
                          mnp_array **bb_p, mnp_array **q_p, mnp_array **z_p);

/*
 * The order that scipy.linalg.ordqz makes: as mnp_schur_reorder(), for the results of mnp_qz(), all of one shape and
 * dtype, by LAPACK's tgsen.  Waits.
 */
MNP_API mnp_status mnp_qz_reorder(const mnp_array *aa, const mnp_array *bb, const mnp_array *q, const mnp_array *z,
                                  const mnp_array *select, mnp_array **aa_p, mnp_array **bb_p, mnp_array **q_p,
                                  mnp_array **z_p);

/*
 * scipy.linalg.matrix_balance(a, permute, scale, separate=True): b = t^-1 a t, whose rows and columns have norms that
 * are near to each other, where row perm[i] of t has scale[i] in column i and zeros elsewhere.
 *
 *   permute  rows and columns change places, so that eigenvalues that can stand alone do so at the diagonal's ends
 *   scale    the others are multiplied by powers of 2
 *   scale_p  receives n real numbers
 *   perm_p   receives n int32
 *
 * By LAPACK's gebal.  MNP_ERR_LINALG where `a` has NaN or an infinity.  The CPU computes, as for mnp_schur().  Waits.
 */
MNP_API mnp_status mnp_matrix_balance(const mnp_array *a, bool permute, bool scale, mnp_array **b_p,
                                      mnp_array **scale_p, mnp_array **perm_p);

/*
 * scipy.linalg.cossin(x, p, q, swap_sign=swap_sign): the decomposition of orthogonal or unitary matrices, x = u cs vh,
 * where u has unitary blocks of p and n - p rows on its diagonal, and vh of q and n - q, and the blocks of cs hold the
 * cosines and sines of the angles theta, as SciPy's documentation has it: -sin is above the diagonal, or with
 * `swap_sign` below.
 *
 *   p, q     rows and columns of the first block, from 1 to n - 1
 *   theta_p  receives min(p, n - p, q, n - q) real numbers, rising
 *
 * Whether x is unitary is not checked.  By LAPACK's orcsd (B. D. Sutton, Computing the complete CS decomposition,
 * Numerical Algorithms 50, 2009).  MNP_ERR_LINALG where x has NaN or an infinity, or the iteration does not converge.
 * The CPU computes, as for mnp_schur().  Waits.
 */
MNP_API mnp_status mnp_cossin(const mnp_array *x, int64_t p, int64_t q, bool swap_sign, mnp_array **u_p,
                              mnp_array **theta_p, mnp_array **vh_p);

/*
 * scipy.linalg.hessenberg: a = q h q^H with unitary q and an h that has one diagonal below the main one and zeros
 * behind it, by LAPACK's gehrd.  The CPU computes, as for mnp_schur().  Waits.
 */
MNP_API mnp_status mnp_hessenberg(const mnp_array *a, mnp_array **h_p, mnp_array **q_p);

#ifdef __cplusplus
}
#endif

#endif
