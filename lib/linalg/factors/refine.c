/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Systems of equations and least squares by a factorisation in half the precision, and iterative refinement.
 *
 * Systems are solved as LAPACK's dsgesv does it (Langou, Langou, Luszczek, Kurzak, Buttari, Dongarra: Exploiting the
 * performance of 32 bit floating point arithmetic in obtaining 64 bit accuracy, 2006): the n^3 operations are those of
 * float32; each correction costs a product and two triangular systems.  It is done when each column of the residual has
 * a norm of at most sqrt(n) eps |a| |x|, as that of a stable method in float64, or of twice that for complex numbers,
 * whose products round that much more.  It is given up when a correction does not halve the worst one, as where the
 * condition of the matrix is 1 / eps of float32 or more, or its elements overflow.
 *
 * Least squares use the R of A = Q R in that precision, so that A R^-1 is almost orthonormal: each correction of x is
 * R^-1 R^-H A^H (b - A x), the corrected seminormal equations (Bjorck: Stability analysis of the method of seminormal
 * equations for linear least squares problems, 1987).  The error is multiplied by about eps of float32 times the
 * condition of A each time, and what is left of it is that of a stable method, as residuals are of the whole precision.
 * Wide matrices have the R of A^H, and the corrections A^H R^-1 R^-H (b - A x), which keep x the solution of least
 * norm.  R^-1 is made as a matrix: then a correction is a few products, over any ranks.
 *
 * Singular values that are 0 look like eps of float32 in R.  So |R| |R^-1| of Frobenius, which is an upper bound of the
 * condition, must be well below 1 / eps of float32, and below 1 / rcond: then A has full rank.  Otherwise, or where
 * corrections do not converge, the plain method is called.
 */
#include <float.h>
#include <math.h>

#include <maniple/create.h>
#include <maniple/decompositions.h>
#include <maniple/eval.h>
#include <maniple/item.h>
#include <maniple/linalg.h>
#include <maniple/reduce.h>
#include <maniple/ufunc.h>
#include <maniple/view.h>

#include "array/input.h"
#include "base/integer.h"
#include "linalg/factors/systems.h"

enum { MOST_CORRECTIONS = 30 };
static const double MOST_CONDITION = 1 / (32 * FLT_EPSILON); /* |R| |R^-1| */

/* ---- systems ---- */

/* The system, the factors in half the precision, and the norms of the matrices, as columns. */
typedef struct refinement {
    const mnp_array *a, *b;
    bool positive;
    mnp_dtype low;
    mnp_array *factors, *pivots, *norms;
} refinement;

static mnp_status factor(refinement *f)
{
    mnp_array *low = NULL, *flat = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp_matrix_norm(f->a, "inf", false, &flat), st, done);
    MNP_TRY_OR(mnp_expand_dims(flat, 1, (const int[]){flat->layout->ndim}, &f->norms), st, done);
    MNP_TRY_OR(mnp_astype(f->a, f->low, &low), st, done);
    st = f->positive ? mnp_cholesky(low, false, &f->factors) : mnp_lu_factor(low, &f->factors, &f->pivots);
done:
    mnp_free_all(low, flat);
    return st;
}

static mnp_dtype half_of(mnp_dtype dtype)
{
    return mnp_dtype_kind(dtype) == 'c' ? MNP_COMPLEX64 : MNP_FLOAT32;
}

/* The solution for other right-hand sides by the factors, as it is in their precision. */
static mnp_status solve_low(const refinement *f, const mnp_array *b, mnp_array **x_p)
{
    mnp_array *low = NULL;
    MNP_TRY(mnp_astype(b, f->low, &low));
    const mnp_status st =
        f->positive ? mnp_cho_solve(f->factors, true, low, x_p) : mnp_lu_solve(f->factors, f->pivots, 0, low, x_p);
    mnp_array_free(low);
    return st;
}

