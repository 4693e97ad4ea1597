/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices that a rank has whole: where they are, how they get there, and how results and errors get out. */
#include "linalg/dense/dense.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <maniple/create.h>
#include <maniple/item.h>
#include <maniple/linalg.h>
#include <maniple/reduce.h>
#include <maniple/ufunc.h>
#include <maniple/view.h>

#include "array/input.h"
#include "base/dtype.h"
#include "base/integer.h"
#include "layout/layout.h"

enum {
    WORTH_SPREADING = 256, /* rows and columns: smaller matrices are factored sooner by one rank */
    NARROWEST = 32,        /* blocks of spread columns: enough for the BLAS */
    WIDEST = 128,
    WIDEST_ON_GPU = 512,  /* and no more than are factored quickly by one rank */
    BLOCKS_OF_A_RANK = 8, /* so that ranks have equal shares until near the end */
    FEW_REPORTS = 4096    /* which are copied from a GPU in about the time of one */
};

/* ---- checks ---- */

mnp_status mnp__linalg_dtype(const char *function, mnp_dtype dtype, mnp_dtype *computed_p)
{
    const char kind = mnp_dtype_kind(dtype);
    if (kind == 'b' || kind == 'i' || kind == 'u')
        *computed_p = MNP_FLOAT64;
    else if (dtype == MNP_FLOAT32 || dtype == MNP_FLOAT64 || dtype == MNP_COMPLEX64 || dtype == MNP_COMPLEX128)
        *computed_p = dtype;
    else
        return MNP_FAIL(MNP_ERR_ARG, "%s: dtype %s is not one of linear algebra: convert the array to float32 first",
                        function, mnp_dtype_name(dtype));
    return MNP_OK;
}

mnp_dtype mnp__linalg_real(mnp_dtype dtype)
{
    return mnp__dtype_is_single(dtype) ? MNP_FLOAT32 : MNP_FLOAT64;
}

mnp_dtype mnp__linalg_complex(mnp_dtype dtype)
{
    return mnp__dtype_is_single(dtype) ? MNP_COMPLEX64 : MNP_COMPLEX128;
}

mnp_status mnp__linalg_check(const char *function, const mnp_array *a, bool square)
{
    mnp_dtype computed;
    MNP_TRY(mnp__inputs_check(function, 1, &a));
    if (a->layout->ndim < 2)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the array has %d dimensions; matrices have two at least", function,
                        a->layout->ndim);
    MNP_TRY(mnp__linalg_dtype(function, a->dtype, &computed));
    if (square && mnp__rows(a) != mnp__columns(a))
        return MNP_FAIL(MNP_ERR_ARG, "%s: the last two dimensions are %" PRId64 " x %" PRId64 ", and not square",
                        function, mnp__rows(a), mnp__columns(a));
    return MNP_OK;
}

mnp_status mnp__linalg_common_dtype(const char *function, const mnp_array *a, const mnp_array *b, mnp_dtype *computed_p)
{
    mnp_dtype of_a, of_b;
    MNP_TRY(mnp__linalg_dtype(function, a->dtype, &of_a));
    MNP_TRY(mnp__linalg_dtype(function, b->dtype, &of_b));
    const bool is_complex = mnp_dtype_kind(of_a) == 'c' || mnp_dtype_kind(of_b) == 'c';
    const bool is_single = mnp__linalg_real(of_a) == MNP_FLOAT32 && mnp__linalg_real(of_b) == MNP_FLOAT32;
    const mnp_dtype real = is_single ? MNP_FLOAT32 : MNP_FLOAT64;
    *computed_p = is_complex ? mnp__linalg_complex(real) : real;
    return MNP_OK;
}

static mnp_dtype type_of(const mnp__result *result, mnp_dtype computed)
{
    switch (result->type) {
    case MNP__AS_REAL:
        return mnp__linalg_real(computed);
    case MNP__AS_COMPLEX:
        return mnp__linalg_complex(computed);
    case MNP__AS_INT32:
        return MNP_INT32;
    case MNP__AS_INT64:
        return MNP_INT64;
    default:
        return computed;
    }
}

