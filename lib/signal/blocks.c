/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Convolution by Fourier transforms of blocks: their shapes, and the transforms, by a library or, on GPUs, by paired.c.
 */
#include "signal/blocks.h"

#include <maniple/fft.h>
#include <maniple/ufunc.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "array/boxes.h"
#include "base/dtype.h"
#include "device/launch.h"
#include "kernels/signal/blocks_params.h"
#include "signal/extended.h"
#include "signal/paired.h"

enum {
    HOST_BYTES = 4 << 20, /* of the windows that are worked on at a time: some of the cache */
    GPU_BYTES = 256 << 20,
    BATCH_WIDTH = 64 /* elements of a row of a window along a dimension that is not transformed */
};

/*
 * The transforms of a direction: of the last dimension, real where the sums are, and of the others, in place; or the
 * first one is of all dimensions, which is what libraries for GPUs are quicker at.  Where the device filters by itself
 * along the first one that is transformed, it is of all but that one.
 */
typedef struct transform {
    mnp__device_fft *last, *others;
} transform;

struct mnp__blocks {
    mnp__extended in;
    mnp_dtype sum, spectral; /* spectral: the complex type of the same precision */
    mnp_dtype element;       /* of windows: sum, but of pairs of windows spectral */
    mnp__blocks_shape shape;
    int last; /* the dimension whose spectrum is halved where sums are real; otherwise the last transformed one */
    int64_t spectrum[MNP_CONV_DIMS]; /* extents of a window's spectrum */
    transform forward, backward;
    mnp__device_fft *filtering; /* along the first dimension, instead of `multiply`; NULL where the device cannot */
    mnp__kernel *place;         /* brings the taps to their window */
    mnp__kernel *load, *multiply, *store;
    mnp__paired paired;
    void *windows, *spectra, *filter, *work; /* device memory */
    mnp_blocks_params params;
    mnp_spectrum_params spectrum_params;
};

/* ---- shapes ---- */

int64_t mnp__fast_length(int64_t n)
{
    const int64_t unit = n > 32 ? 4 : n > 2 ? 2 : 1;
    int64_t units = mnp__divide_up(n, unit), least = units;
    while (unit > 1 && mnp_next_fast_len(units, false, &least) == MNP_OK && least % 11 == 0)
        units = least + 1;
    return unit * least;
}

/*
 * The least length of a window for n outputs and k taps, where so many elements at either end are 0: what a transform
 * wraps around may then be outputs, since nothing is added to them.
 */
static int64_t least_window(int64_t n, int64_t k, int64_t zeros)
{
    return mnp__max(n + k - 1 - zeros, k);
}

int64_t mnp__whole_length(const mnp__conv_geometry *geometry, int d)
{
    return mnp__fast_length(least_window(geometry->output->shape[d], geometry->taps[d], geometry->zeros[d]));
}

/*
 * The length of windows along an axis of n outputs and k taps: of the powers of two and the length that needs one block
 * the one with the fewest operations.
 */
static int64_t choose_window(int64_t n, int64_t k, int64_t zeros, bool whole)
{
    const double passes = 6; /* loading, multiplying and storing an element, in units of a step of a transform */
    int64_t best = mnp__fast_length(least_window(n, k, zeros));
    double least = (double)best * (log2((double)best) + passes);
    for (int64_t length = 16; !whole && length < best; length *= 2) {
        if (length < 2 * k)
            continue;
        const double cost = (double)(mnp__divide_up(n, length - k + 1) * length) * (log2((double)length) + passes);
        if (cost < least) {
            least = cost;
            best = length;
        }
    }
    return best;
}

