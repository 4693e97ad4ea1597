/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Solving linear systems by iteration, in the words of scipy.sparse.linalg.
 *
 * A method needs of a matrix only its products with vectors: a linear operator, made of a sparse matrix, of a kernel
 * over a grid, or of the caller's own function.  A preconditioner is an operator too, one that is about the inverse.
 * Vectors are float32, float64, complex64 or complex128; their sums are taken in float64 or complex128.  The loop stays
 * on the device: the CPU looks at its state after every iteration on the host device, after every few on a GPU.  Where
 * nothing in an iteration needs the CPU, and ranks share GPUs' memory, the GPU goes round by itself, and the CPU looks
 * now and then.
 */
#ifndef MANIPLE_SOLVE_H
#define MANIPLE_SOLVE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <maniple/array.h>
#include <maniple/eval.h>
#include <maniple/sparse.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mnp_operator mnp_operator;

/*
 * y = A x or y = A^H x, as the caller computes it: x and y are vectors of the operator's dtype, dense, x with the
 * column layout and y with the row layout (for A^H the other way round).  Called by all ranks alike; what it returns
 * must be the same on all of them, and anything but MNP_OK ends the call that it was made for.
 */
typedef mnp_status (*mnp_operator_apply)(void *argument, const mnp_array *x, mnp_array *y);

/*
 * A sparse matrix as an operator; the matrix must live as long.  Release with mnp_operator_free().  Collective.
 * MNP_ERR_ARG, MNP_ERR_MEMORY.
 */
MNP_API mnp_status mnp_operator_from_sparse(const mnp_sparse *matrix, mnp_operator **operator_p);

/*
 * The caller's own, as scipy.sparse.linalg.LinearOperator: `apply`, and `adjoint`, which may be NULL (lsqr needs it),
 * get `argument`.  The layouts have one dimension, which is cut over all ranks, in one part each.  Collective.
 * MNP_ERR_ARG, MNP_ERR_MEMORY.
 */
MNP_API mnp_status mnp_operator_new(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *row_layout,
                                    const mnp_layout *column_layout, mnp_operator_apply apply,
                                    mnp_operator_apply adjoint, void *argument, mnp_operator **operator_p);

/*
 * A kernel over a grid, which needs no matrix: it says what y is at a point from what x is around it.
 *
 *   int64_t shape[] = {256, 256, 256}, reach[] = {1, 1, 1};
 *   mnp_operator_from_kernel(ctx, MNP_FLOAT64, 3, shape, reach,
 *                            "y = (6 + c(0, 0, 0)) * x(0, 0, 0) - x(-1, 0, 0) - x(1, 0, 0) - x(0, -1, 0) - x(0, 1, 0)"
 *                            "    - x(0, 0, -1) - x(0, 0, 1);", NULL, MNP_IN("c", c), &op);
 *
 *   shape, reach   ndim elements each: the grid's extents, below 2^30, and the largest offsets, either way, that bodies
 *                  ask for
 *   body           C++ statements, as those of mnp_elementwise_new(), that assign y.  They know x, and every array by
 *                  its name, as functions of as many offsets as there are dimensions: x(-1, 0) is its element before
 *                  this point along the first.  It is 0 outside the grid, and NaN for an offset beyond reach.  Offsets
 *                  are best constants.  i[0], i[1] .. are the point's indices, n[0], n[1] .. the extents, T is the type
 *                  of elements: float, double, complex<float> or complex<double>
 *   adjoint_body   the same for y = A^H x, which lsqr needs; NULL: there is none
 *   arrays         vectors that bodies name besides x, such as coefficients: MNP_IN("c", c), at most 16; NULL: none.
 *                  Each has the grid's shape, or one dimension of as many elements in C order, any layout, and a dtype
 *                  that is converted to the operator's.  They are copied: later changes are not seen
 *
 * Vectors have one dimension, of the grid's points in C order, cut evenly over all ranks.  Everything is compiled and
 * planned here; on GPUs that share memory an application only enqueues.  Collective.  MNP_ERR_ARG; MNP_ERR_UNSUPPORTED
 * for a larger extent; MNP_ERR_COMPILE with the compiler's words and the line of the body; MNP_ERR_MEMORY,
 * MNP_ERR_COMM.
 */
MNP_API mnp_status mnp_operator_from_kernel(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape,
                                            const int64_t *reach, const char *body, const char *adjoint_body,
                                            const mnp_input *arrays, mnp_operator **operator_p);

/*
 * Such a kernel, and that of its adjoint, from what mnp_csr_from_stencil() takes: the same operator without the matrix.
 * A point that is there twice counts twice.  Collective.  As above.
 */
MNP_API mnp_status mnp_operator_from_stencil(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape, int npoints,
                                             const int64_t *offsets, const void *coefficients,
                                             mnp_operator **operator_p);