/* r = b - a x, and the largest of its columns' norms, compared with those of a and x; NaN if there is one. */
static mnp_status residual(const refinement *f, const mnp_array *x, mnp_array **r_p, double *worst_p)
{
    mnp_array *product = NULL, *r = NULL, *of_r = NULL, *of_x = NULL, *quotients = NULL, *most = NULL;
    mnp_array *moduli[2] = {NULL, NULL};
    mnp_status st;
    MNP_TRY_OR(mnp_matmul(f->a, x, &product), st, done);
    MNP_TRY_OR(mnp_subtract(f->b, product, &r), st, done);
    MNP_TRY_OR(mnp_abs(r, &moduli[0]), st, done);
    MNP_TRY_OR(mnp_abs(x, &moduli[1]), st, done);
    MNP_TRY_OR(mnp_max(moduli[0], MNP_AXES(-2), &of_r), st, done);
    MNP_TRY_OR(mnp_max(moduli[1], MNP_AXES(-2), &of_x), st, done);
    MNP_TRY_OR(mnp_eval(x->ctx, "q = where(r == 0, 0 * x, r / (x * n))", MNP_IN("r", of_r, "x", of_x, "n", f->norms),
                        MNP_OUT("q", &quotients)),
               st, done);
    MNP_TRY_OR(mnp_max(quotients, MNP_ALL_AXES, &most), st, done);
    MNP_TRY_OR(mnp_array_item(most, MNP_FLOAT64, worst_p), st, done);
    *r_p = r;
    r = NULL;
done:
    mnp_free_all(moduli[0], moduli[1], most, quotients, of_x, of_r, r, product);
    return st;
}

/* x and the number of corrections, or -1 and no x where they do not converge. */
static mnp_status refine(const refinement *f, mnp_dtype dtype, mnp_array **x_p, int *count_p)
{
    mnp_array *first = NULL, *x = NULL, *r = NULL, *change = NULL, *next = NULL;
    const double enough = (mnp_dtype_kind(dtype) == 'c' ? 2 : 1) * sqrt((double)mnp__rows(f->a)) * DBL_EPSILON;
    double worst = INFINITY, before;
    mnp_status st;
    *count_p = -1;
    MNP_TRY_OR(solve_low(f, f->b, &first), st, done);
    MNP_TRY_OR(mnp_astype(first, dtype, &x), st, done);
    for (int count = 0; count <= MOST_CORRECTIONS; count++) {
        before = worst;
        MNP_TRY_OR(residual(f, x, &r, &worst), st, done);
        if (worst <= enough) {
            *x_p = x;
            x = NULL;
            *count_p = count;
            break;
        }
        if (!(worst <= before / 2))
            break;
        MNP_TRY_OR(solve_low(f, r, &change), st, done);
        MNP_TRY_OR(mnp_add(x, change, &next), st, done);
        mnp_free_all(x, r, change);
        x = next;
        next = r = change = NULL;
    }
done:
    mnp_free_all(next, change, r, x, first);
    return st;
}

/* The matrix and the right-hand sides in the dtype of the result; *column_p: a single one as a column, or NULL. */
static mnp_status widen(const mnp_array *a, const mnp_array *b, mnp_dtype dtype, mnp_array **a_p, mnp_array **b_p,
                        mnp_array **column_p)
{
    MNP_TRY(mnp_astype(a, dtype, a_p));
    MNP_TRY(mnp_astype(b, dtype, b_p));
    return b->layout->ndim == 1 ? mnp_expand_dims(*b_p, 1, (const int[]){1}, column_p) : MNP_OK;
}

/* As above, with its factorisation; a matrix that is none in half the precision may be one in the whole. */
static mnp_status by_refinement(const mnp_array *a, const mnp_array *b, mnp_dtype dtype, bool positive, mnp_array **x_p,
                                int *count_p)
{
    refinement f = {.positive = positive, .low = half_of(dtype)};
    mnp_array *wide_a = NULL, *wide_b = NULL, *column = NULL;
    mnp_status st;
    *count_p = -1;
    MNP_TRY_OR(widen(a, b, dtype, &wide_a, &wide_b, &column), st, done);
    f.a = wide_a;
    f.b = column ? column : wide_b;
    st = factor(&f);
    if (st == MNP_OK)
        st = refine(&f, dtype, x_p, count_p);
    if (st == MNP_ERR_LINALG)
        st = MNP_OK;
done:
    mnp_free_all(f.norms, f.pivots, f.factors, column, wide_b, wide_a);
    return st;
}

