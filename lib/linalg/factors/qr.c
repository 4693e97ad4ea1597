/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * QR factorisations: by LAPACK, on the CPU where columns are pivots; of one large matrix that is cut by panels_qr.c; of
 * a tall one by tall.c.
 */
#include <stdio.h>
#include <string.h>

#include <maniple/create.h>
#include <maniple/decompositions.h>
#include <maniple/view.h>

#include "array/input.h"
#include "base/integer.h"
#include "linalg/cpu/on_cpu.h"
#include "linalg/dense/dense.h"
#include "linalg/panels/panels_qr.h"
#include "linalg/tall/tall.h"

/* R on and above the diagonal of `reflectors`, and the reflectors below it, with their factors: LAPACK's geqrf. */
typedef struct reflected {
    mnp__dense reflectors;
    mnp_array *factors;
    mnp_array *order; /* of the columns, where it is the algorithm's: LAPACK's geqp3 */
} reflected;

static void release(reflected *qr)
{
    mnp__dense_free(&qr->reflectors);
    mnp_free_all(qr->order, qr->factors);
    qr->factors = qr->order = NULL;
}

/* Factor copies of a's matrices.  Release also after a failure. */
static mnp_status factor(const mnp__place *place, const mnp_array *a, mnp_dtype dtype, reflected *qr)
{
    MNP_TRY(mnp__dense_read(place, a, dtype, &qr->reflectors));
    const int64_t m = qr->reflectors.m, n = qr->reflectors.n;
    MNP_TRY(mnp__vectors_new(place, dtype, mnp__min(m, n), &qr->factors));
    mnp__lapack_job job = mnp__dense_job(&qr->reflectors);
    job.values = qr->factors->data;
    if (m == 0)
        return MNP_OK;
    if (place->spread)
        return mnp__panels_geqrf(place, &qr->reflectors, qr->factors);
    return MNP_AGREE(place->ctx, mnp__dense_run(place, place->ctx->device->ops->lapack->geqrf, &job));
}

/* The same with columns in the algorithm's order, on the CPU. */
static mnp_status factor_in_order(const mnp__place *place, const mnp_array *a, mnp_dtype dtype, reflected *qr)
{
    MNP_TRY(mnp__dense_read(place, a, dtype, &qr->reflectors));
    const int64_t m = qr->reflectors.m, n = qr->reflectors.n;
    MNP_TRY(mnp__vectors_new(place, dtype, mnp__min(m, n), &qr->factors));
    MNP_TRY(mnp__vectors_new(place, MNP_INT32, n, &qr->order));
    return MNP_AGREE(
        place->ctx,
        mnp__on_cpu_run(
            place, mnp__host_lapack.geqp3, mnp__dense_job(&qr->reflectors),
            (const mnp_array *const[MNP__JOB_ARRAYS]){
                [MNP__JOB_A] = qr->reflectors.array, [MNP__JOB_VALUES] = qr->factors, [MNP__JOB_PIVOTS] = qr->order}));
}

/* Columns of Q from the reflectors, which are copied there first. */
static mnp_status make_q(const mnp__place *place, const reflected *qr, int64_t columns, mnp__dense *q)
{
    const int64_t m = qr->reflectors.m, n = qr->reflectors.n, k = mnp__min(m, n);
    char from[64], to[64];
    mnp_array *own = NULL, *first = NULL;
    mnp_status st;
    if (place->spread) {
        MNP_TRY(mnp__dense_identity(place, qr->reflectors.array->dtype, m, columns, q));
        return mnp__panels_ormqr(place, &qr->reflectors, 0, qr->factors, false, true, q);
    }
    if (k == 0 && columns == m)
        return mnp__dense_identity(place, qr->reflectors.array->dtype, m, m, q);
    MNP_TRY(mnp__dense_new(place, qr->reflectors.array->dtype, m, columns, q));
    snprintf(from, sizeof from, "..., :%lld", (long long)k);
    snprintf(to, sizeof to, "..., :%lld", (long long)k);
    MNP_TRY_OR(mnp_index(qr->reflectors.array, from, &own), st, done);
    MNP_TRY_OR(mnp_index(q->array, to, &first), st, done);
    MNP_TRY_OR(mnp__array_assign(own, first), st, done);
    mnp__lapack_job job = mnp__dense_job(q);
    job.k = k;
    job.values = qr->factors->data;
    st = MNP_AGREE(place->ctx, m == 0 ? MNP_OK : mnp__dense_run(place, place->ctx->device->ops->lapack->orgqr, &job));
done:
    mnp_free_all(first, own);
    return st;
}

/* The upper triangle of the first rows. */
static mnp_status make_r(const reflected *qr, int64_t rows, mnp_array **r_p)
{
    char which[64];
    mnp_array *top = NULL;
    snprintf(which, sizeof which, "..., :%lld, :", (long long)rows);
    MNP_TRY(mnp_index(qr->reflectors.array, which, &top));
    const mnp_status st = mnp_triu(top, 0, r_p);
    mnp_array_free(top);
    return st;
}

typedef enum qr_mode { REDUCED, COMPLETE, ONLY_R, RAW } qr_mode;