mnp_status mnp__linalg_check_output(const char *function, const mnp_array *a, mnp_dtype computed,
                                    const mnp__result *result)
{
    int64_t shape[MNP_MAX_DIMS];
    const int64_t m = mnp__rows(a), n = mnp__columns(a);
    mnp__output_spec spec = {
        .function = function, .name = result->name, .ctx = a->ctx, .dtype = type_of(result, computed)};
    if (!result->user_p)
        return MNP_OK;
    if (result->dims) {
        for (int d = 0; d < a->layout->ndim - 2; d++)
            shape[spec.ndim++] = a->layout->shape[d];
        for (const char *dim = result->dims; *dim; dim++)
            shape[spec.ndim++] = *dim == 'm' ? m : *dim == 'n' ? n : *dim == '1' ? 1 : m < n ? m : n;
        spec.shape = shape;
    }
    return mnp__output_check(&spec, *result->user_p);
}

mnp_status mnp__linalg_check_results(const char *function, const mnp_array *a, bool square, int count,
                                     const mnp__result *results, mnp_dtype *dtype_p)
{
    MNP_TRY(mnp__linalg_check(function, a, square));
    MNP_TRY(mnp__linalg_dtype(function, a->dtype, dtype_p));
    return mnp__linalg_check_outputs(function, a, *dtype_p, count, results);
}

mnp_status mnp__linalg_check_outputs(const char *function, const mnp_array *a, mnp_dtype computed, int count,
                                     const mnp__result *results)
{
    mnp_array **outs[MNP__MOST_RESULTS] = {NULL};
    for (int i = 0; i < count; i++)
        outs[i] = results[i].user_p;
    MNP_TRY(mnp__output_check_distinct(function, count, outs));
    for (int i = 0; i < count; i++) {
        MNP_TRY(mnp__linalg_check_output(function, a, computed, &results[i]));
    }
    return MNP_OK;
}

mnp_status mnp__linalg_check_alike(const char *function, const char *name_a, const mnp_array *a, const char *name_b,
                                   const mnp_array *b)
{
    if (a->dtype != b->dtype || !mnp__layout_same_shape(a->layout, b->layout))
        return MNP_FAIL(MNP_ERR_ARG, "%s: %s and %s are not of one shape and dtype", function, name_a, name_b);
    return MNP_OK;
}

mnp_status mnp__linalg_begin(const char *function, const mnp_array *a, bool square, int count,
                             const mnp__result *results, mnp_dtype *dtype_p, mnp__place *place)
{
    MNP_TRY(mnp__linalg_check_results(function, a, square, count, results, dtype_p));
    return mnp__place_open(function, a, 0, NULL, place);
}

mnp_status mnp__linalg_adjoint(const mnp_array *a, mnp_array **adjoint_p)
{
    mnp_array *conjugate = NULL;
    if (mnp_dtype_kind(a->dtype) != 'c')
        return mnp_swapaxes(a, -2, -1, adjoint_p);
    MNP_TRY(mnp_conjugate(a, &conjugate));
    const mnp_status st = mnp_swapaxes(conjugate, -2, -1, adjoint_p);
    mnp_array_free(conjugate);
    return st;
}

mnp_status mnp__linalg_adjoint_times(const mnp_array *a, const mnp_array *x, mnp_array **out_p)
{
    mnp_array *turned = NULL, *product = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp__linalg_adjoint(x, &turned), st, done);
    MNP_TRY_OR(mnp_matmul(turned, a, &product), st, done);
    st = mnp__linalg_adjoint(product, out_p);
done:
    mnp_free_all(product, turned);
    return st;
}

mnp_status mnp__linalg_largest(const mnp_array *a, double *largest_p)
{
    mnp_array *moduli = NULL, *most = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp_abs(a, &moduli), st, done);
    MNP_TRY_OR(mnp_max(moduli, MNP_ALL_AXES, &most), st, done);
    st = mnp_array_item(most, MNP_FLOAT64, largest_p);
done:
    mnp_free_all(most, moduli);
    return st;
}

/* Whether one of the last two dimensions is cut, or block-cyclic. */
static bool are_cut(const mnp_array *a)
{
    const int ndim = a->layout->ndim;
    return a->layout->axes[ndim - 1] != MNP_NO_AXIS || a->layout->axes[ndim - 2] != MNP_NO_AXIS;
}

