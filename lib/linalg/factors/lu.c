/* SPDX-License-Identifier: BSD-3-Clause */
/* LU factorisations: the factors by themselves, and determinants. */
#include "linalg/factors/inverse.h"
#include "linalg/factors/lu.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <maniple/create.h>
#include <maniple/decompositions.h>
#include <maniple/ufunc.h>
#include <maniple/view.h>

#include "array/input.h"
#include "base/integer.h"
#include "base/text.h"
#include "kernels/linalg/determinants_params.h"
#include "layout/layout.h"
#include "linalg/dense/lost_nan.h"
#include "linalg/panels/panels.h"
#include "linalg/factors/systems.h"
#include "linalg/factors/tiny.h"

void mnp__lu_free(mnp__lu *lu)
{
    mnp__dense_free(&lu->factors);
    mnp_free_all(lu->pivots, lu->info);
    lu->pivots = lu->info = NULL;
}

mnp_status mnp__lu_make(const mnp__place *place, const mnp_array *a, mnp_dtype dtype, mnp__lu *lu)
{
    MNP_TRY(mnp__dense_read(place, a, dtype, &lu->factors));
    const int64_t m = lu->factors.m, n = lu->factors.n;
    MNP_TRY(mnp__vectors_new(place, MNP_INT32, mnp__min(m, n), &lu->pivots));
    MNP_TRY(mnp__info_new(place, &lu->info));
    mnp__lapack_job job = mnp__dense_job(&lu->factors);
    job.pivots = lu->pivots->data;
    job.info = lu->info->data;
    if (m == 0 || n == 0)
        return MNP_OK;
    if (place->spread)
        return mnp__panels_getrf(place, &lu->factors, lu->pivots, lu->info);
    mnp__kernel *nan_kernel;
    MNP_TRY(mnp__lost_nan_load(place->ctx, dtype, &nan_kernel));
    mnp_status st = mnp__refuse_recording(place->ctx->device, "factoring a matrix");
    if (st == MNP_OK)
        st = mnp__lost_nan_getrf(place->ctx, nan_kernel, &job);
    return MNP_AGREE(place->ctx, st);
}

/* P L U X = B, or with op T or C: U^T L^T P^T X = B. */
static mnp_status solve_spread(const mnp__place *place, const mnp__lu *lu, char op, const mnp__dense *b)
{
    const bool turned = op != 'N';
    if (!turned)
        MNP_TRY(MNP_AGREE(place->ctx, mnp__panels_interchange(place, lu->pivots, false, b)));
    MNP_TRY(mnp__panels_trsm(place, &lu->factors, turned, !turned, op, b));
    MNP_TRY(mnp__panels_trsm(place, &lu->factors, !turned, turned, op, b));
    return turned ? MNP_AGREE(place->ctx, mnp__panels_interchange(place, lu->pivots, true, b)) : MNP_OK;
}

mnp_status mnp__lu_solve(const mnp__place *place, const mnp__lu *lu, char op, const mnp__dense *b)
{
    mnp__lapack_job job = mnp__dense_job(&lu->factors);
    job.k = b->n;
    job.b = b->of;
    job.op = op;
    job.pivots = lu->pivots->data;
    if (b->n == 0)
        return MNP_OK;
    if (place->spread)
        return solve_spread(place, lu, op, b);
    return MNP_AGREE(place->ctx, mnp__dense_run(place, place->ctx->device->ops->lapack->getrs, &job));
}