MNP_API void mnp_operator_free(mnp_operator *op); /* NULL is accepted.  Collective. */

/*
 * y = A x, or A^H x: x of one dimension, in any layout; y in the operator's.  Collective.  MNP_ERR_ARG, MNP_ERR_MEMORY,
 * MNP_ERR_COMM, and what the caller's function returns.
 */
MNP_API mnp_status mnp_operator_run(const mnp_operator *op, bool adjoint, const mnp_array *x, mnp_array **y_p);

/* ---- preconditioners ---- */

/*
 * X(constant, name, what it is).  ilu0, ic0, sor and ssor work on the block that a rank has in its own rows and
 * columns, and leave out what couples ranks: their effect changes with the number of ranks.
 */
#define MNP_PRECONDS(X)                                                                                                \
    X(MNP_PRECOND_NONE, "none", "no preconditioner")                                                                   \
    X(MNP_PRECOND_JACOBI, "jacobi", "division by the diagonal")                                                        \
    X(MNP_PRECOND_BLOCK_JACOBI, "block-jacobi", "inverse dense blocks along the diagonal")                             \
    X(MNP_PRECOND_ILU0, "ilu0", "incomplete LU without fill of every rank's own block")                                \
    X(MNP_PRECOND_IC0, "ic0", "incomplete Cholesky without fill of every rank's own block")                            \
    X(MNP_PRECOND_SOR, "sor", "successive over-relaxation, by colours, of every rank's own block")                     \
    X(MNP_PRECOND_SSOR, "ssor", "the same forth and back, for Hermitian matrices")                                     \
    X(MNP_PRECOND_CHEBYSHEV, "chebyshev", "a Chebyshev polynomial of the matrix")                                      \
    X(MNP_PRECOND_POLYNOMIAL, "polynomial", "a Neumann series")

#define MNP_PRECOND_CONSTANT(constant, name, help) constant,
typedef enum mnp_precond_kind { MNP_PRECONDS(MNP_PRECOND_CONSTANT) } mnp_precond_kind;
#undef MNP_PRECOND_CONSTANT

typedef struct mnp_precond_options {
    int block;    /* of block-jacobi: rows of a block, at most 64 (0: 4) */
    double omega; /* of sor and ssor: relaxation, between 0 and 2 (0: 1) */
    int sweeps;   /* of sor and ssor, at most 1000 (0: 1) */
    int degree;   /* of polynomials: products with the matrix, at most 1000 (0: 4) */
} mnp_precond_options;

typedef struct mnp_precond mnp_precond;

/*
 * Make a preconditioner of a square matrix with rows and columns cut alike, which it keeps using if it is a polynomial.
 * options NULL: all 0.  ilu0 and ic0 are factored on the CPU, and solved level by level.  Release with
 * mnp_precond_free().  Collective.  MNP_ERR_ARG, also where the matrix has no such preconditioner: a pivot of 0 for
 * ilu0, a diagonal that is not positive for ic0, a zero in it for sor and ssor; MNP_ERR_MEMORY, MNP_ERR_COMPILE.
 */
MNP_API mnp_status mnp_precond_new(const mnp_sparse *matrix, mnp_precond_kind kind, const mnp_precond_options *options,
                                   mnp_precond **precond_p);

/*
 * Any square operator as a preconditioner; the operator must live as long.  Collective.  MNP_ERR_ARG, MNP_ERR_MEMORY.
 */
MNP_API mnp_status mnp_precond_from_operator(const mnp_operator *op, mnp_precond **precond_p);
MNP_API void mnp_precond_free(mnp_precond *precond); /* NULL is accepted.  Collective. */

/* y = M x: x of one dimension, in any layout; y in the matrix's row layout.  Collective.  As mnp_operator_run(). */
MNP_API mnp_status mnp_precond_apply(const mnp_precond *precond, const mnp_array *x, mnp_array **y_p);

/* What was built and what an application costs: a line, from rank 0.  Not collective. */
MNP_API void mnp_precond_describe(const mnp_precond *precond, FILE *file);

/* ---- solvers ---- */

/* X(constant, name, what it is for) */
#define MNP_SOLVERS(X)                                                                                                 \
    X(MNP_SOLVER_CG, "cg", "symmetric (Hermitian) positive definite")                                                  \
    X(MNP_SOLVER_CG1, "cg1", "the same with one reduction an iteration")                                               \
    X(MNP_SOLVER_BICGSTAB, "bicgstab", "any square matrix, little memory")                                             \
    X(MNP_SOLVER_GMRES, "gmres", "any square matrix, restarted")                                                       \
    X(MNP_SOLVER_FGMRES, "fgmres", "the same with a preconditioner that may change")                                   \
    X(MNP_SOLVER_MINRES, "minres", "symmetric (Hermitian), indefinite")                                                \
    X(MNP_SOLVER_CGS, "cgs", "any square matrix")                                                                      \
    X(MNP_SOLVER_IDR, "idr", "any square matrix: IDR(s)")                                                              \
    X(MNP_SOLVER_CHEBYSHEV, "chebyshev", "positive definite with known bounds of the spectrum")                        \
    X(MNP_SOLVER_RICHARDSON, "richardson", "a damped iteration, for preconditioners")                                  \
    X(MNP_SOLVER_LSQR, "lsqr", "least squares, any shape")