/* ---- places ---- */

/* The longest dimension of a batch is cut over all ranks. */
static mnp_status cut_batch(int nranks, int nbatch, const int64_t *shape, mnp_layout **layout_p)
{
    int axes[MNP_MAX_DIMS], longest = 0;
    for (int d = 0; d < nbatch; d++) {
        axes[d] = MNP_NO_AXIS;
        longest = shape[d] > shape[longest] ? d : longest;
    }
    axes[longest] = 0;
    return mnp_layout_new(1, &nranks, nbatch, shape, axes, NULL, layout_p);
}

static mnp_status place_batch(mnp__place *place, const mnp_array *a, int nbatch, const int64_t *shape)
{
    mnp__layout_dim dims[MNP_MAX_DIMS];
    const mnp_layout *like = a->layout;
    const int own = like->ndim - 2;
    if (!place->stays)
        return cut_batch(like->nranks, nbatch, shape, &place->batch);
    for (int d = 0; d < nbatch; d++) {
        const int from = d - (nbatch - own);
        dims[d] = from >= 0 && like->shape[from] == shape[d] ? mnp__layout_dim_of(like, from)
                                                             : mnp__layout_dim_whole(shape[d]);
    }
    return mnp__layout_derive(like, nbatch, dims, &place->batch);
}

mnp_status mnp__place_open(const char *function, const mnp_array *a, int nbatch, const int64_t *shape,
                           mnp__place *place)
{
    const int64_t one = 1;
    mnp__device *device = a->ctx->device;
    *place = (mnp__place){.function = function, .ctx = a->ctx, .like = a->layout, .stays = !are_cut(a)};
    if (!shape) {
        nbatch = a->layout->ndim - 2;
        shape = a->layout->shape;
    }
    place->single = nbatch == 0;
    MNP_TRY(MNP_AGREE(a->ctx, device->ops->lapack->need(device, function)));
    return place->single ? place_batch(place, a, 1, &one) : place_batch(place, a, nbatch, shape);
}

void mnp__place_close(mnp__place *place)
{
    mnp_layout_free(place->batch);
    place->batch = NULL;
}

mnp_status mnp__place_spread(const mnp_array *a, mnp__place *place)
{
    const int64_t one = 1;
    const int ranks = place->batch->nranks;
    if (!place->single || place->stays || ranks == 1 || mnp__rows(a) < WORTH_SPREADING ||
        mnp__columns(a) < WORTH_SPREADING)
        return MNP_OK;
    mnp__place_close(place);
    place->spread = true;
    return mnp_layout_replicated(ranks, 1, &one, &place->batch);
}

/* ---- new arrays ---- */

/* The layout of arrays with the place's batch and so many more dimensions, in C order. */
static mnp_status extend(const mnp__place *place, int more, const int64_t *extents, mnp_layout **layout_p)
{
    mnp__layout_dim dims[MNP_MAX_DIMS];
    const int nbatch = place->batch->ndim;
    if (nbatch + more > MNP_MAX_DIMS)
        return MNP_FAIL(MNP_ERR_ARG, "%s: one matrix more needs %d dimensions, and there are %d at most",
                        place->function, nbatch + more, MNP_MAX_DIMS);
    for (int d = 0; d < nbatch; d++)
        dims[d] = mnp__layout_dim_of(place->batch, d);
    for (int d = 0; d < more; d++)
        dims[nbatch + d] = mnp__layout_dim_whole(extents[d]);
    return mnp__layout_derive(place->batch, nbatch + more, dims, layout_p);
}

static mnp_status new_array(const mnp__place *place, mnp_dtype dtype, int more, const int64_t *extents,
                            mnp_array **array_p)
{
    mnp_layout *layout;
    MNP_TRY(extend(place, more, extents, &layout));
    const mnp_status st = mnp_array_new(place->ctx, dtype, layout, array_p);
    mnp_layout_free(layout);
    return st;
}

