/* SPDX-License-Identifier: BSD-3-Clause */
/* Systems whose matrix is given by few numbers: what they have in common. */
#include "linalg/factors/bands.h"

#include <inttypes.h>
#include <stdlib.h>

#include <maniple/ufunc.h>
#include <maniple/view.h>

#include "array/input.h"
#include "layout/layout.h"
#include "linalg/cpu/on_cpu.h"

/* A place on every rank, or for matrices whose columns are dealt out. */
static mnp_status open_place(const mnp__bands *bands, const mnp_array *b, bool spread, mnp__place *place)
{
    const int64_t one = 1;
    *place = (mnp__place){
        .function = bands->function, .ctx = b->ctx, .single = true, .like = b->layout, .spread = spread, .widest = 32};
    return mnp_layout_replicated(b->ctx->comm.size, 1, &one, &place->batch);
}

static mnp_status check(const char *function, const mnp_array *a, int64_t n, const mnp_array *b, const mnp_array *x,
                        mnp_dtype *result_p)
{
    MNP_TRY(mnp__inputs_check(function, 2, (const mnp_array *const[]){a, b}));
    MNP_TRY(mnp__linalg_common_dtype(function, a, b, result_p));
    if (b->layout->ndim < 1 || b->layout->ndim > 2)
        return MNP_FAIL(MNP_ERR_ARG, "%s: b has %d dimensions, and is neither a vector nor a matrix", function,
                        b->layout->ndim);
    if (b->layout->shape[0] != n)
        return MNP_FAIL(MNP_ERR_ARG, "%s: b has %" PRId64 " rows, and the matrix has %" PRId64, function,
                        b->layout->shape[0], n);
    const mnp__output_spec spec = {
        .function = function, .ctx = b->ctx, .dtype = *result_p, .ndim = b->layout->ndim, .shape = b->layout->shape};
    return mnp__output_check(&spec, x);
}

mnp_status mnp__bands_open(const char *function, const mnp_array *a, int64_t n, bool wide, const mnp_array *b,
                           const mnp_array *x, mnp__bands *bands)
{
    mnp_array *column = NULL;
    *bands = (mnp__bands){.function = function, .ctx = b->ctx, .n = n, .vector = b->layout->ndim == 1};
    MNP_TRY(check(function, a, n, b, x, &bands->result));
    bands->dtype = bands->result;
    if (wide)
        bands->dtype = mnp_dtype_kind(bands->result) == 'c' ? MNP_COMPLEX128 : MNP_FLOAT64;
    MNP_TRY(MNP_AGREE(b->ctx, mnp__host_need_lapack(function)));
    MNP_TRY(open_place(bands, b, false, &bands->place));
    MNP_TRY(open_place(bands, b, true, &bands->columns));
    if (bands->vector)
        MNP_TRY(mnp_expand_dims(b, 1, (const int[]){1}, &column));
    const mnp_status st = mnp__dense_read(&bands->columns, bands->vector ? column : b, bands->dtype, &bands->b);
    mnp_array_free(column);
    MNP_TRY(st);
    return MNP_AGREE(b->ctx, mnp__on_cpu_open(bands->b.array, &bands->data));
}

mnp_status mnp__bands_read(const mnp__bands *bands, const mnp_array *a, mnp__dense *numbers)
{
    return mnp__dense_read(&bands->place, a, bands->dtype, numbers);
}

mnp_status mnp__bands_give(mnp__bands *bands, mnp_array **x_p)
{
    mnp_array *converted = NULL, *vector = NULL;
    mnp_status st = mnp__on_cpu_close(bands->b.array, bands->data, true);
    bands->data = NULL;
    MNP_TRY(MNP_AGREE(bands->ctx, st));
    MNP_TRY(mnp__dense_to_blocks(&bands->columns, &bands->b));
    MNP_TRY_OR(mnp_astype(bands->b.array, bands->result, &converted), st, done);
    if (bands->vector)
        MNP_TRY_OR(mnp_squeeze(converted, 1, (const int[]){2}, &vector), st, done);
    st = mnp__dense_give(&bands->columns, vector ? vector : converted, x_p);
done:
    mnp_free_all(vector, converted);
    return st;
}

void mnp__bands_close(mnp__bands *bands)
{
    if (bands->data)
        (void)mnp__on_cpu_close(bands->b.array, bands->data, false);
    mnp__dense_free(&bands->b);
    mnp__place_close(&bands->place);
    mnp__place_close(&bands->columns);
}
