/* SPDX-License-Identifier: BSD-3-Clause */
/* Analytic signals, trends, changes of the rate, and the chirp transform: made of transforms and filters. */
#include <complex.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <maniple/create.h>
#include <maniple/eval.h>
#include <maniple/fft.h>
#include <maniple/filter_design.h>
#include <maniple/filters.h>
#include <maniple/join.h>
#include <maniple/reduce.h>
#include <maniple/spectral.h>
#include <maniple/ufunc.h>

#include "array/input.h"
#include "array/output.h"
#include "array/view.h"
#include "base/dtype.h"
#include "base/integer.h"
#include "layout/layout.h"
#include "signal/filters/filters.h"
#include "signal/filters/upfirdn.h"
#include "signal/spectral/segments.h"

#define PI 3.14159265358979323846

static mnp_status begin(const char *function, const mnp_array *x, int axis, int *axis_p)
{
    MNP_TRY(mnp__inputs_check(function, 1, &x));
    return mnp__view_axis(function, x->layout->ndim, axis, axis_p);
}

/* Multiply elements begin .. end - 1 along an axis by a number, in place. */
static mnp_status multiply_part(const mnp_array *x, int axis, int64_t first, int64_t end, double factor)
{
    mnp_array *part = NULL;
    if (end <= first)
        return MNP_OK;
    MNP_TRY(mnp__lines_part(x, axis, first, end, 1, &part));
    mnp_array *target = part;
    mnp_status st = mnp_multiply(part, mnp_scalar_float(x->ctx, factor), &target);
    mnp_array_free(part);
    return st;
}

/* ---- analytic signals ---- */

/* From the first n elements of x, whose Hilbert transform is real: half of the transforms' numbers are enough. */
static mnp_status analytic(const mnp_array *x, int64_t n, int axis, mnp_array **y_p)
{
    mnp_array *part = NULL, *spectrum = NULL, *h = NULL, *target;
    mnp_status st;
    MNP_TRY_OR(mnp__lines_part(x, axis, 0, n, 1, &part), st, done);
    MNP_TRY_OR(mnp_rfft(part, n, axis, NULL, &spectrum), st, done);
    target = spectrum;
    MNP_TRY_OR(mnp_multiply(spectrum, mnp_scalar_complex(x->ctx, 0, -1), &target), st, done);
    MNP_TRY_OR(mnp_irfft(spectrum, n, axis, NULL, &h), st, done); /* ignores what frequencies 0 and n / 2 are now */
    st = mnp_eval(x->ctx, "y = x + h * 1j", MNP_IN("x", part, "h", h), MNP_OUT("y", y_p));
done:
    mnp_free_all(part, spectrum, h);
    return st;
}

mnp_status mnp_hilbert(const mnp_array *x, int64_t n, int axis, mnp_array **y_p)
{
    MNP_ENTER(x, y_p);
    static const char function[] = "mnp_hilbert";
    mnp_array *spectrum = NULL, *y = NULL;
    mnp_status st;
    MNP_TRY(begin(function, x, axis, &axis));
    if (mnp_dtype_kind(x->dtype) == 'c')
        return MNP_FAIL(MNP_ERR_ARG, "%s: x is %s, and must be real", function, mnp_dtype_name(x->dtype));
    n = n == MNP_NONE ? x->layout->shape[axis] : n;
    if (n < 1)
        return MNP_FAIL(MNP_ERR_ARG, "%s: n is %" PRId64 ", and must be 1 or more", function, n);
    if (n <= x->layout->shape[axis]) {
        st = analytic(x, n, axis, &y);
        goto done;
    }
    MNP_TRY_OR(mnp_fft(x, n, axis, NULL, &spectrum), st, done);
    MNP_TRY_OR(multiply_part(spectrum, axis, 1, (n + 1) / 2, 2), st, done);
    MNP_TRY_OR(multiply_part(spectrum, axis, n / 2 + 1, n, 0), st, done);
    st = mnp_ifft(spectrum, n, axis, NULL, &y);
done:
    mnp_array_free(spectrum);
    return mnp__output_give(y, st, y_p);
}

/* ---- trends ---- */