/* New matrices in column-major order. */
static mnp_status new_columns(const mnp__place *place, mnp_dtype dtype, const int64_t extents[2], mnp_array **array_p)
{
    mnp_layout *layout, *ordered = NULL;
    int order[MNP_MAX_DIMS];
    MNP_TRY(extend(place, 2, extents, &layout));
    for (int d = 0; d < layout->ndim; d++)
        order[d] = d;
    order[layout->ndim - 2] = layout->ndim - 1;
    order[layout->ndim - 1] = layout->ndim - 2;
    mnp_status st = mnp_layout_with_order(layout, order, &ordered);
    if (st == MNP_OK)
        st = mnp_array_new(place->ctx, dtype, ordered, array_p);
    mnp_layout_free(ordered);
    mnp_layout_free(layout);
    return st;
}

/* New spread matrices. */
static mnp_status new_spread(const mnp__place *place, mnp_dtype dtype, int64_t m, int64_t n, mnp__dense *dense)
{
    const mnp__device *device = place->ctx->device;
    const int ranks = place->batch->nranks, axes[3] = {MNP_NO_AXIS, MNP_NO_AXIS, 0}, order[3] = {0, 2, 1};
    const int64_t widest = place->widest > 0          ? place->widest
                           : device->block_memory > 0 ? WIDEST_ON_GPU
                                                      : WIDEST,
                  share = mnp__round_up(n / (BLOCKS_OF_A_RANK * ranks), NARROWEST),
                  width = share < NARROWEST ? NARROWEST
                          : share > widest  ? widest
                                            : share;
    mnp_layout *dealt, *layout = NULL;
    mnp_array *array = NULL;
    MNP_TRY(
        mnp_layout_new_cyclic(1, &ranks, 3, (const int64_t[]){1, m, n}, axes, (const int64_t[]){0, 0, width}, &dealt));
    mnp_status st = mnp_layout_with_order(dealt, order, &layout);
    if (st == MNP_OK)
        st = mnp_array_new(place->ctx, dtype, layout, &array);
    mnp_layout_free(layout);
    mnp_layout_free(dealt);
    MNP_TRY(st);
    *dense = (mnp__dense){.array = array,
                          .m = m,
                          .n = n,
                          .batch = 1,
                          .width = width,
                          .columns = array->local_shape[2],
                          .of = {array->data, mnp__max(m, 1), 0}};
    return MNP_OK;
}

mnp_status mnp__dense_new(const mnp__place *place, mnp_dtype dtype, int64_t m, int64_t n, mnp__dense *dense)
{
    if (place->spread)
        return new_spread(place, dtype, m, n, dense);
    const int nbatch = place->batch->ndim;
    mnp_array *array;
    MNP_TRY(new_columns(place, dtype, (const int64_t[]){m, n}, &array));
    *dense = (mnp__dense){.array = array, .m = m, .n = n, .batch = 1, .of = {array->data, mnp__max(m, 1), m * n}};
    for (int d = 0; d < nbatch; d++)
        dense->batch *= array->local_shape[d];
    return MNP_OK;
}

mnp_status mnp__matrices_new(const mnp__place *place, mnp_dtype dtype, int64_t m, int64_t n, mnp_array **matrices_p)
{
    return new_array(place, dtype, 2, (const int64_t[]){m, n}, matrices_p);
}

mnp_status mnp__vectors_new(const mnp__place *place, mnp_dtype dtype, int64_t n, mnp_array **vectors_p)
{
    return new_array(place, dtype, 1, &n, vectors_p);
}

mnp_status mnp__numbers_new(const mnp__place *place, mnp_dtype dtype, mnp_array **numbers_p)
{
    return new_array(place, dtype, 0, NULL, numbers_p);
}

mnp_status mnp__info_new(const mnp__place *place, mnp_array **info_p)
{
    mnp_ctx *ctx = place->ctx;
    mnp_array *info;
    MNP_TRY(mnp__numbers_new(place, MNP_INT32, &info));
    const size_t bytes = (size_t)info->local_size * sizeof(int32_t);
    const mnp_status st =
        MNP_AGREE(ctx, bytes > 0 ? ctx->device->ops->fill(ctx->device, info->data, 0, bytes, ctx->compute) : MNP_OK);
    if (st == MNP_OK)
        *info_p = info;
    else
        mnp_array_free(info);
    return st;
}