void mnp__blocks_choose(const mnp_ctx *ctx, const mnp__conv_geometry *geometry, bool whole, mnp__blocks_shape *shape)
{
    bool any = false;
    for (int j = 0; j < MNP_CONV_DIMS; j++) {
        const int64_t taps = geometry->order[j] < 0 ? 1 : geometry->taps[geometry->order[j]];
        shape->transformed[j] = taps > 1 || (j == MNP_CONV_DIMS - 1 && !any);
        any = any || shape->transformed[j];
    }
    shape->paired = !whole && mnp__paired_suits(ctx, geometry, shape->transformed);
    for (int j = 0; j < MNP_CONV_DIMS; j++) {
        const int d = geometry->order[j];
        const int64_t taps = d < 0 ? 1 : geometry->taps[d];
        const int64_t parts = d < 0 ? 1 : mnp_layout_parts(geometry->output, d);
        const int64_t n = d < 0 ? 1 : mnp__divide_up(geometry->output->shape[d], parts);
        const int64_t zeros = d < 0 || parts > 1 || shape->paired ? 0 : geometry->zeros[d];
        if (shape->transformed[j])
            shape->window[j] = shape->paired ? mnp__paired_window(n, taps, !shape->transformed[2])
                                             : choose_window(n, taps, zeros, whole);
        else
            shape->window[j] = j < 2 || shape->paired ? 1 : n < BATCH_WIDTH ? n : BATCH_WIDTH;
        const int64_t unspoilt = shape->window[j] - taps + 1; /* outputs that nothing is wrapped around to */
        shape->step[j] = shape->window[j] >= least_window(n, taps, zeros) ? mnp__max(n, unspoilt) : unspoilt;
    }
}

static int64_t product(const int64_t *extent)
{
    int64_t size = 1;
    for (int j = 0; j < MNP_CONV_DIMS; j++)
        size *= extent[j];
    return size;
}

/* ---- transforms ---- */

/*
 * The stride that an index of dimension j has in `count` windows, or in their spectra.  The windows' number, j = COUNT,
 * comes before the last dimension: so all elements along one of the others are equally far apart, in all windows.
 */
enum { COUNT = MNP_CONV_DIMS };
static const int inner_first[] = {3, COUNT, 2, 1, 0};
static int64_t stride_of(const int64_t *extent, int64_t count, int j)
{
    int64_t stride = j == MNP_CONV_DIMS - 1 ? 1 : extent[MNP_CONV_DIMS - 1];
    for (int k = MNP_CONV_DIMS - 2; j < MNP_CONV_DIMS - 1 && k > j; k--)
        stride *= extent[k];
    return j < MNP_CONV_DIMS - 1 ? stride * count : stride;
}

/* A dimension that is not transformed, joined with the one before it if they follow one another in memory. */
static void add_batch(mnp__fft_spec *spec, mnp__fft_dim dim)
{
    mnp__fft_dim *inner = spec->nbatch > 0 ? &spec->batch[spec->nbatch - 1] : NULL;
    if (dim.extent == 1)
        return;
    if (inner && dim.in == inner->extent * inner->in && dim.out == inner->extent * inner->out)
        inner->extent *= dim.extent;
    else
        spec->batch[spec->nbatch++] = dim;
}

/* Which dimensions a transform is of. */
typedef enum scope { OF_LAST, OF_OTHERS, OF_ALL, OF_INNER } scope; /* inner: all but the first one */

static int first_transformed(const mnp__blocks_shape *shape)
{
    int first = 0;
    while (!shape->transformed[first])
        first++;
    return first;
}

static bool is_in_scope(const mnp__blocks *blocks, scope of, int j)
{
    switch (of) {
    case OF_LAST:
        return j == blocks->last;
    case OF_OTHERS:
        return j != blocks->last;
    case OF_INNER:
        return j != first_transformed(&blocks->shape);
    default:
        return true;
    }
}

/* One of the transforms of a direction; nothing if there is no other dimension. */
static mnp_status add_transform(mnp__blocks *blocks, scope of, bool inverse, int64_t count, mnp__device_fft **fft_p,
                                size_t *work)
{
    const mnp__blocks_shape *shape = &blocks->shape;
    const bool of_last = of != OF_OTHERS, real = of_last && blocks->element != blocks->spectral;
    mnp__fft_spec spec = {.kind = !real     ? MNP__FFT_COMPLEX
                                  : inverse ? MNP__FFT_TO_REAL
                                            : MNP__FFT_FROM_REAL,
                          .is_double = blocks->spectral == MNP_COMPLEX128,
                          .inverse = inverse,
                          .in_place = !of_last,
                          .scale = 1};
    const int64_t *in = of_last && !inverse ? shape->window : blocks->spectrum;
    const int64_t *out = of_last && inverse ? shape->window : blocks->spectrum;
    for (int i = 0; i <= MNP_CONV_DIMS; i++) {
        const int j = inner_first[i];
        const bool transforms = j != COUNT && shape->transformed[j] && is_in_scope(blocks, of, j);
        const int64_t extent = j == COUNT ? count : transforms ? shape->window[j] : blocks->spectrum[j];
        const mnp__fft_dim dim = {extent, stride_of(in, count, j), stride_of(out, count, j)};
        if (!transforms) {
            add_batch(&spec, dim);
            continue;
        }
        memmove(spec.dims + 1, spec.dims, (size_t)spec.rank++ * sizeof *spec.dims); /* the innermost one is the last */
        spec.dims[0] = dim;
    }
    if (spec.rank == 0)
        return MNP_OK;
    size_t needs = 0;
    MNP_TRY(blocks->in.ctx->device->ops->fft_new(blocks->in.ctx->device, &spec, fft_p, &needs));
    *work = needs > *work ? needs : *work;
    return MNP_OK;
}

