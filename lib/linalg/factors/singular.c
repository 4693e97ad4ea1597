/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What follows from singular values: least squares, pseudo-inverses, ranks, conditions, norms, bases, polar factors.
 *
 * All are a few calls of public functions, which take any layouts; the largest matrices are the singular vectors.
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

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
#include "linalg/tall/tall.h"

/* ---- pieces ---- */

/* A matrix or a stack of vectors as matrices of one column, and back. */
static mnp_status as_columns(const mnp_array *v, mnp_array **columns_p)
{
    return mnp_expand_dims(v, 1, (const int[]){v->layout->ndim}, columns_p);
}

/*
 * A relative bound for singular values as SciPy has it, of matrices that are computed in a dtype: what is asked for, or
 * max(m, n) eps if that is negative.
 */
static double bound_of(const mnp_array *a, mnp_dtype dtype, double asked)
{
    const int64_t m = mnp__rows(a), n = mnp__columns(a);
    const double eps = mnp__linalg_real(dtype) == MNP_FLOAT32 ? (double)FLT_EPSILON : DBL_EPSILON;
    return asked >= 0 ? asked : (double)mnp__max(m, n) * eps;
}

/* Which singular values of each matrix are above that fraction of its largest. */
static mnp_status find_large(const mnp_array *s, double fraction, mnp_array **large_p)
{
    mnp_array *largest = NULL;
    if (s->layout->shape[s->layout->ndim - 1] == 0)
        return mnp_astype(s, MNP_BOOL, large_p);
    MNP_TRY(mnp_max(s, MNP_REDUCE(.count = 1, .axes = {-1}, .keepdims = true), &largest));
    const mnp_status st =
        mnp_eval(s->ctx, "large = s > r * most", MNP_IN("s", s, "r", MNP_SCALAR(s->ctx, fraction), "most", largest),
                 MNP_OUT("large", large_p));
    mnp_array_free(largest);
    return st;
}

/* 1 / s where that is large, and else 0. */
static mnp_status invert(const mnp_array *s, const mnp_array *large, mnp_array **inverse_p)
{
    return mnp_eval(s->ctx, "z = where(large, 1 / s, 0 * s)", MNP_IN("s", s, "large", large), MNP_OUT("z", inverse_p));
}

static mnp_status count(const mnp_array *large, int64_t *count_p)
{
    mnp_array *number = NULL;
    MNP_TRY(mnp_count_nonzero(large, MNP_ALL_AXES, &number));
    const mnp_status st = mnp_item(number, count_p);
    mnp_array_free(number);
    return st;
}

/* MNP_ERR_ARG unless the array is one matrix, and the given outputs can take the results; and the dtype. */
static mnp_status check_one(const char *function, const mnp_array *a, int count, const mnp__result *results,
                            mnp_dtype *dtype_p)
{
    MNP_TRY(mnp__linalg_check_results(function, a, false, count, results, dtype_p));
    if (a->layout->ndim != 2)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the array has %d dimensions, and is not one matrix", function,
                        a->layout->ndim);
    return MNP_OK;
}

/* ---- least squares ---- */

/* x = V S^+ U^H c for a = U S V^H, and the rank and the values; c is a vector or a matrix. */
static mnp_status solve_by_svd(const mnp_array *a, const mnp_array *c, double fraction, mnp_array **x_p,
                               int64_t *rank_p, mnp_array **s_p)
{
    mnp_array *u = NULL, *s = NULL, *vh = NULL, *uh = NULL, *v = NULL, *large = NULL, *inverse = NULL, *column = NULL,
              *part = NULL;
    const bool vector = c->layout->ndim == 1;
    mnp_status st;
    MNP_TRY_OR(mnp_svd(a, false, &u, &s, &vh), st, done);
    MNP_TRY_OR(find_large(s, fraction, &large), st, done);
    MNP_TRY_OR(count(large, rank_p), st, done);
    MNP_TRY_OR(invert(s, large, &inverse), st, done);
    MNP_TRY_OR(mnp__linalg_adjoint(u, &uh), st, done);
    MNP_TRY_OR(mnp__linalg_adjoint(vh, &v), st, done);
    MNP_TRY_OR(mnp_matmul(uh, c, &part), st, done);
    if (!vector)
        MNP_TRY_OR(as_columns(inverse, &column), st, done);
    MNP_TRY_OR(mnp_multiply(part, vector ? inverse : column, &part), st, done);
    MNP_TRY_OR(mnp_matmul(v, part, x_p), st, done);
    *s_p = s;
    s = NULL;
done:
    mnp_free_all(part, column, inverse, large, v, uh, vh, s, u);
    return st;
}