/* ---- inputs ---- */

/* A view of an input with the place's batch, of whose dimensions the last `more` are not the batch's. */
static mnp_status view_with_batch(const mnp__place *place, const mnp_array *a, int more, mnp_array **view_p)
{
    int64_t shape[MNP_MAX_DIMS];
    const int nbatch = place->batch->ndim, ndim = a->layout->ndim;
    for (int d = 0; d < nbatch; d++)
        shape[d] = place->batch->shape[d];
    for (int d = 0; d < more; d++)
        shape[nbatch + d] = a->layout->shape[ndim - more + d];
    return mnp_broadcast_to(a, nbatch + more, shape, view_p);
}

static mnp_status read(const mnp__place *place, const mnp_array *a, int more, mnp_array *to)
{
    mnp_array *view = NULL;
    mnp__input input = {NULL, NULL};
    MNP_TRY(view_with_batch(place, a, more, &view));
    if (place->spread) {
        const mnp_status moved = mnp__array_copy_to(view, to);
        mnp_array_free(view);
        return moved;
    }
    mnp_status st = mnp__input_open(view, to->layout, MNP_DTYPE_AUTO, 0, &input);
    if (st == MNP_OK)
        st = mnp__array_assign(input.array, to);
    mnp__input_close(&input);
    mnp_array_free(view);
    return st;
}

mnp_status mnp__dense_read(const mnp__place *place, const mnp_array *a, mnp_dtype dtype, mnp__dense *dense)
{
    MNP_TRY(mnp__dense_new(place, dtype, mnp__rows(a), mnp__columns(a), dense));
    const mnp_status st = read(place, a, 2, dense->array);
    if (st != MNP_OK)
        mnp__dense_free(dense);
    return st;
}

mnp_status mnp__dense_open(const mnp__place *place, const mnp_array *a, mnp_dtype dtype, mnp__dense_input *input)
{
    mnp_layout *layout = NULL;
    *input = (mnp__dense_input){.view = NULL};
    MNP_TRY(extend(place, 2, (const int64_t[]){mnp__rows(a), mnp__columns(a)}, &layout));
    mnp_status st = view_with_batch(place, a, 2, &input->view);
    if (st == MNP_OK)
        st = mnp__input_open(input->view, layout, dtype, MNP__INPUT_DENSE, &input->input);
    mnp_layout_free(layout);
    if (st != MNP_OK)
        mnp__dense_close(input);
    return st;
}

void mnp__dense_close(mnp__dense_input *input)
{
    mnp__input_close(&input->input);
    mnp_array_free(input->view);
    input->view = NULL;
}

mnp_status mnp__vectors_read(const mnp__place *place, const mnp_array *v, mnp_dtype dtype, mnp_array **vectors_p)
{
    mnp_array *vectors;
    MNP_TRY(mnp__vectors_new(place, dtype, mnp__columns(v), &vectors));
    const mnp_status st = read(place, v, 1, vectors);
    if (st == MNP_OK)
        *vectors_p = vectors;
    else
        mnp_array_free(vectors);
    return st;
}

mnp_status mnp__dense_to_blocks(const mnp__place *place, mnp__dense *dense)
{
    mnp_layout *layout;
    mnp_array *blocks = NULL;
    const int ranks = place->batch->nranks;
    if (!place->spread || !dense->array)
        return MNP_OK;
    MNP_TRY(mnp_layout_new(1, &ranks, 3, dense->array->layout->shape, (const int[]){MNP_NO_AXIS, 0, MNP_NO_AXIS}, NULL,
                           &layout));
    const mnp_status st = mnp_redistribute(dense->array, layout, &blocks);
    mnp_layout_free(layout);
    MNP_TRY(st);
    mnp__dense_free(dense);
    dense->array = blocks;
    dense->of = (mnp__matrices){NULL, 0, 0};
    return MNP_OK;
}

mnp_status mnp__dense_identity(const mnp__place *place, mnp_dtype dtype, int64_t m, int64_t n, mnp__dense *dense)
{
    mnp_array *ones = NULL;
    MNP_TRY(mnp_eye(place->ctx, dtype, m, n, 0, &ones));
    const mnp_status st = mnp__dense_read(place, ones, dtype, dense);
    mnp_array_free(ones);
    return st;
}

