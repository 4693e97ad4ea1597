/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Iterative methods: what each provides, and the vectors and state that it works with.
 */
#ifndef MNP__SPARSE_KRYLOV_METHOD_H
#define MNP__SPARSE_KRYLOV_METHOD_H

#include <maniple/solve.h>

#include "sparse/krylov/basis.h"
#include "sparse/krylov/device_loop.h"
#include "sparse/operator/operator.h"
#include "sparse/precond/precond.h"
#include "sparse/step/step.h"

enum { MNP__MOST_BASES = 3 };

typedef struct mnp__method mnp__method;

/* One system under way. */
struct mnp__system {
    mnp_ctx *ctx;
    const mnp__method *method;
    const mnp_operator *op;     /* of the dtype of the system's vectors, */
    const mnp_precond *precond; /* like this; NULL: none */
    mnp_operator *own_op;       /* NULL, or the above where the caller's are of other dtypes */
    mnp_precond *own_precond;
    const mnp_solve_options *options; /* complete: no zeros */
    mnp__steps *steps;
    mnp_array *b, *x;                /* the right-hand side, and the iterate */
    mnp_array *r;                    /* b - A x when the method starts; then the method's */
    mnp_array *work[MNP__MOST_WORK]; /* the method's vectors, 0 before its first start; it may exchange them */
    mnp_array *kept;                 /* the best x so far, or the guess: see keeps_best and keeps_start; else NULL */
    mnp__basis *basis[MNP__MOST_BASES];
    double scale; /* b, x and residuals are so many times those of the caller: a power of two, nearly always 1 */
    int position; /* where the method is in its cycle */
    mnp__device_loop loop;
};

/*
 * A method.  Its scalars are those of all its steps.  It has `work` vectors in the layout of x, and after them `rows`
 * vectors in that of b.  On the CPU, iterate changes only `position` and the order of work[], and both return to their
 * beginning after some calls, so that the loop can be recorded.
 */
struct mnp__method {
    mnp__scalars scalars;
    int work, rows;
    int bases; /* sets of vectors, of options->restart each; with one_more the first has one more */
    bool one_more;
    bool needs_parameter; /* options->restart */
    size_t memory;        /* sums that `memory` has room for: a constant, and parts by parameter and its square */
    size_t memory_linear, memory_square;
    bool keeps_best;  /* the residual is not monotone: the best iterate is kept */
    bool keeps_start; /* the residual rises only where the matrix is not what the method needs: the guess is kept */
    bool adjoint;     /* it uses A^H too, and M^H */
    /* a least-squares method: it takes any shape, and no preconditioner, and its residual need not become small */
    bool least_squares;
    mnp_status (*prepare)(mnp__system *s, struct mnp_step_control *control); /* NULL: nothing */
    mnp_status (*start)(mnp__system *s);
    mnp_status (*iterate)(mnp__system *s);
    mnp_status (*finish)(mnp__system *s); /* complete x; NULL: x is always complete */
};

extern const mnp__method mnp__cg, mnp__cg1, mnp__bicgstab, mnp__cgs, mnp__gmres, mnp__fgmres, mnp__minres, mnp__idr,
    mnp__chebyshev, mnp__richardson, mnp__lsqr, mnp__tfqmr, mnp__bicg, mnp__qmr;

/*
 * The methods of mnp_lsqr(), without and with estimates of variances, which are the last vector in the layout of x; and
 * that of mnp_lsmr().
 */
extern const mnp__method mnp__lsqr_by_paper, mnp__lsqr_with_variances, mnp__lsmr;

#define MNP__RUN(s, step, ...) mnp__steps_run((s)->steps, (step), (mnp_array *const[]){__VA_ARGS__})
#define MNP__RUN_ALONE(s, step) mnp__steps_run((s)->steps, (step), NULL)

/* y = A x; y = A^H x. */
static inline mnp_status mnp__multiply(mnp__system *s, const mnp_array *x, mnp_array *y)
{
    return mnp__operator_apply(s->op, false, x, y);
}
static inline mnp_status mnp__multiply_adjoint(mnp__system *s, const mnp_array *x, mnp_array *y)
{
    return mnp__operator_apply(s->op, true, x, y);
}

/* *z_p = M x, stored in `room`; x itself where there is no preconditioner. */
static inline mnp_status mnp__precondition(mnp__system *s, mnp_array *x, mnp_array *room, mnp_array **z_p)
{
    *z_p = s->precond ? room : x;
    return s->precond ? mnp__precond_apply(s->precond, false, x, room) : MNP_OK;
}

/* The same with M^H. */
static inline mnp_status mnp__precondition_adjoint(mnp__system *s, mnp_array *x, mnp_array *room, mnp_array **z_p)
{
    *z_p = s->precond ? room : x;
    return s->precond ? mnp__precond_apply(s->precond, true, x, room) : MNP_OK;
}

/*
 * Estimates of the smallest and largest eigenvalue of M A, by so many iterations of CG.  They lie inside the spectrum
 * where A and M are Hermitian and positive definite.  Collective.
 */
mnp_status mnp__estimate_bounds(const mnp_operator *op, const mnp_precond *precond, int iterations, double bounds[2]);

#endif
