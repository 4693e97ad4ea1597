/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Singular values and vectors.
 *
 * The device's operation wants matrices that are not wide.  The transpose of a wide matrix is not, and it has the
 * factors transposed: if transpose(A) = U S V^H, then A = transpose(V^H) S transpose(U).
 */
#include <math.h>

#include <maniple/decompositions.h>
#include <maniple/eval.h>
#include <maniple/linalg.h>
#include <maniple/ufunc.h>
#include <maniple/view.h>

#include "array/input.h"
#include "linalg/factors/spread.h"
#include "linalg/svd/by_eigen.h"
#include "linalg/svd/jacobi.h"
#include "linalg/tall/tall.h"

/* A = U diag(s) V^H; u and vh are views of the two matrices, which may be transposed. */
typedef struct decomposed {
    mnp_array *u, *s, *vh;
    mnp__dense left, right;
} decomposed;

static void release(decomposed *svd)
{
    mnp_free_all(svd->u, svd->s, svd->vh);
    mnp__dense_free(&svd->left);
    mnp__dense_free(&svd->right);
    svd->u = svd->s = svd->vh = NULL;
}

/* cuSOLVER finds NaN for a matrix with NaN, and reports nothing: report it, as LAPACK does.  Collective. */
static mnp_status report_nan(const mnp_array *values, mnp_array *info)
{
    mnp_array *largest = NULL, *nan = NULL;
    mnp_status st;
    if (values->layout->shape[values->layout->ndim - 1] == 0)
        return MNP_OK;
    MNP_TRY_OR(mnp_index(values, "..., 0", &largest), st, done);
    MNP_TRY_OR(mnp_isnan(largest, &nan), st, done);
    st = mnp_add(info, nan, &info);
done:
    mnp_free_all(nan, largest);
    return st;
}

/* Decompose copies of the matrices, which are not wide. */
static mnp_status decompose(const mnp__place *place, const mnp_array *a, mnp_dtype dtype, bool vectors, bool full,
                            decomposed *svd)
{
    mnp__dense work = {.array = NULL};
    mnp_array *info = NULL;
    mnp__kernel *jacobi = NULL;
    mnp_status st;
    const int64_t m = mnp__rows(a), n = mnp__columns(a);
    if (mnp__svd_jacobi_serves(place, dtype, m, n, vectors))
        MNP_TRY(mnp__svd_jacobi_load(place, dtype, m, n, vectors, &jacobi));
    MNP_TRY_OR(mnp__dense_read(place, a, dtype, &work), st, done);
    MNP_TRY_OR(mnp__info_new(place, &info), st, done);
    MNP_TRY_OR(mnp__vectors_new(place, mnp__linalg_real(dtype), n, &svd->s), st, done);
    if (vectors) {
        MNP_TRY_OR(full && n == 0 ? mnp__dense_identity(place, dtype, m, m, &svd->left)
                                  : mnp__dense_new(place, dtype, m, full ? m : n, &svd->left),
                   st, done);
        MNP_TRY_OR(mnp__dense_new(place, dtype, n, n, &svd->right), st, done);
    }
    mnp__lapack_job job = mnp__dense_job(&work);
    job.values = svd->s->data;
    job.vectors = vectors;
    job.full = full;
    job.b = svd->left.of;
    job.c = svd->right.of;
    job.info = info->data;
    st = jacobi ? mnp__svd_jacobi_run(place->ctx, jacobi, &job)
                : mnp__dense_run(place, place->ctx->device->ops->lapack->gesdd, &job);
    if (!jacobi && !place->ctx->device->cpu_memory) {
        MNP_TRY_OR(MNP_AGREE(place->ctx, st), st, done);
        st = report_nan(svd->s, info);
    }
    st = mnp__dense_report(place, info, MNP__SINGULAR_VALUES_NOT_FOUND, st);
done:
    mnp_array_free(info);
    mnp__dense_free(&work);
    return st;
}

/* Decompose one matrix by all ranks, if it is large, cut, and finite; otherwise *done_p is false, and nothing made. */
static mnp_status decompose_spread(const mnp__place *place, const mnp_array *a, mnp_dtype dtype, bool vectors,
                                   bool full, decomposed *svd, bool *done_p)
{
    mnp__place spread;
    mnp_status st;
    *done_p = false;
    if (mnp__columns(a) < mnp__spread_worth(place->ctx, true))
        return MNP_OK;
    MNP_TRY(mnp__place_open(place->function, a, 0, NULL, &spread));
    spread.widest = MNP__CONDENSED_WIDTH;
    MNP_TRY_OR(mnp__place_spread(a, &spread), st, done);
    if (!spread.spread)
        goto done;
    st = mnp__spread_svd(&spread, a, dtype, full, &svd->s, vectors ? &svd->left : NULL, &svd->right.array, done_p);
done:
    mnp__place_close(&spread);
    return st;
}