static mnp_status read_mode(const char *function, const char *text, qr_mode *mode_p)
{
    static const char *const names[] = {"reduced", "complete", "r", "raw"};
    for (int i = 0; i < 4; i++) {
        if (strcmp(text ? text : names[0], names[i]) == 0) {
            *mode_p = (qr_mode)i;
            return MNP_OK;
        }
    }
    return MNP_FAIL(MNP_ERR_ARG, "%s: mode is '%s', which is none of reduced, complete, r and raw", function, text);
}

/* Both results as arrays of the place: of mode "raw" the transposed reflectors and their factors. */
static mnp_status make_results(const mnp__place *place, reflected *qr, qr_mode mode, mnp__dense *q, mnp_array **r_p)
{
    const int64_t m = qr->reflectors.m, n = qr->reflectors.n, k = mnp__min(m, n);
    if (mode == REDUCED || mode == COMPLETE)
        MNP_TRY(make_q(place, qr, mode == COMPLETE ? m : k, q));
    MNP_TRY(mnp__dense_to_blocks(place, q));
    MNP_TRY(mnp__dense_to_blocks(place, &qr->reflectors));
    return mode == RAW ? MNP_OK : make_r(qr, mode == COMPLETE ? m : k, r_p);
}

/* By Cholesky's method, where that serves: q, which is big, is given as it was made. */
static mnp_status by_products(const mnp__place *place, const mnp_array *a, mnp_dtype dtype, const mnp__result *results,
                              bool *done_p)
{
    mnp__tall_qr tall;
    MNP_TRY(mnp__tall_serves(place, a) ? mnp__tall_factor(place, a, dtype, &tall, done_p)
                                       : mnp__tall_factor_in_doubles(place, a, dtype, &tall, done_p));
    if (!*done_p)
        return MNP_OK;
    const bool with_q = results[0].user_p != NULL;
    const mnp_status st = with_q ? mnp__tall_finish(place, &tall, NULL) : MNP_OK;
    mnp__output outputs[2] = {{.array = tall.r, .user_p = results[1].user_p},
                              {.array = tall.q, .user_p = results[0].user_p}};
    tall.r = NULL;
    if (with_q)
        tall.q = NULL;
    mnp__tall_release(&tall);
    return mnp__output_close(with_q ? 2 : 1, outputs, st);
}

/* What mnp_qr() does, or with order_p mnp_qr_pivoted(). */
static mnp_status decompose(const char *function, const mnp_array *a, const char *mode_text, mnp_array **q_p,
                            mnp_array **r_p, mnp_array **order_p)
{
    mnp_dtype dtype;
    qr_mode mode = REDUCED;
    mnp__place place;
    reflected qr = {.factors = NULL};
    mnp__dense q = {.array = NULL};
    mnp_array *r = NULL, *turned = NULL;
    bool served = false;
    mnp_status st = MNP_OK;
    MNP_TRY(read_mode(function, mode_text, &mode));
    const bool raw = mode == RAW, complete = mode == COMPLETE;
    const mnp__result results[] = {{"q", mode == ONLY_R ? NULL : q_p, MNP__AS_COMPUTED,
                                    raw        ? "nm"
                                    : complete ? "mm"
                                               : "mk"},
                                   {"r", r_p, MNP__AS_COMPUTED,
                                    raw        ? "k"
                                    : complete ? "mn"
                                               : "kn"},
                                   {"piv", order_p, MNP__AS_INT32, "n"}};
    MNP_TRY(mnp__linalg_begin(function, a, false, 3, results, &dtype, &place));
    if (order_p) {
        MNP_TRY_OR(MNP_AGREE(a->ctx, mnp__host_need_lapack(function)), st, done);
        MNP_TRY_OR(factor_in_order(&place, a, dtype, &qr), st, done);
    } else {
        if (mode == REDUCED || mode == ONLY_R)
            MNP_TRY_OR(by_products(&place, a, dtype, results, &served), st, done);
        if (served)
            goto done;
        MNP_TRY_OR(mnp__place_spread(a, &place), st, done);
        MNP_TRY_OR(factor(&place, a, dtype, &qr), st, done);
    }
    MNP_TRY_OR(make_results(&place, &qr, mode, &q, &r), st, done);
    if (mode == RAW)
        MNP_TRY_OR(mnp_swapaxes(qr.reflectors.array, -2, -1, &turned), st, done);
    st = mnp__dense_give_all(&place, 3, results,
                             (mnp_array *const[]){raw ? turned : q.array, raw ? qr.factors : r, qr.order});
done:
    mnp_free_all(turned, r);
    mnp__dense_free(&q);
    release(&qr);
    mnp__place_close(&place);
    return st;
}

mnp_status mnp_qr(const mnp_array *a, const char *mode, mnp_array **q_p, mnp_array **r_p)
{
    MNP_ENTER(a, r_p);
    MNP_NEED_IF(!mode || strcmp(mode, "r") != 0, q_p);
    MNP_IN_BLOCKS(a);
    return decompose("mnp_qr", a, mode, q_p, r_p, NULL);
}

mnp_status mnp_qr_pivoted(const mnp_array *a, const char *mode, mnp_array **q_p, mnp_array **r_p, mnp_array **piv_p)
{
    MNP_ENTER(a, r_p, piv_p);
    MNP_NEED_IF(!mode || strcmp(mode, "r") != 0, q_p);
    MNP_IN_BLOCKS(a);
    return decompose("mnp_qr_pivoted", a, mode, q_p, r_p, piv_p);
}
