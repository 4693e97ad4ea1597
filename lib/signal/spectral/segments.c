/* SPDX-License-Identifier: BSD-3-Clause */
/* Launches of the kernels for segments, on what a rank fetches from others. */
#include "signal/spectral/segments.h"

#include <math.h>
#include <stdlib.h>

#include "base/dtype.h"
#include "base/integer.h"
#include "base/nest.h"
#include "base/text.h"
#include "layout/layout.h"
#include "signal/filters/constants.h"
#include "signal/filters/fetch.h"

enum { IN, OUT, OPERANDS };

/* Whether SciPy computes spectra of that dtype in single precision: result_type(dtype, complex64) is complex64. */
static bool is_single(mnp_dtype dtype)
{
    return dtype == MNP_COMPLEX64 || dtype == MNP_FLOAT32 || mnp_dtype_size(dtype) <= 2;
}

static mnp_dtype result_dtype(mnp_dtype dtype)
{
    const bool is_complex = mnp_dtype_kind(dtype) == 'c';
    if (is_single(dtype))
        return is_complex ? MNP_COMPLEX64 : MNP_FLOAT32;
    return is_complex ? MNP_COMPLEX128 : MNP_FLOAT64;
}

/* The elements that segments lo .. hi - 1 have; and the segments that elements lo .. hi - 1 lie in. */
static void reach_elements(const void *argument, int64_t lo, int64_t hi, int64_t *begin_p, int64_t *end_p)
{
    const mnp__segments *s = argument;
    *begin_p = lo * s->step + s->offset;
    *end_p = (hi - 1) * s->step + s->offset + s->size * (s->folds > 0 ? s->folds : 1);
}

static void reach_segments(const void *argument, int64_t lo, int64_t hi, int64_t *begin_p, int64_t *end_p)
{
    const mnp__segments *s = argument;
    const int64_t low = lo - s->offset - s->size + 1, high = hi - 1 - s->offset;
    *begin_p = low > 0 ? mnp__divide_up(low, s->step) : 0;
    *end_p = high < 0 ? 0 : high / s->step + 1;
    *end_p = *end_p < s->count ? *end_p : s->count;
}

void mnp__segments_lines(int ndim, int axis, const int64_t *extent, const int64_t *in, const int64_t *out,
                         int64_t reals, long long *lines_p, long long kept[MNP_SEGMENTS_DIMS],
                         long long in_kept[MNP_SEGMENTS_DIMS], long long out_kept[MNP_SEGMENTS_DIMS])
{
    int64_t stride[OPERANDS][MNP_MAX_DIMS];
    mnp__nest nest = {.count = OPERANDS, .stride = stride};
    *lines_p = reals;
    for (int d = 0; d < ndim; d++) {
        if (d == axis)
            continue;
        nest.extent[nest.ndim] = extent[d];
        stride[IN][nest.ndim] = in[d] * reals;
        stride[OUT][nest.ndim++] = out[d] * reals;
        *lines_p *= extent[d];
    }
    if (reals == 2) {
        nest.extent[nest.ndim] = 2;
        stride[IN][nest.ndim] = stride[OUT][nest.ndim] = 1;
        nest.ndim++;
    }
    mnp__nest_drop(&nest);
    mnp__nest_join(&nest);
    mnp__nest_pad(&nest, MNP_SEGMENTS_DIMS, 0);
    for (int d = 0; d < MNP_SEGMENTS_DIMS; d++) {
        kept[d] = nest.extent[d];
        in_kept[d] = stride[IN][d];
        out_kept[d] = stride[OUT][d];
    }
}

static void fill_lines(int ndim, int axis, const int64_t *extent, const int64_t *in, const int64_t *out, int64_t reals,
                       mnp_segments_params *p)
{
    mnp__segments_lines(ndim, axis, extent, in, out, reals, &p->lines, p->kept, p->in_kept, p->out_kept);
}

