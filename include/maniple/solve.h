/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Iterative solvers for linear systems, with the functions of scipy.sparse.linalg.
 *
 * A method uses a matrix only through its products with vectors.  It takes a linear operator, made from a sparse
 * matrix, from a kernel over a grid, or from the caller's own function.  A preconditioner is an operator that
 * approximates the inverse.  Vectors are float32, float64, complex64 or complex128; their sums are taken in float64 or
 * complex128.
 *
 * The loop stays on the device: the CPU enqueues iterations and reads the state after each on the host device, after
 * every few on a GPU.  Where no part of an iteration needs the CPU, and the ranks share GPU memory, the GPU repeats
 * the loop by itself, and the CPU reads the state now and then.
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
 * The caller's y = A x or y = A^H x.  x and y are dense vectors of the operator's dtype, x in the column layout and y
 * in the row layout (for A^H vice versa).  All ranks call it alike and must return the same status; any other than
 * MNP_OK ends the solve.
 */
typedef mnp_status (*mnp_operator_apply)(void *argument, const mnp_array *x, mnp_array *y);

/*
 * A sparse matrix as an operator, which must not outlive it.  Release with mnp_operator_free().  Collective.
 * MNP_ERR_ARG, MNP_ERR_MEMORY.
 */
MNP_API mnp_status mnp_operator_from_sparse(const mnp_sparse *matrix, mnp_operator **operator_p);

/*
 * An operator from the caller's functions, as scipy.sparse.linalg.LinearOperator.  `apply`, and `adjoint`, which may
 * be NULL unless lsqr, bicg or qmr is used, receive `argument`.  Each layout cuts one dimension over all ranks, one
 * part each.  Collective.  MNP_ERR_ARG, MNP_ERR_MEMORY.
 */
MNP_API mnp_status mnp_operator_new(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *row_layout,
                                    const mnp_layout *column_layout, mnp_operator_apply apply,
                                    mnp_operator_apply adjoint, void *argument, mnp_operator **operator_p);

/*
 * A matrix-free operator over a grid: a kernel computes y at a point from x around it.
 *
 *   int64_t shape[] = {256, 256, 256}, reach[] = {1, 1, 1};
 *   mnp_operator_from_kernel(ctx, MNP_FLOAT64, 3, shape, NULL, reach,
 *                            "y = (6 + c(0, 0, 0)) * x(0, 0, 0) - x(-1, 0, 0) - x(1, 0, 0) - x(0, -1, 0) - x(0, 1, 0)"
 *                            "    - x(0, 0, -1) - x(0, 0, 1);", NULL, MNP_IN("c", c), &op);
 *
 *   shape          ndim extents of the grid, below 2^30
 *   boundaries     what is beyond the ends of every dimension, as in maniple/signal.h: MNP_BOUNDARY_WRAP where the grid
 *                  is periodic, for example.  NULL: MNP_BOUNDARY_FILL for all, with the value 0
 *   reach          ndim elements: the largest offsets in either direction that the bodies use
 *   body           C++ statements, as those of mnp_elementwise_new(), that assign y.  x, and every array by
 *                  its name, is a function of one offset for each dimension: x(-1, 0) is the element before this point
 *                  along the first.  Outside the grid it is what the boundaries tell, and it is NaN for an offset
 *                  beyond reach.  Constant offsets are fastest.  i[0], i[1] .. are the point's indices, n[0], n[1] ..
 *                  the extents, T is the type of elements: float, double, complex<float> or complex<double>
 *   adjoint_body   the same for y = A^H x, which lsqr, bicg and qmr need; NULL: there is none
 *   arrays         vectors that the bodies use besides x, such as coefficients: MNP_IN("c", c), at most 16; NULL: none.
 *                  Each has the grid's shape, or one dimension of as many elements in C order, any layout, and a dtype
 *                  that is converted to the operator's.  They are copied: later changes are not seen
 *
 * Vectors have one dimension, of the grid's points in C order, cut evenly over all ranks.  This call compiles and
 * plans everything; on GPUs that share memory an application only enqueues.  Collective.  MNP_ERR_ARG;
 * MNP_ERR_UNSUPPORTED for a larger extent; MNP_ERR_COMPILE with the compiler's message and the line of the body;
 * MNP_ERR_MEMORY, MNP_ERR_COMM.
 */
MNP_API mnp_status mnp_operator_from_kernel(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape,
                                            const mnp_boundary *boundaries, const int64_t *reach, const char *body,
                                            const char *adjoint_body, const mnp_input *arrays,
                                            mnp_operator **operator_p);

/*
 * The operator of mnp_csr_from_stencil() without the matrix: such a kernel and its adjoint, from the same arguments.  A
 * point that is listed twice counts twice.  There is no adjoint where a boundary is neither MNP_BOUNDARY_FILL nor
 * MNP_BOUNDARY_WRAP.  Collective.  Errors as above.
 */
