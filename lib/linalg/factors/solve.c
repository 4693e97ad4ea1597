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
#include "linalg/factors/inverse.h"
#include "linalg/factors/lu.h"
#include "linalg/panels/panels.h"
#include "linalg/factors/systems.h"
#include "linalg/factors/tiny.h"

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

/* MNP_ERR_ARG unless x, which may be NULL, can take the solutions for b, with the broadcast batch. */
static mnp_status check_solution(const char *function, int nbatch, const int64_t *batch, const mnp_array *b,
                                 mnp_dtype dtype, const mnp_array *x)
{
    int64_t shape[MNP_MAX_DIMS];
    const int ndim = b->layout->ndim, own = ndim < 2 ? ndim : 2;
    mnp__output_spec spec = {.function = function, .ctx = b->ctx, .dtype = dtype, .ndim = nbatch + own, .shape = shape};
    if (spec.ndim > MNP_MAX_DIMS)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the result has %d dimensions, and there are %d at most", function, spec.ndim,
                        MNP_MAX_DIMS);
    for (int d = 0; d < nbatch; d++)
        shape[d] = batch[d];
    for (int d = 0; d < own; d++)
        shape[nbatch + d] = b->layout->shape[ndim - own + d];
    return mnp__output_check(&spec, x);
}

mnp_status mnp__systems_open(const char *function, const mnp_array *a, const mnp_array *b, const mnp_array *x,
                             mnp__systems *systems)
{
    int nbatch = 0;
    int64_t shape[MNP_MAX_DIMS];
    mnp_array *column = NULL;
    *systems = (mnp__systems){.vector = b->layout->ndim == 1};
    MNP_TRY(mnp__inputs_check(function, 2, (const mnp_array *const[]){a, b}));
    if (b->layout->ndim == 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: b has no dimensions", function);
    MNP_TRY(mnp__linalg_common_dtype(function, a, b, &systems->dtype));
    const int64_t rows = b->layout->shape[systems->vector ? 0 : b->layout->ndim - 2];
    if (rows != mnp__rows(a))
        return MNP_FAIL(MNP_ERR_ARG, "%s: b has %" PRId64 " rows, and a has %" PRId64, function, rows, mnp__rows(a));
    MNP_TRY(broadcast(function, a->layout->ndim - 2, a->layout->shape, systems->vector ? 0 : b->layout->ndim - 2,
                      b->layout->shape, &nbatch, shape));
    MNP_TRY(check_solution(function, nbatch, shape, b, systems->dtype, x));
    MNP_TRY(mnp__place_open(function, a, nbatch, shape, &systems->place));
    MNP_TRY(mnp__place_spread(a, &systems->place));
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
    MNP_TRY(mnp__dense_to_blocks(&systems->place, &systems->b));
    if (!systems->vector)
        return mnp__dense_give(&systems->place, systems->b.array, x_p);
    MNP_TRY(mnp_squeeze(systems->b.array, 1, (const int[]){systems->b.array->layout->ndim - 1}, &vectors));
    const mnp_status st = mnp__dense_give(&systems->place, vectors, x_p);
    mnp_array_free(vectors);
    return st;
}

mnp_status mnp__dense_trsm(const mnp__place *place, const mnp__dense *a, bool upper, bool unit, char op,
                           const mnp__dense *b)
{
    mnp_ctx *ctx = place->ctx;
    const mnp__trsm solve = {.dtype = b->array->dtype,
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
    if (place->spread)
        return mnp__panels_trsm(place, a, upper, unit, op, b);
    return ctx->device->ops->blas->trsm(ctx->device, &solve, ctx->compute);
}

/* ---- functions ---- */

/* A positive definite system: factor copies of a's matrices, and solve by the factors. */
static mnp_status solve_positive(mnp__systems *systems, const mnp_array *a)
{
    const mnp__place *place = &systems->place;
    mnp__dense factors = {.array = NULL};
    mnp_status st;
    MNP_TRY_OR(mnp__dense_read(place, a, systems->dtype, &factors), st, done);
    MNP_TRY_OR(mnp__dense_potrf(place, &factors), st, done);
    st = mnp__dense_trsm(place, &factors, false, false, 'N', &systems->b);
    if (st == MNP_OK)
        st = mnp__dense_trsm(place, &factors, false, false, 'C', &systems->b);
    st = MNP_AGREE(a->ctx, st);
done:
    mnp__dense_free(&factors);
    return st;
}

static mnp_status solve_general(mnp__systems *systems, const mnp_array *a)
{
    if (mnp__tiny_solves(systems, mnp__rows(a)))
        return mnp__tiny_solve(systems, a);
    mnp__lu lu = {.pivots = NULL};
    mnp_status st = mnp__lu_make(&systems->place, a, systems->dtype, &lu);
    if (lu.info)
        st = mnp__dense_report(&systems->place, lu.info, MNP__SINGULAR, st);
    if (st == MNP_OK)
        st = mnp__lu_solve(&systems->place, &lu, 'N', &systems->b);
    mnp__lu_free(&lu);
    return st;
}

mnp_status mnp_linalg_solve(const mnp_array *a, const mnp_array *b, mnp_assume assume_a, mnp_array **x_p)
{
    static const char function[] = "mnp_linalg_solve";
    MNP_ENTER(a, b, x_p);
    MNP_IN_BLOCKS(a);
    MNP_IN_BLOCKS(b);
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

/* Inverses of small matrices, where the device has a kernel for them. */
static mnp_status invert_small(const mnp__place *place, const mnp_array *a, mnp_dtype dtype, mnp_array **inverse_p)
{
    mnp__dense matrices = {.array = NULL};
    mnp_array *info = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp__dense_read(place, a, dtype, &matrices), st, done);
    MNP_TRY_OR(mnp__info_new(place, &info), st, done);
    st = mnp__dense_report(place, info, MNP__SINGULAR, mnp__inverse_of_small(place, &matrices, info));
    if (st == MNP_OK)
        st = mnp__dense_give(place, matrices.array, inverse_p);
done:
    mnp_array_free(info);
    mnp__dense_free(&matrices);
    return st;
}

static mnp_status invert_tiny(const mnp__place *place, const mnp_array *a, mnp_dtype dtype, mnp_array **inverse_p)
{
    mnp_array *inverse = NULL;
    MNP_TRY(mnp__tiny_inverse(place, a, dtype, &inverse));
    const mnp_status st = mnp__dense_give(place, inverse, inverse_p);
    mnp_array_free(inverse);
    return st;
}

mnp_status mnp_inv(const mnp_array *a, mnp_array **inverse_p)
{
    static const char function[] = "mnp_inv";
    MNP_ENTER(a, inverse_p);
    MNP_IN_BLOCKS(a);
    mnp_dtype dtype;
    mnp__place place;
    mnp__lu lu = {.pivots = NULL};
    mnp__dense inverse = {.array = NULL};
    mnp_status st;
    MNP_TRY(mnp__linalg_begin(function, a, true, 1, &(mnp__result){.user_p = inverse_p, .dims = "nn"}, &dtype, &place));
    MNP_TRY_OR(mnp__place_spread(a, &place), st, done);
    if (mnp__tiny_serves(&place, dtype, mnp__rows(a))) {
        st = invert_tiny(&place, a, dtype, inverse_p);
        goto done;
    }
    if (mnp__inverse_of_small_serves(&place, dtype, mnp__rows(a))) {
        st = invert_small(&place, a, dtype, inverse_p);
        goto done;
    }
    st = mnp__lu_make(&place, a, dtype, &lu);
    if (lu.info)
        st = mnp__dense_report(&place, lu.info, MNP__SINGULAR, st);
    if (st != MNP_OK)
        goto done;
    MNP_TRY_OR(mnp__lu_invert(&place, &lu, &inverse), st, done);
    MNP_TRY_OR(mnp__dense_to_blocks(&place, &inverse), st, done);
    st = mnp__dense_give(&place, inverse.array, inverse_p);
done:
    mnp__dense_free(&inverse);
    mnp__lu_free(&lu);
    mnp__place_close(&place);
    return st;
}

/* Report the first 0 on a diagonal, which makes a triangular matrix singular. */
static mnp_status check_diagonal(const mnp__place *place, const mnp_array *a)
{
    mnp_array *diagonal = NULL, *zeros = NULL, *where = NULL, *info = NULL, *any = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp_diagonal(a, 0, -2, -1, &diagonal), st, done);
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
    MNP_IN_BLOCKS(a);
    MNP_IN_BLOCKS(b);
    mnp__systems systems = {.place = {.batch = NULL}};
    mnp__dense matrices = {.array = NULL};
    mnp_status st;
    MNP_TRY(mnp__linalg_check(function, a, true));
    if (trans < 0 || trans > 2)
        return MNP_FAIL(MNP_ERR_ARG, "%s: trans is %d, outside 0..2", function, trans);
    MNP_TRY_OR(mnp__systems_open(function, a, b, *x_p, &systems), st, done);
    MNP_TRY_OR(mnp__dense_read(&systems.place, a, systems.dtype, &matrices), st, done);
    if (!unit_diagonal && matrices.n > 0)
        MNP_TRY_OR(check_diagonal(&systems.place, systems.place.spread ? a : matrices.array), st, done);
    MNP_TRY_OR(
        MNP_AGREE(a->ctx, mnp__dense_trsm(&systems.place, &matrices, !lower, unit_diagonal, "NTC"[trans], &systems.b)),
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
    MNP_IN_BLOCKS(c);
    MNP_IN_BLOCKS(b);
    mnp__systems systems = {.place = {.batch = NULL}};
    mnp__dense factors = {.array = NULL};
    mnp_status st;
    MNP_TRY(mnp__linalg_check(function, c, true));
    MNP_TRY_OR(mnp__systems_open(function, c, b, *x_p, &systems), st, done);
    MNP_TRY_OR(mnp__dense_read(&systems.place, c, systems.dtype, &factors), st, done);
    st = mnp__dense_trsm(&systems.place, &factors, !lower, false, lower ? 'N' : 'C', &systems.b);
    if (st == MNP_OK)
        st = mnp__dense_trsm(&systems.place, &factors, !lower, false, lower ? 'C' : 'N', &systems.b);
    MNP_TRY_OR(MNP_AGREE(c->ctx, st), st, done);
    st = mnp__systems_give(&systems, x_p);
done:
    mnp__dense_free(&factors);
    mnp__systems_close(&systems);
    return st;
}