/* ---- jobs ---- */

mnp__lapack_job mnp__dense_job(const mnp__dense *a)
{
    return (mnp__lapack_job){.dtype = a->array->dtype, .batch = a->batch, .m = a->m, .n = a->n, .a = a->of, .op = 'N'};
}

mnp_status mnp__dense_run(const mnp__place *place, mnp__lapack_op *op, const mnp__lapack_job *job)
{
    mnp_ctx *ctx = place->ctx;
    if (job->batch == 0 || job->n == 0)
        return MNP_OK;
    MNP_TRY(mnp__refuse_recording(ctx->device, "factoring a matrix"));
    return op(ctx->device, job, ctx->compute);
}

/* ---- reports ---- */

/* The number of a matrix within the batch, of number `local` of this rank's. */
static int64_t number_in_batch(const mnp_array *info, int64_t local)
{
    int64_t number = 0, unit = 1;
    for (int d = info->layout->ndim - 1; d >= 0; d--) {
        const int64_t extent = info->local_shape[d], at = local % extent;
        local /= extent;
        number += unit * (info->layout->reversed[d] ? mnp_layout_global(info->layout, d, info->ctx->comm.rank, at)
                                                    : info->local_lo[d] + at);
        unit *= info->layout->shape[d];
    }
    return number;
}

/* The first matrix of this rank about which something was reported, and what; INT64_MAX: none. */
static mnp_status find_first(const mnp_array *info, int64_t found[2])
{
    int32_t *reports;
    found[0] = found[1] = INT64_MAX;
    if (info->local_size == 0)
        return MNP_OK;
    MNP_TRY(mnp__malloc((size_t)info->local_size * sizeof *reports, &reports));
    const mnp_status st = mnp_array_get_local(info, reports);
    for (int64_t i = 0; st == MNP_OK && i < info->local_size && found[0] == INT64_MAX; i++) {
        if (reports[i] != 0) {
            found[0] = number_in_batch(info, i);
            found[1] = reports[i];
        }
    }
    free(reports);
    return st;
}

static mnp_status fail(const mnp__place *place, int64_t number, int report, const char *problem)
{
    char text[256];
    const char *hole = strstr(problem, "%d");
    if (report < 0) /* of this library's call */
        snprintf(text, sizeof text, "was not computed: LAPACK refuses argument %d", -report);
    else if (hole)
        snprintf(text, sizeof text, "%.*s%d%s", (int)(hole - problem), problem, report, hole + 2);
    else
        snprintf(text, sizeof text, "%s", problem);
    const mnp_status status = report < 0 ? MNP_ERR_INTERNAL : MNP_ERR_LINALG;
    if (place->single)
        return MNP_FAIL(status, "%s: the matrix %s", place->function, text);
    return MNP_FAIL(status, "%s: matrix %" PRId64 " of the batch %s", place->function, number, text);
}

/* Whether anything is reported; many reports are looked at on the device, as copies take long.  Collective. */
static mnp_status is_reported(const mnp_array *info, bool *any_p)
{
    int64_t count = 1;
    mnp_array *any = NULL;
    for (int d = 0; d < info->layout->ndim; d++)
        count *= info->layout->shape[d];
    *any_p = count > 0;
    if (count <= FEW_REPORTS || info->ctx->device->cpu_memory)
        return MNP_OK;
    mnp_status st = mnp_any(info, MNP_ALL_AXES, &any);
    if (st == MNP_OK)
        st = mnp_array_item(any, MNP_BOOL, any_p);
    mnp_array_free(any);
    return st;
}

