/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Running filters without feedback: a rank fetches the elements that its part of the result needs, and launches.  On
 * GPUs a filter that keeps the rate and the length is a pass of signal/separable.h, and one that changes the rate of
 * lines in memory goes tile by tile.
 */
#include "signal/filters/upfirdn.h"

#include <stdlib.h>

#include "array/output.h"
#include "base/dtype.h"
#include "base/integer.h"
#include "base/nest.h"
#include "base/text.h"
#include "kernels/signal/extended_params.h"
#include "kernels/signal/filters/upfirdn_params.h"
#include "layout/layout.h"
#include "signal/filters/constants.h"
#include "signal/filters/fetch.h"
#include "signal/separable.h"

enum { IN, OUT, OPERANDS };

static void reach(const void *argument, int64_t lo, int64_t hi, int64_t *begin_p, int64_t *end_p)
{
    const mnp__upfirdn *f = argument;
    const int64_t low = (f->first + lo) * f->down - f->count + 1, high = (f->first + hi - 1) * f->down;
    *begin_p = low > 0 ? mnp__divide_up(low, f->up) : 0;
    *end_p = high < 0 ? 0 : high / f->up + 1;
}

/* Fill in the lines and the strides, in real numbers. */
static void fill_lines(const mnp__fetched *in, const mnp_array *y, int axis, mnp_upfirdn_params *p)
{
    const int64_t reals = mnp_dtype_kind(y->dtype) == 'c' ? 2 : 1;
    int64_t stride[OPERANDS][MNP_MAX_DIMS];
    mnp__nest nest = {.count = OPERANDS, .stride = stride};
    p->lines = reals;
    for (int d = 0; d < y->layout->ndim; d++) {
        if (d == axis)
            continue;
        nest.extent[nest.ndim] = y->local_shape[d];
        stride[IN][nest.ndim] = in->strides[d] * reals;
        stride[OUT][nest.ndim++] = y->local_strides[d] * reals;
        p->lines *= y->local_shape[d];
    }
    if (reals == 2) {
        nest.extent[nest.ndim] = 2;
        stride[IN][nest.ndim] = stride[OUT][nest.ndim] = 1;
        nest.ndim++;
    }
    mnp__nest_drop(&nest);
    mnp__nest_order(&nest, OUT, OPERANDS);
    mnp__nest_join(&nest);
    mnp__nest_pad(&nest, MNP_UPFIRDN_DIMS, 0);
    for (int d = 0; d < MNP_UPFIRDN_DIMS; d++) {
        p->kept[d] = nest.extent[d];
        p->in_kept[d] = stride[IN][d];
        p->out_kept[d] = stride[OUT][d];
    }
    p->in_along = in->strides[axis] * reals;
    p->out_along = y->local_strides[axis] * reals;
    p->outputs = y->local_shape[axis];
}

/* ---- in tiles ---- */

/* How a block of a GPU divides its tile; each: 0 if tiles are not for this filter. */
typedef struct tiles {
    int taps, each, periods;
} tiles;

/* All ranks get the same answer. */
static tiles choose_tiles(const mnp__upfirdn *f, const mnp_array *x, int axis)
{
    enum { THREADS = 256, LEAST_THREADS = 32, INPUTS = 2048, TAPS = 1024, UNROLLED = 16 };
    const int64_t taps = mnp__divide_up(f->count, f->up);
    bool inner = x->ctx->device->block_memory > 0;
    for (int d = axis + 1; d < x->layout->ndim; d++)
        inner = inner && x->layout->shape[d] == 1;
    if (!inner || f->up > THREADS / 2 || f->down > UNROLLED || taps * f->up > TAPS)
        return (tiles){.each = 0};
    const int64_t each = f->down <= UNROLLED / 2 ? 8 : 4, most = INPUTS / (each * f->down), wanted = THREADS / f->up;
    const int64_t periods = mnp__min(most, wanted);
    return (tiles){.taps = (int)taps, .each = periods * f->up < LEAST_THREADS ? 0 : (int)each, .periods = (int)periods};
}

static mnp_status launch_tiles(const mnp__upfirdn *f, const tiles *t, const mnp_array *x, const mnp_array *y,
                               mnp_upfirdn_params *p)
{
    enum { MOST_BLOCKS = 1 << 20 };
    mnp_ctx *ctx = x->ctx;
    mnp__kernel *kernel;
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    const mnp__kernel_spec spec = {.file = "signal/filters/upfirdn_tiles.cu", .function = "upfirdn_tiles"};
    const int64_t threads = t->periods * f->up, tile = threads * t->each;
    mnp__text_add(&defines, "#define MNP_IN %s\n#define MNP_OUT %s\n#define MNP_UP %d\n#define MNP_DOWN %d\n",
                  mnp__jit_type(mnp__dtype_real(x->dtype)), mnp__jit_type(mnp__dtype_real(y->dtype)), (int)f->up,
                  (int)f->down);
    mnp__text_add(&defines, "#define MNP_TAPS %d\n#define MNP_EACH %d\n#define MNP_PERIODS %d\n", t->taps, t->each,
                  t->periods);
    MNP_TRY(mnp__ctx_kernel_of_text(ctx, &spec, &defines, NULL, &kernel));
    MNP_TRY(mnp__taps_get(ctx, f->count, f->taps, &p->taps));
    const int64_t blocks = p->lines * mnp__divide_up(p->outputs, tile);
    if (y->local_size == 0)
        return MNP_OK;
    const mnp__launch how = {.grid = {(unsigned)mnp__min(blocks, MOST_BLOCKS), 1, 1},
                             .block = {(unsigned)threads, 1, 1}};
    return ctx->device->ops->launch(ctx->device, kernel, &how, p, sizeof *p, ctx->compute);
}

