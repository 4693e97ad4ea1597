/* SPDX-License-Identifier: BSD-3-Clause */
/* Systems of equations with square matrices, and inverses. */
#include <inttypes.h>

#include <maniple/create.h>
#include <maniple/decompositions.h>
#include <maniple/reduce.h>
#include <maniple/ufunc.h>
#include <maniple/view.h>

#include "array/input.h"
#include "device/blas.h"
#include "layout/layout.h"
#include "linalg/lu.h"
#include "linalg/systems.h"

/* ---- systems ---- */

/* Broadcast two batches; MNP_ERR_ARG if that is not possible. */
static mnp_status broadcast(const char *function, int na, const int64_t *a, int nb, const int64_t *b, int *count_p,
                            int64_t *shape)
{
    const int count = na > nb ? na : nb;
    for (int d = 0; d < count; d++) {
        const int64_t own = d >= count - na ? a[d - (count - na)] : 1,
                      other = d >= count - nb ? b[d - (count - nb)] : 1;
        if (own != other && own != 1 && other != 1)
            return MNP_FAIL(MNP_ERR_ARG,
                            "%s: the batches of a and b do not fit: dimension %d of them is %" PRId64 " and %" PRId64,
                            function, d, own, other);
        shape[d] = own == 1 ? other : own;
    }
    *count_p = count;
    return MNP_OK;
}

mnp_status mnp__systems_open(const char *function, const mnp_array *a, const mnp_array *b, const mnp_array *x,
                             mnp__systems *systems)
{
    int nbatch = 0;
    int64_t shape[MNP_MAX_DIMS];
    mnp_dtype of_a, of_b;
    mnp_array *column = NULL;
    *systems = (mnp__systems){.vector = b->layout->ndim == 1};
    MNP_TRY(mnp__inputs_check(function, 2, (const mnp_array *const[]){a, b}));
    if (b->layout->ndim == 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: b has no dimensions", function);
    MNP_TRY(mnp__linalg_dtype(function, a->dtype, &of_a));
    MNP_TRY(mnp__linalg_dtype(function, b->dtype, &of_b));
    const bool is_complex = mnp_dtype_kind(of_a) == 'c' || mnp_dtype_kind(of_b) == 'c';
    const bool is_single = mnp__linalg_real(of_a) == MNP_FLOAT32 && mnp__linalg_real(of_b) == MNP_FLOAT32;
    systems->dtype = is_complex ? (is_single ? MNP_COMPLEX64 : MNP_COMPLEX128) : is_single ? MNP_FLOAT32 : MNP_FLOAT64;
    const int64_t rows = b->layout->shape[systems->vector ? 0 : b->layout->ndim - 2];
    if (rows != mnp__rows(a))
        return MNP_FAIL(MNP_ERR_ARG, "%s: b has %" PRId64 " rows, and a has %" PRId64, function, rows, mnp__rows(a));
    MNP_TRY(broadcast(function, a->layout->ndim - 2, a->layout->shape, systems->vector ? 0 : b->layout->ndim - 2,
                      b->layout->shape, &nbatch, shape));
    MNP_TRY(mnp__linalg_check_output(function, NULL, a->ctx, systems->dtype, x));
    MNP_TRY(mnp__place_open(function, a, nbatch, shape, &systems->place));
    systems->place.like = b->layout;
    if (!systems->vector)
        return mnp__dense_read(&systems->place, b, systems->dtype, &systems->b);
    MNP_TRY(mnp_expand_dims(b, 1, (const int[]){1}, &column));
    const mnp_status st = mnp__dense_read(&systems->place, column, systems->dtype, &systems->b);
    mnp_array_free(column);
    return st;
}

void mnp__systems_close(mnp__systems *systems)
{
    mnp__dense_free(&systems->b);
    mnp__place_close(&systems->place);
}

mnp_status mnp__systems_give(mnp__systems *systems, mnp_array **x_p)
{
    mnp_array *vectors = NULL;
    if (!systems->vector)
        return mnp__dense_give(&systems->place, NULL, systems->b.array, x_p);
    MNP_TRY(mnp_squeeze(systems->b.array, 1, (const int[]){systems->b.array->layout->ndim - 1}, &vectors));
    const mnp_status st = mnp__dense_give(&systems->place, NULL, vectors, x_p);
    mnp_array_free(vectors);
    return st;
}

mnp_status mnp__dense_trsm(const mnp__place *place, const mnp__dense *a, bool upper, bool unit, char op, bool right,
                           const mnp__dense *b)
{
    mnp_ctx *ctx = place->ctx;
    const mnp__trsm solve = {.dtype = b->array->dtype,
                             .right = right,
                             .upper = upper,
                             .unit = unit,
                             .op = (mnp__blas_op)op,
                             .m = b->m,
                             .n = b->n,
                             .batch = b->batch,
                             .a = a->of.data,
                             .b = b->of.data,
                             .lda = a->of.ld,
                             .ldb = b->of.ld,
                             .stride_a = a->of.step,
                             .stride_b = b->of.step,
                             .alpha = {1, 0}};
    if (b->batch == 0 || b->m == 0 || b->n == 0)
        return MNP_OK;
    return ctx->device->ops->blas->trsm(ctx->device, &solve, ctx->compute);
}

/* ---- functions ---- */

/* A positive definite system: factor copies of a's matrices, and solve by the factors. */
static mnp_status solve_positive(mnp__systems *systems, const mnp_array *a)
{
    const mnp__place *place = &systems->place;
    mnp__dense factors = {.array = NULL};
    mnp_array *info = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp__dense_read(place, a, systems->dtype, &factors), st, done);
    MNP_TRY_OR(mnp__info_new(place, &info), st, done);
    mnp__lapack_job job = mnp__dense_job(&factors);
    job.info = info->data;
    st = mnp__dense_run(place, a->ctx->device->ops->lapack->potrf, &job);
    MNP_TRY_OR(mnp__dense_report(place, info, MNP__NOT_POSITIVE, st), st, done);
    st = mnp__dense_trsm(place, &factors, false, false, 'N', false, &systems->b);
    if (st == MNP_OK)
        st = mnp__dense_trsm(place, &factors, false, false, 'C', false, &systems->b);
    st = MNP_AGREE(a->ctx, st);
done:
    mnp_array_free(info);
    mnp__dense_free(&factors);
    return st;
}