/* Numbers -(n - 1) / 2, ... (n - 1) / 2 along an axis, in an array that broadcasts with others of `ndim` dimensions. */
static mnp_status make_ramp(mnp_ctx *ctx, mnp_dtype dtype, int64_t n, int ndim, int axis, mnp_array **ramp_p)
{
    int64_t shape[MNP_MAX_DIMS];
    mnp_array *line = NULL, *ramp = NULL;
    for (int d = 0; d < ndim; d++)
        shape[d] = d == axis ? n : 1;
    MNP_TRY(mnp_arange_int(ctx, 0, n, 1, dtype, &line));
    mnp_array *target = line;
    mnp_status st = mnp_subtract(line, mnp_scalar_float(ctx, (double)(n - 1) / 2), &target);
    if (st == MNP_OK)
        st = mnp_reshape(line, ndim, shape, &ramp);
    mnp_array_free(line);
    if (st == MNP_OK)
        *ramp_p = ramp;
    return st;
}

/* Subtract the mean of y along an axis, or also the best slope, in place. */
static mnp_status subtract_trend(const mnp_array *y, int axis, bool linear)
{
    const int64_t n = y->layout->shape[axis];
    const mnp_axes along = {.count = 1, .axes = {axis}, .keepdims = true};
    mnp_array *mean = NULL, *ramp = NULL, *product = NULL, *slope = NULL, *line = NULL, *target = (mnp_array *)y;
    mnp_status st;
    MNP_TRY_OR(mnp_mean(y, &along, &mean), st, done);
    MNP_TRY_OR(mnp_subtract(y, mean, &target), st, done);
    if (!linear || n < 2)
        goto done;
    MNP_TRY_OR(make_ramp(y->ctx, y->dtype, n, y->layout->ndim, axis, &ramp), st, done);
    MNP_TRY_OR(mnp_multiply(y, ramp, &product), st, done);
    MNP_TRY_OR(mnp_sum(product, &along, &slope), st, done);
    mnp_array *scaled = slope;
    const double squares = (double)n * ((double)n * (double)n - 1) / 12;
    MNP_TRY_OR(mnp_divide(slope, mnp_scalar_float(y->ctx, squares), &scaled), st, done);
    MNP_TRY_OR(mnp_multiply(slope, ramp, &line), st, done);
    st = mnp_subtract(y, line, &target);
done:
    mnp_free_all(mean, ramp, product, slope, line);
    return st;
}