#define MNP_SOLVER_CONSTANT(constant, name, help) constant,
typedef enum mnp_solver { MNP_SOLVERS(MNP_SOLVER_CONSTANT) } mnp_solver;
#undef MNP_SOLVER_CONSTANT

typedef enum mnp_solve_reason {
    MNP_SOLVE_CONVERGED,
    MNP_SOLVE_MAXITER,   /* the limit of iterations came first */
    MNP_SOLVE_BREAKDOWN, /* the method cannot go on: a division by 0, a matrix that is not definite for cg */
    MNP_SOLVE_DIVERGED,  /* NaN or infinity, or a residual 1e10 times that of the guess */
    MNP_SOLVE_STOPPED,   /* by the caller's function */
    MNP_SOLVE_STAGNATED /* the recurrence says converged, but the residual itself does not come down to the tolerance */
} mnp_solve_reason;

/*
 * Called on every rank alike, with the iterations so far, the residual's norm by the recurrence, and x, of one
 * dimension in the operator's column layout: its iterate, or of gmres and fgmres that of the last restart.  True, on
 * all ranks: stop.
 */
typedef bool (*mnp_solve_progress)(void *argument, int64_t iteration, double residual, const mnp_array *x);

/*
 * The meaning of rtol and atol is scipy.sparse.linalg's: a method has converged where ||b - A x|| <= max(rtol ||b||,
 * atol); lsqr also where ||A^H r|| <= rtol ||A|| ||r||, as then no x does better.
 */
typedef struct mnp_solve_options {
    double rtol, atol; /* rtol 0: 1e-5; negative: exactly 0 */
    /* 0: 10 times the columns.  gmres, fgmres and idr count products, bicgstab and cgs two as one */
    int64_t maxiter;
    int restart; /* vectors of gmres' basis, at most 1000 (0: 20); s of idr, at most 16 (0: 4) */
    /* NULL: none.  Of all but cg, cg1, minres, chebyshev and richardson it is on the right */
    const mnp_precond *precond;
    bool zero_guess; /* *x_p is only where the result goes, not the guess */
    /* chebyshev: smallest and largest eigenvalue of M A (0: estimated); richardson: damping (0: 1), 0 */
    double bounds[2];
    mnp_solve_progress progress; /* NULL: none */
    void *argument;
    int every; /* iterations between calls of progress, at least (0: 1); on a GPU 10 or more */
} mnp_solve_options;

typedef struct mnp_solve_result {
    mnp_solve_reason reason;
    int64_t iterations;
    double residual; /* ||b - A x||, computed anew at the end */
    double rhs_norm; /* ||b|| */
    double seconds;
    int64_t history_count; /* residual norms by the recurrence, the first before any iteration */
    double *history;       /* the caller's: mnp_solve_result_clear() */
} mnp_solve_result;

/*
 * Solve A x = b.  A system that does not converge is no error: result->reason says so, and x is the best iterate, of
 * methods whose residual is not monotone the best of those that were looked at every 10 iterations; of cg and cg1,
 * whose error falls also where the residual rises, it is the last; of minres it is the last or, where that is worse,
 * the guess.  Where the recurrence has lost touch with the residual, the method is started again from its iterate, up
 * to three times.
 *
 *   op       square with rows and columns cut alike, but for lsqr
 *   b        of one dimension, or of two: each column is a system, solved one after the other; any layout; real where
 *            op is
 *   options  NULL: all 0
 *   x_p      NULL: a new array, in op's column layout with columns whole, the guess is 0; else the guess, in any layout
 *            and op's dtype, which the solution replaces
 *   result   one for every column of b; NULL: not wanted
 *
 * Collective.  MNP_ERR_ARG, MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_COMM, and what the caller's functions return; x is
 * then undefined where it was given.
 */
MNP_API mnp_status mnp_solve(const mnp_operator *op, const mnp_array *b, mnp_solver solver,
                             const mnp_solve_options *options, mnp_array **x_p, mnp_solve_result *result);
MNP_API void mnp_solve_result_clear(mnp_solve_result *result); /* NULL is accepted.  Not collective. */

#ifdef __cplusplus
}
#endif

#endif
