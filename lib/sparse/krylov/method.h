/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Iterative methods: what each gives, and what it works with.
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
    const mnp_operator *op;
    const mnp_solve_options *options; /* without zeros */
    mnp__steps *steps;
    mnp_array *b, *x;                /* the right-hand side, and the iterate */
    mnp_array *r;                    /* b - A x when the method starts; then the method's */
    mnp_array *work[MNP__MOST_WORK]; /* the method's vectors, 0 before its first start; it may exchange them */
    mnp_array *kept; /* the best x so far, of a method that keeps_best; the start, of one that keeps it */
    mnp__basis *basis[MNP__MOST_BASES];
    int position; /* the method's: where it is in a cycle */
    mnp__device_loop loop;
};

/*
 * The scalars are those of all its steps; work vectors have the layout of x, and are counted without `rows`, which have
 * b's.  All that iterate changes in memory of the CPU is `position`, and the order of work[]; both come back after some
 * calls.
 */
struct mnp__method {
    mnp__scalars scalars;
    int work, rows;
    int bases; /* sets of vectors; how many is parameter(), and for `wide` one more in the first */
    bool one_more;
    bool needs_parameter; /* options->restart */
    size_t memory;        /* sums that `memory` has room for: a constant, and parts by parameter and its square */
    size_t memory_linear, memory_square;
    bool keeps_best;  /* the residual may rise again: the best iterate is kept */
    bool keeps_start; /* it should not, but may where the matrix is not what the method needs: the start is kept */
    /* it works with A^H too, takes any shape, and converges to what need not have a small residual */
    bool least_squares;
    mnp_status (*prepare)(mnp__system *s, struct mnp_step_control *control); /* NULL: nothing */
    mnp_status (*start)(mnp__system *s);
    mnp_status (*iterate)(mnp__system *s);
    mnp_status (*finish)(mnp__system *s); /* bring x up to date; NULL: it always is */
};

extern const mnp__method mnp__cg, mnp__cg1, mnp__bicgstab, mnp__cgs, mnp__gmres, mnp__fgmres, mnp__minres, mnp__idr,
    mnp__chebyshev, mnp__richardson, mnp__lsqr;

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

/* *z_p = M x: made in `room`, or x itself where there is no preconditioner. */
static inline mnp_status mnp__precondition(mnp__system *s, mnp_array *x, mnp_array *room, mnp_array **z_p)
{
    *z_p = s->options->precond ? room : x;
    return s->options->precond ? mnp__precond_apply(s->options->precond, x, room) : MNP_OK;
}

/*
 * The largest and smallest eigenvalues that Lanczos' method finds of M A in some iterations of CG.  They lie inside the
 * spectrum where A and M are Hermitian and positive definite.  Collective.
 */
mnp_status mnp__estimate_bounds(const mnp_operator *op, const mnp_precond *precond, int iterations, double bounds[2]);

#endif