static int count_transformed(const mnp__blocks_shape *shape)
{
    int ndim = 0;
    for (int j = 0; j < MNP_CONV_DIMS; j++)
        ndim += shape->transformed[j];
    return ndim;
}

/* Whether a direction has one transform, of all dimensions or of those that are not filtered. */
static bool is_at_once(const mnp__blocks *blocks)
{
    return !blocks->in.ctx->device->cpu_memory && count_transformed(&blocks->shape) <= MNP__FFT_RANK;
}

/* Plan the filtering along the first of several dimensions, where the device can do it. */
static mnp_status plan_filtering(mnp__blocks *blocks, int64_t count)
{
    mnp__device *device = blocks->in.ctx->device;
    const int first = first_transformed(&blocks->shape);
    mnp__fft_spec spec = {
        .is_double = blocks->spectral == MNP_COMPLEX128, .in_place = true, .scale = 1, .filters = true};
    size_t none;
    if (!device->ops->fft_filters || !is_at_once(blocks) || count_transformed(&blocks->shape) < 2)
        return MNP_OK;
    for (int i = 0; i <= MNP_CONV_DIMS; i++) {
        const int j = inner_first[i];
        const int64_t by = j == COUNT ? 0 : blocks->spectrum_params.stride[j];
        const mnp__fft_dim dim = {j == COUNT ? count : blocks->spectrum[j], stride_of(blocks->spectrum, count, j), by};
        if (j == first)
            spec.dims[spec.rank++] = dim;
        else
            add_batch(&spec, dim);
    }
    return device->ops->fft_filters(device, &spec) ? device->ops->fft_new(device, &spec, &blocks->filtering, &none)
                                                   : MNP_OK;
}

static mnp_status add_transforms(mnp__blocks *blocks, bool inverse, int64_t count, transform *t, size_t *work)
{
    if (is_at_once(blocks))
        return add_transform(blocks, blocks->filtering ? OF_INNER : OF_ALL, inverse, count, &t->last, work);
    MNP_TRY(add_transform(blocks, OF_LAST, inverse, count, &t->last, work));
    return add_transform(blocks, OF_OTHERS, inverse, count, &t->others, work);
}

static void free_transforms(mnp__device *device, transform *t)
{
    device->ops->fft_free(device, t->last);
    device->ops->fft_free(device, t->others);
    *t = (transform){NULL, NULL};
}

static mnp_status run_transform(mnp__blocks *blocks, const transform *t, bool inverse)
{
    mnp_ctx *ctx = blocks->in.ctx;
    mnp_status (*execute)(mnp__device *, mnp__device_fft *, void *, void *, void *, mnp__stream *) =
        ctx->device->ops->fft_execute;
    void *spectra = blocks->spectra;
    if (inverse && t->others)
        MNP_TRY(execute(ctx->device, t->others, spectra, spectra, blocks->work, ctx->compute));
    MNP_TRY(execute(ctx->device, t->last, inverse ? spectra : blocks->windows, inverse ? blocks->windows : spectra,
                    blocks->work, ctx->compute));
    if (!inverse && t->others)
        MNP_TRY(execute(ctx->device, t->others, spectra, spectra, blocks->work, ctx->compute));
    return MNP_OK;
}

/* ---- planning ---- */