/* Give x, of which b's form decides whether it has matrices or vectors. */
static mnp_status give(const char *function, mnp_array *x, bool vector, mnp_array **x_p)
{
    mnp_array *flat = NULL, *made = NULL;
    mnp_status st;
    if (vector) {
        MNP_TRY_OR(mnp_squeeze(x, 1, (const int[]){x->layout->ndim - 1}, &flat), st, done);
        MNP_TRY_OR(mnp_copy(flat, &made), st, done);
    }
    const mnp_array *result = vector ? made : x;
    const mnp__output_spec spec = {.function = function,
                                   .ctx = x->ctx,
                                   .dtype = x->dtype,
                                   .ndim = result->layout->ndim,
                                   .shape = result->layout->shape};
    MNP_TRY_OR(mnp__output_check(&spec, *x_p), st, done);
    st = mnp__output_give(vector ? made : x, MNP_OK, x_p);
    *(vector ? &made : &x) = NULL;
done:
    mnp_free_all(made, flat, x);
    return st;
}

mnp_status mnp_linalg_solve_mixed(const mnp_array *a, const mnp_array *b, mnp_assume assume_a, mnp_array **x_p,
                                  int *corrections_p)
{
    static const char function[] = "mnp_linalg_solve_mixed";
    MNP_ENTER(a, b, x_p);
    MNP_IN_BLOCKS(a);
    MNP_IN_BLOCKS(b);
    mnp_array *x = NULL;
    mnp_dtype dtype;
    int corrections = -1;
    if (assume_a != MNP_ASSUME_GENERAL && assume_a != MNP_ASSUME_POSITIVE)
        return MNP_FAIL(MNP_ERR_ARG, "%s: assume_a is %d, neither MNP_ASSUME_GENERAL nor MNP_ASSUME_POSITIVE", function,
                        (int)assume_a);
    MNP_TRY(mnp__linalg_check(function, a, true));
    MNP_TRY(mnp__inputs_check(function, 2, (const mnp_array *const[]){a, b}));
    MNP_TRY(mnp__linalg_common_dtype(function, a, b, &dtype));
    if (mnp__linalg_real(dtype) == MNP_FLOAT64 && b->layout->ndim > 0 && b->layout->size > 0 && a->layout->size > 0)
        MNP_TRY(by_refinement(a, b, dtype, assume_a == MNP_ASSUME_POSITIVE, &x, &corrections));
    const mnp_status st = x ? give(function, x, b->layout->ndim == 1, x_p) : mnp_linalg_solve(a, b, assume_a, x_p);
    if (st == MNP_OK && corrections_p)
        *corrections_p = corrections;
    return st;
}

/* ---- least squares ---- */

/* The system, and R^-1. */
typedef struct least {
    const mnp_array *a, *b; /* b as columns */
    bool wide;              /* A^H = Q R, and otherwise A = Q R */
    mnp_array *inverse;
    double size, condition; /* |A|, and |R| |R^-1| */
} least;

/* Frobenius' norm. */
static mnp_status norm_of(const mnp_array *x, double *norm_p)
{
    mnp_array *norm = NULL;
    MNP_TRY(mnp_norm(x, NULL, MNP_ALL_AXES, &norm));
    const mnp_status st = mnp_array_item(norm, MNP_FLOAT64, norm_p);
    mnp_array_free(norm);
    return st;
}

/* MNP_ERR_LINALG if R is singular. */
static mnp_status factor_least(least *f)
{
    mnp_array *low = NULL, *turned = NULL, *r = NULL, *one = NULL, *inverse = NULL;
    double of_r = 0, of_inverse = 0;
    mnp_status st;
    MNP_TRY_OR(norm_of(f->a, &f->size), st, done);
    MNP_TRY_OR(mnp_astype(f->a, half_of(f->a->dtype), &low), st, done);
    if (f->wide)
        MNP_TRY_OR(mnp__linalg_adjoint(low, &turned), st, done);
    MNP_TRY_OR(mnp_qr(f->wide ? turned : low, "r", NULL, &r), st, done);
    MNP_TRY_OR(mnp_identity(f->a->ctx, r->dtype, mnp__rows(r), &one), st, done);
    MNP_TRY_OR(mnp_solve_triangular(r, one, 0, false, false, &inverse), st, done);
    MNP_TRY_OR(norm_of(r, &of_r), st, done);
    MNP_TRY_OR(norm_of(inverse, &of_inverse), st, done);
    f->condition = of_r * of_inverse;
    st = mnp_astype(inverse, f->a->dtype, &f->inverse);
done:
    mnp_free_all(inverse, one, r, turned, low);
    return st;
}