mnp_status mnp__least_residuals(const mnp_array *a, const mnp_array *b, const mnp_array *x, int64_t rank,
                                mnp_array **residuals_p)
{
    mnp_array *product = NULL, *squares = NULL;
    mnp_status st;
    const int64_t none = 0, one = 1;
    if (rank != mnp__columns(a) || mnp__rows(a) <= mnp__columns(a))
        return mnp_empty(a->ctx, mnp__linalg_real(x->dtype), 1, &none, residuals_p);
    MNP_TRY_OR(mnp_matmul(a, x, &product), st, done);
    MNP_TRY_OR(
        mnp_eval(a->ctx, "z = real(r - b)**2 + imag(r - b)**2", MNP_IN("r", product, "b", b), MNP_OUT("z", &squares)),
        st, done);
    mnp_array *sum = NULL;
    MNP_TRY_OR(mnp_sum(squares, MNP_AXES(0), &sum), st, done);
    st = b->layout->ndim == 1 ? mnp_reshape(sum, 1, &one, residuals_p) : mnp_copy(sum, residuals_p);
    mnp_array_free(sum);
done:
    mnp_free_all(squares, product);
    return st;
}

/* The same for a tall matrix, whose q need not be made: c = W^H (q^H b) with a = q W r. */
static mnp_status reduce_tall(const mnp_array *a, const mnp_array *b, mnp_array **r_p, mnp_array **c_p, bool *done_p)
{
    mnp_array *qh = NULL, *wh = NULL, *part = NULL, *wide = NULL, *product = NULL;
    mnp__tall_qr tall = {.q = NULL};
    mnp__place place;
    mnp_status st = MNP_OK;
    MNP_TRY(mnp__place_open("mnp_lstsq", a, 0, NULL, &place));
    *done_p = false;
    if (mnp__tall_serves(&place, a))
        MNP_TRY_OR(mnp__tall_factor(&place, a, a->dtype, &tall, done_p), st, done);
    if (!*done_p)
        goto done;
    MNP_TRY_OR(mnp__linalg_adjoint(tall.q, &qh), st, done);
    MNP_TRY_OR(mnp_matmul(qh, b, &part), st, done);
    if (tall.w) {
        MNP_TRY_OR(mnp__linalg_adjoint(tall.w, &wh), st, done);
        MNP_TRY_OR(mnp_astype(part, MNP_FLOAT64, &wide), st, done);
        MNP_TRY_OR(mnp_matmul(wh, wide, &product), st, done);
        mnp_array_free(part);
        part = NULL;
        MNP_TRY_OR(mnp_astype(product, a->dtype, &part), st, done);
    }
    *c_p = part;
    *r_p = tall.r;
    part = tall.r = NULL;
done:
    mnp_free_all(product, wide, part, wh, qh);
    mnp__tall_release(&tall);
    mnp__place_close(&place);
    return st;
}

/* A system that has rows for several times its unknowns is first made square: a = q r, c = q^H b. */
static mnp_status reduce_rows(const mnp_array *a, const mnp_array *b, mnp_array **r_p, mnp_array **c_p)
{
    mnp_array *q = NULL, *r = NULL, *qh = NULL;
    bool done;
    mnp_status st;
    MNP_TRY(reduce_tall(a, b, r_p, c_p, &done));
    if (done)
        return MNP_OK;
    MNP_TRY_OR(mnp_qr(a, NULL, &q, &r), st, done);
    MNP_TRY_OR(mnp__linalg_adjoint(q, &qh), st, done);
    MNP_TRY_OR(mnp_matmul(qh, b, c_p), st, done);
    *r_p = r;
    r = NULL;
done:
    mnp_free_all(qh, r, q);
    return st;
}