mnp_status mnp__lu_invert(const mnp__place *place, const mnp__lu *lu, mnp__dense *inverse)
{
    const int64_t n = lu->factors.n;
    const mnp_dtype dtype = lu->factors.array->dtype;
    if (place->spread) {
        MNP_TRY(mnp__dense_identity(place, dtype, n, n, inverse));
        return mnp__lu_solve(place, lu, 'N', inverse);
    }
    if (mnp__inverse_by_products_serves(place, lu))
        return mnp__inverse_by_products(place, lu, inverse);
    MNP_TRY(mnp__dense_new(place, dtype, n, n, inverse));
    mnp__lapack_job job = mnp__dense_job(&lu->factors);
    job.b = inverse->of;
    job.pivots = lu->pivots->data;
    return MNP_AGREE(place->ctx, mnp__dense_run(place, place->ctx->device->ops->lapack->getri, &job));
}

/* ---- factors ---- */

mnp_status mnp_lu_factor(const mnp_array *a, mnp_array **lu_p, mnp_array **piv_p)
{
    static const char function[] = "mnp_lu_factor";
    MNP_ENTER(a, lu_p, piv_p);
    MNP_IN_BLOCKS(a);
    mnp_dtype dtype;
    mnp__place place;
    mnp__lu lu = {.pivots = NULL};
    mnp_array *counted = NULL;
    const mnp__result results[] = {{"lu", lu_p, MNP__AS_COMPUTED, "mn"}, {"piv", piv_p, MNP__AS_INT32, "k"}};
    mnp_status st;
    MNP_TRY(mnp__linalg_begin(function, a, false, 2, results, &dtype, &place));
    MNP_TRY_OR(mnp__place_spread(a, &place), st, done);
    MNP_TRY_OR(mnp__lu_make(&place, a, dtype, &lu), st, done);
    MNP_TRY_OR(mnp__dense_to_blocks(&place, &lu.factors), st, done);
    MNP_TRY_OR(mnp_subtract(lu.pivots, MNP_SCALAR(a->ctx, 1), &counted), st, done); /* SciPy's begin with 0 */
    st = mnp__dense_give_all(&place, 2, results, (mnp_array *const[]){lu.factors.array, counted});
done:
    mnp_array_free(counted);
    mnp__lu_free(&lu);
    mnp__place_close(&place);
    return st;
}

void mnp__lu_permute(const int32_t *pivots, int64_t count, int64_t m, int32_t *perm)
{
    for (int64_t i = 0; i < m; i++)
        perm[i] = (int32_t)i;
    for (int64_t i = 0; i < count; i++) {
        const int32_t other = pivots[i] - 1, kept = perm[i];
        perm[i] = perm[other];
        perm[other] = kept;
    }
}

/* The permutations of all matrices of this rank. */
static mnp_status permutations(const mnp__place *place, const mnp__lu *lu, mnp_array **perm_p)
{
    const int64_t m = lu->factors.m, count = mnp__min(m, lu->factors.n), batch = lu->factors.batch;
    int32_t *pivots = NULL, *perm = NULL;
    mnp_array *made;
    MNP_TRY(mnp__vectors_new(place, MNP_INT32, m, &made));
    mnp_status st = mnp__malloc((size_t)(batch * count + 1) * sizeof *pivots, &pivots);
    if (st == MNP_OK)
        st = mnp__malloc((size_t)(batch * m + 1) * sizeof *perm, &perm);
    if (st == MNP_OK && lu->pivots->local_size > 0)
        st = mnp_array_get_local(lu->pivots, pivots);
    for (int64_t b = 0; st == MNP_OK && b < batch; b++)
        mnp__lu_permute(pivots + b * count, count, m, perm + b * m);
    if (st == MNP_OK && made->local_size > 0)
        st = mnp_array_set_local(made, perm);
    free(perm);
    free(pivots);
    st = MNP_AGREE(place->ctx, st);
    if (st == MNP_OK)
        *perm_p = made;
    else
        mnp_array_free(made);
    return st;
}