/* One matrix as a batch of one, which the place's arrays are: a view in place of the array. */
static mnp_status to_batch(const mnp__place *place, mnp_array **array_p)
{
    mnp_array *own = *array_p;
    if (!own || !place->single)
        return MNP_OK;
    *array_p = NULL;
    const mnp_status st = mnp_expand_dims(own, 1, (const int[]){0}, array_p);
    mnp_array_free(own);
    return st;
}

/* Decompose them by eigenvalues, if that is the way; otherwise *done_p is false, and nothing made. */
static mnp_status decompose_eigen(const mnp__place *place, const mnp_array *a, mnp_dtype dtype, bool vectors, bool full,
                                  decomposed *svd, bool *done_p)
{
    *done_p = false;
    if (!mnp__svd_eigen_serves(place, a, dtype) ||
        mnp__svd_jacobi_serves(place, dtype, mnp__rows(a), mnp__columns(a), vectors))
        return MNP_OK;
    MNP_TRY(mnp__svd_eigen(a, dtype, full, vectors ? &svd->left.array : NULL, &svd->s, &svd->right.array, done_p));
    MNP_TRY(to_batch(place, &svd->s));
    MNP_TRY(to_batch(place, &svd->left.array));
    return to_batch(place, &svd->right.array);
}

static const double TINY = 0x1p-200; /* beside the largest element: its square is a number, and it does not matter */

/*
 * cuSOLVER adds up squares of elements as they are, where LAPACK scales: one matrix of float64 whose elements are of
 * very different sizes has vectors that are not orthogonal there.  So its largest element is brought near to 1 by the
 * powers of two *p and *q, and elements that are tiny then are replaced by 0: a new array, or none if that is not
 * needed.
 */
static mnp_status scale(const mnp__place *place, const mnp_array *a, mnp_dtype dtype, bool vectors, double *p,
                        double *q, mnp_array **scaled_p)
{
    double largest = 0;
    int exponent;
    if (place->ctx->device->cpu_memory || !place->single || mnp__linalg_real(dtype) != MNP_FLOAT64 ||
        mnp__svd_jacobi_serves(place, dtype, mnp__rows(a), mnp__columns(a), vectors) || a->layout->size == 0)
        return MNP_OK;
    MNP_TRY(mnp__linalg_largest(a, &largest));
    if (!(largest > 0 && isfinite(largest)))
        return MNP_OK;
    (void)frexp(largest, &exponent);
    *p = ldexp(1, -exponent / 2);
    *q = ldexp(1, -exponent - -exponent / 2);
    mnp_ctx *ctx = place->ctx;
    return mnp_eval(ctx, "y = where(abs(x * p * q) < tiny, 0, x * p * q)",
                    MNP_IN("x", a, "p", MNP_SCALAR(ctx, *p), "q", MNP_SCALAR(ctx, *q), "tiny", MNP_SCALAR(ctx, TINY)),
                    MNP_OUT("y", scaled_p));
}

/*
 * Decompose copies of a's matrices: values alone, or also vectors, with `full` square U and V^H.  MNP_ERR_LINALG.
 * Release also after a failure.
 */
static mnp_status decompose_any(const mnp__place *place, const mnp_array *a, mnp_dtype dtype, bool vectors, bool full,
                                decomposed *svd)
{
    mnp_array *turned = NULL, *scaled = NULL;
    const bool wide = mnp__rows(a) < mnp__columns(a);
    bool found = false;
    double p = 1, q = 1;
    mnp_ctx *ctx = place->ctx;
    mnp_status st;
    if (wide)
        MNP_TRY(mnp_swapaxes(a, -2, -1, &turned));
    const mnp_array *given = wide ? turned : a;
    MNP_TRY_OR(decompose_spread(place, given, dtype, vectors, full, svd, &found), st, done);
    if (!found)
        MNP_TRY_OR(scale(place, given, dtype, vectors, &p, &q, &scaled), st, done);
    given = scaled ? scaled : given;
    if (!found)
        MNP_TRY_OR(decompose_eigen(place, given, dtype, vectors, full, svd, &found), st, done);
    if (!found)
        MNP_TRY_OR(decompose(place, given, dtype, vectors, full, svd), st, done);
    if (scaled)
        MNP_TRY_OR(mnp_eval(ctx, "s = s / p / q", MNP_IN("p", MNP_SCALAR(ctx, p), "q", MNP_SCALAR(ctx, q)),
                            MNP_OUT("s", &svd->s)),
                   st, done);
    if (vectors) {
        const mnp_array *left = svd->left.array, *right = svd->right.array;
        MNP_TRY_OR(wide ? mnp_swapaxes(right, -2, -1, &svd->u) : mnp_index(left, "...", &svd->u), st, done);
        MNP_TRY_OR(wide ? mnp_swapaxes(left, -2, -1, &svd->vh) : mnp_index(right, "...", &svd->vh), st, done);
    }
done:
    mnp_free_all(scaled, turned);
    return st;
}

