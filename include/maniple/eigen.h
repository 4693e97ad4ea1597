/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Some eigenvalues and eigenvectors of large Hermitian operators, with the functions of scipy.sparse.linalg.
 *
 * Like the solvers (solve.h) these methods use a matrix only through its products with vectors.  They search a small
 * space, which they improve from step to step; LAPACK solves the small eigenproblems on the CPU of rank 0, and
 * everything else is done on the device.  Vectors are float32, float64, complex64 or complex128, and sums are taken in
 * float64 or complex128; eigenvalues are float64.  The operator must be Hermitian, which is not checked: see
 * mnp_sparse_find_symmetry().
 *
 * All functions are collective unless their comment says otherwise.  They fail with MNP_ERR_ARG, MNP_ERR_MEMORY,
 * MNP_ERR_COMPILE, MNP_ERR_COMM, MNP_ERR_UNSUPPORTED where there is no LAPACK (libopenblas.so.0 or liblapack.so.3), and
 * what the caller's functions return.
 */
#ifndef MANIPLE_EIGEN_H
#define MANIPLE_EIGEN_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple/array.h>
#include <maniple/base.h>
#include <maniple/solve.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mnp_eigen_reason {
    MNP_EIGEN_CONVERGED,
    MNP_EIGEN_MAXITER,   /* the limit of iterations came first */
    MNP_EIGEN_BREAKDOWN, /* NaN or infinity; in mnp_lobpcg() also a B that is not positive definite */
    MNP_EIGEN_STOPPED,   /* by the caller's function */
    MNP_EIGEN_UNSOLVED   /* with near_sigma: a system with A - sigma was not solved within its limit of iterations */
} mnp_eigen_reason;

/*
 * A sentence's beginning for a reason, such as "converged", or "unknown reason" for a number that is none; a constant.
 * Not collective.
 */
MNP_API const char *mnp_eigen_reason_text(mnp_eigen_reason reason);

/*
 * Called on every rank alike after an iteration with the current `count` eigenvalues and the norms of their residuals,
 * which mnp_eigsh() estimates; with near_sigma these are those of the inverse.  Return true on all ranks to stop.
 */
typedef bool (*mnp_eigen_progress)(void *argument, int64_t iteration, int count, const double *values,
                                   const double *residuals);

typedef struct mnp_eigen_result {
    mnp_eigen_reason reason;
    int converged;      /* pairs whose residual is within the tolerance */
    int64_t iterations; /* for mnp_eigsh() restarts, the first space included */
    int64_t products;   /* of the operator with a vector */
    double seconds;     /* on the device's clock, without compiling */
    int count;
    double *residuals; /* ||A x - theta x||, or ||A x - theta B x||, of vectors of norm 1, computed anew at the end;
                           the caller's: mnp_eigen_result_clear() */
} mnp_eigen_result;
MNP_API void mnp_eigen_result_clear(mnp_eigen_result *result); /* NULL is accepted.  Not collective. */

/* Which eigenvalues are wanted. */
typedef enum mnp_eigen_which {
    MNP_EIGEN_LM, /* the largest magnitudes */
    MNP_EIGEN_SM, /* the smallest magnitudes: inside the spectrum they converge slowly, if at all; one may be missed */
    MNP_EIGEN_LA, /* the largest */
    MNP_EIGEN_SA, /* the smallest */
    MNP_EIGEN_BE  /* half from each end; an odd number takes one more from the upper end */
} mnp_eigen_which;

typedef struct mnp_eigsh_options {
    mnp_eigen_which which;
    double tol;          /* (0: machine epsilon) */
    int64_t maxiter;     /* restarts (0: 10 times the rows) */
    int ncv;             /* vectors of the space: more than k, at most the rows and 1000 (0: 2 k + 1, at least 20) */
    const mnp_array *v0; /* the first vector, in any layout; NULL: random, the same on any number of ranks */
    mnp_eigen_progress progress; /* NULL: none */
    void *argument;
    bool near_sigma; /* eigenvalues near sigma are wanted, as below */
    double sigma;
    const mnp_operator *inverse; /* y = (A - sigma)^-1 x; NULL: systems are solved by minres */
    const mnp_precond *precond;  /* for minres: about the inverse of |A - sigma|, positive definite; NULL: none */
    int64_t solve_maxiter;       /* of minres for a system (0: 10 times the rows) */
} mnp_eigsh_options;