/* x, residuals and values can be given: x is as b is, and there are as many residuals as columns of b, or none. */
static mnp_status check_least(const char *function, const mnp_array *a, const mnp_array *b, mnp_dtype dtype,
                              const mnp_array *x, const mnp_array *residuals)
{
    const mnp_layout *of_b = b->layout;
    const int64_t columns = of_b->ndim == 1 ? 1 : of_b->shape[1], none = 0, shape[2] = {mnp__columns(a), columns};
    const bool some = mnp__rows(a) > mnp__columns(a) && residuals &&
                      !(residuals->layout->ndim == 1 && residuals->layout->shape[0] == 0);
    const mnp__output_spec of_x = {
        .function = function, .name = "x", .ctx = a->ctx, .dtype = dtype, .ndim = of_b->ndim, .shape = shape};
    const mnp__output_spec of_residuals = {.function = function,
                                           .name = "residuals",
                                           .ctx = a->ctx,
                                           .dtype = mnp__linalg_real(dtype),
                                           .ndim = 1,
                                           .shape = some ? &columns : &none};
    MNP_TRY(mnp__output_check(&of_x, x));
    return mnp__output_check(&of_residuals, residuals);
}

mnp_status mnp__least_check(const char *function, const mnp_array *a, const mnp_array *b, mnp_array **x_p,
                            mnp_array **residuals_p, mnp_array **s_p, mnp_dtype *dtype_p)
{
    const mnp__result values = {"s", s_p, MNP__AS_REAL, "k"};
    mnp_dtype of_a;
    MNP_TRY(check_one(function, a, 0, NULL, &of_a));
    MNP_TRY(mnp__inputs_check(function, 2, (const mnp_array *const[]){a, b}));
    MNP_TRY(mnp__linalg_common_dtype(function, a, b, dtype_p));
    if (b->layout->ndim < 1 || b->layout->ndim > 2)
        return MNP_FAIL(MNP_ERR_ARG, "%s: b has %d dimensions, and is neither a vector nor a matrix", function,
                        b->layout->ndim);
    if (b->layout->shape[0] != mnp__rows(a))
        return MNP_FAIL(MNP_ERR_ARG, "%s: b has %" PRId64 " rows, and a has %" PRId64, function, b->layout->shape[0],
                        mnp__rows(a));
    MNP_TRY(mnp__output_check_distinct(function, 3, (mnp_array * *const[]){x_p, residuals_p, s_p}));
    MNP_TRY(check_least(function, a, b, *dtype_p, *x_p, residuals_p ? *residuals_p : NULL));
    return mnp__linalg_check_output(function, a, *dtype_p, &values);
}