/* Decompose one tall matrix: A = Q R, R = U S V^H, and then A = (Q U) S V^H. */
static mnp_status decompose_tall(const mnp__place *place, const mnp_array *a, mnp_dtype dtype,
                                 const mnp__result *results, bool *done_p)
{
    mnp_array *of_r = NULL, *s = NULL, *vh = NULL;
    const bool vectors = results[0].user_p != NULL;
    mnp__tall_qr tall;
    mnp__output outputs[3];
    mnp_status st;
    MNP_TRY(mnp__tall_factor(place, a, dtype, &tall, done_p));
    if (!*done_p)
        return MNP_OK;
    MNP_TRY_OR(vectors ? mnp_svd(tall.r, false, &of_r, &s, &vh) : mnp_svdvals(tall.r, &s), st, done);
    if (vectors)
        MNP_TRY_OR(mnp__tall_finish(place, &tall, of_r), st, done);
    outputs[0] = (mnp__output){.array = s, .user_p = results[1].user_p};
    outputs[1] = (mnp__output){.array = tall.q, .user_p = results[0].user_p};
    outputs[2] = (mnp__output){.array = vh, .user_p = results[2].user_p};
    if (vectors)
        tall.q = NULL;
    st = mnp__output_close(vectors ? 3 : 1, outputs, MNP_OK);
    s = vh = NULL;
done:
    mnp_free_all(vh, s, of_r);
    mnp__tall_release(&tall);
    return st;
}

mnp_status mnp_svd(const mnp_array *a, bool full_matrices, mnp_array **u_p, mnp_array **s_p, mnp_array **vh_p)
{
    static const char function[] = "mnp_svd";
    MNP_ENTER(a, u_p, s_p, vh_p);
    MNP_IN_BLOCKS(a);
    mnp_dtype dtype;
    mnp__place place;
    decomposed svd = {.s = NULL};
    const mnp__result results[] = {{"u", u_p, MNP__AS_COMPUTED, full_matrices ? "mm" : "mk"},
                                   {"s", s_p, MNP__AS_REAL, "k"},
                                   {"vh", vh_p, MNP__AS_COMPUTED, full_matrices ? "nn" : "kn"}};
    bool tall = false;
    mnp_status st = MNP_OK;
    MNP_TRY(mnp__linalg_begin(function, a, false, 3, results, &dtype, &place));
    if (!full_matrices && mnp__tall_serves(&place, a))
        MNP_TRY_OR(decompose_tall(&place, a, dtype, results, &tall), st, done);
    if (tall)
        goto done;
    MNP_TRY_OR(decompose_any(&place, a, dtype, true, full_matrices, &svd), st, done);
    st = mnp__dense_give_all(&place, 3, results, (mnp_array *const[]){svd.u, svd.s, svd.vh});
done:
    release(&svd);
    mnp__place_close(&place);
    return st;
}

mnp_status mnp_svdvals(const mnp_array *a, mnp_array **s_p)
{
    static const char function[] = "mnp_svdvals";
    MNP_ENTER(a, s_p);
    MNP_IN_BLOCKS(a);
    mnp_dtype dtype;
    mnp__place place;
    decomposed svd = {.s = NULL};
    const mnp__result results[] = {{.user_p = NULL}, {NULL, s_p, MNP__AS_REAL, "k"}, {.user_p = NULL}};
    bool tall = false;
    mnp_status st = MNP_OK;
    MNP_TRY(mnp__linalg_begin(function, a, false, 3, results, &dtype, &place));
    if (mnp__tall_serves(&place, a))
        MNP_TRY_OR(decompose_tall(&place, a, dtype, results, &tall), st, done);
    if (tall)
        goto done;
    MNP_TRY_OR(decompose_any(&place, a, dtype, false, false, &svd), st, done);
    st = mnp__dense_give(&place, svd.s, s_p);
done:
    release(&svd);
    mnp__place_close(&place);
    return st;
}
