/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * (A - sigma)^-1 by MINRES, as A - sigma is Hermitian, but not definite if sigma is inside the spectrum.
 *
 * How exactly systems are solved: where (A - sigma) y = x + r, a pair of the inverse, y = x / (theta - sigma), is a
 * pair of A but for a residual of ||r|| |theta - sigma|, so the relative residual of the systems is what the
 * eigenvalues lose, in units of their distance from sigma.  Over a space of m vectors residuals add up; a tenth of the
 * tolerance for the eigenvalues leaves room for that (V. Simoncini, "Variable accuracy of matrix-vector products in
 * projection methods for eigencomputation", SIAM J. Numer. Anal. 43, 2005, who also shows that later systems need less:
 * this is not used).  A system whose residual rounding keeps above that is as good as A's own precision allows, and
 * counts as solved.
 */
#include "sparse/eigen/shift_invert.h"

#include <maniple/eval.h>

#include <inttypes.h>
#include <math.h>

#include "layout/layout.h"
#include "sparse/eigen/ritz.h"

/* y = A x - sigma x. */
static mnp_status apply_shifted(void *argument, const mnp_array *x, mnp_array *y)
{
    mnp__shift_invert *shift = argument;
    MNP_TRY(mnp__operator_apply(shift->op, false, x, y));
    shift->products++;
    if (shift->sigma == 0)
        return MNP_OK;
    return mnp_eval(shift->op->ctx, "y -= s * x", MNP_IN("x", x, "s", mnp_scalar_float(shift->op->ctx, shift->sigma)),
                    MNP_OUT("y", &y));
}

/* y = (A - sigma)^-1 x.  Once a system was not solved, others are not tried. */
static mnp_status apply_inverse(void *argument, const mnp_array *x, mnp_array *y)
{
    mnp__shift_invert *shift = argument;
    mnp_solve_result result = {.history = NULL};
    if (shift->unsolved)
        return MNP_OK;
    MNP_TRY(mnp_solve(shift->shifted, x, MNP_SOLVER_MINRES, &shift->solve, &y, &result));
    shift->unsolved = result.reason != MNP_SOLVE_CONVERGED && result.reason != MNP_SOLVE_STAGNATED;
    mnp_solve_result_clear(&result);
    return MNP_OK;
}

static mnp_status check(const mnp_operator *op, const mnp_eigsh_options *options)
{
    const mnp_operator *inverse = options->inverse;
    if (!isfinite(options->sigma))
        return MNP_FAIL(MNP_ERR_ARG, "mnp_eigsh(): sigma is %g", options->sigma);
    if (options->solve_maxiter < 0)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_eigsh(): solve_maxiter is %" PRId64 ", negative", options->solve_maxiter);
    if (!inverse)
        return MNP_OK;
    MNP_TRY(mnp__operator_check_square("mnp_eigsh()", inverse));
    if (inverse->ctx != op->ctx || inverse->dtype != op->dtype ||
        !mnp_layout_equal(inverse->column_layout, op->column_layout))
        return MNP_FAIL(MNP_ERR_ARG, "mnp_eigsh(): the inverse must have the dtype and the layouts of the operator");
    return MNP_OK;
}

mnp_status mnp__shift_invert_open(const mnp_operator *op, const mnp_eigsh_options *options, mnp__shift_invert *shift,
                                  const mnp_operator **inverse_p)
{
    const double epsilon = mnp__ritz_epsilon(op->dtype);
    *shift = (mnp__shift_invert){.op = op, .sigma = options->sigma};
    MNP_TRY(check(op, options));
    shift->solve = (mnp_solve_options){.rtol = fmax(options->tol / 10, 100 * epsilon),
                                       .maxiter = options->solve_maxiter,
                                       .precond = options->precond,
                                       .zero_guess = true};
    if (options->inverse) {
        *inverse_p = options->inverse;
        return MNP_OK;
    }
    MNP_TRY(mnp_operator_new(op->ctx, op->dtype, op->row_layout, op->column_layout, apply_shifted, NULL, shift,
                             &shift->shifted));
    MNP_TRY(mnp_operator_new(op->ctx, op->dtype, op->row_layout, op->column_layout, apply_inverse, NULL, shift,
                             &shift->own));
    *inverse_p = shift->own;
    return MNP_OK;
}

void mnp__shift_invert_close(mnp__shift_invert *shift)
{
    mnp_operator_free(shift->own);
    mnp_operator_free(shift->shifted);
    shift->own = shift->shifted = NULL;
}