/*
 * k eigenvalues, 0 < k < rows and k < 1000, and their vectors: scipy.sparse.linalg.eigsh(A, k, which=, v0=, ncv=,
 * maxiter=, tol=).  A pair that has not converged is no error: the result has the residual of each.
 *
 * By Lanczos' method with full orthogonalisation and thick restarts (K. Wu, H. Simon, SIAM J. Matrix Anal. Appl. 22,
 * 2000), which keep as many vectors as ARPACK does.  A pair has converged where the norm of its residual, as it is
 * estimated, is at most tol |theta|; or at most machine epsilon times the largest |theta| that was seen, where rounding
 * limits it.  Copies of a multiple eigenvalue appear only through rounding, which a tol much above machine epsilon does
 * not wait for, and ARPACK then misses some.  Here the method goes on from a random vector when all pairs have
 * converged, until it can tell that none was missed, for at most as many products as before; then again if one was.
 *
 * With near_sigma it is scipy.sparse.linalg.eigsh(A, k, sigma=sigma, OPinv=inverse, mode="normal"): eigenvalues w of A
 * are found as eigenvalues 1 / (w - sigma) of the inverse of A - sigma, to which `which`, `tol` and the estimates
 * refer.  So MNP_EIGEN_LM finds the nearest to sigma, MNP_EIGEN_LA the nearest above, and MNP_EIGEN_SA the nearest
 * below.  Without an inverse each step solves a system with A - sigma, which must not be singular, to a tenth of `tol`
 * or, where that is more, 100 times machine epsilon.  result->products counts all products with A; where a system is
 * not solved, the values are NaN.
 *
 *   op         square with rows and columns cut alike
 *   options    NULL: all 0
 *   values     receives the k eigenvalues, rising
 *   vectors_p  receives the vectors as columns, orthonormal: a new array (rows, k) in op's dtype and layout with
 *              columns whole, or one given, of that dtype and shape in any layout; NULL: not wanted
 *   result     NULL: not wanted
 *
 * Waits for the last iteration.
 */
MNP_API mnp_status mnp_eigsh(const mnp_operator *op, int k, const mnp_eigsh_options *options, double *values,
                             mnp_array **vectors_p, mnp_eigen_result *result);

typedef struct mnp_lobpcg_options {
    bool smallest;               /* whether the smallest eigenvalues are wanted, or the largest */
    double tol;                  /* the largest norm of a residual that counts as converged */
    int64_t maxiter;             /* (0: 1000) */
    const mnp_operator *b;       /* Hermitian and positive definite, for A x = theta B x; NULL: 1 */
    const mnp_precond *precond;  /* about A's inverse, for the smallest; Hermitian, positive definite; NULL: none */
    mnp_eigen_progress progress; /* NULL: none */
    void *argument;
} mnp_lobpcg_options;

/*
 * As many eigenvalues as X has columns, and their vectors: scipy.sparse.linalg.lobpcg(A, X, B=, M=, tol=, maxiter=,
 * largest=).  A pair that has not converged is no error: the result has the residual of each.  A tol of 0 is the
 * square root of machine epsilon times the largest |theta| that is wanted, as far as rounding allows.  A few more
 * columns than are wanted improve convergence.
 *
 * The locally optimal block preconditioned conjugate gradients of A. V. Knyazev, SIAM J. Sci. Comput. 23, 2001, with a
 * basis that leaves out what is dependent (J. A. Duersch, M. Shao, C. Yang, M. Gu, SIAM J. Sci. Comput. 40, 2018).  The
 * columns are multiplied side by side where op is a matrix.
 *
 *   op       square with rows and columns cut alike
 *   options  NULL: all 0
 *   x        of op's dtype or a wider one, in which all is computed, and which is complex where op, B or the
 *            preconditioner is; of shape (rows, count), in any layout, 1 <= count <= 256, count <= rows: linearly
 *            independent columns to start with, replaced by the vectors, orthonormal (with B: x^H B x = 1); undefined
 *            if the call fails
 *   values   receives the eigenvalues, rising if they are the smallest, else falling
 *   result   NULL: not wanted
 *
 * Waits for the last iteration.
 */
MNP_API mnp_status mnp_lobpcg(const mnp_operator *op, const mnp_lobpcg_options *options, mnp_array *x, double *values,
                              mnp_eigen_result *result);

#ifdef __cplusplus
}
#endif

#endif