/* ---- element by element ---- */

static mnp_status launch(const mnp__upfirdn *f, const mnp_array *x, const mnp__fetched *in, mnp_array *y, int axis)
{
    mnp_ctx *ctx = x->ctx;
    mnp__kernel *kernel;
    const double *taps;
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS];
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    const mnp__kernel_spec spec = {.file = "signal/filters/upfirdn.cu", .function = "upfirdn"};
    mnp_layout_box(y->layout, ctx->comm.rank, lo, extent);
    mnp_upfirdn_params p = {.in = in->data,
                            .out = y->data,
                            .count = f->count,
                            .up = f->up,
                            .down = f->down,
                            .first_in = in->first,
                            .length = in->length,
                            .first_out = f->first + lo[axis]};
    fill_lines(in, y, axis, &p);
    const tiles in_tiles = choose_tiles(f, x, axis);
    if (in_tiles.each > 0)
        return launch_tiles(f, &in_tiles, x, y, &p);
    mnp__text_add(&defines, "#define MNP_IN %s\n#define MNP_OUT %s\n#define MNP_PLAIN %d\n",
                  mnp__jit_type(mnp__dtype_real(x->dtype)), mnp__jit_type(mnp__dtype_real(y->dtype)),
                  f->up == 1 && f->down == 1);
    MNP_TRY(mnp__ctx_kernel_of_text(ctx, &spec, &defines, NULL, &kernel));
    MNP_TRY(mnp__taps_get(ctx, f->count, f->taps, &taps));
    p.taps = taps;
    if (y->local_size == 0)
        return MNP_OK;
    return mnp__ctx_launch(ctx, kernel, p.lines * p.outputs, &p, sizeof p);
}

/* ---- as a pass ---- */

static bool is_pass(const mnp__upfirdn *f, const mnp_array *x, int axis)
{
    return x->ctx->device->block_memory > 0 && f->up == 1 && f->down == 1 && f->count > 1 &&
           f->outputs == x->layout->shape[axis] && x->layout->ndim <= MNP_CONV_DIMS && x->layout->size > 0 &&
           !mnp_layout_is_cyclic(x->layout);
}

static mnp_status run_as_pass(const char *function, const mnp__upfirdn *f, const mnp_array *x, int axis,
                              mnp_array **y_p)
{
    const mnp_dtype wide = mnp_dtype_kind(x->dtype) == 'c' ? MNP_COMPLEX128 : MNP_FLOAT64;
    double *mirrored = NULL;
    MNP_TRY(MNP_AGREE(x->ctx, mnp__malloc((size_t)f->count * sizeof *mirrored, &mirrored)));
    for (int64_t j = 0; j < f->count; j++)
        mirrored[j] = f->taps[f->count - 1 - j];
    const mnp__pass pass = {.axis = axis,
                            .count = f->count,
                            .taps = mirrored,
                            .first = f->first - f->count + 1,
                            .boundary = MNP_BOUNDARY_FILL};
    const mnp__separable_spec spec = {.input = x->dtype, .output = wide, .sum = wide, .npasses = 1, .passes = &pass};
    const mnp_status st = mnp__separable_call(function, &spec, x, y_p);
    free(mirrored);
    return st;
}

/* ---- either ---- */

mnp_status mnp__upfirdn_run(const char *function, const mnp__upfirdn *filter, const mnp_array *x, int axis,
                            mnp_array **y_p)
{
    const mnp_dtype wide = mnp_dtype_kind(x->dtype) == 'c' ? MNP_COMPLEX128 : MNP_FLOAT64;
    mnp__fetched in = {.data = NULL};
    mnp_layout *layout;
    mnp__output output;
    if (is_pass(filter, x, axis))
        return run_as_pass(function, filter, x, axis, y_p);
    MNP_TRY(mnp__lines_layout(x->layout, axis, filter->outputs, &layout));
    const mnp__output_spec spec = {
        .function = function, .ctx = x->ctx, .dtype = wide, .layout = layout, .ninputs = 1, .inputs = &x};
    mnp_status st = mnp__output_open(&spec, y_p, &output);
    if (st == MNP_OK) {
        st = mnp__fetch(x, layout, axis, reach, filter, &in);
        if (st == MNP_OK)
            st = launch(filter, x, &in, output.array, axis);
        mnp__fetched_free(x->ctx, &in);
    }
    mnp_layout_free(layout);
    return mnp__output_close(1, &output, st);
}