mnp_status mnp__dense_report(const mnp__place *place, const mnp_array *info, const char *problem, mnp_status status)
{
    const mnp__comm *comm = &place->ctx->comm;
    int64_t own[2] = {INT64_MAX, INT64_MAX}, first[2];
    bool any = false;
    MNP_TRY(mnp__agree(comm, status));
    if (!place->ctx->device->rehearses)
        MNP_TRY(is_reported(info, &any));
    if (!any)
        return MNP_OK;
    MNP_TRY(mnp__agree(comm, find_first(info, own)));
    first[0] = own[0];
    MNP_TRY(mnp__all_reduce(comm, &first[0], 1, MPI_INT64_T, MPI_MIN));
    if (first[0] == INT64_MAX)
        return MNP_OK;
    first[1] = first[0] == own[0] ? own[1] : INT64_MAX;
    MNP_TRY(mnp__all_reduce(comm, &first[1], 1, MPI_INT64_T, MPI_MIN));
    return fail(place, first[0], (int)first[1], problem);
}

/* ---- results ---- */

/* The layout that a result has for the caller. */
static mnp_status result_layout(const mnp__place *place, const mnp_array *view, mnp_layout **layout_p)
{
    const mnp_layout *like = place->like, *own = view->layout;
    mnp__layout_dim dims[MNP_MAX_DIMS];
    if (!place->single)
        return mnp__layout_in_c_order(own, layout_p);
    if (mnp__layout_same_shape(own, like))
        return mnp__layout_in_c_order(like, layout_p);
    if (!place->stays)
        return own->ndim == 2 && like->ndim == 2 ? mnp_layout_like(like, own->shape, layout_p)
                                                 : mnp_layout_block(own->nranks, own->ndim, own->shape, layout_p);
    for (int d = 0; d < own->ndim; d++)
        dims[d] = mnp__layout_dim_whole(own->shape[d]);
    return mnp__layout_derive(like, own->ndim, dims, layout_p);
}

/* Whether a view of a result is what the caller gets: in the right layout and order, and nobody else's memory. */
static bool is_final(const mnp_array *view, const mnp_layout *layout, mnp_array *const *user_p)
{
    return !*user_p && mnp_layout_equal(view->layout, layout) && view->dense & MNP__DENSE_C &&
           view->buffer->owners == 2;
}

/*
 * Open the output for one result, and a view of the result as the caller sees it; NULL if that is the output.
 */
static mnp_status open_result(const mnp__place *place, const char *name, const mnp_array *result, mnp_array **user_p,
                              mnp_array **view_p, mnp__output *output)
{
    mnp_layout *layout = NULL;
    MNP_TRY(place->single ? mnp_squeeze(result, 1, (const int[]){0}, view_p)
                          : mnp_transpose(result, (const int[]){0, 1, 2, 3, 4, 5, 6, 7}, view_p));
    MNP_TRY(result_layout(place, *view_p, &layout));
    const mnp__output_spec spec = {.function = place->function,
                                   .name = name,
                                   .ctx = place->ctx,
                                   .dtype = result->dtype,
                                   .layout = layout,
                                   .needs = MNP__OUTPUT_ANY_LAYOUT};
    mnp_status st = MNP_OK;
    if (is_final(*view_p, layout, user_p)) {
        *output = (mnp__output){.array = *view_p, .user_p = user_p};
        *view_p = NULL;
    } else {
        st = mnp__output_open(&spec, user_p, output);
    }
    mnp_layout_free(layout);
    return st;
}

mnp_status mnp__dense_give_all(const mnp__place *place, int count, const mnp__result *results, mnp_array *const *made)
{
    mnp_array *views[MNP__MOST_RESULTS] = {NULL};
    mnp__output outputs[MNP__MOST_RESULTS] = {{.array = NULL}};
    int opened = 0;
    mnp_status st = MNP_OK;
    for (int i = 0; i < count && st == MNP_OK; i++) {
        if (!results[i].user_p)
            continue;
        st = open_result(place, results[i].name, made[i], results[i].user_p, &views[opened], &outputs[opened]);
        if (st == MNP_OK && views[opened])
            st = mnp__array_copy_to(views[opened], outputs[opened].array);
        opened++;
    }
    st = mnp__output_close(opened, outputs, st);
    for (int i = 0; i < opened; i++)
        mnp_array_free(views[i]);
    return st;
}

mnp_status mnp__dense_give(const mnp__place *place, mnp_array *result, mnp_array **user_p)
{
    return mnp__dense_give_all(place, 1, &(mnp__result){.user_p = user_p}, &result);
}