MNP_API mnp_status mnp_operator_from_stencil(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape,
                                             const mnp_boundary *boundaries, int npoints, const int64_t *offsets,
                                             const void *coefficients, mnp_operator **operator_p);

MNP_API void mnp_operator_free(mnp_operator *op); /* NULL is accepted.  Collective. */

/*
 * y = A x, or A^H x: x of one dimension, in any layout and dtype; y in the operator's layout and the wider dtype of
 * both, as mnp_solve_dtype() has it.  Collective.  MNP_ERR_ARG, MNP_ERR_MEMORY,
 * MNP_ERR_COMM, and what the caller's function returns.
 */
MNP_API mnp_status mnp_operator_run(const mnp_operator *op, bool adjoint, const mnp_array *x, mnp_array **y_p);

/* ---- preconditioners ---- */

/*
 * X(constant, name, description).  ilu0, ic0, sor and ssor work on each rank's diagonal block, its own rows and
 * columns, and leave out the entries between ranks: their effect depends on the number of ranks.
 */
#define MNP_PRECONDS(X)                                                                                                \
    X(MNP_PRECOND_NONE, "none", "no preconditioner")                                                                   \
    X(MNP_PRECOND_JACOBI, "jacobi", "division by the diagonal")                                                        \
    X(MNP_PRECOND_BLOCK_JACOBI, "block-jacobi", "inverse dense blocks along the diagonal")                             \
    X(MNP_PRECOND_ILU0, "ilu0", "incomplete LU without fill of every rank's own block")                                \
    X(MNP_PRECOND_IC0, "ic0", "incomplete Cholesky without fill of every rank's own block")                            \
    X(MNP_PRECOND_SOR, "sor", "successive over-relaxation, by colours, of every rank's own block")                     \
    X(MNP_PRECOND_SSOR, "ssor", "the same forward and backward, for Hermitian matrices")                               \
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
 * Make a preconditioner from a square matrix whose rows and columns are cut alike.  Polynomials keep using the matrix,
 * which must then live as long.  options NULL: all 0.  ilu0 and ic0 are factored on the CPU, and applied level by
 * level on the device.  Release with mnp_precond_free().  Collective.  MNP_ERR_MEMORY, MNP_ERR_COMPILE; MNP_ERR_ARG,
 * also where the matrix has no such preconditioner: a pivot of 0 for ilu0, a diagonal entry that is not positive for
 * ic0, or that is 0 for sor and ssor.
 */
MNP_API mnp_status mnp_precond_new(const mnp_sparse *matrix, mnp_precond_kind kind, const mnp_precond_options *options,
                                   mnp_precond **precond_p);

/*
 * Any square operator as a preconditioner, which must not outlive it.  Collective.  MNP_ERR_ARG, MNP_ERR_MEMORY.
 */
MNP_API mnp_status mnp_precond_from_operator(const mnp_operator *op, mnp_precond **precond_p);
MNP_API void mnp_precond_free(mnp_precond *precond); /* NULL is accepted.  Collective. */

/*
 * y = M x: x in any layout and dtype, y in the matrix's row layout and the wider dtype of both.  Collective.  Errors
 * are those of mnp_operator_run().
 */
MNP_API mnp_status mnp_precond_apply(const mnp_precond *precond, const mnp_array *x, mnp_array **y_p);

/* Rank 0 writes a line: what was built, and what an application costs.  Not collective. */
MNP_API void mnp_precond_describe(const mnp_precond *precond, FILE *file);

/* ---- solvers ---- */

/* X(constant, name, the systems that it is for) */
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
    X(MNP_SOLVER_LSQR, "lsqr", "least squares, any shape")                                                             \
    X(MNP_SOLVER_BICG, "bicg", "any square matrix, multiplied by its adjoint too")                                     \
    X(MNP_SOLVER_QMR, "qmr", "the same with a smoother residual")                                                      \
    X(MNP_SOLVER_TFQMR, "tfqmr", "any square matrix: cgs with a smoother residual")

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
 * A sentence's beginning for a reason, such as "converged", or "unknown reason" for a number that is none; a constant.
 * Not collective.
 */
MNP_API const char *mnp_solve_reason_text(mnp_solve_reason reason);

/*
 * Called on every rank alike with the iterations so far, the norm of the residual by the recurrence, and x in the
 * operator's column layout: the iterate, for gmres and fgmres that of the last restart.  Return true on all ranks to
 * stop.
 */
typedef bool (*mnp_solve_progress)(void *argument, int64_t iteration, double residual, const mnp_array *x);