/* P has a one in row perm[i] of column i. */
static mnp_status permutation_matrix(const mnp__place *place, const mnp_array *perm, mnp_dtype dtype, int64_t m,
                                     mnp_array **p_p)
{
    mnp_array *rows = NULL, *column = NULL, *wide = NULL, *ones = NULL;
    mnp_status st;
    const int last = perm->layout->ndim;
    MNP_TRY(mnp_arange_int(place->ctx, 0, m, 1, MNP_INT32, &rows));
    MNP_TRY_OR(mnp_expand_dims(rows, 1, (const int[]){1}, &column), st, done);
    MNP_TRY_OR(mnp_expand_dims(perm, 1, (const int[]){last - 1}, &wide), st, done);
    MNP_TRY_OR(mnp_equal(wide, column, &ones), st, done);
    st = mnp_astype(ones, dtype, p_p);
done:
    mnp_free_all(ones, wide, column, rows);
    return st;
}

/* L is what is below the diagonal of the first min(m, n) columns, and ones; U what is not of the first rows. */
static mnp_status triangles(const mnp__lu *lu, mnp_dtype dtype, mnp_array **l_p, mnp_array **u_p)
{
    const int64_t m = lu->factors.m, k = mnp__min(m, lu->factors.n);
    mnp_ctx *ctx = lu->factors.array->ctx;
    char columns[64], rows[64];
    mnp_array *left = NULL, *top = NULL, *below = NULL, *ones = NULL;
    mnp_status st;
    snprintf(columns, sizeof columns, "..., :%lld", (long long)k);
    snprintf(rows, sizeof rows, "..., :%lld, :", (long long)k);
    MNP_TRY_OR(mnp_index(lu->factors.array, columns, &left), st, done);
    MNP_TRY_OR(mnp_index(lu->factors.array, rows, &top), st, done);
    MNP_TRY_OR(mnp_tril(left, -1, &below), st, done);
    MNP_TRY_OR(mnp_eye(ctx, dtype, m, k, 0, &ones), st, done);
    MNP_TRY_OR(mnp_add(below, ones, l_p), st, done);
    st = mnp_triu(top, 0, u_p);
done:
    mnp_free_all(ones, below, top, left);
    return st;
}

mnp_status mnp_lu(const mnp_array *a, mnp_array **p_p, mnp_array **l_p, mnp_array **u_p)
{
    static const char function[] = "mnp_lu";
    MNP_ENTER(a, p_p, l_p, u_p);
    MNP_IN_BLOCKS(a);
    mnp_dtype dtype;
    mnp__place place;
    mnp__lu lu = {.pivots = NULL};
    mnp_array *perm = NULL, *made[3] = {NULL, NULL, NULL};
    const mnp__result results[] = {
        {"p", p_p, MNP__AS_REAL, "mm"}, {"l", l_p, MNP__AS_COMPUTED, "mk"}, {"u", u_p, MNP__AS_COMPUTED, "kn"}};
    mnp_status st;
    MNP_TRY(mnp__linalg_begin(function, a, false, 3, results, &dtype, &place));
    MNP_TRY_OR(mnp__place_spread(a, &place), st, done);
    MNP_TRY_OR(mnp__lu_make(&place, a, dtype, &lu), st, done);
    MNP_TRY_OR(mnp__dense_to_blocks(&place, &lu.factors), st, done);
    MNP_TRY_OR(permutations(&place, &lu, &perm), st, done);
    MNP_TRY_OR(permutation_matrix(&place, perm, mnp__linalg_real(dtype), lu.factors.m, &made[0]), st, done);
    MNP_TRY_OR(triangles(&lu, dtype, &made[1], &made[2]), st, done);
    st = mnp__dense_give_all(&place, 3, results, made);
done:
    mnp_free_all(made[0], made[1], made[2], perm);
    mnp__lu_free(&lu);
    mnp__place_close(&place);
    return st;
}