/* The change of x that a residual r asks for, and R^-H A^H r, or of a wide matrix R^-H r. */
static mnp_status correct(const least *f, const mnp_array *r, mnp_array **change_p, mnp_array **part_p)
{
    mnp_array *gradient = NULL, *inner = NULL;
    mnp_status st;
    if (!f->wide)
        MNP_TRY_OR(mnp__linalg_adjoint_times(f->a, r, &gradient), st, done);
    MNP_TRY_OR(mnp__linalg_adjoint_times(f->inverse, f->wide ? r : gradient, part_p), st, done);
    if (!f->wide) {
        st = mnp_matmul(f->inverse, *part_p, change_p);
        goto done;
    }
    MNP_TRY_OR(mnp_matmul(f->inverse, *part_p, &inner), st, done);
    st = mnp__linalg_adjoint_times(f->a, inner, change_p);
done:
    mnp_free_all(inner, gradient);
    return st;
}

/*
 * What a column has left of an error, compared with what rounding makes of it, in the worst column: of R^-H A^H r at
 * least |A| |x| + |r|, and at most |A| |x| + condition |r|; of a wide matrix of r itself |A| |x|.  NaN if there is one.
 */
typedef struct progress {
    double strict, lenient;
} progress;

static mnp_status measure(const least *f, const mnp_array *x, const mnp_array *r, const mnp_array *part, progress *p)
{
    mnp_ctx *ctx = x->ctx;
    mnp_array *of_x = NULL, *of_r = NULL, *of_part = NULL, *quotients[2] = {NULL, NULL}, *most[2] = {NULL, NULL};
    mnp_status st;
    MNP_TRY_OR(mnp_norm(x, NULL, MNP_AXES(0), &of_x), st, done);
    MNP_TRY_OR(mnp_norm(r, NULL, MNP_AXES(0), &of_r), st, done);
    MNP_TRY_OR(mnp_norm(f->wide ? r : part, NULL, MNP_AXES(0), &of_part), st, done);
    MNP_TRY_OR(
        mnp_eval(ctx, "q = where(p == 0, 0 * p, p / (a * x + u * r)); w = where(p == 0, 0 * p, p / (a * x + c * r))",
                 MNP_IN("p", of_part, "x", of_x, "r", of_r, "a", MNP_SCALAR(ctx, f->size), "u",
                        MNP_SCALAR(ctx, f->wide ? 0.0 : 1.0), "c", MNP_SCALAR(ctx, f->wide ? 0.0 : f->condition)),
                 MNP_OUT("q", &quotients[0], "w", &quotients[1])),
        st, done);
    for (int i = 0; i < 2; i++) {
        MNP_TRY_OR(mnp_max(quotients[i], MNP_ALL_AXES, &most[i]), st, done);
        MNP_TRY_OR(mnp_array_item(most[i], MNP_FLOAT64, i == 0 ? &p->strict : &p->lenient), st, done);
    }
done:
    mnp_free_all(most[1], most[0], quotients[1], quotients[0], of_part, of_r, of_x);
    return st;
}