mnp_status mnp_lstsq(const mnp_array *a, const mnp_array *b, double rcond, mnp_array **x_p, mnp_array **residuals_p,
                     int64_t *rank_p, mnp_array **s_p)
{
    static const char function[] = "mnp_lstsq";
    MNP_ENTER(a, b, x_p);
    MNP_NEED_OR_NULL(residuals_p);
    MNP_NEED_OR_NULL(s_p);
    MNP_IN_BLOCKS(a);
    MNP_IN_BLOCKS(b);
    mnp_array *wide_a = NULL, *wide_b = NULL, *r = NULL, *c = NULL, *x = NULL, *s = NULL, *residuals = NULL;
    int64_t rank = 0;
    mnp_dtype dtype;
    mnp_status st;
    MNP_TRY(mnp__least_check(function, a, b, x_p, residuals_p, s_p, &dtype));
    const bool reduces = mnp__rows(a) >= 2 * mnp__columns(a);
    if (a->dtype != dtype)
        MNP_TRY_OR(mnp_astype(a, dtype, &wide_a), st, done);
    if (b->dtype != dtype)
        MNP_TRY_OR(mnp_astype(b, dtype, &wide_b), st, done);
    a = wide_a ? wide_a : a;
    b = wide_b ? wide_b : b;
    if (reduces)
        MNP_TRY_OR(reduce_rows(a, b, &r, &c), st, done);
    MNP_TRY_OR(solve_by_svd(reduces ? r : a, reduces ? c : b, bound_of(a, dtype, rcond), &x, &rank, &s), st, done);
    if (residuals_p) {
        MNP_TRY_OR(mnp__least_residuals(a, b, x, rank, &residuals), st, done);
        const mnp__output_spec spec = {.function = function,
                                       .name = "residuals",
                                       .ctx = a->ctx,
                                       .dtype = residuals->dtype,
                                       .layout = residuals->layout};
        MNP_TRY_OR(mnp__output_check(&spec, *residuals_p), st, done);
    }
    mnp__output outputs[3] = {{.array = x, .user_p = x_p}};
    int wanted = 1;
    if (residuals_p)
        outputs[wanted++] = (mnp__output){.array = residuals, .user_p = residuals_p};
    if (s_p) {
        outputs[wanted++] = (mnp__output){.array = s, .user_p = s_p};
        s = NULL;
    }
    x = residuals = NULL;
    st = mnp__output_close(wanted, outputs, MNP_OK);
    if (st == MNP_OK && rank_p)
        *rank_p = rank;
done:
    mnp_free_all(residuals, s, x, c, r, wide_b, wide_a);
    return st;
}

/* ---- inverses, ranks ---- */

mnp_status mnp_pinv(const mnp_array *a, double rtol, mnp_array **out_p)
{
    MNP_ENTER(a, out_p);
    MNP_IN_BLOCKS(a);
    mnp_array *u = NULL, *s = NULL, *vh = NULL, *uh = NULL, *v = NULL, *large = NULL, *inverse = NULL, *column = NULL,
              *scaled = NULL;
    const mnp__result result = {.user_p = out_p, .dims = "nm"};
    mnp_dtype dtype;
    mnp_status st;
    MNP_TRY(mnp__linalg_check_results("mnp_pinv", a, false, 1, &result, &dtype));
    MNP_TRY_OR(mnp_svd(a, false, &u, &s, &vh), st, done);
    MNP_TRY_OR(find_large(s, bound_of(a, dtype, rtol), &large), st, done);
    MNP_TRY_OR(invert(s, large, &inverse), st, done);
    MNP_TRY_OR(as_columns(inverse, &column), st, done);
    MNP_TRY_OR(mnp__linalg_adjoint(u, &uh), st, done);
    MNP_TRY_OR(mnp__linalg_adjoint(vh, &v), st, done);
    MNP_TRY_OR(mnp_multiply(column, uh, &scaled), st, done);
    st = mnp_matmul(v, scaled, out_p);
done:
    mnp_free_all(scaled, column, inverse, large, v, uh, vh, s, u);
    return st;
}

mnp_status mnp_matrix_rank(const mnp_array *a, double rtol, mnp_array **rank_p)
{
    MNP_ENTER(a, rank_p);
    MNP_IN_BLOCKS(a);
    mnp_array *s = NULL, *large = NULL;
    const mnp__result result = {.user_p = rank_p, .type = MNP__AS_INT64, .dims = ""};
    mnp_dtype dtype;
    mnp_status st;
    MNP_TRY(mnp__linalg_check_results("mnp_matrix_rank", a, false, 1, &result, &dtype));
    MNP_TRY_OR(mnp_svdvals(a, &s), st, done);
    MNP_TRY_OR(find_large(s, bound_of(a, dtype, rtol), &large), st, done);
    st = mnp_count_nonzero(large, MNP_AXES(-1), rank_p);
done:
    mnp_free_all(large, s);
    return st;
}

/* ---- norms and conditions ---- */