static mnp_status solve_general(mnp__systems *systems, const mnp_array *a)
{
    mnp__lu lu = {.pivots = NULL};
    mnp_status st = mnp__lu_make(&systems->place, a, systems->dtype, &lu);
    if (lu.info)
        st = mnp__dense_report(&systems->place, lu.info, MNP__SINGULAR, st);
    if (st == MNP_OK)
        st = MNP_AGREE(a->ctx, mnp__lu_solve(&systems->place, &lu, 'N', &systems->b));
    mnp__lu_free(&lu);
    return st;
}

mnp_status mnp_linalg_solve(const mnp_array *a, const mnp_array *b, mnp_assume assume_a, mnp_array **x_p)
{
    static const char function[] = "mnp_linalg_solve";
    MNP_ENTER(a, b, x_p);
    if (assume_a == MNP_ASSUME_UPPER || assume_a == MNP_ASSUME_LOWER)
        return mnp_solve_triangular(a, b, 0, assume_a == MNP_ASSUME_LOWER, false, x_p);
    if (assume_a != MNP_ASSUME_GENERAL && assume_a != MNP_ASSUME_POSITIVE)
        return MNP_FAIL(MNP_ERR_ARG, "%s: assume_a is %d, which is no mnp_assume", function, (int)assume_a);
    mnp__systems systems = {.place = {.batch = NULL}};
    MNP_TRY(mnp__linalg_check(function, a, true));
    mnp_status st = mnp__systems_open(function, a, b, *x_p, &systems);
    if (st == MNP_OK)
        st = assume_a == MNP_ASSUME_POSITIVE ? solve_positive(&systems, a) : solve_general(&systems, a);
    if (st == MNP_OK)
        st = mnp__systems_give(&systems, x_p);
    mnp__systems_close(&systems);
    return st;
}

mnp_status mnp_inv(const mnp_array *a, mnp_array **inverse_p)
{
    static const char function[] = "mnp_inv";
    MNP_ENTER(a, inverse_p);
    mnp_dtype dtype;
    mnp__place place = {.batch = NULL};
    mnp__lu lu = {.pivots = NULL};
    mnp__dense inverse = {.array = NULL};
    mnp_status st;
    MNP_TRY(mnp__linalg_check(function, a, true));
    MNP_TRY(mnp__linalg_dtype(function, a->dtype, &dtype));
    MNP_TRY(mnp__linalg_check_output(function, NULL, a->ctx, dtype, *inverse_p));
    MNP_TRY_OR(mnp__place_open(function, a, 0, NULL, &place), st, done);
    st = mnp__lu_make(&place, a, dtype, &lu);
    if (lu.info)
        st = mnp__dense_report(&place, lu.info, MNP__SINGULAR, st);
    if (st != MNP_OK)
        goto done;
    MNP_TRY_OR(mnp__dense_new(&place, dtype, mnp__rows(a), mnp__rows(a), &inverse), st, done);
    mnp__lapack_job job = mnp__dense_job(&lu.factors);
    job.b = inverse.of;
    job.pivots = lu.pivots->data;
    MNP_TRY_OR(MNP_AGREE(a->ctx, mnp__dense_run(&place, a->ctx->device->ops->lapack->getri, &job)), st, done);
    st = mnp__dense_give(&place, NULL, inverse.array, inverse_p);
done:
    mnp__dense_free(&inverse);
    mnp__lu_free(&lu);
    mnp__place_close(&place);
    return st;
}