static mnp_status launch(mnp_ctx *ctx, const char *file, const char *kernel_name, mnp_dtype in, mnp_dtype out,
                         const mnp__segments *s, mnp_segments_params *p, int64_t units)
{
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    mnp__kernel *kernel;
    const mnp__kernel_spec spec = {.file = file, .function = kernel_name};
    mnp__text_add(&defines, "#define MNP_IN %s\n#define MNP_OUT %s\n", mnp__jit_type(mnp__dtype_real(in)),
                  mnp__jit_type(mnp__dtype_real(out)));
    MNP_TRY(mnp__ctx_kernel_of_text(ctx, &spec, &defines, NULL, &kernel));
    MNP_TRY(mnp__taps_get(ctx, s->size * (s->folds > 0 ? s->folds : 1), s->window, &p->window));
    p->scale = s->scale;
    p->detrend = s->detrend;
    p->step = s->step;
    p->offset = s->offset;
    p->size = s->size;
    p->folds = s->folds;
    return mnp__ctx_launch(ctx, kernel, units, p, sizeof *p);
}

static mnp_status cut_block(const mnp__segments *s, const mnp_array *x, int axis, const mnp_layout *numbers,
                            const mnp_array *cut)
{
    const int ndim = x->layout->ndim;
    const int64_t reals = mnp_dtype_kind(x->dtype) == 'c' ? 2 : 1;
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS];
    mnp__fetched in;
    MNP_TRY(mnp__fetch(x, numbers, axis, reach_elements, s, &in));
    mnp_layout_box(numbers, x->ctx->comm.rank, lo, extent);
    mnp_segments_params p = {.in = in.data,
                             .out = cut->data,
                             .first = in.first,
                             .length = in.length,
                             .first_segment = lo[axis],
                             .count = cut->local_shape[axis],
                             .along = in.strides[axis] * reals,
                             .segment = cut->local_strides[axis] * reals,
                             .within = cut->local_strides[ndim] * reals};
    fill_lines(ndim, axis, cut->local_shape, in.strides, cut->local_strides, reals, &p);
    const int64_t units = cut->local_size > 0 ? p.lines * p.count * 32 : 0; /* a warp takes a segment */
    mnp_status st = launch(x->ctx, "signal/spectral/segments.cu", "segments", x->dtype, cut->dtype, s, &p, units);
    mnp__fetched_free(x->ctx, &in);
    return st;
}

mnp_status mnp__segments_cut(const char *function, const mnp__segments *segments, const mnp_array *x, int axis,
                             mnp_array **cut_p)
{
    const int ndim = x->layout->ndim;
    mnp__layout_dim dims[MNP_MAX_DIMS];
    mnp_layout *numbers = NULL, *layout = NULL;
    mnp_array *cut = NULL;
    mnp_status st;
    if (ndim == MNP_MAX_DIMS)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "%s: x has %d dimensions, and segments need one more", function, ndim);
    MNP_TRY_OR(mnp__lines_layout(x->layout, axis, segments->count, &numbers), st, done);
    for (int d = 0; d < ndim; d++)
        dims[d] = mnp__layout_dim_of(numbers, d);
    dims[ndim] = mnp__layout_dim_whole(segments->size);
    MNP_TRY_OR(mnp__layout_derive(numbers, ndim + 1, dims, &layout), st, done);
    MNP_TRY_OR(mnp_array_new(x->ctx, result_dtype(x->dtype), layout, &cut), st, done);
    st = cut_block(segments, x, axis, numbers, cut);
done:
    mnp_layout_free(numbers);
    mnp_layout_free(layout);
    if (st == MNP_OK)
        *cut_p = cut;
    else
        mnp_array_free(cut);
    return st;
}

/* ---- spectra ---- */

enum { LEAST_POINTS = 64, MOST_POINTS = 4096, WARP = 32, TEAM_THREADS = 128 };

bool mnp__segments_fit(const mnp__segments *s, int64_t nfft, const mnp_array *x)
{
    return x->ctx->device->block_memory > 0 && mnp_dtype_kind(x->dtype) != 'c' && s->folds == 0 && s->count > 0 &&
           nfft >= LEAST_POINTS && nfft <= MOST_POINTS && (nfft & (nfft - 1)) == 0 && x->layout->ndim < MNP_MAX_DIMS;
}