static void fill_params(mnp__blocks *blocks)
{
    const mnp__conv_geometry *geometry = &blocks->in.geometry;
    const mnp__conv_share *share = &blocks->in.share;
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS], strides[MNP_MAX_DIMS];
    mnp_blocks_params *p = &blocks->params;
    mnp_layout_box(geometry->output, blocks->in.ctx->comm.rank, lo, extent);
    mnp__dense_strides(geometry->ndim, extent, strides);
    p->total = 1;
    for (int j = 0; j < MNP_CONV_DIMS; j++) {
        const int d = geometry->order[j];
        p->window[j] = blocks->shape.window[j];
        p->step[j] = blocks->shape.step[j];
        p->skip[j] = (d < 0 ? 1 : geometry->taps[d]) - 1;
        p->out_extent[j] = share->out_extent[j];
        p->out_stride[j] = d < 0 ? 0 : strides[d];
        p->grid[j] = mnp__divide_up(share->out_extent[j], p->step[j]);
        p->total *= p->grid[j];
        blocks->spectrum[j] =
            j == blocks->last && blocks->element != blocks->spectral ? p->window[j] / 2 + 1 : p->window[j];
    }
}

/* How many blocks are worked on at a time, and the elements of the buffer for their windows. */
static int64_t choose_count(const mnp__blocks *blocks, int64_t *elements)
{
    if (blocks->shape.paired)
        return mnp__paired_count(&blocks->paired, blocks->shape.window, blocks->spectral, blocks->params.total,
                                 elements);
    const int64_t bytes = product(blocks->spectrum) * (int64_t)mnp_dtype_size(blocks->spectral);
    const int64_t room = blocks->in.ctx->device->cpu_memory ? HOST_BYTES : GPU_BYTES;
    const int64_t most = bytes < room ? room / bytes : 1;
    const int64_t rounds = mnp__divide_up(blocks->params.total, most);
    const int64_t count = rounds > 0 ? mnp__divide_up(blocks->params.total, rounds) : 1;
    *elements = count * product(blocks->shape.window);
    return count;
}

/* Divide the taps by the number of points of a window, as transforms are not scaled.  Collective. */
static mnp_status scale_taps(const mnp__blocks_shape *shape, mnp_array *taps)
{
    double points = 1;
    for (int j = 0; j < MNP_CONV_DIMS; j++)
        points *= shape->transformed[j] ? (double)shape->window[j] : 1;
    return mnp_multiply(taps, mnp_scalar_float(taps->ctx, 1 / points), &taps);
}

/* The filter in a window of its own, not reversed, with zeros behind it along every dimension. */
static mnp_status pad_filter(const mnp__blocks *one, const mnp_array *taps)
{
    mnp_ctx *ctx = one->in.ctx;
    mnp__device *device = ctx->device;
    const size_t size = mnp_dtype_size(one->element), from_size = mnp_dtype_size(one->sum);
    int64_t from[MNP_CONV_DIMS], to[MNP_CONV_DIMS];
    for (int j = 0; j < MNP_CONV_DIMS; j++)
        from[j] = -taps->local_strides[j];
    mnp__dense_strides(MNP_CONV_DIMS, one->shape.window, to);
    const mnp__one_box box = mnp__one_box_of(MNP_CONV_DIMS, taps->local_shape, from, to);
    const char *last = (const char *)taps->data + (size_t)(taps->local_size - 1) * from_size;
    MNP_TRY(device->ops->fill(device, one->windows, 0, (size_t)product(one->shape.window) * size, ctx->compute));
    return mnp__one_box_copy(ctx, one->place, &box, one->element == one->sum ? size : 0, last, one->windows,
                             ctx->compute);
}