/* The pivots of lu_solve(), counted as LAPACK does it; MNP_ERR_ARG if one is no row. */
static mnp_status read_pivots(const mnp__place *place, const mnp_array *piv, mnp__lu *lu)
{
    mnp_array *wide = NULL, *as_int64 = NULL;
    int64_t *given = NULL;
    int32_t *counted = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp_astype(piv, MNP_INT64, &as_int64), st, done);
    MNP_TRY_OR(mnp__vectors_read(place, as_int64, MNP_INT64, &wide), st, done);
    MNP_TRY_OR(mnp__vectors_new(place, MNP_INT32, mnp__columns(wide), &lu->pivots), st, done);
    const int64_t count = wide->local_size, n = lu->factors.n;
    int64_t extremes[2] = {0, -1}; /* the largest value, and ~ of the least, so that both are maxima over the ranks */
    st = mnp__malloc((size_t)(count + 1) * sizeof *given, &given);
    if (st == MNP_OK)
        st = mnp__malloc((size_t)(count + 1) * sizeof *counted, &counted);
    if (st == MNP_OK && count > 0)
        st = mnp_array_get_local(wide, given);
    for (int64_t i = 0; i < count && st == MNP_OK; i++) {
        extremes[0] = mnp__max(given[i], extremes[0]);
        extremes[1] = ~given[i] > extremes[1] ? ~given[i] : extremes[1];
        counted[i] = given[i] >= 0 && given[i] < n ? (int32_t)(given[i] + 1) : 1;
    }
    if (st == MNP_OK && count > 0)
        st = mnp_array_set_local(lu->pivots, counted);
    MNP_TRY_OR(MNP_AGREE(place->ctx, st), st, done);
    MNP_TRY_OR(mnp__all_reduce(&place->ctx->comm, extremes, 2, MPI_INT64_T, MPI_MAX), st, done);
    const int64_t least = ~extremes[1];
    if (n > 0 && (least < 0 || extremes[0] >= n))
        st = MNP_FAIL(MNP_ERR_ARG, "%s: piv has the value %" PRId64 ", which is none of the %" PRId64 " rows",
                      place->function, least < 0 ? least : extremes[0], n);
done:
    free(counted);
    free(given);
    mnp_free_all(as_int64, wide);
    return st;
}

mnp_status mnp_lu_solve(const mnp_array *lu, const mnp_array *piv, int trans, const mnp_array *b, mnp_array **x_p)
{
    static const char function[] = "mnp_lu_solve";
    MNP_ENTER(lu, piv, b, x_p);
    MNP_IN_BLOCKS(lu);
    MNP_IN_BLOCKS(piv);
    MNP_IN_BLOCKS(b);
    mnp__systems systems = {.place = {.batch = NULL}};
    mnp__lu factors = {.pivots = NULL};
    mnp_status st;
    MNP_TRY(mnp__linalg_check(function, lu, true));
    MNP_TRY(mnp__inputs_check(function, 2, (const mnp_array *const[]){lu, piv}));
    if (trans < 0 || trans > 2)
        return MNP_FAIL(MNP_ERR_ARG, "%s: trans is %d, outside 0..2", function, trans);
    if (mnp_dtype_kind(piv->dtype) != 'i' || piv->layout->ndim != lu->layout->ndim - 1 ||
        mnp__columns(piv) != mnp__columns(lu))
        return MNP_FAIL(MNP_ERR_ARG, "%s: piv has not one integer for each row of lu", function);
    MNP_TRY_OR(mnp__systems_open(function, lu, b, *x_p, &systems), st, done);
    MNP_TRY_OR(mnp__dense_read(&systems.place, lu, systems.dtype, &factors.factors), st, done);
    MNP_TRY_OR(read_pivots(&systems.place, piv, &factors), st, done);
    st = mnp__lu_solve(&systems.place, &factors, "NTC"[trans], &systems.b);
    if (st == MNP_OK)
        st = mnp__systems_give(&systems, x_p);
done:
    mnp__lu_free(&factors);
    mnp__systems_close(&systems);
    return st;
}

/* ---- determinants ---- */