/* exp(-2 pi i k / n) for all k, from an eighth of the circle; *turns_p is malloc'ed. */
static mnp_status make_turns(int64_t n, double **turns_p)
{
    const double step = 2 * 3.14159265358979323846 / (double)n;
    double *t;
    MNP_TRY(mnp__malloc((size_t)(2 * n) * sizeof *t, &t));
    for (int64_t k = 0; k <= n / 8; k++) {
        const double c = cos(step * (double)k), s = sin(step * (double)k);
        const int64_t quarter = n / 4;
        const double re[] = {c, s, -s, -c, -c, -s, s, c}, im[] = {-s, -c, -c, -s, s, c, c, s};
        const int64_t at[] = {k,         quarter - k,     quarter + k,     2 * quarter - k,
                              n / 2 + k, 3 * quarter - k, 3 * quarter + k, (n - k) % n};
        for (int i = 0; i < 8; i++) {
            t[2 * at[i]] = re[i];
            t[2 * at[i] + 1] = im[i];
        }
    }
    *turns_p = t;
    return MNP_OK;
}

static mnp_status launch_spectra(const mnp__segments *s, const mnp__segment_spectra *wanted, const mnp_array *x,
                                 const mnp_array *y, mnp_segments_params *p)
{
    const int64_t team = wanted->nfft / 8, teams = team < WARP ? TEAM_THREADS / team : team == WARP ? 4 : 1;
    mnp_ctx *ctx = x->ctx;
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    mnp__kernel *kernel;
    double *turns = NULL;
    const mnp__kernel_spec spec = {.file = "signal/spectral/segment_spectra.cu", .function = "segment_spectra"};
    mnp__text_add(&defines, "#define MNP_IN %s\n#define MNP_OUT %s\n#define MNP_SIZE %d\n", mnp__jit_type(x->dtype),
                  mnp__jit_type(mnp__dtype_real(y->dtype)), (int)wanted->nfft);
    mnp__text_add(&defines, "#define MNP_WHAT %d\n#define MNP_TEAMS %d\n", wanted->what, (int)teams);
    MNP_TRY(mnp__ctx_kernel_of_text(ctx, &spec, &defines, NULL, &kernel));
    MNP_TRY(mnp__taps_get(ctx, s->size, s->window, &p->window));
    mnp_status st = MNP_AGREE(ctx, make_turns(wanted->nfft, &turns));
    if (st == MNP_OK)
        st = mnp__taps_get(ctx, 2 * wanted->nfft, turns, &p->turns);
    free(turns);
    const int64_t blocks = mnp__divide_up(p->lines * p->chunks, teams);
    if (st != MNP_OK || blocks == 0)
        return st;
    const mnp__launch how = {.grid = {(unsigned)blocks, 1, 1}, .block = {(unsigned)(teams * team), 1, 1}};
    return ctx->device->ops->launch(ctx->device, kernel, &how, p, sizeof *p, ctx->compute);
}

/* Into how many chunks, of all ranks, the segments of a line are divided if powers are added up. */
static int64_t count_sums(const mnp__segments *s, const mnp_array *x, int axis)
{
    enum { WANTED = 4096 };
    const int64_t length = x->layout->shape[axis], lines = x->layout->size / length;
    const int64_t ranks = mnp_layout_parts(x->layout, axis), most = mnp__divide_up(s->count, ranks);
    int64_t chunks = WANTED / (lines > 0 ? lines : 1);
    chunks = chunks < 1 ? 1 : chunks > most ? most : chunks;
    return chunks * ranks == length ? (chunks + 1) * ranks : chunks * ranks; /* then all ranks have as many */
}

static mnp_status transform_block(const mnp__segments *s, const mnp__segment_spectra *wanted, const mnp_array *x,
                                  int axis, const mnp_layout *numbers, const mnp_array *y)
{
    enum { WANTED = 1 << 15 };
    const int ndim = x->layout->ndim;
    const int64_t reals = wanted->what == MNP_SPECTRA ? 2 : 1;
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS], strides[MNP_MAX_DIMS];
    mnp__fetched in;
    MNP_TRY(mnp__fetch(x, numbers, axis, reach_elements, s, &in));
    mnp_layout_box(numbers, x->ctx->comm.rank, lo, extent);
    for (int d = 0; d < ndim; d++)
        strides[d] = y->local_strides[d] * reals;
    mnp_segments_params p = {.in = in.data,
                             .out = y->data,
                             .scale = s->scale,
                             .detrend = s->detrend,
                             .first = in.first,
                             .length = in.length,
                             .first_segment = lo[axis],
                             .count = extent[axis],
                             .step = s->step,
                             .offset = s->offset,
                             .size = s->size,
                             .along = in.strides[axis],
                             .segment = strides[axis],
                             .within = y->local_strides[ndim] * reals,
                             .twice = wanted->twice,
                             .power = wanted->power};
    fill_lines(ndim, axis, extent, in.strides, strides, 1, &p);
    p.chunks = y->local_shape[axis];
    if (wanted->what != MNP_POWER_SUMS && p.lines * p.chunks > WANTED)
        p.chunks = p.lines < WANTED ? WANTED / p.lines : 1;
    const mnp_status st = launch_spectra(s, wanted, x, y, &p);
    mnp__fetched_free(x->ctx, &in);
    return st;
}

