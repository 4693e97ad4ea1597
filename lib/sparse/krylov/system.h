/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Running a method on one system.
 */
#ifndef MNP__SPARSE_KRYLOV_SYSTEM_H
#define MNP__SPARSE_KRYLOV_SYSTEM_H

#include "sparse/krylov/method.h"

/*
 * Memory for systems with this operator, solved one after the other.  The caller puts the right-hand side into s->b
 * and the guess into s->x, which receives the solution; both are dense, in that dtype and the operator's layouts.  The
 * options are complete, without zeros, and must live as long.  The dtype is complex where the operator's or the
 * preconditioner's is.  Collective.
 */
mnp_status mnp__system_open(mnp__system *s, const mnp__method *method, const mnp_operator *op, mnp_dtype dtype,
                            const mnp_solve_options *options);
void mnp__system_close(mnp__system *s);

/* MNP_ERR_ARG unless x has the dtype of mnp_solve_dtype().  Not collective. */
mnp_status mnp__solve_check_dtype(const mnp_operator *op, const mnp_array *b, const mnp_precond *precond,
                                  const mnp_array *x);

/* Solve A x = b, starting from the guess x.  Fills the result except for its seconds.  Collective. */
mnp_status mnp__system_solve(mnp__system *s, mnp_solve_result *result);

/*
 * Run a method for least squares once, from the guess x, by the limits among control->parameter.  *control receives the
 * state at the end; what it tells of b and x is of the caller's numbers, not of scaled ones.  A residual that is 0 or
 * not finite ends it at once.  Collective.
 */
mnp_status mnp__system_run_once(mnp__system *s, struct mnp_step_control *control);

/* Copy x to s->kept if its residual is the least so far.  Enqueued. */
mnp_status mnp__system_keep(mnp__system *s);

/* The iterations between two calls of a progress function, where `every` is what was asked for, or 0. */
int mnp__system_every(const mnp_ctx *ctx, int every);

/* Whether the progress function is called more often than the state is read otherwise. */
bool mnp__system_reports_often(const mnp__system *s);

#endif
