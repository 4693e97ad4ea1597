/* SPDX-License-Identifier: BSD-3-Clause */
/* QR factorisations, by Householder's reflectors. */
#include <stdio.h>
#include <string.h>

#include <maniple/create.h>
#include <maniple/decompositions.h>
#include <maniple/view.h>

#include "linalg/qr.h"

void mnp__qr_free(mnp__qr *qr)
{
    mnp__dense_free(&qr->reflectors);
    mnp_array_free(qr->factors);
    qr->factors = NULL;
}

mnp_status mnp__qr_make(const mnp__place *place, const mnp_array *a, mnp_dtype dtype, mnp__qr *qr)
{
    MNP_TRY(mnp__dense_read(place, a, dtype, &qr->reflectors));
    const int64_t m = qr->reflectors.m, n = qr->reflectors.n;
    MNP_TRY(mnp__vectors_new(place, dtype, m < n ? m : n, &qr->factors));
    mnp__lapack_job job = mnp__dense_job(&qr->reflectors);
    job.values = qr->factors->data;
    if (m == 0)
        return MNP_OK;
    return MNP_AGREE(place->ctx, mnp__dense_run(place, place->ctx->device->ops->lapack->geqrf, &job));
}

/* Columns of Q from the reflectors, which are copied there first. */
static mnp_status make_q(const mnp__place *place, const mnp__qr *qr, int64_t columns, mnp__dense *q)
{
    const int64_t m = qr->reflectors.m, n = qr->reflectors.n, k = m < n ? m : n;
    char from[64], to[64];
    mnp_array *own = NULL, *first = NULL;
    mnp_status st;
    if (k == 0 && columns == m)
        return mnp__dense_identity(place, qr->reflectors.array->dtype, m, q);
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
static mnp_status make_r(const mnp__qr *qr, int64_t rows, mnp_array **r_p)
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
static mnp_status make_results(const mnp__place *place, const mnp__qr *qr, qr_mode mode, mnp__dense *q, mnp_array **r_p)
{
    const int64_t m = qr->reflectors.m, n = qr->reflectors.n, k = m < n ? m : n;
    if (mode == RAW)
        return MNP_OK;
    if (mode != ONLY_R)
        MNP_TRY(make_q(place, qr, mode == COMPLETE ? m : k, q));
    return make_r(qr, mode == COMPLETE ? m : k, r_p);
}

mnp_status mnp_qr(const mnp_array *a, const char *mode_text, mnp_array **q_p, mnp_array **r_p)
{
    static const char function[] = "mnp_qr", *const names[] = {"q", "r"};
    MNP_ENTER(a, r_p);
    mnp_dtype dtype;
    qr_mode mode = REDUCED;
    mnp__place place = {.batch = NULL};
    mnp__qr qr = {.factors = NULL};
    mnp__dense q = {.array = NULL};
    mnp_array *r = NULL, *turned = NULL, **outs[] = {NULL, r_p};
    mnp_status st;
    MNP_NEED_IF(!mode_text || strcmp(mode_text, "r") != 0, q_p);
    MNP_TRY(read_mode(function, mode_text, &mode));
    outs[0] = mode == ONLY_R ? NULL : q_p;
    MNP_TRY(mnp__linalg_check(function, a, false));
    MNP_TRY(mnp__linalg_dtype(function, a->dtype, &dtype));
    if (outs[0]) {
        MNP_TRY(mnp__output_check_distinct(function, 2, outs));
        MNP_TRY(mnp__linalg_check_output(function, "q", a->ctx, dtype, *q_p));
    }
    MNP_TRY(mnp__linalg_check_output(function, "r", a->ctx, dtype, *r_p));
    MNP_TRY_OR(mnp__place_open(function, a, 0, NULL, &place), st, done);
    MNP_TRY_OR(mnp__qr_make(&place, a, dtype, &qr), st, done);
    MNP_TRY_OR(make_results(&place, &qr, mode, &q, &r), st, done);
    if (mode == RAW)
        MNP_TRY_OR(mnp_swapaxes(qr.reflectors.array, -2, -1, &turned), st, done);
    st = mnp__dense_give_all(&place, 2, names,
                             (mnp_array *const[]){mode == RAW ? turned : q.array, mode == RAW ? qr.factors : r}, outs);
done:
    mnp_free_all(turned, r);
    mnp__dense_free(&q);
    mnp__qr_free(&qr);
    mnp__place_close(&place);
    return st;
}