/* To this rank's numbers for each matrix: signs and logarithms; or, with logarithm NULL, determinants. */
static mnp_status launch_determinants(mnp_ctx *ctx, const mnp__lu *lu, const mnp_array *diagonal, mnp_array *sign,
                                      mnp_array *logarithm)
{
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    mnp__kernel *kernel;
    const mnp__kernel_spec spec = {.file = "linalg/determinants.cu", .function = "determinants"};
    const mnp_determinants_params params = {.diagonals = diagonal->data,
                                            .rows = lu->pivots->data,
                                            .results = sign->data,
                                            .logarithms = logarithm ? logarithm->data : NULL,
                                            .count = sign->local_size,
                                            .n = lu->factors.n};
    mnp__text_add(&defines, "#define MNP_T %s\n", mnp__jit_type(sign->dtype));
    MNP_TRY(mnp__ctx_kernel_of_text(ctx, &spec, &defines, NULL, &kernel));
    const int64_t lanes = ctx->device->block_memory > 0 ? 32 : 1;
    return mnp__ctx_launch(ctx, kernel, lanes * params.count, &params, sizeof params);
}

static mnp_status by_factors(const mnp__place *place, const mnp_array *a, mnp_array *sign, mnp_array *logarithm)
{
    mnp__lu lu = {.pivots = NULL};
    mnp_array *anywhere = NULL, *diagonal = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp__lu_make(place, a, sign->dtype, &lu), st, done);
    MNP_TRY_OR(mnp__dense_to_blocks(place, &lu.factors), st, done);
    MNP_TRY_OR(mnp_diagonal(lu.factors.array, 0, -2, -1, &anywhere), st, done);
    MNP_TRY_OR(mnp__vectors_read(place, anywhere, sign->dtype, &diagonal), st, done);
    st = MNP_AGREE(place->ctx, launch_determinants(place->ctx, &lu, diagonal, sign, logarithm));
done:
    mnp_free_all(anywhere, diagonal);
    mnp__lu_free(&lu);
    return st;
}

/* log_p NULL: the determinant to sign_p. */
static mnp_status determinants(const char *function, const mnp_array *a, mnp_array **sign_p, mnp_array **log_p)
{
    mnp_dtype dtype;
    mnp__place place;
    mnp_array *made[2] = {NULL, NULL};
    const mnp__result results[] = {{log_p ? "sign" : NULL, sign_p, MNP__AS_COMPUTED, ""},
                                   {"logabsdet", log_p, MNP__AS_REAL, ""}};
    mnp_status st;
    MNP_TRY(mnp__linalg_begin(function, a, true, 2, results, &dtype, &place));
    MNP_TRY_OR(mnp__place_spread(a, &place), st, done);
    MNP_TRY_OR(mnp__numbers_new(&place, dtype, &made[0]), st, done);
    if (log_p)
        MNP_TRY_OR(mnp__numbers_new(&place, mnp__linalg_real(dtype), &made[1]), st, done);
    if (mnp__tiny_serves(&place, dtype, mnp__rows(a)))
        st = mnp__tiny_determinants(&place, a, made[0], made[1]);
    else
        st = by_factors(&place, a, made[0], made[1]);
    if (st == MNP_OK)
        st = mnp__dense_give_all(&place, 2, results, made);
done:
    mnp_free_all(made[0], made[1]);
    mnp__place_close(&place);
    return st;
}

mnp_status mnp_det(const mnp_array *a, mnp_array **det_p)
{
    MNP_ENTER(a, det_p);
    MNP_IN_BLOCKS(a);
    return determinants("mnp_det", a, det_p, NULL);
}

mnp_status mnp_slogdet(const mnp_array *a, mnp_array **sign_p, mnp_array **logabsdet_p)
{
    MNP_ENTER(a, sign_p, logabsdet_p);
    MNP_IN_BLOCKS(a);
    return determinants("mnp_slogdet", a, sign_p, logabsdet_p);
}