/* Report the first 0 on a diagonal, which makes a triangular matrix singular. */
static mnp_status check_diagonal(const mnp__place *place, const mnp__dense *a)
{
    mnp_array *diagonal = NULL, *zeros = NULL, *where = NULL, *info = NULL, *any = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp_diagonal(a->array, 0, -2, -1, &diagonal), st, done);
    MNP_TRY_OR(mnp_equal(diagonal, MNP_SCALAR(place->ctx, 0), &zeros), st, done);
    MNP_TRY_OR(mnp_any(zeros, MNP_AXES(-1), &any), st, done);
    MNP_TRY_OR(mnp_argmax(zeros, MNP_AXES(-1), &where), st, done);
    MNP_TRY_OR(mnp_add(where, MNP_SCALAR(place->ctx, 1), &where), st, done);
    MNP_TRY_OR(mnp_multiply(any, where, &where), st, done);
    MNP_TRY_OR(mnp_astype(where, MNP_INT32, &info), st, done);
    st = mnp__dense_report(place, info, MNP__SINGULAR, MNP_OK);
done:
    mnp_free_all(any, info, where, zeros, diagonal);
    return st;
}

mnp_status mnp_solve_triangular(const mnp_array *a, const mnp_array *b, int trans, bool lower, bool unit_diagonal,
                                mnp_array **x_p)
{
    static const char function[] = "mnp_solve_triangular";
    MNP_ENTER(a, b, x_p);
    mnp__systems systems = {.place = {.batch = NULL}};
    mnp__dense matrices = {.array = NULL};
    mnp_status st;
    MNP_TRY(mnp__linalg_check(function, a, true));
    if (trans < 0 || trans > 2)
        return MNP_FAIL(MNP_ERR_ARG, "%s: trans is %d, outside 0..2", function, trans);
    MNP_TRY_OR(mnp__systems_open(function, a, b, *x_p, &systems), st, done);
    MNP_TRY_OR(mnp__dense_read(&systems.place, a, systems.dtype, &matrices), st, done);
    if (!unit_diagonal && matrices.n > 0)
        MNP_TRY_OR(check_diagonal(&systems.place, &matrices), st, done);
    MNP_TRY_OR(MNP_AGREE(a->ctx, mnp__dense_trsm(&systems.place, &matrices, !lower, unit_diagonal, "NTC"[trans], false,
                                                 &systems.b)),
               st, done);
    st = mnp__systems_give(&systems, x_p);
done:
    mnp__dense_free(&matrices);
    mnp__systems_close(&systems);
    return st;
}

mnp_status mnp_cho_solve(const mnp_array *c, bool lower, const mnp_array *b, mnp_array **x_p)
{
    static const char function[] = "mnp_cho_solve";
    MNP_ENTER(c, b, x_p);
    mnp__systems systems = {.place = {.batch = NULL}};
    mnp__dense factors = {.array = NULL};
    mnp_status st;
    MNP_TRY(mnp__linalg_check(function, c, true));
    MNP_TRY_OR(mnp__systems_open(function, c, b, *x_p, &systems), st, done);
    MNP_TRY_OR(mnp__dense_read(&systems.place, c, systems.dtype, &factors), st, done);
    st = mnp__dense_trsm(&systems.place, &factors, !lower, false, lower ? 'N' : 'C', false, &systems.b);
    if (st == MNP_OK)
        st = mnp__dense_trsm(&systems.place, &factors, !lower, false, lower ? 'C' : 'N', false, &systems.b);
    MNP_TRY_OR(MNP_AGREE(c->ctx, st), st, done);
    st = mnp__systems_give(&systems, x_p);
done:
    mnp__dense_free(&factors);
    mnp__systems_close(&systems);
    return st;
}