/* Transform the filter: as the windows are, but one window, and one element along each dimension of a batch. */
static mnp_status make_filter(mnp__blocks *blocks, const mnp_array *taps)
{
    mnp_ctx *ctx = blocks->in.ctx;
    mnp__device *device = ctx->device;
    mnp__blocks one = *blocks;
    size_t work = 0;
    mnp_status st;
    one.forward = (transform){NULL, NULL};
    one.work = NULL;
    for (int j = 0; j < MNP_CONV_DIMS; j++)
        if (!one.shape.transformed[j])
            one.shape.window[j] = one.spectrum[j] = 1;
    for (int j = 0; j < MNP_CONV_DIMS; j++) {
        blocks->spectrum_params.extent[j] = blocks->spectrum[j];
        blocks->spectrum_params.stride[j] = one.shape.transformed[j] ? stride_of(one.spectrum, 1, j) : 0;
    }
    MNP_TRY(device->ops->alloc(device, (size_t)product(one.spectrum) * mnp_dtype_size(one.spectral), &blocks->filter));
    one.spectra = blocks->filter;
    MNP_TRY_OR(add_transforms(&one, false, 1, &one.forward, &work), st, done);
    MNP_TRY_OR(device->ops->alloc(device, work, &one.work), st, done);
    MNP_TRY_OR(pad_filter(&one, taps), st, done);
    MNP_TRY_OR(run_transform(&one, &one.forward, false), st, done);
    st = mnp__ctx_wait(ctx, ctx->compute);
done:
    device->ops->free(device, one.work);
    free_transforms(device, &one.forward);
    return st;
}

/* The library's transforms of `count` windows, and memory for their spectra. */
static mnp_status prepare_transforms(mnp__blocks *blocks, int64_t count)
{
    mnp__device *device = blocks->in.ctx->device;
    const size_t spectra = (size_t)(count * product(blocks->spectrum)) * mnp_dtype_size(blocks->spectral);
    size_t work = 0;
    MNP_TRY(device->ops->alloc(device, spectra, &blocks->spectra));
    MNP_TRY(plan_filtering(blocks, count));
    MNP_TRY(add_transforms(blocks, false, count, &blocks->forward, &work));
    MNP_TRY(add_transforms(blocks, true, count, &blocks->backward, &work));
    return device->ops->alloc(device, work, &blocks->work);
}

/* The steps that can fail on one rank alone. */
static mnp_status prepare(mnp__blocks *blocks, const mnp_array *taps)
{
    mnp__device *device = blocks->in.ctx->device;
    const bool paired = blocks->shape.paired;
    fill_params(blocks);
    int64_t elements;
    const int64_t count = choose_count(blocks, &elements);
    const size_t windows = (size_t)elements * mnp_dtype_size(blocks->element);
    blocks->params.count = blocks->spectrum_params.count = count;
    MNP_TRY(device->ops->alloc(device, windows, &blocks->windows));
    MNP_TRY(make_filter(blocks, taps));
    if (!paired)
        MNP_TRY(prepare_transforms(blocks, count));
    blocks->params.windows = blocks->windows;
    blocks->spectrum_params.spectra = paired ? blocks->windows : blocks->spectra;
    blocks->spectrum_params.filter = blocks->filter;
    return MNP_OK;
}

static mnp_status load_kernel(mnp_ctx *ctx, const char *file, const char *function, const char *name, mnp_dtype type,
                              const char *other_name, mnp_dtype other, mnp__kernel **kernel_p)
{
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    const mnp__kernel_spec spec = {.file = file, .function = function};
    mnp__text_add(&defines, "#define %s %s\n", name, mnp__jit_type(type));
    if (other_name)
        mnp__text_add(&defines, "#define %s %s\n", other_name, mnp__jit_type(other));
    return mnp__ctx_kernel_of_text(ctx, &spec, &defines, NULL, kernel_p);
}

static mnp_status load_kernels(mnp_ctx *ctx, const mnp__blocks_spec *spec, mnp__blocks *blocks)
{
    const mnp_dtype moving = mnp__moving_dtype(spec->sum);
    const bool converts = blocks->element != spec->sum;
    MNP_TRY(mnp__copy_kernel(ctx, converts ? spec->sum : moving, converts ? blocks->element : moving, &blocks->place));
    if (blocks->shape.paired)
        return mnp__paired_load(ctx, spec, &blocks->shape, &blocks->paired);
    MNP_TRY(load_kernel(ctx, "signal/blocks_load.cu", "blocks_load", "MNP_IN", spec->input, "MNP_SUM", spec->sum,
                        &blocks->load));
    MNP_TRY(load_kernel(ctx, "signal/spectrum_multiply.cu", "spectrum_multiply", "MNP_VALUE", blocks->spectral, NULL,
                        MNP_DTYPE_AUTO, &blocks->multiply));
    return load_kernel(ctx, "signal/blocks_store.cu", "blocks_store", "MNP_SUM", spec->sum, "MNP_OUT", spec->output,
                       &blocks->store);
}

