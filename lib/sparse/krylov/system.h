/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Running a method on one system.
 */
#ifndef MNP__SPARSE_KRYLOV_SYSTEM_H
#define MNP__SPARSE_KRYLOV_SYSTEM_H

#include "sparse/krylov/method.h"

/*
 * Memory for systems with this operator, one after the other: s->b and s->x, in the operator's dtype and layouts and
 * dense, are where the caller puts the right-hand side and the guess, and finds the solution.  The options have no
 * zeros any more, and stay.  Collective.
 */
mnp_status mnp__system_open(mnp__system *s, const mnp__method *method, const mnp_operator *op,
                            const mnp_solve_options *options);
void mnp__system_close(mnp__system *s);

/* Solve A x = b from the guess x on.  The result but for its seconds.  Collective. */
mnp_status mnp__system_solve(mnp__system *s, mnp_solve_result *result);

/* If the residual is the least so far, keep x, of a method that has `kept`.  Enqueued. */
mnp_status mnp__system_keep(mnp__system *s);

#endif