/*
 * rtol and atol are those of scipy.sparse.linalg: a method has converged where ||b - A x|| <= max(rtol ||b||, atol);
 * lsqr also where ||A^H r|| <= rtol ||A|| ||r||, as no x is much better then.
 */
typedef struct mnp_solve_options {
    double rtol, atol; /* rtol 0: 1e-5; negative: exactly 0 */
    /* 0: 10 times the columns.  gmres, fgmres, idr and tfqmr count products; bicgstab, cgs, bicg and qmr two as one */
    int64_t maxiter;
    int restart; /* vectors of gmres' basis, at most 1000 (0: 20); s of idr, at most 16 (0: 4) */
    /*
     * NULL: none.  It acts from the right, but for cg, cg1, bicg, minres, chebyshev and richardson.  bicg and qmr need
     * its adjoint, which none, jacobi, block-jacobi and ic0 have, and operators that have one
     */
    const mnp_precond *precond;
    bool zero_guess; /* *x_p only receives the result; the guess is 0 */
    /* chebyshev: smallest and largest eigenvalue of M A (0: estimated); richardson: damping (0: 1), 0 */
    double bounds[2];
    mnp_solve_progress progress; /* NULL: none */
    void *argument;
    /*
     * Iterations between calls of progress, at least (0: 1, and 10 on a GPU).  With fewer than 10 a GPU does not repeat
     * the loop by itself: the CPU waits for it after so many.
     */
    int every;
} mnp_solve_options;

typedef struct mnp_solve_result {
    mnp_solve_reason reason;
    int64_t iterations;
    double residual;       /* ||b - A x||, computed anew at the end */
    double rhs_norm;       /* ||b|| */
    double seconds;        /* on the device's clock, without compiling */
    int64_t history_count; /* residual norms by the recurrence, the first before any iteration */
    double *history;       /* the caller's: mnp_solve_result_clear() */
} mnp_solve_result;

/*
 * The dtype in which a system is solved, and that of its solution: the wider one of the operator's and of b's, in which
 * numbers that are not float32, float64 or complex count as float64, and complex where the preconditioner is.  So it is
 * in SciPy.  A matrix of another dtype is multiplied as it is, without a copy; vectors are converted for other
 * operators and for preconditioners, which compute in their own dtype.  precond NULL: none.  Not collective.
 */
MNP_API mnp_dtype mnp_solve_dtype(const mnp_operator *op, const mnp_array *b, const mnp_precond *precond);

/*
 * Solve A x = b.  A system that does not converge is no error: result->reason tells, and x is then the best iterate.
 * Methods whose residual is not monotone compare iterates every 10 iterations.  cg and cg1, whose error falls also
 * where the residual rises, return the last; minres returns the last or, if that is worse, the guess.  Where rounding
 * has separated the recurrence from the true residual, the method restarts from its iterate, up to three times.
 * Reason and residual are those of the x that is returned.  Systems whose b is so small or large that squares of it
 * vanish or overflow are solved scaled by a power of two.
 *
 *   op       square with rows and columns cut alike, but for lsqr
 *   b        of one dimension, or of two, whose columns are systems solved one after the other; any layout and
 *            dtype
 *   options  NULL: all 0
 *   x_p      *x_p NULL: a new array in op's column layout with columns whole, and the guess is 0; otherwise the guess,
 *            in any layout, which the solution replaces.  Its dtype is that of mnp_solve_dtype()
 *   result   one for every column of b; NULL: not wanted
 *
 * Waits for the last iteration.  Collective.  MNP_ERR_ARG, MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_COMM, and what the
 * caller's functions return; x is then undefined where it was given.
 */
MNP_API mnp_status mnp_solve(const mnp_operator *op, const mnp_array *b, mnp_solver solver,
                             const mnp_solve_options *options, mnp_array **x_p, mnp_solve_result *result);

MNP_API void mnp_solve_result_clear(mnp_solve_result *result); /* NULL is accepted.  Not collective. */

/* ---- least squares ---- */

typedef struct mnp_least_squares_options {
    double damp;                 /* the solution makes ||b - A x||^2 + damp^2 ||x - guess||^2 least */
    double atol, btol;           /* relative errors of A and b (0: 1e-6; negative: exactly 0) */
    double conlim;               /* the condition at which it ends (0: 1e8; negative: none) */
    int64_t maxiter;             /* iterations (0: lsqr twice the columns, lsmr the smaller extent; negative: none) */
    mnp_solve_progress progress; /* NULL: none.  The residual is r2norm */
    void *argument;
    /*
     * Iterations between calls of progress, at least (0: 1, and 10 on a GPU).  With fewer than 10 a GPU does not repeat
     * the loop by itself: the CPU waits for it after so many.
     */
    int every;
} mnp_least_squares_options;

