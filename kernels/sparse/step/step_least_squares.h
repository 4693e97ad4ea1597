/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Methods for least squares: their rotations, and when they are over.
 */

/* c a + s b = r and -s a + c b = 0. */
struct mnp_rotation {
    double c, s, r;
};

MNP_INLINE mnp_rotation mnp_rotate(double a, double b)
{
    const double r = MNP_SQRT(a * a + b * b);
    return r == 0 ? mnp_rotation{1, 0, 0} : mnp_rotation{a / r, b / r, r};
}

/*
 * Count an iteration, after which the parameters tell of the system, and the residual with the damping is norm_r.  The
 * rules and their numbers are those of LSQR (C. C. Paige, M. A. Saunders, ACM TOMS 8, 1982).
 */
MNP_INLINE void mnp_test_least_squares(mnp_step_control &c, double norm_r)
{
    const double *known = c.parameter, norm_b = known[MNP_LEAST_NORM_B], norm_a = known[MNP_LEAST_NORM_A];
    const double atol = known[MNP_LEAST_ATOL], most = norm_a * norm_r, reach = norm_a * known[MNP_LEAST_NORM_X];
    const double gradient = known[MNP_LEAST_GRADIENT], cond = known[MNP_LEAST_COND], conlim = known[MNP_LEAST_CONLIM];
    int stop = 0;
    if (norm_r <= known[MNP_LEAST_BTOL] * norm_b + atol * reach)
        stop = 1;
    else if (gradient <= atol * most)
        stop = 2;
    else if (conlim > 0 && cond >= conlim)
        stop = 3;
    else if (1 + norm_r / (norm_b + reach) <= 1)
        stop = 4;
    else if (1 + gradient / most <= 1)
        stop = 5;
    else if (1 + 1 / cond <= 1)
        stop = 6;
    c.iterations += 1;
    c.residual = norm_r;
    c.parameter[MNP_LEAST_STOP] = stop;
    if (stop > 0)
        c.done = MNP_DONE_CONVERGED;
    else if (!is_finite(norm_r))
        c.done = MNP_DONE_DIVERGED;
    else if (c.iterations >= c.maxiter)
        c.done = MNP_DONE_MAXITER;
}