mnp_status mnp__blocks_new(mnp_ctx *ctx, mnp__conv_geometry *geometry, const mnp__blocks_spec *spec,
                           mnp__blocks **blocks_p)
{
    mnp__blocks *blocks = NULL;
    mnp_status st = MNP_AGREE(ctx, mnp__calloc(1, sizeof *blocks, &blocks));
    if (st != MNP_OK)
        goto fail;
    blocks->in.ctx = ctx;
    blocks->sum = spec->sum;
    blocks->spectral = mnp__dtype_is_single(spec->sum) ? MNP_COMPLEX64 : MNP_COMPLEX128;
    mnp__blocks_choose(ctx, geometry, spec->whole, &blocks->shape);
    blocks->element = blocks->shape.paired ? blocks->spectral : blocks->sum;
    for (int j = 0; j < MNP_CONV_DIMS; j++)
        blocks->last = blocks->shape.transformed[j] ? j : blocks->last;
    MNP_TRY_OR(load_kernels(ctx, spec, blocks), st, fail);
    MNP_TRY_OR(mnp__extended_open(ctx, spec->input, geometry, spec->boundaries, spec->fill, &blocks->in), st, fail);
    MNP_TRY_OR(scale_taps(&blocks->shape, spec->taps), st, fail);
    MNP_TRY_OR(MNP_AGREE(ctx, prepare(blocks, spec->taps)), st, fail);
    *blocks_p = blocks;
    return MNP_OK;
fail:
    mnp__conv_geometry_free(geometry);
    mnp__blocks_free(blocks);
    return st;
}

void mnp__blocks_free(mnp__blocks *blocks)
{
    if (!blocks)
        return;
    mnp_ctx *ctx = blocks->in.ctx;
    if (ctx) {
        mnp__device *device = ctx->device;
        void *const memory[] = {blocks->windows, blocks->spectra, blocks->filter, blocks->work};
        for (int i = 0; i < 4; i++)
            device->ops->free(device, memory[i]);
        free_transforms(device, &blocks->forward);
        free_transforms(device, &blocks->backward);
        device->ops->fft_free(device, blocks->filtering);
    }
    mnp__extended_close(&blocks->in);
    free(blocks);
}

/* ---- execution ---- */

/* A launch of one warp for every piece of the rows of boxes of an extent. */
static mnp_status launch(mnp_ctx *ctx, mnp__kernel *kernel, int64_t boxes, const long long *extent, const void *params,
                         size_t size)
{
    const int64_t rows = boxes * extent[0] * extent[1] * extent[2];
    const mnp__launch launch = mnp__launch_of(32 * rows * mnp_row_pieces(extent[3]));
    return ctx->device->ops->launch(ctx->device, kernel, &launch, params, size, ctx->compute);
}

mnp_status mnp__blocks_run(mnp__blocks *blocks, const void *x, void *y)
{
    mnp_ctx *ctx = blocks->in.ctx;
    mnp_blocks_params p = blocks->params;
    const mnp_spectrum_params s = blocks->spectrum_params;
    p.in = mnp__extended_of(&blocks->in, x);
    p.out = y;
    MNP_TRY(mnp__mover_run(blocks->in.mover, x, blocks->in.ring));
    for (p.first = 0; p.first < p.total; p.first += p.count) {
        if (blocks->shape.paired) {
            MNP_TRY(mnp__paired_run(ctx, &blocks->paired, &p, &s));
            continue;
        }
        MNP_TRY(launch(ctx, blocks->load, p.count, p.window, &p, sizeof p));
        MNP_TRY(run_transform(blocks, &blocks->forward, false));
        if (blocks->filtering)
            MNP_TRY(ctx->device->ops->fft_execute(ctx->device, blocks->filtering, blocks->spectra, blocks->filter, NULL,
                                                  ctx->compute));
        else
            MNP_TRY(launch(ctx, blocks->multiply, s.count, s.extent, &s, sizeof s));
        MNP_TRY(run_transform(blocks, &blocks->backward, true));
        MNP_TRY(launch(ctx, blocks->store, p.count, p.step, &p, sizeof p));
    }
    return MNP_OK;
}