mnp_status mnp_matrix_norm(const mnp_array *x, const char *ord, bool keepdims, mnp_array **out_p)
{
    MNP_ENTER(x, out_p);
    MNP_IN_BLOCKS(x);
    mnp_array *s = NULL, *kept = NULL;
    mnp_status st;
    const bool largest = ord && strcmp(ord, "2") == 0, least = ord && strcmp(ord, "-2") == 0,
               sum = ord && strcmp(ord, "nuc") == 0;
    const mnp_axes *last = MNP_REDUCE(.count = 1, .axes = {-1}, .keepdims = keepdims);
    const mnp__result result = {.user_p = out_p, .type = MNP__AS_REAL, .dims = keepdims ? "11" : ""};
    mnp_dtype dtype;
    MNP_TRY(mnp__linalg_check_results("mnp_matrix_norm", x, false, 1, &result, &dtype));
    if (!largest && !least && !sum)
        return mnp_norm(x, ord, MNP_REDUCE(.count = 2, .axes = {-2, -1}, .keepdims = keepdims), out_p);
    MNP_TRY_OR(mnp_svdvals(x, &s), st, done);
    if (keepdims)
        MNP_TRY_OR(mnp_expand_dims(s, 1, (const int[]){s->layout->ndim - 1}, &kept), st, done);
    const mnp_array *values = keepdims ? kept : s;
    st = sum ? mnp_sum(values, last, out_p) : largest ? mnp_max(values, last, out_p) : mnp_min(values, last, out_p);
done:
    mnp_free_all(kept, s);
    return st;
}

/* The quotient of the largest and the least singular value, or the other way round; with NaN for 0 / 0. */
static mnp_status condition_of_values(const mnp_array *a, bool turned, mnp_array **out_p)
{
    mnp_array *s = NULL, *first = NULL, *last = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp_svdvals(a, &s), st, done);
    MNP_TRY_OR(mnp_index(s, "..., 0", &first), st, done);
    MNP_TRY_OR(mnp_index(s, "..., -1", &last), st, done);
    st = mnp_divide(turned ? last : first, turned ? first : last, out_p);
done:
    mnp_free_all(last, first, s);
    return st;
}

/* The norm times that of the inverse; infinite, or NaN if the norm is 0, for one singular matrix. */
static mnp_status condition_of_norms(const mnp_array *a, const char *ord, mnp_array **out_p)
{
    mnp_array *inverse = NULL, *own = NULL, *of_inverse = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp_matrix_norm(a, ord, false, &own), st, done);
    st = mnp_inv(a, &inverse);
    if (st == MNP_ERR_LINALG && a->layout->ndim == 2) {
        st = mnp_multiply(own, MNP_SCALAR(a->ctx, INFINITY), out_p);
        goto done;
    }
    MNP_TRY_OR(st, st, done);
    MNP_TRY_OR(mnp_matrix_norm(inverse, ord, false, &of_inverse), st, done);
    st = mnp_multiply(own, of_inverse, out_p);
done:
    mnp_free_all(of_inverse, own, inverse);
    return st;
}

/* As in NumPy, NaN is infinite unless the matrix itself has one. */
static mnp_status without_nan(const mnp_array *a, const mnp_array *condition, mnp_array **out_p)
{
    mnp_array *own = NULL, *any = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp_isnan(a, &own), st, done);
    MNP_TRY_OR(mnp_any(own, MNP_AXES(-2, -1), &any), st, done);
    st = mnp_eval(a->ctx, "z = where(isnan(c) & ~any, most, c)",
                  MNP_IN("c", condition, "any", any, "most", MNP_SCALAR(a->ctx, INFINITY)), MNP_OUT("z", out_p));
done:
    mnp_free_all(any, own);
    return st;
}