/* x and the number of corrections of the first solution, or -1 and no x where they do not converge. */
static mnp_status refine_least(const least *f, mnp_array **x_p, int *count_p)
{
    mnp_array *x = NULL, *product = NULL, *r = NULL, *change = NULL, *part = NULL, *next = NULL;
    const int64_t shape[2] = {mnp__columns(f->a), mnp__columns(f->b)};
    const double enough = (mnp_dtype_kind(f->a->dtype) == 'c' ? 2 : 1) *
                          sqrt((double)mnp__min(mnp__rows(f->a), mnp__columns(f->a))) * DBL_EPSILON;
    double before = INFINITY;
    bool finished = false;
    mnp_status st;
    *count_p = -1;
    MNP_TRY_OR(mnp_zeros(f->a->ctx, f->a->dtype, 2, shape, &x), st, done);
    for (int count = -1; count <= MOST_CORRECTIONS && !finished; count++) {
        progress now = {NAN, NAN};
        MNP_TRY_OR(mnp_matmul(f->a, x, &product), st, done);
        MNP_TRY_OR(mnp_subtract(f->b, product, &r), st, done);
        MNP_TRY_OR(correct(f, r, &change, &part), st, done);
        MNP_TRY_OR(measure(f, x, r, part, &now), st, done);
        const bool slow = !(now.strict <= before / 2);
        finished = now.strict <= enough || slow;
        if (now.strict <= enough || (slow && now.lenient <= enough)) {
            *x_p = x;
            x = NULL;
            *count_p = count < 0 ? 0 : count;
        } else if (!slow) {
            MNP_TRY_OR(mnp_add(x, change, &next), st, done);
            mnp_array_free(x);
            x = next;
            next = NULL;
        }
        before = now.strict;
        mnp_free_all(part, change, r, product);
        part = change = r = product = NULL;
    }
done:
    mnp_free_all(next, part, change, r, product, x);
    return st;
}

/* As above, with its factorisation; x has the form of b. */
static mnp_status least_by_refinement(const mnp_array *a, const mnp_array *b, mnp_dtype dtype, double rcond,
                                      mnp_array **x_p, int *count_p)
{
    least f = {.wide = mnp__rows(a) < mnp__columns(a)};
    mnp_array *wide_a = NULL, *wide_b = NULL, *column = NULL, *x = NULL, *flat = NULL;
    mnp_status st;
    MNP_TRY_OR(widen(a, b, dtype, &wide_a, &wide_b, &column), st, done);
    f.a = wide_a;
    f.b = column ? column : wide_b;
    st = factor_least(&f);
    if (st == MNP_OK && f.condition <= MOST_CONDITION && rcond * f.condition < 0.5)
        st = refine_least(&f, &x, count_p);
    if (st == MNP_ERR_LINALG)
        st = MNP_OK;
    if (st != MNP_OK || !x)
        goto done;
    if (column) {
        MNP_TRY_OR(mnp_squeeze(x, 1, (const int[]){1}, &flat), st, done);
        st = mnp_copy(flat, x_p);
        goto done;
    }
    *x_p = x;
    x = NULL;
done:
    mnp_free_all(flat, x, f.inverse, column, wide_b, wide_a);
    return st;
}

mnp_status mnp_lstsq_mixed(const mnp_array *a, const mnp_array *b, double rcond, mnp_array **x_p,
                           mnp_array **residuals_p, int64_t *rank_p, int *corrections_p)
{
    static const char function[] = "mnp_lstsq_mixed";
    MNP_ENTER(a, b, x_p);
    MNP_NEED_OR_NULL(residuals_p);
    MNP_IN_BLOCKS(a);
    MNP_IN_BLOCKS(b);
    mnp_array *x = NULL, *residuals = NULL;
    mnp_dtype dtype;
    int corrections = -1;
    mnp_status st = MNP_OK;
    MNP_TRY(mnp__least_check(function, a, b, x_p, residuals_p, NULL, &dtype));
    const int64_t rank = mnp__min(mnp__rows(a), mnp__columns(a));
    if (mnp__linalg_real(dtype) == MNP_FLOAT64 && b->layout->size > 0 && a->layout->size > 0)
        MNP_TRY(least_by_refinement(a, b, dtype, rcond, &x, &corrections));
    if (!x) {
        st = mnp_lstsq(a, b, rcond, x_p, residuals_p, rank_p, NULL);
        goto done;
    }
    if (residuals_p)
        MNP_TRY_OR(mnp__least_residuals(a, b, x, rank, &residuals), st, done);
    mnp__output outputs[2] = {{.array = x, .user_p = x_p}, {.array = residuals, .user_p = residuals_p}};
    x = residuals = NULL;
    st = mnp__output_close(residuals_p ? 2 : 1, outputs, MNP_OK);
    if (st == MNP_OK && rank_p)
        *rank_p = rank;
done:
    mnp_free_all(residuals, x);
    if (st == MNP_OK && corrections_p)
        *corrections_p = corrections;
    return st;
}