mnp_status mnp_detrend(const mnp_array *x, int axis, const char *type, int count, const int64_t *breaks,
                       mnp_array **y_p)
{
    MNP_ENTER(x, y_p);
    MNP_NEED_IF(count > 0, breaks);
    static const char function[] = "mnp_detrend";
    mnp_array *y = NULL, *piece = NULL;
    MNP_TRY(begin(function, x, axis, &axis));
    const int64_t n = x->layout->shape[axis];
    const bool linear = !type || strcmp(type, "linear") == 0;
    if (!linear && strcmp(type, "constant") != 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: type is '%s', and must be 'linear' or 'constant'", function, type);
    if (mnp_dtype_kind(x->dtype) == 'c')
        return MNP_FAIL(MNP_ERR_ARG, "%s: x is %s, and must be real", function, mnp_dtype_name(x->dtype));
    for (int i = 0; i < count; i++) {
        if (breaks[i] < (i ? breaks[i - 1] : 0) || breaks[i] > n)
            return MNP_FAIL(MNP_ERR_ARG,
                            "%s: breaks[%d] is %" PRId64 ", and indices must rise between 0 and the %" PRId64
                            " elements along axis %d",
                            function, i, breaks[i], n, axis);
    }
    mnp_status st = mnp_astype(x, x->dtype == MNP_FLOAT32 ? MNP_FLOAT32 : MNP_FLOAT64, &y);
    const int pieces = linear ? count : 0; /* SciPy ignores breaks of constants */
    for (int i = 0; i <= pieces && st == MNP_OK; i++) {
        const int64_t first = i ? breaks[i - 1] : 0, end = i < pieces ? breaks[i] : n;
        if (end <= first)
            continue;
        st = mnp__lines_part(y, axis, first, end, 1, &piece);
        if (st == MNP_OK)
            st = subtract_trend(piece, axis, linear);
        mnp_array_free(piece);
        piece = NULL;
    }
    return mnp__output_give(y, st, y_p);
}

/* ---- rates, by transforms ---- */

/* The spectrum of complex x with more or fewer frequencies: the positive ones, zeros, the negative ones. */
static mnp_status resize_spectrum(const mnp_array *spectrum, int axis, int64_t n, int64_t num, mnp_array **resized_p)
{
    const int64_t common = mnp__min(n, num), positive = common / 2 + 1;
    mnp_array *sized = NULL, *from = NULL, *to = NULL;
    mnp_status st;
    int64_t shape[MNP_MAX_DIMS];
    memcpy(shape, spectrum->layout->shape, sizeof shape);
    shape[axis] = num;
    MNP_TRY_OR(mnp_zeros(spectrum->ctx, spectrum->dtype, spectrum->layout->ndim, shape, &sized), st, done);
    MNP_TRY_OR(mnp__lines_part(spectrum, axis, 0, positive, 1, &from), st, done);
    MNP_TRY_OR(mnp__lines_part(sized, axis, 0, positive, 1, &to), st, done);
    MNP_TRY_OR(mnp_copyto(to, from, MNP_CASTING_SAME_KIND), st, done);
    mnp_free_all(from, to);
    from = to = NULL;
    if (common > 2) {
        MNP_TRY_OR(mnp__lines_part(spectrum, axis, n - (common - positive), n, 1, &from), st, done);
        MNP_TRY_OR(mnp__lines_part(sized, axis, num - (common - positive), num, 1, &to), st, done);
        MNP_TRY_OR(mnp_copyto(to, from, MNP_CASTING_SAME_KIND), st, done);
        mnp_free_all(from, to);
        from = to = NULL;
    }
    if (common % 2 == 0 && n != num) { /* the middle frequency stands for two */
        const int64_t half = common / 2;
        if (num > n) {
            MNP_TRY_OR(multiply_part(sized, axis, half, half + 1, 0.5), st, done);
            MNP_TRY_OR(mnp__lines_part(sized, axis, half, half + 1, 1, &from), st, done);
            MNP_TRY_OR(mnp__lines_part(sized, axis, num - half, num - half + 1, 1, &to), st, done);
            st = mnp_copyto(to, from, MNP_CASTING_SAME_KIND);
        } else {
            MNP_TRY_OR(mnp__lines_part(spectrum, axis, n - half, n - half + 1, 1, &from), st, done);
            MNP_TRY_OR(mnp__lines_part(sized, axis, num - half, num - half + 1, 1, &to), st, done);
            mnp_array *target = to;
            st = mnp_add(to, from, &target);
        }
    }
done:
    mnp_free_all(from, to);
    if (st == MNP_OK)
        *resized_p = sized;
    else
        mnp_array_free(sized);
    return st;
}

mnp_status mnp_resample(const mnp_array *x, int64_t num, int axis, mnp_array **y_p)
{
    MNP_ENTER(x, y_p);
    static const char function[] = "mnp_resample";
    mnp_array *spectrum = NULL, *resized = NULL, *y = NULL;
    mnp_status st;
    MNP_TRY(begin(function, x, axis, &axis));
    const int64_t n = x->layout->shape[axis], common = mnp__min(n, num);
    if (num < 1 || n < 1)
        return MNP_FAIL(MNP_ERR_ARG,
                        "%s: num is %" PRId64 " and x has %" PRId64 " elements along axis %d, and both are 1 "
                        "at least",
                        function, num, n, axis);
    if (mnp_dtype_kind(x->dtype) == 'c') {
        MNP_TRY_OR(mnp_fft(x, n, axis, NULL, &spectrum), st, done);
        MNP_TRY_OR(resize_spectrum(spectrum, axis, n, num, &resized), st, done);
        MNP_TRY_OR(mnp_ifft(resized, num, axis, NULL, &y), st, done);
    } else {
        MNP_TRY_OR(mnp_rfft(x, n, axis, NULL, &spectrum), st, done);
        if (common % 2 == 0 && n != num)
            MNP_TRY_OR(multiply_part(spectrum, axis, common / 2, common / 2 + 1, num < n ? 2 : 0.5), st, done);
        MNP_TRY_OR(mnp_irfft(spectrum, num, axis, NULL, &y), st, done);
    }
    st = multiply_part(y, axis, 0, num, (double)num / (double)n);
done:
    mnp_free_all(spectrum, resized);
    return mnp__output_give(y, st, y_p);
}

/* ---- rates, by filters ---- */

/* A new array for the result of a filter, in single precision if x is. */
static mnp_status result_array(const mnp_array *x, int axis, int64_t outputs, mnp_array **y_p)
{
    const bool single = mnp__dtype_is_single(x->dtype);
    const bool is_complex = mnp_dtype_kind(x->dtype) == 'c';
    int64_t shape[MNP_MAX_DIMS];
    mnp_layout *layout;
    memcpy(shape, x->layout->shape, sizeof shape);
    shape[axis] = outputs;
    MNP_TRY(mnp_layout_like(x->layout, shape, &layout));
    mnp_status st = mnp_array_new(x->ctx,
                                  single       ? is_complex ? MNP_COMPLEX64 : MNP_FLOAT32
                                  : is_complex ? MNP_COMPLEX128
                                               : MNP_FLOAT64,
                                  layout, y_p);
    mnp_layout_free(layout);
    return st;
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The taps with zeros before them, so that the first output lies on an element: *taps_p is malloc'ed. */
static mnp_status make_taps(int64_t up, int64_t down, int64_t *count_p, const double *given, double **taps_p,
                            int64_t *first_p)
{
    const int64_t most = mnp__max(up, down);
    const int64_t half = given ? (*count_p - 1) / 2 : 10 * most, count = given ? *count_p : 2 * half + 1;
    const int64_t before = down - half % down;
    const double cutoff = 1 / (double)most, beta = 5;
    mnp_status st = MNP_OK;
    MNP_TRY(mnp__calloc((size_t)(before + count), sizeof **taps_p, taps_p));
    double *taps = *taps_p + before;
    if (given)
        memcpy(taps, given, (size_t)count * sizeof *taps);
    else if (most == 1)
        taps[half] = 1;
    else
        st = mnp_firwin(count, 1, &cutoff, "kaiser", 1, &beta, true, true, 0, taps);
    for (int64_t i = 0; i < count; i++)
        taps[i] *= (double)up;
    *count_p = before + count;
    *first_p = (half + before) / down;
    return st;
}

static mnp_status resample_by(const char *function, const mnp_array *x, int64_t up, int64_t down, int axis,
                              int64_t count, const double *given, mnp_array **y_p)
{
    const int64_t n = x->layout->shape[axis], outputs = mnp__divide_up(n * up, down);
    int64_t first;
    double *taps = NULL;
    mnp_status st = make_taps(up, down, &count, given, &taps, &first);
    if (st == MNP_OK)
        st = result_array(x, axis, outputs, y_p);
    const mnp__upfirdn filter = {
        .count = count, .taps = taps, .up = up, .down = down, .first = first, .outputs = outputs};
    if (st == MNP_OK)
        st = mnp__upfirdn_run(function, &filter, x, axis, y_p);
    free(taps);
    return st;
}

mnp_status mnp_resample_poly(const mnp_array *x, int64_t up, int64_t down, int axis, int64_t count, const double *taps,
                             mnp_array **y_p)
{
    MNP_ENTER(x, y_p);
    static const char function[] = "mnp_resample_poly";
    mnp_array *y = NULL;
    MNP_TRY(begin(function, x, axis, &axis));
    if (up < 1 || down < 1)
        return MNP_FAIL(MNP_ERR_ARG, "%s: up is %" PRId64 " and down is %" PRId64 ", and both must be 1 or more",
                        function, up, down);
    if (taps && (count < 1 || count % 2 == 0))
        return MNP_FAIL(MNP_ERR_ARG, "%s: there are %" PRId64 " taps, and must be an odd number of them", function,
                        count);
    const int64_t divisor = common_divisor(up, down);
    mnp_status st;
    if (up == down)
        st = result_array(x, axis, x->layout->shape[axis], &y);
    else
        st = resample_by(function, x, up / divisor, down / divisor, axis, count, taps, &y);
    if (st == MNP_OK && up == down)
        st = mnp_copyto(y, x, MNP_CASTING_SAME_KIND);
    return mnp__output_give(y, st, y_p);
}

static mnp_status decimate_by_taps(const mnp_array *x, int64_t q, int64_t n, int axis, bool zero_phase, mnp_array **y_p)
{
    static const char function[] = "mnp_decimate";
    const int64_t count = (n ? n : 20 * q) + 1, extent = x->layout->shape[axis];
    const double cutoff = 1 / (double)q;
    double *taps;
    MNP_TRY(mnp__malloc((size_t)count * sizeof *taps, &taps));
    mnp_status st = MNP_OK;
    if (q > 1)
        st = mnp_firwin(count, 1, &cutoff, "hamming", 0, NULL, true, true, 0, taps);
    else
        st = MNP_FAIL(MNP_ERR_ARG, "%s: q is %" PRId64 ", and must be 2 or more", function, q);
    const mnp__upfirdn filter = {
        .count = count, .taps = taps, .up = 1, .down = q, .outputs = mnp__divide_up(extent, q)};
    if (st == MNP_OK && zero_phase)
        st = resample_by(function, x, 1, q, axis, count, taps, y_p);
    else if (st == MNP_OK) {
        st = result_array(x, axis, filter.outputs, y_p);
        if (st == MNP_OK)
            st = mnp__upfirdn_run(function, &filter, x, axis, y_p);
    }
    free(taps);
    return st;
}

/* Filter by sections, and keep every element number q. */
static mnp_status decimate_by_sections(const mnp_array *x, int64_t q, int64_t n, int axis, bool zero_phase,
                                       mnp_array **y_p)
{
    mnp__view_dim dims[MNP_MAX_DIMS];
    mnp_filter filter = {.k = 0};
    mnp_array *y = NULL, *kept = NULL;
    const double edge = 0.8 / (double)q;
    const int64_t extent = x->layout->shape[axis], outputs = mnp__divide_up(extent, q);
    mnp_status st;
    MNP_TRY(mnp_cheby1((int)(n ? n : 8), 0.05, &edge, "lowpass", false, 0, &filter));
    if (zero_phase) {
        MNP_TRY_OR(result_array(x, axis, outputs, y_p), st, done);
        st = mnp__sections_both_ways(filter.sections, filter.sos, x, axis, NULL, MNP_NONE, q, y_p);
        goto done;
    }
    MNP_TRY_OR(result_array(x, axis, extent, &y), st, done);
    MNP_TRY_OR(mnp_sosfilt(filter.sections, filter.sos, x, axis, NULL, &y, NULL), st, done);
    for (int d = 0; d < y->layout->ndim; d++)
        dims[d] = mnp__view_whole(y, d);
    dims[axis].step = q;
    dims[axis].extent = outputs;
    MNP_TRY_OR(mnp__view_make(y, y->layout->ndim, dims, NULL, &kept), st, done);
    st = mnp_copy(kept, y_p);
done:
    mnp_filter_clear(&filter);
    mnp_free_all(y, kept);
    return st;
}

mnp_status mnp_decimate(const mnp_array *x, int64_t q, int64_t n, const char *ftype, int axis, bool zero_phase,
                        mnp_array **y_p)
{
    MNP_ENTER(x, y_p);
    static const char function[] = "mnp_decimate";
    mnp_array *y = NULL;
    MNP_TRY(begin(function, x, axis, &axis));
    const bool sections = !ftype || strcmp(ftype, "iir") == 0;
    if (!sections && strcmp(ftype, "fir") != 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: ftype is '%s', and must be 'iir' or 'fir'", function, ftype);
    if (q < 1 || n < 0 || n > 1 << 20)
        return MNP_FAIL(MNP_ERR_ARG, "%s: q is %" PRId64 " and n is %" PRId64 ", and must be at least 1 and 0",
                        function, q, n);
    mnp_status st = sections ? decimate_by_sections(x, q, n, axis, zero_phase, &y)
                             : decimate_by_taps(x, q, n, axis, zero_phase, &y);
    return mnp__output_give(y, st, y_p);
}

/* ---- the chirp transform ---- */

/* A complex number by the logarithm of its size and its angle, in turns. */
typedef struct polar {
    long double size, turns;
} polar;

static polar polar_of(double complex z)
{
    return (polar){.size = logl(cabsl(z)), .turns = cargl(z) / (2 * 3.14159265358979323846264338327950288L)};
}

/* z^times */
static double complex power(const polar *z, long double times)
{
    const long double grown = times * z->size, turns = times * z->turns;
    const double size = fabsl(grown) < 1 ? exp((double)grown) : (double)expl(grown);
    const double angle = 2 * PI * (double)(turns - rintl(turns));
    return size * (cos(angle) + I * sin(angle));
}

/* A vector that lies along an axis and broadcasts with arrays of that many dimensions. */
static mnp_status make_vector(mnp_ctx *ctx, int64_t n, const double complex *values, int ndim, int axis,
                              mnp_array **vector_p)
{
    int64_t shape[MNP_MAX_DIMS];
    for (int d = 0; d < ndim; d++)
        shape[d] = d == axis ? n : 1;
    return mnp_array_from_host(ctx, MNP_COMPLEX128, ndim, shape, values, vector_p);
}

/* The chirps of a transform of n elements to m points, for a convolution of `size` elements. */
typedef struct chirps {
    int64_t n, m, size;
    double complex w, a;
    double complex *before, *filter, *after; /* before: of the elements; filter: of the convolution */
} chirps;

static mnp_status make_chirps(chirps *c)
{
    double complex *room;
    MNP_TRY(mnp_next_fast_len(c->n + c->m - 1, true, &c->size));
    MNP_TRY(mnp__calloc((size_t)(c->n + c->size + c->m), sizeof *room, &room));
    c->before = room;
    c->filter = room + c->n;
    c->after = c->filter + c->size;
    const polar w = polar_of(c->w), a = polar_of(c->a);
    for (int64_t k = 0; k < c->n || k < c->m; k++) {
        const double complex chirp = power(&w, (long double)k * k / 2), inverse = 1 / chirp;
        if (k < c->n)
            c->before[k] = power(&a, -(long double)k) * chirp;
        if (k < c->m)
            c->after[k] = chirp;
        if (k < c->m)
            c->filter[k] = inverse;
        if (k < c->n && k > 0)
            c->filter[c->size - k] = inverse;
    }
    return MNP_OK;
}

static mnp_status transform_by_chirps(const chirps *c, const mnp_array *x, int axis, mnp_array **y_p)
{
    const int ndim = x->layout->ndim;
    mnp_array *before = NULL, *filter = NULL, *after = NULL, *product = NULL, *zx = NULL, *zf = NULL, *z = NULL,
              *long_y = NULL, *head = NULL;
    mnp_status st;
    MNP_TRY_OR(make_vector(x->ctx, c->n, c->before, ndim, axis, &before), st, done);
    MNP_TRY_OR(make_vector(x->ctx, c->size, c->filter, ndim, axis, &filter), st, done);
    MNP_TRY_OR(make_vector(x->ctx, c->m, c->after, ndim, axis, &after), st, done);
    MNP_TRY_OR(mnp_multiply(x, before, &product), st, done);
    MNP_TRY_OR(mnp_fft(product, c->size, axis, NULL, &zx), st, done);
    MNP_TRY_OR(mnp_fft(filter, c->size, axis, NULL, &zf), st, done);
    MNP_TRY_OR(mnp_multiply(zx, zf, &z), st, done);
    MNP_TRY_OR(mnp_ifft(z, c->size, axis, NULL, &long_y), st, done);
    MNP_TRY_OR(mnp__lines_part(long_y, axis, 0, c->m, 1, &head), st, done);
    st = mnp_multiply(head, after, y_p);
done:
    mnp_free_all(before, filter, after, product, zx, zf, z, long_y, head);
    return st;
}

mnp_status mnp_czt(const mnp_array *x, int64_t m, const double *w, const double *a, int axis, mnp_array **y_p)
{
    MNP_ENTER(x, y_p);
    static const char function[] = "mnp_czt";
    mnp_array *y = NULL;
    MNP_TRY(begin(function, x, axis, &axis));
    chirps c = {.n = x->layout->shape[axis]};
    c.m = m == MNP_NONE ? c.n : m;
    if (c.m < 1 || c.n < 1)
        return MNP_FAIL(MNP_ERR_ARG,
                        "%s: m is %" PRId64 " and x has %" PRId64 " elements along axis %d, and both are 1 at "
                        "least",
                        function, c.m, c.n, axis);
    c.w = w ? w[0] + I * w[1] : cexp(-2 * PI * I / (double)c.m);
    c.a = a ? a[0] + I * a[1] : 1;
    mnp_status st = MNP_AGREE(x->ctx, make_chirps(&c));
    if (st == MNP_OK)
        st = transform_by_chirps(&c, x, axis, &y);
    free(c.before);
    return mnp__output_give(y, st, y_p);
}

mnp_status mnp_zoom_fft(const mnp_array *x, double f1, double f2, int64_t m, double fs, bool endpoint, int axis,
                        mnp_array **y_p)
{
    MNP_ENTER(x, y_p);
    static const char function[] = "mnp_zoom_fft";
    MNP_TRY(begin(function, x, axis, &axis));
    const int64_t points = m == MNP_NONE ? x->layout->shape[axis] : m;
    if (points < 1 || !(fs > 0) || (endpoint && points < 2))
        return MNP_FAIL(MNP_ERR_ARG,
                        "%s: m is %" PRId64 " and fs %g; m must be 1 or more, with endpoint 2, and fs above 0",
                        function, points, fs);
    const double step = (f2 - f1) / (fs * (double)(endpoint ? points - 1 : points));
    const double w[2] = {cos(2 * PI * step), -sin(2 * PI * step)};
    const double a[2] = {cos(2 * PI * f1 / fs), sin(2 * PI * f1 / fs)};
    return mnp_czt(x, points, w, a, axis, y_p);
}