typedef struct mnp_least_squares_result {
    /*
     * Why it ended, as SciPy has it.  0: the guess is the solution; 1: ||r|| <= btol ||b|| + atol ||A|| ||x||;
     * 2: ||A^H r|| <= atol ||A|| ||r||; 3: the condition is conlim or above; 4, 5, 6: as 1 to 3, where the limits are
     * those of float64; 7: the limit of iterations, the caller's function, or numbers that are not finite
     */
    int istop;
    int64_t iterations;
    double r1norm; /* ||b - A x||, of lsqr; negative where rounding has made its square so.  lsmr: r2norm */
    double r2norm; /* the root of ||b - A x||^2 + damp^2 ||x - guess||^2 */
    double anorm;  /* an estimate of the Frobenius norm of A; lsqr: with damp I below it */
    double acond;  /* and of its condition */
    double arnorm; /* ||A^H r - damp^2 (x - guess)|| */
    double xnorm;  /* of lsqr ||x - guess||, of lsmr ||x|| */
} mnp_least_squares_result;

/*
 * scipy.sparse.linalg.lsqr: least squares of any shape by LSQR (C. C. Paige, M. A. Saunders, ACM TOMS 8, 1982), with
 * damping, and with the rules of the paper for when to end.  The norms come from recurrences, as in SciPy.  mnp_solve()
 * with MNP_SOLVER_LSQR ends by the residual, and computes it anew.
 *
 *   op           of any shape, with an adjoint
 *   b            of one dimension of op's rows, any layout and dtype
 *   options      NULL: all 0
 *   x_p          *x_p NULL: a new array in op's column layout, and the guess is 0; otherwise the guess, in any layout
 *                and the dtype of mnp_solve_dtype(), which the solution replaces
 *   variances_p  receives estimates of the diagonal of the inverse of A^H A + damp^2 I, one for each of op's columns:
 *                float32 or float64, as x's dtype; a given array must not be that of x; NULL: not wanted
 *   result       NULL: not wanted
 *
 * Waits for the last iteration.  Collective.  MNP_ERR_ARG, MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_COMM, and what the
 * caller's functions return; x is then undefined where it was given.
 */
MNP_API mnp_status mnp_lsqr(const mnp_operator *op, const mnp_array *b, const mnp_least_squares_options *options,
                            mnp_array **x_p, mnp_array **variances_p, mnp_least_squares_result *result);

/*
 * scipy.sparse.linalg.lsmr: the same by LSMR (D. C.-L. Fong, M. A. Saunders, SIAM J. Sci. Comput. 33, 2011), whose
 * ||A^H r|| falls with each iteration, so that it may end earlier.  Arguments and errors are those of mnp_lsqr(), but
 * there are no variances.
 *
 * Waits for the last iteration.  Collective.
 */
MNP_API mnp_status mnp_lsmr(const mnp_operator *op, const mnp_array *b, const mnp_least_squares_options *options,
                            mnp_array **x_p, mnp_least_squares_result *result);

/* ---- which method suits a matrix ---- */

typedef struct mnp_solve_choice {
    mnp_solver solver;
    mnp_precond_kind precond;
    int restart; /* for mnp_solve_options; 0: the solver has none */
} mnp_solve_choice;

/*
 * Choose a solver and a preconditioner for a matrix with the given traits, as mnp_sparse_find_traits() finds them.
 * `attempt` counts the choices from 0 on: after one has failed, ask for the next.  Returns false if there is no further
 * choice.  A Hermitian matrix with a positive diagonal gets cg with ic0, on a GPU with jacobi, and then minres, in case
 * it is not definite (MNP_SOLVE_BREAKDOWN).  Other Hermitian matrices get minres.  A square matrix without symmetry
 * gets gmres with ilu0, then gmres with jacobi and more vectors, and at last lsqr; a matrix that is not square gets
 * lsqr.  Also ask for the next choice if the preconditioner does not exist for the matrix (MNP_ERR_ARG).  Not
 * collective.
 */
MNP_API bool mnp_solve_choose(const mnp_sparse *matrix, const mnp_sparse_traits *traits, int attempt,
                              mnp_solve_choice *choice);

/* What the choice depends on. */
typedef struct mnp_solve_system {
    int64_t shape[2];     /* of the matrix */
    int64_t vector_bytes; /* of the longest block of a solution that a rank has */
    bool on_gpu;          /* where the matrix will be */
    mnp_sparse_traits traits;
} mnp_solve_system;

/* mnp_solve_choose() for a system that need not be there yet, as for a plan.  Not collective. */
MNP_API bool mnp_solve_choose_for(const mnp_solve_system *system, int attempt, mnp_solve_choice *choice);

#ifdef __cplusplus
}
#endif

#endif