mnp_status mnp__segments_spectra(const char *function, const mnp__segments *segments,
                                 const mnp__segment_spectra *wanted, const mnp_array *x, int axis, mnp_array **y_p)
{
    const int ndim = x->layout->ndim;
    const bool single = is_single(x->dtype);
    mnp__layout_dim dims[MNP_MAX_DIMS];
    mnp_layout *numbers = NULL, *items = NULL, *layout = NULL;
    mnp_array *y = NULL;
    mnp_status st;
    (void)function;
    const int64_t count = wanted->what == MNP_POWER_SUMS ? count_sums(segments, x, axis) : segments->count;
    MNP_TRY_OR(mnp__lines_layout(x->layout, axis, segments->count, &numbers), st, done);
    MNP_TRY_OR(mnp__lines_layout(x->layout, axis, count, &items), st, done);
    for (int d = 0; d < ndim; d++)
        dims[d] = mnp__layout_dim_of(items, d);
    dims[ndim] = mnp__layout_dim_whole(wanted->nfft / 2 + 1);
    MNP_TRY_OR(mnp__layout_derive(items, ndim + 1, dims, &layout), st, done);
    const mnp_dtype dtype = wanted->what == MNP_SPECTRA ? single ? MNP_COMPLEX64 : MNP_COMPLEX128
                            : single                    ? MNP_FLOAT32
                                                        : MNP_FLOAT64;
    MNP_TRY_OR(mnp_array_new(x->ctx, dtype, layout, &y), st, done);
    st = transform_block(segments, wanted, x, axis, numbers, y);
done:
    mnp_layout_free(numbers);
    mnp_layout_free(items);
    mnp_layout_free(layout);
    if (st == MNP_OK)
        *y_p = y;
    else
        mnp_array_free(y);
    return st;
}

/* ---- back ---- */

mnp_status mnp__segments_add(const char *function, const mnp__segments *segments, const mnp_array *cut, int axis,
                             int64_t length, mnp_array **y_p)
{
    const int ndim = cut->layout->ndim - 1;
    const int64_t reals = mnp_dtype_kind(cut->dtype) == 'c' ? 2 : 1;
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS];
    mnp__layout_dim dims[MNP_MAX_DIMS];
    mnp_layout *elements = NULL, *layout = NULL;
    mnp_array *y = NULL;
    mnp__fetched in = {.data = NULL};
    mnp_status st;
    (void)function;
    MNP_TRY_OR(mnp__lines_layout(cut->layout, axis, length, &elements), st, done);
    for (int d = 0; d < ndim; d++)
        dims[d] = mnp__layout_dim_of(elements, d);
    MNP_TRY_OR(mnp__layout_derive(elements, ndim, dims, &layout), st, done);
    MNP_TRY_OR(mnp_array_new(cut->ctx, cut->dtype, layout, &y), st, done);
    MNP_TRY_OR(mnp__fetch(cut, elements, axis, reach_segments, segments, &in), st, done);
    mnp_layout_box(layout, cut->ctx->comm.rank, lo, extent);
    mnp_segments_params p = {.in = in.data,
                             .out = y->data,
                             .first = lo[axis],
                             .length = y->local_shape[axis],
                             .first_segment = in.first,
                             .count = in.length,
                             .along = y->local_strides[axis] * reals,
                             .segment = in.strides[axis] * reals,
                             .within = in.strides[ndim] * reals};
    fill_lines(ndim, axis, y->local_shape, in.strides, y->local_strides, reals, &p);
    st = launch(cut->ctx, "signal/spectral/overlap_add.cu", "overlap_add", cut->dtype, y->dtype, segments, &p,
                y->local_size * reals);
done:
    mnp__fetched_free(cut->ctx, &in);
    mnp_layout_free(elements);
    mnp_layout_free(layout);
    if (st == MNP_OK)
        *y_p = y;
    else
        mnp_array_free(y);
    return st;
}