mnp_status mnp_cond(const mnp_array *a, const char *ord, mnp_array **out_p)
{
    static const char function[] = "mnp_cond";
    MNP_ENTER(a, out_p);
    MNP_IN_BLOCKS(a);
    mnp_array *condition = NULL;
    mnp_dtype dtype;
    const bool by_values = !ord || strcmp(ord, "2") == 0 || strcmp(ord, "-2") == 0;
    const mnp__result result = {.user_p = out_p, .type = MNP__AS_REAL, .dims = ""};
    MNP_TRY(mnp__linalg_check_results(function, a, !by_values, 1, &result, &dtype));
    if (mnp__rows(a) == 0 || mnp__columns(a) == 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: an empty matrix has no condition", function);
    mnp_status st =
        by_values ? condition_of_values(a, ord && ord[0] == '-', &condition) : condition_of_norms(a, ord, &condition);
    if (st == MNP_OK)
        st = without_nan(a, condition, out_p);
    mnp_array_free(condition);
    return st;
}

/* ---- bases ---- */

/* Columns of a basis, from the singular vectors of one matrix: those of its range, or of its null space. */
static mnp_status basis(const char *function, const mnp_array *a, double rcond, bool of_range, mnp_array **out_p)
{
    mnp_array *u = NULL, *s = NULL, *vh = NULL, *v = NULL, *large = NULL, *view = NULL;
    int64_t rank = 0;
    char which[64];
    mnp_dtype dtype;
    mnp_status st;
    MNP_TRY(check_one(function, a, 1, &(mnp__result){.user_p = out_p}, &dtype));
    const bool full = !of_range && mnp__rows(a) < mnp__columns(a); /* otherwise vh is square in any case */
    MNP_TRY_OR(mnp_svd(a, full, &u, &s, &vh), st, done);
    MNP_TRY_OR(find_large(s, bound_of(a, dtype, rcond), &large), st, done);
    MNP_TRY_OR(count(large, &rank), st, done);
    if (!of_range)
        MNP_TRY_OR(mnp__linalg_adjoint(vh, &v), st, done);
    snprintf(which, sizeof which, of_range ? ":, :%" PRId64 : ":, %" PRId64 ":", rank);
    MNP_TRY_OR(mnp_index(of_range ? u : v, which, &view), st, done);
    st = mnp_copy(view, out_p);
done:
    mnp_free_all(view, large, v, vh, s, u);
    return st;
}

mnp_status mnp_orth(const mnp_array *a, double rcond, mnp_array **out_p)
{
    MNP_ENTER(a, out_p);
    MNP_IN_BLOCKS(a);
    return basis("mnp_orth", a, rcond, true, out_p);
}

mnp_status mnp_null_space(const mnp_array *a, double rcond, mnp_array **out_p)
{
    MNP_ENTER(a, out_p);
    MNP_IN_BLOCKS(a);
    return basis("mnp_null_space", a, rcond, false, out_p);
}

/* ---- the polar decomposition ---- */

mnp_status mnp_polar(const mnp_array *a, bool left, mnp_array **u_p, mnp_array **p_p)
{
    MNP_ENTER(a, u_p, p_p);
    MNP_IN_BLOCKS(a);
    mnp_array *w = NULL, *s = NULL, *vh = NULL, *turned = NULL, *row = NULL, *scaled = NULL, *made[2] = {NULL, NULL};
    const mnp__result results[] = {{"u", u_p, MNP__AS_COMPUTED, "mn"},
                                   {"p", p_p, MNP__AS_COMPUTED, left ? "mm" : "nn"}};
    mnp_dtype dtype;
    mnp_status st;
    MNP_TRY(mnp__linalg_check_results("mnp_polar", a, false, 2, results, &dtype));
    MNP_TRY_OR(mnp_svd(a, false, &w, &s, &vh), st, done);
    MNP_TRY_OR(mnp__linalg_adjoint(left ? w : vh, &turned), st, done);
    MNP_TRY_OR(mnp_expand_dims(s, 1, (const int[]){s->layout->ndim - 1}, &row), st, done);
    MNP_TRY_OR(mnp_multiply(left ? w : turned, row, &scaled), st, done);
    MNP_TRY_OR(mnp_matmul(w, vh, &made[0]), st, done);
    MNP_TRY_OR(mnp_matmul(scaled, left ? turned : vh, &made[1]), st, done);
    mnp__output outputs[2] = {{.array = made[0], .user_p = u_p}, {.array = made[1], .user_p = p_p}};
    made[0] = made[1] = NULL;
    st = mnp__output_close(2, outputs, MNP_OK);
done:
    mnp_free_all(made[1], made[0], scaled, row, turned, vh, s, w);
    return st;
}
