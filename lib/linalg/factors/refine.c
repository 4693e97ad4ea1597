/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Systems of equations by a factorisation in half the precision, and iterative refinement.
 *
 * LAPACK's dsgesv (Langou, Langou, Luszczek, Kurzak, Buttari, Dongarra: Exploiting the performance of 32 bit floating
 * point arithmetic in obtaining 64 bit accuracy, 2006): the n^3 operations are those of float32; each correction costs
 * a product and two triangular systems.  It is done when each column of the residual has a norm of at most
 * sqrt(n) eps |a| |x|, as that of a stable method in float64, or of twice that for complex numbers, whose products
 * round that much more.  It is given up when a correction does not halve the worst one, as where the condition of the
 * matrix is 1 / eps of float32 or more, or its elements overflow.
 */
#include <float.h>
#include <math.h>

#include <maniple/decompositions.h>
#include <maniple/eval.h>
#include <maniple/item.h>
#include <maniple/linalg.h>
#include <maniple/reduce.h>
#include <maniple/ufunc.h>
#include <maniple/view.h>

#include "array/input.h"
#include "linalg/dense/dense.h"

enum { MOST_CORRECTIONS = 30 };

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

/* As above, with its factorisation; a matrix that is none in half the precision may be one in the whole. */
static mnp_status by_refinement(const mnp_array *a, const mnp_array *b, mnp_dtype dtype, bool positive, mnp_array **x_p,
                                int *count_p)
{
    refinement f = {.positive = positive, .low = mnp_dtype_kind(dtype) == 'c' ? MNP_COMPLEX64 : MNP_FLOAT32};
    mnp_array *wide_a = NULL, *wide_b = NULL, *column = NULL;
    mnp_status st;
    *count_p = -1;
    MNP_TRY_OR(mnp_astype(a, dtype, &wide_a), st, done);
    MNP_TRY_OR(mnp_astype(b, dtype, &wide_b), st, done);
    if (b->layout->ndim == 1)
        MNP_TRY_OR(mnp_expand_dims(wide_b, 1, (const int[]){1}, &column), st, done);
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
